"""What pyoxigraph needs to write triples, and what its formats cannot say."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from io import BytesIO
from types import MappingProxyType
from typing import IO, Any, Final, TypeAlias

import pyoxigraph

from kgreason.columns import bitmaps
from kgreason.errors import WriteError, quoted
from kgreason.rdf.literal_values import NC_NAME
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.prefixes import is_declarable
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.table import Ids
from kgreason.store.sorted_terms import Terms

_XML_NAME: Final = re.compile(NC_NAME + r"\Z")
_NOT_IN_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DIRECTIONS: Final = {"ltr": pyoxigraph.BaseDirection.LTR, "rtl": pyoxigraph.BaseDirection.RTL}
Prefixes: TypeAlias = Mapping[str, str]
NO_PREFIXES: Final[Prefixes] = MappingProxyType({})


class XMLStream(BytesIO):
    """Hands on what is written, with carriage returns as references: parsers of XML take others for line breaks, and
    pyoxigraph writes them as they are."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__()
        self._stream = stream

    def write(self, text: Any) -> int:
        self._stream.write(bytes(text).replace(b"\r", b"&#xD;"))
        return len(text)


def check_properties(predicates: Ids, terms: Iterable[Term], dictionary: Terms) -> None:
    """Refuse properties that are no name in XML: pyoxigraph writes some of them as an element without a name."""
    used = {dictionary.decode(identifier) for identifier in bitmaps.distinct(predicates).tolist()}
    waiting = [term for term in terms if isinstance(term, TripleTerm)]
    while waiting:
        inner = waiting.pop()
        used.add(inner.predicate)
        waiting += [inner.object] if isinstance(inner.object, TripleTerm) else []
    for term in used:
        if isinstance(term, IRI) and not _XML_NAME.search(term.value):
            raise WriteError(f"cannot be written as RDF/XML: {term} (expected a property whose end is an XML name)")


def check_characters(terms: Iterable[Term]) -> None:
    """Refuse literals with control characters, which no document in XML can have."""
    for term in terms:
        if isinstance(term, Literal) and (found := _NOT_IN_XML.search(term.lexical)):
            raise WriteError(f"cannot be written as RDF/XML: {quoted(term.lexical)} has the character {found[0]!r}")


def used_prefixes(prefixes: Prefixes, terms: Iterable[Term]) -> dict[str, str]:
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
        if is_used(namespace) and is_declarable(prefix, namespace)
    }  # fmt: skip


def oxigraph_iri(iri: IRI, format: str) -> Any:
    """An IRI as pyoxigraph's, which looks at what is in it: a quarter of a microsecond."""
    try:
        return pyoxigraph.NamedNode(iri.value)
    except ValueError as error:
        raise WriteError(f"cannot be written as {format}: {quoted(iri.value)} is not a valid IRI: {error}") from None


def oxigraph_term(term: Term, format: str) -> Any:
    """A term as pyoxigraph's; WriteError for an IRI that only rdflib's graphs take."""
    match term:
        case IRI():
            return oxigraph_iri(term, format)
        case BlankNode(label):
            return pyoxigraph.BlankNode(label)
        case Literal(lexical, None, str(language), str(direction)):
            return pyoxigraph.Literal(lexical, language=language, direction=_DIRECTIONS[direction])
        case Literal(lexical, datatype, language):
            kind = pyoxigraph.NamedNode(datatype) if datatype is not None else None
            return pyoxigraph.Literal(lexical, datatype=kind, language=language)
        case TripleTerm(subject, predicate, object):
            return pyoxigraph.Triple(*(oxigraph_term(part, format) for part in (subject, predicate, object)))
