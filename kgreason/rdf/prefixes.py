"""Prefixes that documents can declare.

A graph takes any text as a prefix, and any as its namespace: `x.`, `_`, or `x` for `rel/`. A document that declares one
of these is none, so writers leave them out, and what is put before a text of Turtle has the others alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from kgreason.errors import TermError
from kgreason.rdf.keys import iri_key

_NAME: Final = re.compile(r"([^\W\d_]([\w.\-]*[\w\-])?)?")
"""About PN_PREFIX of Turtle: what is none as well may go without a declaration."""


def declarable(prefixes: Mapping[str, object] | Iterable[tuple[str, object]]) -> dict[str, str]:
    """The prefixes, with their namespaces as texts, that Turtle, SPARQL and RDF/XML can declare."""
    return {name: str(namespace) for name, namespace in dict(prefixes).items() if is_declarable(name, str(namespace))}


def is_declarable(name: str, namespace: str) -> bool:
    """Whether documents can declare a prefix: it has a name as Turtle has them, and an absolute IRI."""
    try:
        return _NAME.fullmatch(name) is not None and bool(iri_key(namespace))
    except TermError:
        return False


def declarations(prefixes: Mapping[str, object]) -> str:
    """The declarations of prefixes in Turtle, a line each; of those that can be declared."""
    return "".join(f"@prefix {name}: <{namespace}> .\n" for name, namespace in declarable(prefixes).items())
