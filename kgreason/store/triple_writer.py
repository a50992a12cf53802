"""Triples of a view to a stream of text, a block at a time, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

import numpy as np
import pyoxigraph

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import WriteError
from kgreason.io.formats import format_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.relations.table import Ids
from kgreason.store.triple_view import Chunk, TripleView

_BLOCK = 1 << 16
_Form = TypeVar("_Form")


def write_triples(view: TripleView, dictionary: Dictionary, out: BinaryIO, format: str) -> None:
    """Write all triples of a view; each block makes each of its terms once.

    Raises:
        LoadError: an unknown format.
        KGReasonError: a format that has no room for quads' triples, or none for one of these triples: RDF/XML
            cannot say properties that do not end like an XML name.
    """
    chosen = format_of(format)
    blocks = _blocks(view)
    if chosen == pyoxigraph.RdfFormat.N_TRIPLES:
        for subjects, predicates, objects in _forms(blocks, dictionary, str):
            rows = zip(subjects, predicates, objects, strict=True)
            out.write("".join(f"{s} {p} {o} .\n" for s, p, o in rows).encode())
        return
    triples = (
        pyoxigraph.Triple(*row)
        for columns in _forms(blocks, dictionary, _foreign)
        for row in zip(*columns, strict=True)
    )
    try:
        pyoxigraph.serialize(triples, output=out, format=chosen)
    except ValueError as error:
        raise WriteError(f"cannot be written as {chosen.name}: {error}") from error


def _blocks(view: TripleView) -> Iterator[Chunk]:
    for subjects, predicates, objects in view.match(None, None, None):
        for start in range(0, len(subjects), _BLOCK):
            rows = slice(start, start + _BLOCK)
            yield subjects[rows], predicates[rows], objects[rows]


def _forms(
    blocks: Iterator[Chunk], dictionary: Dictionary, form: Callable[[Term], _Form]
) -> Iterator[tuple[list[_Form], ...]]:
    """Each block with the terms in some other form than their ids."""

    def column(identifiers: Ids) -> list[_Form]:
        distinct, places = np.unique(identifiers, return_inverse=True)
        forms = [form(dictionary.decode(identifier)) for identifier in distinct.tolist()]
        return [forms[place] for place in places.tolist()]

    for block in blocks:
        yield tuple(map(column, block))


def _foreign(term: Term) -> Any:
    """A term as pyoxigraph's."""
    match term:
        case IRI(value):
            return pyoxigraph.NamedNode(value)
        case BlankNode(label):
            return pyoxigraph.BlankNode(label)
        case Literal(lexical, datatype, language):
            kind = pyoxigraph.NamedNode(datatype) if datatype is not None else None
            return pyoxigraph.Literal(lexical, datatype=kind, language=language)
