"""Triples and quads of views to a stream of text.

N-Triples and N-Quads are written a block at a time, in the order of the relations, so that memory stays flat. The
other formats are sorted by subject, predicate and object: each subject stands once, with its triples below it, and what
is written twice is the same byte for byte, as a version control system likes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import chain
from typing import IO, Any, Final, Protocol, TypeVar

import numpy as np
import pyoxigraph

from kgreason import memory, progress
from kgreason.checkpoints import checkpoint
from kgreason.errors import WriteError
from kgreason.io.formats import rdf_format_of
from kgreason.rdf.model import IRI, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.table import Ids
from kgreason.store import store_tuning
from kgreason.store.oxigraph_forms import (
    NO_PREFIXES,
    Document,
    Prefixes,
    check_characters,
    check_properties,
    oxigraph_iri,
    used_prefixes,
)
from kgreason.store.sorted_terms import SortedTerms, Terms
from kgreason.store.triple_view import Chunk

_ONE_TRIPLE: Final = 64
"""What sorting takes for a triple, in bytes."""
_TYPE: Final = pyoxigraph.NamedNode(RDF_TYPE)
_LINES: Final = (pyoxigraph.RdfFormat.N_TRIPLES, pyoxigraph.RdfFormat.N_QUADS)
_WITHOUT_LAST_LINE: Final = (pyoxigraph.RdfFormat.RDF_XML, pyoxigraph.RdfFormat.JSON_LD)
"""pyoxigraph ends these without a line break, which tools of the command line expect."""
_Form = TypeVar("_Form")


class Triples(Protocol):
    """Triples of ids, as a `TripleView` has them."""

    def match(self, subject: None, predicate: None, object: None, /) -> Iterator[Chunk]: ...


def write_triples(
    view: Triples, dictionary: Terms, out: IO[bytes], format: str, prefixes: Prefixes = NO_PREFIXES
) -> None:
    """Write all triples of a view; those of `prefixes`, from prefix to namespace, that are of use are declared.

    Raises:
        LoadError: an unknown format.
        WriteError: a format that cannot say one of these triples: RDF/XML cannot say properties that do not end like an
            XML name, and none an IRI that is relative or has spaces.
        MemoryError: there is not enough to sort them, some 400 bytes for each term.
    """
    write_graphs([(None, [view])], dictionary, out, format, prefixes)


def write_graphs(
    named: Iterable[tuple[int | None, Sequence[Triples]]],
    dictionary: Terms,
    out: IO[bytes],
    format: str,
    prefixes: Prefixes = NO_PREFIXES,
) -> None:
    """Write graphs under their names, by id, None for the default one, as `write_triples` does; each is what its views,
    which are disjoint, have together.

    Raises:
        WriteError: also a graph with a name, in a format that has none.
    """
    chosen = rdf_format_of(format)
    named = list(named)
    if not chosen.supports_datasets and any(name is not None for name, _ in named):
        raise WriteError(f"{chosen.name} has no named graphs (expected N-Quads, TriG or JSON-LD)")
    if chosen in _LINES:
        for name, views in named:
            for view in views:
                _write_lines(view, dictionary, out, "." if name is None else f"{token_of(dictionary.decode(name))} .")
        return
    pieces = [(name, gathered(views)) for name, views in named]
    terms = SortedTerms(pieces, dictionary)
    pieces.sort(key=lambda piece: -1 if piece[0] is None else terms.rank(piece[0]))
    if chosen == pyoxigraph.RdfFormat.RDF_XML:
        check_properties(pieces[0][1][1], terms.terms, dictionary)
        check_characters(terms.terms)
    _serialise(pieces, terms, out, chosen, prefixes)


def _serialise(
    pieces: Sequence[tuple[int | None, Chunk]], terms: SortedTerms, out: IO[bytes], chosen: Any, prefixes: Prefixes
) -> None:
    """Write graphs in order in a format that is not one of lines."""
    if chosen == pyoxigraph.RdfFormat.JSON_LD and any(isinstance(term, TripleTerm) for term in terms.terms):
        raise WriteError("cannot be written as JSON-LD: it has no triple terms (expected Turtle, TriG, N-Triples, ...)")
    document = Document(chosen)
    forms = dict(zip(terms.ids.tolist(), map(document.form, terms.terms), strict=True))
    graphs = [pyoxigraph.DefaultGraph() if name is None else forms[name] for name, _ in pieces]
    statements = chain.from_iterable(
        _statements(graph, part, terms, forms, chosen) for graph, (_, part) in zip(graphs, pieces, strict=True)
    )
    document.write(statements, out, used_prefixes(prefixes, terms.terms))
    if chosen in _WITHOUT_LAST_LINE:
        out.write(b"\n")


def _write_lines(view: Triples, dictionary: Terms, out: IO[bytes], end: str) -> None:
    _begin([view])
    done = 0
    for columns in _blocks(view.match(None, None, None)):
        done += len(columns[0])
        progress.advance(done)
        subjects, predicates, objects = _forms(columns, dictionary, token_of)
        rows = zip(subjects, predicates, objects, strict=True)
        out.write("".join(f"{s} {p} {o} {end}\n" for s, p, o in rows).encode())


def _begin(views: Sequence[Triples]) -> None:
    """Report that views are being written."""
    if progress.is_reporting():
        counted = [view for view in views if isinstance(view, Sized)]
        progress.begin("writing", total=sum(map(len, counted)) if len(counted) == len(views) else None)


def _statements(graph: Any, triples: Chunk, terms: SortedTerms, forms: Mapping[int, Any], format: Any) -> Iterator[Any]:
    """One graph in order; `rdf:type` comes before other properties."""
    subjects, predicates, objects = map(terms.ranks, triples)
    type_ids = [identifier for identifier, form in forms.items() if form == _TYPE]
    order = np.lexsort((objects, predicates, ~np.isin(triples[1], type_ids), subjects))
    progress.begin("writing", total=len(order))
    for start in range(0, len(order), store_tuning.WRITTEN_TRIPLES):
        progress.advance(start)
        places = order[start : start + store_tuning.WRITTEN_TRIPLES]
        columns = ([forms[identifier] for identifier in column[places].tolist()] for column in triples)
        rows = zip(*columns, strict=True)
        if format.supports_datasets:
            yield from (pyoxigraph.Quad(s, p, o, graph) for s, p, o in rows)
        else:
            yield from (pyoxigraph.Triple(s, p, o) for s, p, o in rows)


def _blocks(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    for subjects, predicates, objects in chunks:
        for start in range(0, len(subjects), store_tuning.WRITTEN_TRIPLES):
            rows = slice(start, start + store_tuning.WRITTEN_TRIPLES)
            yield subjects[rows], predicates[rows], objects[rows]


def gathered(views: Sequence[Triples]) -> Chunk:
    """All triples of disjoint views."""
    chunks: list[Chunk] = []
    rows = 0
    for chunk in chain.from_iterable(view.match(None, None, None) for view in views):
        checkpoint()
        rows += len(chunk[0])
        memory.check(_ONE_TRIPLE * rows, "sorting triples")
        chunks.append(chunk)
    if not chunks:
        return (np.empty(0, np.uint32),) * 3
    subjects, predicates, objects = map(np.concatenate, zip(*chunks, strict=True))
    return subjects, predicates, objects


def _forms(columns: Chunk, dictionary: Terms, form: Callable[[Term], _Form]) -> tuple[list[_Form], ...]:
    """The columns with the terms in some other form than their ids; each distinct term is made once."""

    def column(identifiers: Ids) -> list[_Form]:
        distinct, places = np.unique(identifiers, return_inverse=True)
        forms = [form(dictionary.decode(identifier)) for identifier in distinct.tolist()]
        return [forms[place] for place in places.tolist()]

    return tuple(map(column, columns))


def token_of(term: Term) -> str:
    """A term in N-Triples; WriteError for an IRI that only rdflib's graphs take."""
    if isinstance(term, IRI):
        oxigraph_iri(term, "N-Triples")
    return str(term)
