"""What YARRRML writes inside texts: references in ``$(...)``, prefixes, and keys with several names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pyoxigraph import NamedNode

from kgreason.errors import MappingError, nearest, one_line, suggestion
from kgreason_mapping.documents.string_templates import escaped

_REFERENCE: Final = re.compile(r"\$\(((?:[^()\\]|\\.)+)\)")
_PREFIXED: Final = re.compile(r"([A-Za-z_][\w.\-]*)?:(?!//)(.*)", re.DOTALL)
_PREFIXES: Final = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "schema": "https://schema.org/",
    "grel": "http://users.ugent.be/~bjdmeest/function/grel.ttl#",
    "idlab-fn": "https://w3id.org/imec/idlab/function#",
}
"""Prefixes that a document need not declare."""
_SCHEMES: Final = frozenset({
    "about", "ark", "cid", "data", "did", "doi", "file", "ftp", "geo", "http", "https", "info", "mailto", "mid", "news",
    "oid", "sip", "sips", "sms", "tag", "tel", "urn",
})  # fmt: skip
"""What begins IRIs without ``//``; other IRIs of that kind need a prefix that stands for their scheme."""


@dataclass(frozen=True, slots=True)
class Names:
    """The prefixes and the base of a document."""

    prefixes: Mapping[str, str]
    base: str

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Names:
        """Those of a document; MappingError where its prefixes are not a map."""
        declared = document.get("prefixes") or {}
        if not isinstance(declared, dict):
            raise MappingError("its prefixes are not a map")
        own = {str(name): str(iri) for name, iri in declared.items()}
        return cls({**_PREFIXES, **own}, str(document.get("base") or ""))

    def expanded(self, text: str) -> str:
        """A text with its prefix replaced; as it is where it has none.

        Raises:
            MappingError: its prefix is not declared.
        """
        found = _PREFIXED.fullmatch(text)
        if found is None:
            return text
        prefix = found[1] or ""
        if prefix in self.prefixes:
            return self.prefixes[prefix] + found[2]
        if prefix.lower() in _SCHEMES:
            return text
        near = nearest(prefix, self.prefixes)
        meant = suggestion(near and f"{near}:")
        raise MappingError(f"the prefix {prefix}: of {text} is not declared{meant}")

    def function(self, name: str) -> str:
        """The IRI of a function or a parameter; one without a prefix is of GREL."""
        iri = self.expanded(name)
        return iri if ":" in iri else _PREFIXES["grel"] + iri


def check_keys(given: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a key that means nothing, whose value would be left out.

    Raises:
        MappingError: there is one.
    """
    unknown = next((str(key) for key in given if key not in known), None)
    if unknown is not None:
        meant = suggestion(nearest(unknown, known))
        raise MappingError(f"unknown key {unknown}{meant}", expected=f"one of {', '.join(known)}")


def iri_of(text: str) -> NamedNode:
    """An absolute IRI.

    Raises:
        MappingError: it is none.
    """
    try:
        return NamedNode(text)
    except ValueError as error:
        raise MappingError(f"{text} is not an IRI: {one_line(error)}") from None


def key_of(given: Mapping[str, Any], *names: str) -> Any:
    """The value of the first key that there is."""
    return next((given[name] for name in names if name in given), None)


def many(given: Any) -> Iterator[Any]:
    """The elements of a list, or the one thing; nothing for None."""
    if isinstance(given, list):
        yield from given
    elif given is not None:
        yield given


def one_text(given: Any) -> str:
    """The text of a scalar; MappingError for a list or a map."""
    if isinstance(given, str):
        return given
    raise MappingError(f"{given!r} stands where one value must be")


def template_of(text: str) -> str | None:
    """A text with references as a template of RML; None for one without."""
    if _REFERENCE.search(text) is None:
        return None
    made, position = "", 0
    for found in _REFERENCE.finditer(text):
        made += escaped(text[position : found.start()]) + "{" + escaped(_plain(found[1])) + "}"
        position = found.end()
    return made + escaped(text[position:])


def reference_in(text: str) -> str | None:
    """The reference that a text is; None where it is more than that, or none."""
    found = _REFERENCE.fullmatch(text)
    return None if found is None else _plain(found[1])


def _plain(reference: str) -> str:
    return re.sub(r"\\([()])", r"\1", reference)
