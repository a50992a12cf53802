"""What a proof is made of: facts, patterns that nothing matches, conditions that hold, groups, and steps.

Everything is generic in what stands for a term: an id while the search runs, then a term of kgreason or of rdflib.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from kgreason.algebra.expressions.tree import Expression, with_leaves
from kgreason.program.rules import Aggregate, Rule

T = TypeVar("T")
U = TypeVar("U")

TRIPLE: Final = ""
"""The name of the relation of all triples; no auxiliary relation has it."""

BINDING: Final = "binding"
"""The name of what a member of a group concludes."""


@dataclass(frozen=True, slots=True)
class Fact(Generic[T]):
    """A triple (`relation` is TRIPLE), or a fact of the auxiliary relation of that name."""

    relation: str
    arguments: tuple[T, ...]

    def translated(self, convert: Callable[[T], U]) -> Fact[U]:
        """The same fact over other terms."""
        return Fact(self.relation, tuple(map(convert, self.arguments)))


@dataclass(frozen=True, slots=True)
class Absent(Generic[T]):
    """What a rule denies, with its values put in: no fact matches it. None stands for anything."""

    relation: str
    arguments: tuple[T | None, ...]

    def translated(self, convert: Callable[[T], U]) -> Absent[U]:
        """The same over other terms."""
        return Absent(self.relation, tuple(None if part is None else convert(part) for part in self.arguments))


Condition: TypeAlias = Expression[T]
"""A condition of a rule with terms in the place of its variables, which is true; an assignment is ``value =
expression``."""


@dataclass(frozen=True, slots=True)
class Group(Generic[T]):
    """The group that an aggregate of a rule is of: `key` are the values of the variables after ON, `values` what the
    aggregate makes of the group, `count` is how many bindings it has, and `members` are some of them.

    A member is a step of its own to a fact of no relation, which has the values of the variables that count; its
    premises are among those of the step that has the group.
    """

    aggregate: Aggregate
    key: tuple[T, ...]
    values: tuple[T, ...]
    count: int
    members: tuple[Step[T], ...]

    def translated(self, convert: Callable[[T], U]) -> Group[U]:
        """The same group over other terms."""
        key, values = tuple(map(convert, self.key)), tuple(map(convert, self.values))
        return Group(
            self.aggregate, key, values, self.count, tuple(member.translated(convert) for member in self.members)
        )


@dataclass(frozen=True, slots=True)
class Step(Generic[T]):
    """One step of a proof: `conclusion` was asserted (`rule` is None), or follows by one rule from `premises`.

    With a `path`, a transitive rule is applied again and again: the premises are what else the rule asks for, and then
    the edges of the path in their order, from each of its nodes to the next. With `groups`, one for each aggregate of
    the rule, the premises of their members come last.
    """

    conclusion: Fact[T]
    rule: Rule | None = None
    premises: tuple[Fact[T], ...] = ()
    absent: tuple[Absent[T], ...] = ()
    conditions: tuple[Condition[T], ...] = ()
    path: tuple[T, ...] = ()
    groups: tuple[Group[T], ...] = ()

    def translated(self, convert: Callable[[T], U]) -> Step[U]:
        """The same step over other terms."""
        return Step(
            self.conclusion.translated(convert),
            self.rule,
            tuple(premise.translated(convert) for premise in self.premises),
            tuple(pattern.translated(convert) for pattern in self.absent),
            tuple(with_leaves(condition, convert) for condition in self.conditions),
            tuple(map(convert, self.path)),
            tuple(group.translated(convert) for group in self.groups),
        )


IdFact: TypeAlias = Fact[int]
IdStep: TypeAlias = Step[int]
