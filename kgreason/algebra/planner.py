"""The order in which the atoms of a conjunction are joined, by what relations say of their sizes and distinct ids.

Left-deep and greedy: always the connected atom that leaves the fewest rows. `order` decides before there is any row
(`next_steps` by those that there are): it begins with each of the cheapest first atoms, and takes the cheapest of the
orders. Columns are taken to be independent; for a query, `kgreason query --explain` shows what was expected beside what
was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Final, Generic, Protocol, TypeAlias

import numpy as np

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import V
from kgreason.algebra.relation import Relation
from kgreason.checkpoints import checkpoint

STARTS: Final = 3
"""The cheapest first atoms that a plan is tried with."""

CHEAP: Final = 4096.0
"""An order that takes so much work is taken as it is: to look at so many rows takes some 0.1 milliseconds, as long as
to try another order of six atoms does."""

MANY_ATOMS: Final = 64
"""Of more atoms, only the first so many that are connected are compared before each step, and one order is tried: a
conjunction of 2,000 atoms is planned in two seconds."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expected(Generic[V]):
    """What a plan reckons with after some steps: rows, and for each bound variable how many ids it takes."""

    rows: float
    domains: Mapping[V, float]


class PlannedAtom(Protocol[V]):
    """What a plan asks of an atom and its relation."""

    @property
    def variables(self) -> frozenset[V]:
        """Its variables."""

    def expect(self, before: Expected[V]) -> tuple[Expected[V], float]:
        """The estimate after this step, and the work that it takes, in rows looked at: both are so many times the rows
        before, by the domains of its variables."""


Joined: TypeAlias = tuple[Atom[V], Relation]
"""An atom and the relation that it is joined with."""


def expect(atom: Atom[V], before: Expected[V], size: float, ends: Mapping[V, float]) -> tuple[Expected[V], float]:
    """What is expected after a join, and the work that it takes, in rows looked at: O(1). `size` is how many facts the
    constants of the atom leave, and `ends` how many ids its variables take in them (`ends_of`)."""
    rows, domains = before.rows, before.domains
    if len(atom.constants) == len(atom.arguments):
        return Expected(rows * size, domains), 1
    if len(ends) + len(atom.constants) < len(atom.arguments):
        size = min(size, *ends.values())
    fanout = size
    after = dict(domains)
    fresh: list[V] = []
    for variable, end in ends.items():
        domain = domains.get(variable)
        if domain is None:
            fresh.append(variable)
        elif domain < end:
            fanout /= end
        else:
            fanout /= domain
            after[variable] = end
    found = rows * (fanout if fresh or fanout < 1 else 1.0)
    for variable in fresh:
        after[variable] = max(1.0, min(ends[variable], found))
    return Expected(found, after), found if len(fresh) == len(ends) else rows + found


def selected(atom: Atom[V], relation: Relation) -> float:
    """About how many facts the constants of an atom leave: a look-up for each."""
    if not atom.constants:
        return float(relation.estimate)
    if len(atom.constants) == relation.arity:
        fact = (np.array([atom.constants[position]], dtype=np.uint32) for position in range(relation.arity))
        return float(relation.contains(tuple(fact))[0])
    return float(min([relation.fanout_of(position, constant) for position, constant in atom.constants.items()]))


def ends_of(atom: Atom[V], relation: Relation, size: float) -> dict[V, float]:
    """For each variable how many ids it takes in the facts of an atom, `size` of which its constants leave."""
    ends: dict[V, float] = {}
    for position, variable in enumerate(atom.arguments):
        if variable is not None:
            distinct = size if atom.constants and len(atom.arguments) == 2 else relation.distinct_estimate(position)
            ends[variable] = max(1.0, min(float(distinct), ends.get(variable, size)))
    return ends


@dataclass(frozen=True, slots=True)
class Order:
    """The numbers of atoms in order, each with the rows expected after it, and the work expected in all."""

    steps: tuple[tuple[int, float], ...]
    cost: float


def order(
    atoms: Sequence[PlannedAtom[V]], start: Expected[V], kept: frozenset[V] | None = None, first: int | None = None
) -> Order:
    """An order for atoms that are joined with the rows of `start`.

    Args:
        kept: rows that agree in these variables, and those of atoms still to come, become one, so that there are no
            more than combinations; None where they do not.
        first: the atom to begin with, where that is known.
    """
    if len(atoms) == 1:
        after, work = atoms[0].expect(start)
        rows = after.rows if kept is None else _folded(after, kept).rows
        return Order(((0, rows),), work + rows)
    if first is not None:
        return _greedy(atoms, start, first, kept)
    if not atoms or start.domains:
        return _greedy(atoms, start, None, kept)
    starts = STARTS if len(atoms) <= MANY_ATOMS else 1
    firsts = sorted(range(len(atoms)), key=lambda number: _step_cost(atoms[number], start))[:starts]
    best = _greedy(atoms, start, firsts[0], kept)
    for other in firsts[1:]:
        if best.cost <= CHEAP:
            break
        best = _greedy(atoms, start, other, kept, best)
    return best


def _greedy(
    atoms: Sequence[PlannedAtom[V]],
    expected: Expected[V],
    first: int | None,
    kept: frozenset[V] | None,
    best: Order | None = None,
) -> Order:
    """The order that a first atom leads to, or the best one so far where it costs no more."""
    left = list(range(len(atoms)))
    variables = [atom.variables for atom in atoms]
    steps: list[tuple[int, float]] = []
    cost = 0.0
    costs: dict[int, tuple[float, float]] = {}
    while left:
        domains = expected.domains
        if first is not None and not steps:
            candidates = [first]
        else:
            connected = (n for n in left if not variables[n] or not domains.keys().isdisjoint(variables[n]))
            candidates = [*islice(connected, MANY_ATOMS)] or left[:MANY_ATOMS]
        chosen = candidates[0]
        if len(candidates) > 1:
            one = Expected(1.0, domains)
            for number in candidates:
                if number not in costs:
                    costs[number] = _cost_of_a_row(atoms[number], one)
            chosen = min(candidates, key=costs.__getitem__)
        expected, work = atoms[chosen].expect(expected)
        left.remove(chosen)
        checkpoint()
        changed = {each for each in variables[chosen] if expected.domains[each] != domains.get(each)}
        costs = {number: known for number, known in costs.items() if changed.isdisjoint(variables[number])}
        if kept is not None:
            expected = _folded(expected, kept.union(*(variables[number] for number in left)))
        cost += work + expected.rows
        if best is not None and cost >= best.cost:
            return best
        steps.append((chosen, expected.rows))
    return Order(tuple(steps), cost)


def _folded(expected: Expected[V], kept: frozenset[V]) -> Expected[V]:
    """No more rows than the variables that are still needed have combinations."""
    most = prod(domain for variable, domain in expected.domains.items() if variable in kept)
    return Expected(min(expected.rows, most), expected.domains)


def _cost_of_a_row(atom: PlannedAtom[V], one: Expected[V]) -> tuple[float, float]:
    """What a step makes of one row, and the work for it: the same until the domain of a variable of its changes, since
    both grow with the rows."""
    after, work = atom.expect(one)
    return after.rows, work


def _step_cost(atom: PlannedAtom[V], start: Expected[V]) -> float:
    after, work = atom.expect(start)
    return after.rows + work
