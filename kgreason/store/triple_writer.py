"""Triples and quads of views to a stream of text.

N-Triples and N-Quads are written a block at a time, in the order of the relations, so that memory stays flat. The
other formats are sorted by subject, predicate and object: each subject stands once, with its triples below it, and what
is written twice is the same byte for byte, as a version control system likes it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from io import BytesIO
from itertools import chain
from types import MappingProxyType
from typing import IO, Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np
import pyoxigraph

from kgreason import memory, progress
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps
from kgreason.errors import WriteError, quoted
from kgreason.io.formats import rdf_format_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.table import Ids
from kgreason.store.sorted_terms import SortedTerms, Terms
from kgreason.store.triple_view import Chunk

_BLOCK = 1 << 16
_ONE_TRIPLE: Final = 64
"""What sorting takes for a triple, in bytes."""
_XML_NAME: Final = re.compile(r"[^\W\d][\w.\-]*$")
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PREFIX: Final = re.compile(r"([^\W\d_]([\w.\-]*[\w\-])?)?")
"""About PN_PREFIX of Turtle: what is none as well may go without a declaration."""
_TYPE: Final = pyoxigraph.NamedNode(RDF_TYPE)
_DIRECTIONS: Final = {"ltr": pyoxigraph.BaseDirection.LTR, "rtl": pyoxigraph.BaseDirection.RTL}
_LINES: Final = (pyoxigraph.RdfFormat.N_TRIPLES, pyoxigraph.RdfFormat.N_QUADS)
_WITHOUT_LAST_LINE: Final = (pyoxigraph.RdfFormat.RDF_XML, pyoxigraph.RdfFormat.JSON_LD)
"""pyoxigraph ends these without a line break, which tools of the command line expect."""
_Form = TypeVar("_Form")
_Prefixes: TypeAlias = Mapping[str, str]
NO_PREFIXES: Final[_Prefixes] = MappingProxyType({})


class Triples(Protocol):
    """Triples of ids, as a `TripleView` has them."""

    def match(self, subject: None, predicate: None, object: None, /) -> Iterator[Chunk]: ...


def write_triples(
    view: Triples, dictionary: Terms, out: IO[bytes], format: str, prefixes: _Prefixes = NO_PREFIXES
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
    prefixes: _Prefixes = NO_PREFIXES,
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
    pieces = [(name, _gathered(views)) for name, views in named]
    names = np.array([name for name, _ in named if name is not None], dtype=np.uint32)
    columns = map(np.concatenate, zip(*(part for _, part in pieces), strict=True))
    terms = SortedTerms([*columns, names], dictionary)
    if chosen == pyoxigraph.RdfFormat.RDF_XML:
        _check_properties(pieces[0][1][1], terms, dictionary)
        _check_characters(terms.terms)
    if chosen == pyoxigraph.RdfFormat.JSON_LD and any(isinstance(term, TripleTerm) for term in terms.terms):
        raise WriteError("cannot be written as JSON-LD: it has no triple terms (expected Turtle, TriG, N-Triples, ...)")
    forms = dict(zip(terms.ids.tolist(), (_foreign(term, chosen.name) for term in terms.terms), strict=True))
    graphs = [pyoxigraph.DefaultGraph() if name is None else forms[name] for name, _ in named]
    statements = chain.from_iterable(
        _statements(graph, part, terms, forms, chosen) for graph, (_, part) in zip(graphs, pieces, strict=True)
    )
    stream = _XMLStream(out) if chosen == pyoxigraph.RdfFormat.RDF_XML else out
    try:
        pyoxigraph.serialize(statements, output=stream, format=chosen, prefixes=_used(prefixes, terms.terms))
    except ValueError as error:
        raise WriteError(f"cannot be written as {chosen.name}: {error}") from error
    if chosen in _WITHOUT_LAST_LINE:
        out.write(b"\n")


class _XMLStream(BytesIO):
    """Hands on what is written, with carriage returns as references: parsers of XML take others for line breaks, and
    pyoxigraph writes them as they are."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: Any) -> int:
        self._stream.write(bytes(text).replace(b"\r", b"&#xD;"))
        return len(text)


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
    for start in range(0, len(order), _BLOCK):
        progress.advance(start)
        places = order[start : start + _BLOCK]
        columns = ([forms[identifier] for identifier in column[places].tolist()] for column in triples)
        rows = zip(*columns, strict=True)
        if format.supports_datasets:
            yield from (pyoxigraph.Quad(s, p, o, graph) for s, p, o in rows)
        else:
            yield from (pyoxigraph.Triple(s, p, o) for s, p, o in rows)


def _blocks(chunks: Iterator[Chunk]) -> Iterator[Chunk]:
    for subjects, predicates, objects in chunks:
        for start in range(0, len(subjects), _BLOCK):
            rows = slice(start, start + _BLOCK)
            yield subjects[rows], predicates[rows], objects[rows]


def _gathered(views: Sequence[Triples]) -> Chunk:
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


def _check_properties(predicates: Ids, terms: SortedTerms, dictionary: Terms) -> None:
    """Refuse properties that are no name in XML: pyoxigraph writes some of them as an element without a name."""
    used = {dictionary.decode(identifier) for identifier in bitmaps.distinct(predicates).tolist()}
    waiting = [term for term in terms.terms if isinstance(term, TripleTerm)]
    while waiting:
        inner = waiting.pop()
        used.add(inner.predicate)
        waiting += [inner.object] if isinstance(inner.object, TripleTerm) else []
    for term in used:
        if isinstance(term, IRI) and not _XML_NAME.search(term.value):
            raise WriteError(f"cannot be written as RDF/XML: {term} (expected a property whose end is an XML name)")


def _check_characters(terms: Iterable[Term]) -> None:
    """Refuse literals with control characters, which no document in XML can have."""
    for term in terms:
        if isinstance(term, Literal) and (found := _NOT_IN_XML.search(term.lexical)):
            raise WriteError(f"cannot be written as RDF/XML: {quoted(term.lexical)} has the character {found[0]!r}")


def _used(prefixes: _Prefixes, terms: Iterable[Term]) -> dict[str, str]:
    """The prefixes of namespaces that some IRI, or the datatype of some literal, begins with."""
    found: set[str] = set()
    waiting = list(terms)
    while waiting:
        match waiting.pop():
            case TripleTerm(subject, predicate, object):
                waiting += (subject, predicate, object)
            case IRI(value) if value != RDF_TYPE:  # which is written as "a"
                found.add(value)
            case Literal(_, datatype, _) if datatype is not None:
                found.add(datatype)
    texts = sorted(found)

    def is_used(namespace: str) -> bool:
        at = bisect_left(texts, namespace)
        return at < len(texts) and texts[at].startswith(namespace)

    return {
        prefix: namespace for prefix, namespace in sorted(prefixes.items())
        if namespace and _PREFIX.fullmatch(prefix) and is_used(namespace)
    }  # fmt: skip


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
        _named(term, "N-Triples")
    return str(term)


def _named(iri: IRI, format: str) -> Any:
    """An IRI as pyoxigraph's, which looks at what is in it: a quarter of a microsecond."""
    try:
        return pyoxigraph.NamedNode(iri.value)
    except ValueError as error:
        raise WriteError(f"cannot be written as {format}: {quoted(iri.value)} is not a valid IRI: {error}") from None


def _foreign(term: Term, format: str) -> Any:
    """A term as pyoxigraph's; WriteError for an IRI that only rdflib's graphs take."""
    match term:
        case IRI():
            return _named(term, format)
        case BlankNode(label):
            return pyoxigraph.BlankNode(label)
        case Literal(lexical, None, str(language), str(direction)):
            return pyoxigraph.Literal(lexical, language=language, direction=_DIRECTIONS[direction])
        case Literal(lexical, datatype, language):
            kind = pyoxigraph.NamedNode(datatype) if datatype is not None else None
            return pyoxigraph.Literal(lexical, datatype=kind, language=language)
        case TripleTerm(subject, predicate, object):
            return pyoxigraph.Triple(*(_foreign(part, format) for part in (subject, predicate, object)))
