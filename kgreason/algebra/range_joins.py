"""Joins by the order of values: each row beside those of others that may lie within its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgreason import memory
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.expressions.order_ranks import Kind, Ranks
from kgreason.algebra.joins import joined_runs
from kgreason.sorting import argsort


def joined_within(
    rows: Bindings[V], bounds: Sequence[tuple[str, Ranks]], others: Bindings[V], values: Ranks
) -> Iterator[Bindings[V]]:
    """Pairs of a row and another one, without common variables, among them all whose values are within the bounds.

    Args:
        bounds: comparisons (``<``, ``<=``, ``>``, ``>=``) of a value of each row, on the left, with that of others.
        values: those of the other rows.

    Cost: a sort of the others, some binary searches for each row, and the pairs, about so many rows at once as a step
    of a join makes.
    """
    memory.check(32 * rows.length + 16 * others.length, "a join")
    for kind in (Kind.NUMBER, Kind.MOMENT, Kind.OTHER):
        mine = np.flatnonzero(np.logical_and.reduce([ranks.kinds == kind for _, ranks in bounds]))
        theirs = np.flatnonzero(values.kinds == kind)
        if not len(mine) or not len(theirs):
            continue
        begin, end = np.zeros(len(mine), dtype=np.int64), np.full(len(mine), len(theirs), dtype=np.int64)
        # What is too low is told by the greatest numbers, what is too high by the least: these go up in one order.
        theirs = theirs[argsort(values.low[theirs])]
        low, high = values.low[theirs], values.high[theirs]
        for symbol, ranks in bounds:
            if symbol in ("<", "<="):
                np.maximum(begin, high.searchsorted(ranks.low[mine]), out=begin)
            else:
                np.minimum(end, low.searchsorted(ranks.high[mine], side="right"), out=end)
        yield from joined_runs(rows.take(mine), others.take(theirs), begin, np.maximum(begin, end))
