"""Queries that differ in their IRIs alone are parsed once: rdflib's parser takes a millisecond and more for each.

The IRIs are taken out of the text and put back into the translated query. What has more to do with an IRI than to
mention it is left as it is: prefixes, datatypes, functions, and queries that name graphs, services or templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Final

from kgreason.rdf.model import IRI

_PLACE: Final = "urn:x-kgreason:parameter:"
_IRI: Final = r"<[^<>\"{}|^`\\\s:]*:[^<>\"{}|^`\\\s]*>"
STRING: Final = "|".join(
    rf"{mark * 3}(?:[^{mark}\\]++|\\.?|{mark}(?!{mark}{mark}))*+(?:{mark * 3})?"
    rf"|{mark}(?:[^{mark}\\\n]++|\\.?)*+{mark}?"
    for mark in "\"'"
)
"""A string of SPARQL. One that is not closed ends where the text or the line does, so the time is linear."""
_TOKEN: Final = re.compile(
    rf"{STRING}|(?:\bPREFIX\s+(?:[^\s<]+\s*)?|\bBASE\s*|\^\^\s*)<[^<>\s]*>"
    rf"|{_IRI}(?=\s*\()|(?P<iri>{_IRI})|\#[^\n]*",
    re.DOTALL | re.IGNORECASE,
)
_MORE: Final = re.compile(r"\b(?:FROM|GRAPH|SERVICE|CONSTRUCT|DESCRIBE)\b|" + _PLACE, re.IGNORECASE)


def parameterised(text: str) -> tuple[str, dict[IRI, IRI]]:
    """A text with places for its IRIs, and which IRI belongs into which place; none where they have to stay."""
    places: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        iri = found["iri"]
        return found[0] if iri is None else places.setdefault(iri, f"<{_PLACE}{len(places)}>")

    if _MORE.search(text):
        return text, {}
    template = _TOKEN.sub(place, text)
    return template, {IRI(name[1:-1]): IRI(iri[1:-1]) for iri, name in places.items()}


def filled(value: Any, places: Mapping[IRI, IRI]) -> Any:
    """A node of the algebra, or a part of one, with the IRIs in their places."""
    if isinstance(value, IRI):
        return places.get(value, value)
    if isinstance(value, tuple):
        return tuple(filled(part, places) for part in value)
    if isinstance(value, frozenset):
        return frozenset(filled(part, places) for part in value)
    names = _names_of(value.__class__)
    return type(value)(*(filled(getattr(value, name), places) for name in names)) if names else value


@cache
def _names_of(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node; of anything else none."""
    inside = is_dataclass(kind) and kind.__module__.startswith(("kgreason.sparql.", "kgreason.algebra."))
    return tuple(field.name for field in fields(kind)) if inside else ()
