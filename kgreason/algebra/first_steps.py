"""Which atom a conjunction begins with where some have three variables or more.

`next_steps` begins with few facts. A wide atom may have two variables in common with another, or ask with all of its
facts what several atoms of pairs have in common (`intersections`): then few rows come of many facts, which only a look
at the whole order tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from kgreason import tuning
from kgreason.algebra.bindings import V
from kgreason.algebra.planner import Estimate, Joined, order
from kgreason.columns import products


def first_of_plan(joins: Sequence[Joined[V]], chosen: int, wanted: frozenset[V] | None) -> int:
    """The position of an atom of three variables or more to begin with instead of a chosen one, where that is expected
    to take far less work; the chosen one where there is none.

    Args:
        wanted: the variables of the solutions that matter; all if it is None.

    Cost: nothing without wide atoms; for each of these, and the chosen one, a plan or two.
    """
    wide = [number for number, (atom, _) in enumerate(joins) if number != chosen and len(atom.variables) > 2]
    if not wide or len(joins) < 3:
        return chosen
    atoms = [Estimate.of(*join) for join in joins]
    work = _work(atoms, chosen, wanted)
    if work <= tuning.PLANNED_WORK:
        return chosen
    works = {number: _work(atoms, number, wanted) for number in wide}
    best = min(wide, key=works.__getitem__)
    return best if tuning.PLANNED_GAIN * works[best] <= work else chosen


def _work(atoms: Sequence[Estimate[V]], first: int, wanted: frozenset[V] | None) -> float:
    """The work that is expected of an order with some first atom, in rows looked at."""
    work = order(atoms, 1.0, {}, wanted, first).cost
    own = atoms[first].variables
    fresh = [each.variables - own if len(each.variables) == 2 else frozenset[V]() for each in atoms]
    free = next((each for each in fresh if len(each) == 1 and fresh.count(each) > 1), None)
    if free is None or wanted is None:
        return work
    sides = [each for each, variables in zip(atoms, fresh, strict=True) if variables == free]
    others = [each for number, each in enumerate(atoms) if number != first and fresh[number] != free]
    rows, domains = atoms[first].size, atoms[first].ends
    words = products.width_of(int(min(side.ends[each] for side in sides for each in free)))
    at_once = rows * (1 + len(sides) * words / tuning.PRODUCT_GAIN)
    for side in sides:
        rows *= side.growth(domains)[0]
        domains = side.domains_after(domains, rows)
    needed = wanted.union(*(each.variables for each in others))
    rows = min(rows, prod(ids for variable, ids in domains.items() if variable in needed))
    return min(work, at_once + rows + order(others, rows, domains, wanted).cost)
