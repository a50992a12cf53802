"""The order of the atoms of a basic graph pattern, by what the schemes say of their sizes.

Left-deep and greedy: from each of the cheapest first atoms on, always the connected atom that leaves the fewest rows;
the cheapest of these orders is taken. Independence of the columns is assumed, as everybody does; what comes of it is in
`kgreason query --explain`, beside what really was there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

from kgreason.sparql.algebra import Expression
from kgreason.sparql.patterns.atoms import Expected, ReadyAtom
from kgreason.sparql.scope import Names

STARTS: Final = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """A filter with the variables that it reads."""

    expression: Expression
    variables: Names


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


def plan(
    atoms: Sequence[ReadyAtom],
    conditions: Sequence[Condition],
    bound: Mapping[str, float],
    rows: float,
    needed: Names,
    *,
    folded: bool = False,
) -> Plan:
    """An order for atoms that are joined with `rows` solutions.

    Args:
        bound: the variables of these solutions, each with about how many ids it takes.
        needed: the variables that are wanted of the result.
        folded: rows that agree in what is still needed become one, so that there are no more than combinations.
    """
    kept = needed.union(*(condition.variables for condition in conditions)) if folded else None
    order, cost = _order(atoms, Expected(rows, dict(bound)), kept)
    first = tuple(condition for condition in conditions if not order or condition.variables <= bound.keys())
    waiting = [condition for condition in conditions if condition not in first]
    steps: list[Step] = []
    seen = set(bound)
    for number, (atom, expected) in enumerate(order):
        seen |= atom.variables
        last = number == len(order) - 1
        ready = tuple(condition for condition in waiting if last or condition.variables <= seen)
        waiting = [condition for condition in waiting if condition not in ready]
        later = needed.union(*(follower.variables for follower, _ in order[number + 1 :]))
        later = later.union(*(condition.variables for condition in waiting))
        steps.append(Step(atom, ready, later.union(*(c.variables for c in ready)), later, expected))
    return Plan(first, tuple(steps), cost)


def _order(
    atoms: Sequence[ReadyAtom], start: Expected, kept: Names | None
) -> tuple[list[tuple[ReadyAtom, float]], float]:
    if len(atoms) <= 1 or start.domains:
        return _greedy(atoms, start, None, kept)
    firsts = sorted(range(len(atoms)), key=lambda number: _step_cost(atoms[number], start))[:STARTS]
    return min((_greedy(atoms, start, first, kept) for first in firsts), key=lambda found: found[1])


def _greedy(
    atoms: Sequence[ReadyAtom], expected: Expected, first: int | None, kept: Names | None
) -> tuple[list[tuple[ReadyAtom, float]], float]:
    left = list(range(len(atoms)))
    order: list[tuple[ReadyAtom, float]] = []
    cost = 0.0
    while left:
        connected = [n for n in left if not atoms[n].variables or atoms[n].variables & expected.domains.keys()]
        candidates = [first] if first is not None and not order else connected or left
        found = [(atoms[number].expect(expected), number) for number in candidates]
        (expected, work), chosen = min(found, key=lambda each: (each[0][0].rows, each[0][1]))
        left.remove(chosen)
        if kept is not None:
            expected = _folded(expected, kept.union(*(atoms[number].variables for number in left)))
        cost += work + expected.rows
        order.append((atoms[chosen], expected.rows))
    return order, cost


def _folded(expected: Expected, kept: Names) -> Expected:
    """No more rows than the variables that are still needed have combinations."""
    most = prod(domain for name, domain in expected.domains.items() if name in kept)
    return Expected(min(expected.rows, most), expected.domains)


def _step_cost(atom: ReadyAtom, start: Expected) -> float:
    after, work = atom.expect(start)
    return after.rows + work
