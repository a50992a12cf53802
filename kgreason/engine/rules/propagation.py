"""Rules that pass a set on along pairs, ``S(x), R(x, y) -> S(y)``, to the end: what else is reached is found without
a round of the fixpoint for each step.

The first steps look pairs up, since most changes end soon. A longer way is gone over rows of neighbours, with a mark
for each id that was met: a breadth-first search, O(ids + pairs) once, and then what it looks at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.pairs import Positions
from kgreason.engine import rule_tuning
from kgreason.relations.table import NO_IDS, Columns, Ids, Mask, Table

_BLOCK: Final = 1 << 14
"""Pairs at a time: what is worked out about them stays in the cache."""

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
        rounds = max(rule_tuning.PROPAGATED_ROUNDS, self.steps.estimate // max(1, rule_tuning.PROPAGATED_PAIRS))
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
    """Pairs as rows: those of the id n are from ``offsets[n]`` to ``offsets[n + 1]``, or, where all rows are short, the
    row n of a table that is filled up with an id that is met; and which ids were not met."""

    def __init__(self, columns: Columns, known: Ids, is_barred: Test) -> None:
        subjects, self._ends = columns
        size = 1 + max(int(subjects.max(initial=0)), int(self._ends.max(initial=0)))
        lengths = np.bincount(subjects, minlength=size)
        self._offsets: Positions = np.zeros(size + 1, dtype=np.int64)
        np.cumsum(lengths, out=self._offsets[1:])
        self._is_fresh = np.ones(size + 1, dtype=np.bool_)
        self._is_fresh[size] = False
        self._is_fresh[known[: known.searchsorted(size)]] = False
        ends = bitmaps.distinct(self._ends)
        self._is_fresh[ends[is_barred(ends)]] = False
        longest = int(lengths.max(initial=0))
        self._table: NDArray[np.int32] | None = None
        if longest <= rule_tuning.SHORT_ROW and size <= rule_tuning.SHORT_ROW * len(subjects):
            self._table = np.full((size, longest), size, dtype=np.int32)
            # A block at a time: all places at once are four times as much as the pairs.
            for begin in range(0, len(subjects), _BLOCK):
                some = subjects[begin : begin + _BLOCK].astype(np.int64)
                places = np.arange(begin, begin + len(some)) - self._offsets[some]
                self._table[some, places] = self._ends[begin : begin + len(some)]
            del self._ends

    def reached(self, frontier: Ids, most: float, tick: Callable[[], None]) -> Ids:
        """What sorted ids lead to that was not met, sorted; `most` as in `Propagation`."""
        size = len(self._is_fresh) - 1
        some: Positions = frontier[: frontier.searchsorted(size)].astype(np.int64)
        places, order = np.empty(size, dtype=np.int32), np.arange(size, dtype=np.int32)
        before = self._is_fresh.copy()
        count = 0
        while len(some) and count <= most:
            tick()
            ends = self._next(some)
            ends = ends[self._is_fresh[ends]]
            self._is_fresh[ends] = False
            # Of equal ends the last one keeps its place.
            if len(ends) > len(order):
                order = np.arange(2 * len(ends), dtype=np.int32)
            numbers = order[: len(ends)]
            places[ends] = numbers
            some = ends[places[ends] == numbers]
            count += len(some)
        found: Ids = (before != self._is_fresh).nonzero()[0].astype(np.uint32)
        return found

    def _next(self, frontier: Positions) -> Positions:
        """What some ids lead to, and maybe an id that is met; as numbers of 64 bits, which numpy takes as indices in a
        third of the time that it takes with others."""
        if self._table is not None:
            return self._table.take(frontier, axis=0).ravel().astype(np.int64)
        return self._ends[pairs.positions_of(self._offsets[frontier], self._offsets[frontier + 1])].astype(np.int64)
