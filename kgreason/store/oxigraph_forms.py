"""What pyoxigraph needs to write triples, and what its formats cannot say."""

from __future__ import annotations

import re
import secrets
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
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
_LONGEST_NAME: Final = 32
Prefixes: TypeAlias = Mapping[str, str]
NO_PREFIXES: Final[Prefixes] = MappingProxyType({})


class Document:
    """One document in a format of pyoxigraph's, and the forms of its terms.

    pyoxigraph writes language tags in lower case. One with capitals therefore stands under a name that no text has, and
    comes in the place of this in what is written.
    """

    def __init__(self, format: pyoxigraph.RdfFormat) -> None:
        self.format = format
        self._mark = f"x-{secrets.token_hex(4)}"
        self._names: dict[str, str] = {}

    def form(self, term: Term) -> Any:
        """A term as pyoxigraph's; WriteError for an IRI that only rdflib's graphs take."""
        match term:
            case IRI():
                return oxigraph_iri(term, self.format.name)
            case BlankNode(label):
                return pyoxigraph.BlankNode(label)
            case Literal(lexical, datatype, None):
                kind = pyoxigraph.NamedNode(datatype) if datatype is not None else None
                return pyoxigraph.Literal(lexical, datatype=kind)
            case Literal(lexical, _, str(language), direction):
                towards = None if direction is None else _DIRECTIONS[direction]
                return pyoxigraph.Literal(lexical, language=self._named(language), direction=towards)
            case TripleTerm(subject, predicate, object):
                return pyoxigraph.Triple(*map(self.form, (subject, predicate, object)))

    def _named(self, language: str) -> str:
        return language if language.islower() else self._names.setdefault(language, f"{self._mark}-{len(self._names)}")

    def write(self, statements: Iterable[Any], out: IO[bytes], prefixes: Prefixes) -> None:
        """Write triples or quads whose terms have their forms; WriteError for what the format cannot say."""
        stream = _Stream(out, self._mended) if self._names or self.format == pyoxigraph.RdfFormat.RDF_XML else out
        try:
            pyoxigraph.serialize(statements, output=stream, format=self.format, prefixes=dict(prefixes))
        except ValueError as error:
            raise WriteError(f"cannot be written as {self.format.name}: {error}") from error
        if isinstance(stream, _Stream):
            stream.finish()

    def _mended(self, text: bytes) -> bytes:
        """The text with tags in the place of names, and in XML with references to carriage returns, which parsers take
        for line breaks otherwise."""
        if self.format == pyoxigraph.RdfFormat.RDF_XML:
            text = text.replace(b"\r", b"&#xD;")
        if not self._names:
            return text
        tags = {name.encode(): tag.encode() for tag, name in self._names.items()}
        return re.sub(rb"%b-\d+" % self._mark.encode(), lambda match: tags[match[0]], text)


class _Stream(BytesIO):
    """Hands on what is written once it is mended, but the last bytes for as long as a name may go on after them."""

    def __init__(self, stream: IO[bytes], mended: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._stream = stream
        self._mended = mended
        self._held = b""

    def write(self, text: Any) -> int:
        held = self._held + bytes(text)
        begin = held.rfind(b"x", max(0, len(held) - _LONGEST_NAME))
        end = len(held) if begin < 0 else begin
        self._stream.write(self._mended(held[:end]))
        self._held = held[end:]
        return len(text)

    def finish(self) -> None:
        """Write what is held."""
        self._stream.write(self._mended(self._held))


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


