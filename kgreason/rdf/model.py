"""RDF terms as inert data: what a user meets at the border; inside, a term is its uint32 id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from kgreason.rdf.vocabulary import XSD_STRING


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
    """A literal by lexical form, datatype IRI and language tag, exactly as written.

    `datatype` is None for a string, with ``xsd:string`` or without: they are one term. A literal with a language has no
    datatype here.
    """

    lexical: str
    datatype: str | None = None
    language: str | None = None

    def __post_init__(self) -> None:
        if self.datatype == XSD_STRING:
            object.__setattr__(self, "datatype", None)

    def __str__(self) -> str:
        quoted = '"' + self.lexical.translate(_ESCAPES) + '"'
        if self.language is not None:
            return f"{quoted}@{self.language}"
        return quoted if self.datatype is None else f"{quoted}^^<{self.datatype}>"


Term: TypeAlias = IRI | BlankNode | Literal
TERMS: Final = (IRI, BlankNode, Literal)
"""The classes of terms, for `isinstance`."""



def same_term(left: Term, right: Term) -> bool:
    """Whether two terms are the same, language tags in any case."""
    if isinstance(left, Literal) and isinstance(right, Literal) and left.language and right.language:
        return left.lexical == right.lexical and left.language.lower() == right.language.lower()
    return left == right


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
