"""RDF 1.2's terms as inert data: what a user meets at the border; inside, a term is its uint32 id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from kgreason.rdf.vocabulary import XSD_STRING

DIRECTIONS: Final = ("ltr", "rtl")
"""Base directions of literals."""


@dataclass(frozen=True, slots=True)
class IRI:
    """An absolute IRI, kept character by character as it came in."""

    value: str

    def __str__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True)
class BlankNode:
    """A blank node by its label, without the leading ``_:``."""

    label: str

    def __str__(self) -> str:
        return f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal by lexical form, datatype IRI, language tag and base direction, exactly as written.

    `datatype` is None for a string, with ``xsd:string`` or without: they are one term. A literal with a language has no
    datatype here, and only such a one has a `direction`, ``ltr`` or ``rtl``.
    """

    lexical: str
    datatype: str | None = None
    language: str | None = None
    direction: str | None = None

    def __post_init__(self) -> None:
        if self.datatype == XSD_STRING:
            object.__setattr__(self, "datatype", None)

    def __str__(self) -> str:
        quoted = '"' + self.lexical.translate(_ESCAPES) + '"'
        if self.language is not None:
            return f"{quoted}@{self.tag}"
        return quoted if self.datatype is None else f"{quoted}^^<{self.datatype}>"

    @property
    def tag(self) -> str:
        """The language with the base direction behind it, as ``ar--rtl``; empty without a language."""
        language = self.language or ""
        return language if self.direction is None else f"{language}--{self.direction}"


@dataclass(frozen=True, slots=True)
class TripleTerm:
    """A triple as a term, which stands in the place of an object alone; it says nothing of whether the triple holds."""

    subject: IRI | BlankNode
    predicate: IRI
    object: Term

    def __str__(self) -> str:
        return f"<<( {self.subject} {self.predicate} {self.object} )>>"


Term: TypeAlias = IRI | BlankNode | Literal | TripleTerm
TERMS: Final = (IRI, BlankNode, Literal, TripleTerm)
"""The classes of terms, for `isinstance`."""


def same_term(left: Term, right: Term) -> bool:
    """Whether two terms are the same, language tags in any case."""
    if isinstance(left, Literal) and isinstance(right, Literal) and left.language and right.language:
        return left.lexical == right.lexical and left.tag.lower() == right.tag.lower()
    if isinstance(left, TripleTerm) and isinstance(right, TripleTerm):
        same_ends = left.subject == right.subject and left.predicate == right.predicate
        return same_ends and same_term(left.object, right.object)
    return left == right


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
