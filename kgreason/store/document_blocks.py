"""Long documents of triples a block at a time, for clients who read while they are written.

A block has some thousand triples, in the order of the ids of their subjects, and becomes text when it is asked for:
memory holds 16 bytes for each triple, and the text of one block. So such a document is not sorted by text, and blank
nodes have the labels of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from io import BytesIO
from typing import Any, Protocol

import numpy as np
import pyoxigraph

from kgreason import memory
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps
from kgreason.errors import WriteError
from kgreason.io.formats import rdf_format_of
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import IRI, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.table import Ids
from kgreason.sparql.term_texts import Terms
from kgreason.store import store_tuning
from kgreason.store.oxigraph_forms import (
    NO_PREFIXES,
    Document,
    Prefixes,
    check_characters,
    check_properties,
    used_prefixes,
)
from kgreason.store.sorted_terms import Terms as Decoder
from kgreason.store.triple_view import Chunk
from kgreason.store.turtle_blocks import TurtleBlocks


class Decoded(Terms, Decoder, Protocol):
    """Terms one by one and in columns."""


def is_long(triples: Chunk) -> bool:
    """Whether triples are better written a block at a time than sorted."""
    return len(triples[0]) > store_tuning.LONG_DOCUMENT


def document_blocks(
    triples: Chunk, dictionary: Decoded, format: str, prefixes: Prefixes = NO_PREFIXES
) -> Iterator[bytes]:
    """Triples as one document, a piece for each block.

    Raises:
        LoadError: an unknown format.
        WriteError: a format that cannot say one of these triples; for the first pieces, before they are given.
    """
    chosen = rdf_format_of(format)
    blocks = _Blocks(triples, dictionary, chosen)
    if chosen == pyoxigraph.RdfFormat.JSON_LD:
        return _in_json(blocks.texts(lambda _: {}))
    if chosen == pyoxigraph.RdfFormat.RDF_XML:
        properties = blocks.properties()
        check_properties(triples[1], (), dictionary)
        return _in_xml(blocks.texts(lambda _: used_prefixes(prefixes, properties)))
    return blocks.turtle(TurtleBlocks(dictionary, prefixes))


class _Blocks:
    """The triples of a document in order, and each block of them as a document of its own."""

    def __init__(self, triples: Chunk, dictionary: Decoded, format: Any) -> None:
        self._triples = triples
        self._dictionary = dictionary
        self._format = format
        subjects, predicates, objects = triples
        kind = [each for each in bitmaps.distinct(predicates).tolist() if dictionary.decode(each) == IRI(RDF_TYPE)]
        self._order = _order_of(subjects, predicates, objects, np.array(kind, dtype=np.uint32))
        if len(self._order) >= store_tuning.SORT_GIVEN_BACK:
            memory.give_back()

    def properties(self) -> list[Term]:
        """The properties of all triples."""
        return [self._dictionary.decode(each) for each in bitmaps.distinct(self._triples[1]).tolist()]

    def turtle(self, writer: TurtleBlocks) -> Iterator[bytes]:
        """One document of all blocks."""
        return map(writer.text, self._parts(store_tuning.TURTLE_BLOCK))

    def _parts(self, size: int) -> Iterator[list[Ids]]:
        for start in range(0, len(self._order), size):
            checkpoint()
            places = self._order[start : start + size]
            yield [column[places] for column in self._triples]

    def texts(self, prefixes: Callable[[list[Term]], dict[str, str]]) -> Iterator[bytes]:
        """The documents of the blocks; `prefixes` gives those to declare for the terms of one."""
        for columns in self._parts(store_tuning.TERMS_BLOCK):
            yield self._text(columns, prefixes)

    def _text(self, columns: list[Ids], prefixes: Callable[[list[Term]], dict[str, str]]) -> bytes:
        chosen, distinct = self._format, bitmaps.distinct(np.concatenate(columns))
        terms = [term_of(key) for key in self._dictionary.key_column(distinct).to_pylist()]
        self._check(columns[1], terms)
        document = Document(chosen)
        forms = dict(zip(distinct.tolist(), map(document.form, terms), strict=True))
        rows = zip(*([forms[identifier] for identifier in column.tolist()] for column in columns), strict=True)
        made: Any = pyoxigraph.Quad if chosen.supports_datasets else pyoxigraph.Triple
        out = BytesIO()
        document.write((made(*row) for row in rows), out, prefixes(terms))
        return out.getvalue()

    def _check(self, predicates: Ids, terms: list[Term]) -> None:
        if self._format == pyoxigraph.RdfFormat.RDF_XML:
            check_properties(predicates, terms, self._dictionary)
            check_characters(terms)
        if self._format == pyoxigraph.RdfFormat.JSON_LD and any(isinstance(term, TripleTerm) for term in terms):
            raise WriteError("cannot be written as JSON-LD: it has no triple terms (expected Turtle, N-Triples, ...)")


def _order_of(subjects: Ids, predicates: Ids, objects: Ids, first: Ids) -> Ids:
    """The places of triples in order, some of the predicates first: by subjects, and then those of some subjects at a
    time, so that limits hold meanwhile."""
    order = np.argsort(subjects, kind="stable").astype(np.uint32)
    checkpoint()
    ordered, begin = subjects[order], 0
    while begin < len(order):
        last = min(begin + store_tuning.SORTED_TOGETHER, len(order)) - 1
        end = int(np.searchsorted(ordered, ordered[last], side="right"))
        places = order[begin:end]
        used = predicates[places]
        order[begin:end] = places[np.lexsort((objects[places], used, ~np.isin(used, first), ordered[begin:end]))]
        checkpoint()
        begin = end
    return order


def _in_xml(texts: Iterator[bytes]) -> Iterator[bytes]:
    """One document of several that begin and end with the same element."""
    end = b"</rdf:RDF>"
    is_first = True
    for text in texts:
        body = text.rindex(end)
        yield text[:body] if is_first else text[text.index(b"\n", text.index(b"<rdf:RDF")) + 1 : body]
        is_first = False
    yield end + b"\n"


def _in_json(texts: Iterator[bytes]) -> Iterator[bytes]:
    """One list of several."""
    before = b"["
    for text in texts:
        yield before + text[1:-1]
        before = b","
    yield b"]\n"
