"""The plan of a basic graph pattern: its atoms in the order of `kgreason.algebra.planner`, with the filters that apply
after each, and the variables that are needed from there on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from kgreason.algebra.planner import Expected, order
from kgreason.sparql.algebra import Expression, Names
from kgreason.sparql.patterns.atoms import ReadyAtom

PASSING: Final = 0.5
"""The share of solutions that a filter is expected to pass: a guess, so that of two atoms alike the one that a filter
follows goes first."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter with the variables that it reads."""

    expression: Expression
    variables: Names

    def within(self, names: Names) -> Condition:
        """The filter where no other variables than some are ever bound."""
        return self if self.variables <= names else Condition(self.expression, self.variables & names)


@dataclass(frozen=True, slots=True)
class Step:
    """An atom to join next, the filters to apply then, and the variables that are needed after the atom and then after
    the filters."""

    atom: ReadyAtom
    conditions: tuple[Condition, ...]
    joined: Names
    kept: Names
    expected: float


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in order, filters that need none of them, and the work expected in all."""

    first: tuple[Condition, ...]
    steps: tuple[Step, ...]
    cost: float


@dataclass(frozen=True, slots=True)
class Filtered:
    """An atom as a plan sees it, with filters that read no other variables than its own."""

    atom: ReadyAtom
    conditions: tuple[Condition, ...]

    @property
    def variables(self) -> Names:
        """Those of the atom."""
        return self.atom.variables

    def expect(self, before: Expected[str]) -> tuple[Expected[str], float]:
        """What is expected after the atom and, where that makes more rows, the filters that follow no atom before it:
        to filter a row takes longer than to look one up, and is put off where that makes none."""
        after, work = self.atom.expect(before)
        if after.rows <= before.rows:
            return after, work
        fresh = sum(not condition.variables <= before.domains.keys() for condition in self.conditions)
        return Expected(max(before.rows, after.rows * PASSING**fresh), after.domains), work


def _with_filters(atom: ReadyAtom, conditions: Sequence[Condition]) -> ReadyAtom | Filtered:
    own = tuple(condition for condition in conditions if condition.variables <= atom.variables)
    return Filtered(atom, own) if own else atom


def plan(
    atoms: Sequence[ReadyAtom],
    conditions: Sequence[Condition],
    bound: Mapping[str, float],
    rows: float,
    needed: Names,
    *,
    folded: bool = False,
    begin: int | None = None,
) -> Plan:
    """An order for atoms that are joined with `rows` solutions.

    Args:
        bound: the variables of these solutions, each with about how many ids it takes.
        needed: the variables that are wanted of the result.
        folded: rows that agree in what is still needed become one, so that there are no more than combinations.
        begin: the atom to begin with, where that is known.
    """
    kept = needed.union(*(condition.variables for condition in conditions)) if folded else None
    planned = order([_with_filters(atom, conditions) for atom in atoms], Expected(rows, dict(bound)), kept, begin)
    first = tuple(condition for condition in conditions if not atoms or condition.variables <= bound.keys())
    waiting = [condition for condition in conditions if condition not in first]
    later_atoms = _from_each_on([atoms[chosen].variables for chosen, _ in planned.steps])
    steps: list[Step] = []
    seen = set(bound)
    for number, (chosen, expected) in enumerate(planned.steps):
        atom = atoms[chosen]
        seen |= atom.variables
        last = number == len(atoms) - 1
        ready: tuple[Condition, ...] = ()
        if waiting:
            ready = tuple(condition for condition in waiting if last or condition.variables <= seen)
            waiting = [condition for condition in waiting if condition not in ready]
        later = _read_by(needed | later_atoms[number + 1], waiting)
        steps.append(Step(atom, ready, _read_by(later, ready), later, expected))
    return Plan(first, tuple(steps), planned.cost)


def _from_each_on(names: Sequence[Names]) -> list[Names]:
    """For each place the names from there on, and at last none."""
    found = [*accumulate(reversed(names), frozenset.union, initial=frozenset[str]())]
    return found[::-1]


def _read_by(names: Names, conditions: Sequence[Condition]) -> Names:
    """Names, with the variables of conditions."""
    return names.union(*(condition.variables for condition in conditions)) if conditions else names
