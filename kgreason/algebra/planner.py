"""The order in which the atoms of a conjunction are joined, by what relations say of their sizes and distinct ids.

Left-deep and greedy: always the connected atom that leaves the fewest rows. `order` decides before there is any row
(`next_steps` by those that there are): it begins with each of the cheapest first atoms, and takes the cheapest of the
orders. Columns are taken to be independent; for a query, `kgreason query --explain` shows what was expected beside what
was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Generic, Protocol, TypeAlias

import numpy as np

from kgreason.algebra import algebra_tuning
from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import V
from kgreason.algebra.relation import Relation
from kgreason.checkpoints import checkpoint

Domains: TypeAlias = Mapping[V, float]
"""For each bound variable about how many ids it takes."""


class PlannedAtom(Protocol[V]):
    """What a plan asks of an atom and its relation."""

    @property
    def variables(self) -> frozenset[V]:
        """Its variables."""

    def growth(self, domains: Domains[V]) -> tuple[float, float]:
        """How many rows the step is expected to make of one, and the work that it takes, in rows looked at: by the
        domains of its variables alone."""

    def domains_after(self, domains: Domains[V], rows: float) -> Domains[V]:
        """The domains after the step, which leaves so many rows."""


Joined: TypeAlias = tuple[Atom[V], Relation]
"""An atom and the relation that it is joined with."""


@dataclass(frozen=True, slots=True)
class Estimate(Generic[V]):
    """What is expected of an atom and its relation: `size` is how many facts the constants of the atom leave, `ends`
    how many ids its variables take in these."""

    atom: Atom[V]
    size: float
    ends: Domains[V]

    @classmethod
    def of(cls, atom: Atom[V], relation: Relation) -> Estimate[V]:
        """By a look-up for each constant."""
        size = _selected(atom, relation)
        return cls(atom, size, _ends_of(atom, relation, size))

    @property
    def variables(self) -> frozenset[V]:
        return self.atom.variables

    def growth(self, domains: Domains[V]) -> tuple[float, float]:
        size, ends = self.size, self.ends
        if not ends:
            return size, 1.0
        if len(ends) + len(self.atom.constants) < len(self.atom.arguments):
            size = min(size, *ends.values())
        found, fresh = size, 0
        for variable, end in ends.items():
            domain = domains.get(variable)
            if domain is None:
                fresh += 1
            else:
                found /= max(domain, end)
        if not fresh and found > 1:
            found = 1.0
        return found, found if fresh == len(ends) else 1.0 + found

    def domains_after(self, domains: Domains[V], rows: float) -> Domains[V]:
        after = dict(domains)
        for variable, end in self.ends.items():
            after[variable] = max(1.0, min(end, domains.get(variable, rows)))
        return after


def _selected(atom: Atom[V], relation: Relation) -> float:
    """About how many facts the constants of an atom leave: a look-up for each."""
    if not atom.constants:
        return float(relation.estimate)
    if len(atom.constants) == relation.arity:
        fact = (np.array([atom.constants[position]], dtype=np.uint32) for position in range(relation.arity))
        return float(relation.contains(tuple(fact))[0])
    return float(min([relation.fanout_of(position, constant) for position, constant in atom.constants.items()]))


def _ends_of(atom: Atom[V], relation: Relation, size: float) -> dict[V, float]:
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
    atoms: Sequence[PlannedAtom[V]],
    rows: float,
    domains: Domains[V],
    kept: frozenset[V] | None = None,
    first: int | None = None,
) -> Order:
    """An order for atoms that are joined with rows.

    Args:
        rows: how many there are.
        domains: of the variables that they bind.
        kept: rows that agree in these variables, and those of atoms still to come, become one, so that there are no
            more than combinations; None where they do not.
        first: the atom to begin with, where that is known.
    """
    if first is not None or domains or len(atoms) < 2:
        return _greedy(atoms, rows, domains, first, kept)
    starts = algebra_tuning.PLAN_STARTS if len(atoms) <= algebra_tuning.PLANNED_ATOMS else 1
    firsts = sorted(range(len(atoms)), key=lambda number: sum(atoms[number].growth(domains)))[:starts]
    best = _greedy(atoms, rows, domains, firsts[0], kept)
    for other in firsts[1:]:
        if best.cost <= algebra_tuning.CHEAP_PLAN:
            break
        best = _greedy(atoms, rows, domains, other, kept, best)
    return best


def _greedy(
    atoms: Sequence[PlannedAtom[V]],
    rows: float,
    domains: Domains[V],
    first: int | None,
    kept: frozenset[V] | None,
    best: Order | None = None,
) -> Order:
    """The order that a first atom leads to, or the best one so far where it costs no more."""
    left = list(range(len(atoms)))
    variables = [atom.variables for atom in atoms]
    bound = {*domains}  # of a set and a dict all of the dict is gone through to see whether they share anything
    steps: list[tuple[int, float]] = []
    cost = 0.0
    costs: dict[int, tuple[float, float]] = {}
    while left:
        if first is not None and not steps:
            candidates = [first]
        else:
            connected = [n for n in left if not variables[n] or not variables[n].isdisjoint(bound)]
            candidates = (connected or left)[:algebra_tuning.PLANNED_ATOMS]
        for number in candidates:
            if number not in costs:
                costs[number] = atoms[number].growth(domains)
        chosen = min(candidates, key=costs.__getitem__)
        made, work = costs[chosen]
        before, rows, work = domains, rows * made, rows * work
        domains = atoms[chosen].domains_after(before, rows)
        bound |= variables[chosen]
        left.remove(chosen)
        if not len(left) % algebra_tuning.PLANNED_ATOMS:
            checkpoint()
        changed = [each for each in variables[chosen] if domains[each] != before.get(each)]
        for number in [known for known in costs if known == chosen or not variables[known].isdisjoint(changed)]:
            del costs[number]
        if kept is not None:
            most = kept.union(*[variables[number] for number in left])
            rows = min(rows, prod(domain for variable, domain in domains.items() if variable in most))
        cost += work + rows
        if best is not None and cost >= best.cost:
            return best
        steps.append((chosen, rows))
    return Order(tuple(steps), cost)
