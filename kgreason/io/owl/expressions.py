"""What the parsers of OWL's syntaxes give: expressions of the functional-style syntax over the keys of terms.

    SubClassOf(:A ObjectComplementOf(:B))  # Expression("SubClassOf", ["http://e/A", Expression(...)])

A term is the dictionary's key of it, a number is text; a literal's key begins with ``"``, that of a blank node with
``_:``. Parsers refuse what is nested deeper than DEEPEST, so that the others may follow it by recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from urllib.parse import urljoin

from kgreason.errors import TermError
from kgreason.rdf.keys import iri_key, key_of
from kgreason.rdf.model import Literal

DEEPEST: Final = 150
"""How deep expressions may be nested; those of people are below 20."""

Argument: TypeAlias = "str | Expression"

RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS: Final = "http://www.w3.org/2000/01/rdf-schema#"
OWL: Final = "http://www.w3.org/2002/07/owl#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"
USUAL_PREFIXES: Final = {
    "rdf": RDF,
    "rdfs": RDFS,
    "owl": OWL,
    "xsd": XSD,
    "xml": "http://www.w3.org/XML/1998/namespace",
}


class OwlSyntaxError(Exception):
    """What is wrong in an ontology, and the line where it is."""

    def __init__(self, reason: str, line: int | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


@dataclass(slots=True)
class Expression:
    """A name, its arguments, and the line where it begins."""

    name: str
    arguments: list[Argument] = field(default_factory=list)
    line: int | None = None


Take: TypeAlias = Callable[[Expression], None]
"""Takes the expressions of an ontology, in their order: its header, which is ``Ontology`` with the names alone,
imports, annotations and axioms."""


@dataclass(slots=True)
class Names:
    """The prefixes of an ontology, and its base; IRIs that were checked once are not checked again."""

    base: str | None = None
    prefixes: dict[str, str] = field(default_factory=lambda: dict(USUAL_PREFIXES))
    _known: dict[str, str] = field(default_factory=dict)

    def iri(self, text: str) -> str:
        """The key of an IRI in full, relative to the base; TermError when it is not valid."""
        known = self._known.get(text)
        if known is None:
            full = text if self.base is None or ":" in text.partition("/")[0] else urljoin(self.base, text)
            known = self._known[text] = iri_key(full)
        return known

    def abbreviated(self, text: str) -> str:
        """The key of ``prefix:name``; TermError for a prefix that is not declared."""
        prefix, _, name = text.partition(":")
        namespace = self.prefixes.get(prefix)
        if namespace is None:
            raise TermError(f"the prefix {prefix + ':'!r} is not declared")
        return self.iri(namespace + name)


def literal_key(text: str, language: str | None = None, datatype: str | None = None) -> str:
    """The key of a literal."""
    return key_of(Literal(text, None if language is not None else datatype, language))


def arguments_of(expression: Expression, count: int) -> Sequence[Argument]:
    """The arguments of an expression that has so many."""
    if len(expression.arguments) != count:
        found = len(expression.arguments)
        raise OwlSyntaxError(f"{expression.name} with {found} arguments (expected {count})", expression.line)
    return expression.arguments
