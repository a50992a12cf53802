"""Rules that pass a set on along pairs, ``S(x), R(x, y) -> S(y)``, to the end: what else is reached is found without
a round of the fixpoint for each step.

The first steps look pairs up, since most changes end soon. A longer way is gone over rows of neighbours, with a mark
for each id that was met: a breadth-first search, O(ids + pairs) once, and then what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.pairs import Positions
from kgreason.relations.table import NO_IDS, Columns, Ids, Mask, Table

Test: TypeAlias = Callable[[Ids], Mask]
"""For each of some sorted ids whether it is one of those that are asked for."""


def none_of(identifiers: Ids) -> Mask:
    """A test that no id passes."""
    return np.zeros(len(identifiers), dtype=np.bool_)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Propagation:
    """A set that is passed on along pairs.

    Args:
        steps: the pairs; their ends at `position` lead to the others.
        is_barred: which ids are never passed on to.
        tick: is called for each step.
    """

    steps: Table
    position: int
    is_barred: Test
    tick: Callable[[], None]

    def reached(self, starts: Ids, known: Table, most: float = inf) -> Ids:
        """What pairs lead to from some ids in one step or more, but for what is known; sorted. It ends with the step
        that finds more than `most`."""
        found, frontier = NO_IDS, starts
        rounds = max(tuning.PROPAGATED_ROUNDS, self.steps.estimate // max(1, tuning.PROPAGATED_PAIRS))
        while len(frontier) and len(found) <= most and (self.steps.is_virtual or rounds > 0):
            self.tick()
            rounds -= 1
            fresh = self.steps.image(self.position, frontier)
            fresh = sorted_sets.difference(fresh[~known.has_key(0, fresh)], found)
            frontier = fresh[~self.is_barred(fresh)]
            found = sorted_sets.union(found, frontier)
        if not len(frontier) or len(found) > most:
            return found
        steps = self.steps if self.position == 0 else self.steps.inverse()
        rows = _Rows(steps.columns(), sorted_sets.union(known.distinct(0), found), self.is_barred)
        return sorted_sets.union(found, rows.reached(frontier, most - len(found), self.tick))


class _Rows:
    """Pairs as rows: those of the id n are from ``offsets[n]`` to ``offsets[n + 1]``; and which ids were met."""

    def __init__(self, columns: Columns, known: Ids, is_barred: Test) -> None:
        subjects, self._ends = columns
        size = 1 + max(int(subjects.max(initial=0)), int(self._ends.max(initial=0)))
        self._offsets: Positions = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(np.bincount(subjects, minlength=size), out=self._offsets[1:])
        self._is_met = np.zeros(size, dtype=np.bool_)
        self._is_met[known[: known.searchsorted(size)]] = True
        ends = bitmaps.distinct(self._ends)
        self._is_met[ends[is_barred(ends)]] = True

    def reached(self, frontier: Ids, most: float, tick: Callable[[], None]) -> Ids:
        """What sorted ids lead to that was not met, sorted; `most` as in `Propagation`."""
        size = len(self._is_met)
        frontier = frontier[: frontier.searchsorted(size)]
        places: NDArray[np.int64] = np.empty(size, dtype=np.int64)
        found, count = [NO_IDS], 0
        while len(frontier) and count <= most:
            tick()
            rows = pairs.positions_of(self._offsets[frontier], self._offsets[frontier + np.uint32(1)])
            ends = self._ends[rows]
            ends = ends[~self._is_met[ends]]
            self._is_met[ends] = True
            # Of equal ends the last one keeps its place.
            numbers = np.arange(len(ends))
            places[ends] = numbers
            frontier = ends[places[ends] == numbers]
            found.append(frontier)
            count += len(frontier)
        return np.sort(np.concatenate(found))
