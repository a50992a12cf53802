"""What a proof is made of: facts, patterns that nothing matches, conditions that hold, and steps.

Everything is generic in what stands for a term: an id while the search runs, then a term of kgreason or of rdflib.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar

from kgreason.algebra.expressions.tree import Expression, with_leaves
from kgreason.program.rules import Rule

T = TypeVar("T")
U = TypeVar("U")

TRIPLE: Final = ""
"""The name of the relation of all triples; no auxiliary relation has it."""


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
class Step(Generic[T]):
    """One step of a proof: `conclusion` was asserted (`rule` is None), or follows by one rule from `premises`.

    With a `path`, a transitive rule is applied again and again: the premises are what else the rule asks for, and then
    the edges of the path in their order, from each of its nodes to the next.
    """

    conclusion: Fact[T]
    rule: Rule | None = None
    premises: tuple[Fact[T], ...] = ()
    absent: tuple[Absent[T], ...] = ()
    conditions: tuple[Condition[T], ...] = ()
    path: tuple[T, ...] = ()

    def translated(self, convert: Callable[[T], U]) -> Step[U]:
        """The same step over other terms."""
        return Step(
            self.conclusion.translated(convert),
            self.rule,
            tuple(premise.translated(convert) for premise in self.premises),
            tuple(pattern.translated(convert) for pattern in self.absent),
            tuple(with_leaves(condition, convert) for condition in self.conditions),
            tuple(map(convert, self.path)),
        )


IdFact: TypeAlias = Fact[int]
IdStep: TypeAlias = Step[int]
