"""Rows of which what is left of a conjunction tests two ends, by a search from one of them.

In ``q(x) :- e(x, a), e(a, y), e(y, b), e(b, c), e(c, x)`` many rows ``x, y`` have the same y. To follow each of them
looks at all paths from y as often as there are rows with it. Here each y is followed once, to all x that it leads to,
and the rows are compared with these pairs: two halves of a cycle are joined, and no path goes all round it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.distinct_rows import gathered
from kgreason.algebra.planner import Estimate, Joined, order
from kgreason.algebra.row_keys import distinct_ids
from kgreason.columns import pairs, sorted_sets

Solutions: TypeAlias = Callable[[Bindings[V]], Iterator[Bindings[V]]]
"""The ends that satisfy the conjunction, among those of some rows, which bind one of the ends or both."""


@dataclass(frozen=True, slots=True)
class SearchFromOneEnd(Generic[V]):
    """From the ids of the variable `start` to those of `other`, given up where it finds more than `most` pairs."""

    start: V
    other: V
    most: float

    @classmethod
    def of(
        cls, rows: Bindings[V], ends: frozenset[V], joins: Sequence[Joined[V]]
    ) -> SearchFromOneEnd[V] | None:
        """From the cheaper of two ends; None where to follow each row is expected to be as cheap.

        Cost: a pass over the rows, and three plans.
        """
        estimates = [Estimate.of(*join) for join in joins]
        sizes = {name: float(len(distinct_ids(rows.columns[name])[0])) for name in ends}
        each_row = order(estimates, float(rows.length), sizes, ends)
        if each_row.steps[-1][1] * tuning.SEARCH_PASSING > rows.length:
            return None
        searches = {name: order(estimates, size, {name: size}, ends) for name, size in sizes.items()}
        start, other = sorted(ends, key=lambda name: searches[name].cost)
        if tuning.SEARCH_GAIN * searches[start].cost > each_row.cost:
            return None
        if len(joins) > tuning.SEARCH_ATOMS and searches[start].steps[-1][1] > rows.length:
            return None
        return cls(start, other, each_row.cost / max(1, tuning.SEARCH_GAIN))

    def passing(self, rows: Bindings[V], solutions: Solutions[V]) -> Mask | None:
        """For each row whether its ends satisfy the conjunction; None where many do, and where the search is given up.

        Cost: `tuning.SEARCH_SAMPLE` rows are followed; then two sorts of the rows, and of what the search finds.
        """
        sample = rows.take(np.arange(0, rows.length, max(1, rows.length // tuning.SEARCH_SAMPLE)))
        found = sum(some.length for some in gathered(solutions(sample), {self.start, self.other}))
        if found * tuning.SEARCH_PASSING > sample.length:
            return None
        left, right = rows.columns[self.start], rows.columns[self.other]
        starts, _ = distinct_ids(left)
        asked = pairs.distinct(left, right)
        hits, count = asked[:0], 0
        for some in solutions(Bindings({self.start: starts}, len(starts))):
            count += some.length
            if count > self.most:
                return None
            keys = pairs.distinct(some.columns[self.start], some.columns[self.other])
            hits = sorted_sets.union(hits, sorted_sets.intersection(asked, keys))
        return pairs.contains(hits, pairs.pack(left, right))
