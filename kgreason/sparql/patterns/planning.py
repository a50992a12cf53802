"""The plan of a basic graph pattern: its atoms in the order of `kgreason.algebra.planner`, with the filters that apply
after each, and the variables that are needed from there on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from kgreason.algebra.planner import Domains, PlannedAtom, order
from kgreason.sparql import query_tuning
from kgreason.sparql.algebra import Expression, Names
from kgreason.sparql.patterns.atoms import ReadyAtom


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
    """An atom of a plan with filters that read no other variables than its own."""

    atom: PlannedAtom[str]
    conditions: Sequence[Condition]

    @property
    def variables(self) -> Names:
        """Those of the atom."""
        return self.atom.variables

    def growth(self, domains: Domains[str]) -> tuple[float, float]:
        """What is expected after the atom and, where that makes more rows, the filters that follow no atom before it:
        to filter a row takes longer than to look one up, and is put off where that makes none."""
        made, work = self.atom.growth(domains)
        if made <= 1:
            return made, work
        fresh = sum(not condition.variables <= domains.keys() for condition in self.conditions)
        return max(1.0, made * query_tuning.FILTER_SHARE**fresh), work

    def domains_after(self, domains: Domains[str], rows: float) -> Domains[str]:
        return self.atom.domains_after(domains, rows)


def _with_filters(atom: ReadyAtom, conditions: Sequence[Condition]) -> PlannedAtom[str]:
    own = [condition for condition in conditions if condition.variables <= atom.variables]
    return Filtered(atom.planned(), own) if own else atom.planned()


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
    planned = order([_with_filters(atom, conditions) for atom in atoms], rows, bound, kept, begin)
    chosen = [atoms[number] for number, _ in planned.steps]
    first, *ready = _placed(conditions, chosen, bound.keys())
    steps: list[Step] = []
    for atom, own, (_, expected) in zip(reversed(chosen), reversed(ready), reversed(planned.steps), strict=True):
        joined = needed.union(*[condition.variables for condition in own]) if own else needed
        steps.append(Step(atom, tuple(own), joined, needed, expected))
        needed = joined | atom.variables
    return Plan(tuple(first), tuple(reversed(steps)), planned.cost)


def _placed(
    conditions: Sequence[Condition], atoms: Sequence[ReadyAtom], bound: Set[str]
) -> list[list[Condition]]:
    """The filters that apply before the first of some atoms, and those after each: as soon as all of their variables
    are bound, at the latest after the last one."""
    places: list[list[Condition]] = [[] for _ in range(len(atoms) + 1)]
    for condition in conditions:
        missing = condition.variables - bound
        place = 0
        while missing and place < len(atoms):
            missing -= atoms[place].variables
            place += 1
        places[place].append(condition)
    return places
