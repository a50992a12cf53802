"""The tree of a compiled mapping: rules for terms, and quads of such terms, for each source and each join.

Two rules that are equal make the same term of the same row, so an engine computes each rule of a source once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kgreason_mapping.documents.mapping_model import AnySource, Call, Reference, Text


def values_in(parts: Text) -> list[Reference | Call]:
    """The values of a text in order, repeated ones too."""
    return [part for part in parts if not isinstance(part, str)]


def references_in(parts: Text) -> list[Reference]:
    """The references of a text and of the calls in it, in order."""
    found: list[Reference] = []
    for part in values_in(parts):
        if isinstance(part, Reference):
            found.append(part)
        else:
            found += [one for argument in part.arguments for one in references_in(argument)]
    return found


class Escape(Enum):
    """What stays as it is in values that stand in an IRI: the unreserved characters of RFC 3987, or of RFC 3986."""

    IRI = "IRI"
    URI = "URI"


@dataclass(frozen=True, slots=True)
class ConstantTerm:
    """The same term for every row, as a dictionary key."""

    key: str


@dataclass(frozen=True, slots=True)
class FreshBlankNode:
    """A blank node of its own for every row; `number` tells the term maps apart that make such."""

    number: int


@dataclass(frozen=True, slots=True)
class TemplateIri:
    """An IRI that is valid for all values, as these are percent-encoded; an empty value is a problem."""

    parts: Text
    escape: Escape


@dataclass(frozen=True, slots=True)
class CheckedIri:
    """An IRI that is checked in every row. One that is not absolute is put behind the base, as RML-Core says, not
    resolved."""

    parts: Text
    base: str | None


@dataclass(frozen=True, slots=True)
class BlankNodeTerm:
    """A blank node whose label is made of a text: different texts have different labels."""

    parts: Text


class Untyped(Enum):
    """The datatype of a literal without a declared one: that of its value in the source, or always a string."""

    NATURAL = "natural"
    STRING = "string"


@dataclass(frozen=True, slots=True)
class Typed:
    """A declared datatype, which the text is checked against."""

    datatype: str


@dataclass(frozen=True, slots=True)
class TypedByRow:
    """A datatype that each row tells."""

    datatype: TemplateIri | CheckedIri


@dataclass(frozen=True, slots=True)
class Tagged:
    """A language tag; `is_checked` where rows tell it."""

    tag: Text
    is_checked: bool


LiteralType: TypeAlias = Untyped | Typed | TypedByRow | Tagged


@dataclass(frozen=True, slots=True)
class LiteralTerm:
    """A literal."""

    parts: Text
    type: LiteralType


@dataclass(frozen=True, slots=True)
class TextValue:
    """A text that is compared by joins; as a term it is good where all its values are."""

    parts: Text


@dataclass(frozen=True, slots=True)
class Guarded:
    """The term of a rule, where one of the texts of a condition is ``true``."""

    rule: TermRule
    condition: Text


RowRule: TypeAlias = FreshBlankNode | TemplateIri | CheckedIri | BlankNodeTerm | LiteralTerm
TermRule: TypeAlias = ConstantTerm | RowRule | Guarded


def unguarded(rule: TermRule) -> TermRule:
    """The rule without conditions."""
    return unguarded(rule.rule) if isinstance(rule, Guarded) else rule


def references_of(rule: TermRule | TextValue) -> list[Reference]:
    """The references of all parts of a rule."""
    match rule:
        case ConstantTerm() | FreshBlankNode():
            return []
        case LiteralTerm(parts, Tagged(tag)):
            return references_in((*parts, *tag))
        case LiteralTerm(parts, TypedByRow(datatype)):
            return references_in((*parts, *datatype.parts))
        case Guarded(guarded, condition):
            return [*references_of(guarded), *references_in(condition)]
        case _:
            return references_in(rule.parts)


@dataclass(frozen=True, slots=True)
class QuadRule:
    """A quad of each combination of its terms; `graph` is None in the default graph."""

    subject: TermRule
    predicate: TermRule
    object: TermRule
    graph: TermRule | None


@dataclass(frozen=True, slots=True)
class ProblemRule:
    """A problem for each bad term of a rule; with `only_with` only in rows where that rule makes a good term.

    `triples_map` and `part` say where in the mapping the rule is.
    """

    triples_map: str
    part: str
    rule: TermRule | TextValue
    only_with: TermRule | None


@dataclass(frozen=True, slots=True)
class SourcePlan:
    """What the rows of a source make; `subjects` by the name of the triples map."""

    source: AnySource | None
    number: int
    quads: tuple[QuadRule, ...]
    problems: tuple[ProblemRule, ...]
    subjects: Mapping[str, TermRule]

    def references(self) -> list[str]:
        """The distinct references of all rules of the source, in order; those of its joins are among them."""
        asked = (one.text for problem in self.problems for one in references_of(problem.rule))
        return list(dict.fromkeys(asked))


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """Quads of pairs of rows with equal texts: the objects are the terms that `object` makes of the parent's row.

    `child` and `parent` are numbers of sources. Bad terms make no quads, and the plans of both sources report them.
    """

    triples_map: str
    child: int
    parent: int
    conditions: tuple[tuple[TextValue, TextValue], ...]
    object: TermRule
    quads: tuple[tuple[TermRule, TermRule, TermRule | None], ...]

    def child_rules(self) -> Iterator[TermRule]:
        """The terms of the child's row."""
        for quad in self.quads:
            yield from (one for one in quad if one is not None)


@dataclass(frozen=True, slots=True)
class MappingPlan:
    """A compiled mapping; a source stands at its number."""

    sources: tuple[SourcePlan, ...]
    joins: tuple[JoinPlan, ...]
