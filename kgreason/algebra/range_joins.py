"""Joins by the order of values: each row beside those of others that may lie within its bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Literal

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.expressions.order_ranks import Kind, Ranks
from kgreason.algebra.joins import Runs
from kgreason.sorting import argsort


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Section(Generic[V]):
    """Rows with values of one kind in their order: what is too low is told by the greatest numbers, what is too high by
    the least, which go up in one order."""

    kind: Kind
    rows: Bindings[V]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OrderedRows(Generic[V]):
    """Rows in the order of a value of each, in which others have bounds."""

    sections: Sequence[_Section[V]]

    @classmethod
    def of(cls, rows: Bindings[V], values: Ranks) -> OrderedRows[V]:
        """Rows in any order, with the rank of the value of each: a sort."""
        memory.check(32 * rows.length, "a join")
        sections: list[_Section[V]] = []
        for kind in (Kind.NUMBER, Kind.MOMENT, Kind.OTHER):
            own = np.flatnonzero(values.kinds == kind)
            if len(own):
                own = own[argsort(values.low[own])]
                sections.append(_Section(kind, rows.take(own), values.low[own], values.high[own]))
        return cls(sections)

    def beside(self, rows: Bindings[V], bounds: Sequence[tuple[str, Ranks]]) -> Iterator[Runs[V]]:
        """Others, of which no variable is here, each with a run among which are all rows that are within its bounds.

        The farthest of a run are the most likely to be.

        Args:
            bounds: comparisons (``<``, ``<=``, ``>``, ``>=``) of a value of each of the others, on the left, with that
                of the rows that are here.

        Cost: some binary searches for each of the others.
        """
        memory.check(32 * rows.length, "a join")
        best_last = all(symbol in ("<", "<=") for symbol, _ in bounds)
        for section in self.sections:
            mine = np.flatnonzero(np.logical_and.reduce([ranks.kinds == section.kind for _, ranks in bounds]))
            if not len(mine):
                continue
            begin, end = np.zeros(len(mine), dtype=np.int64), np.full(len(mine), section.rows.length, dtype=np.int64)
            for symbol, ranks in bounds:
                if symbol in ("<", "<="):
                    np.maximum(begin, section.high.searchsorted(ranks.low[mine]), out=begin)
                else:
                    np.minimum(end, section.low.searchsorted(ranks.high[mine], side="right"), out=end)
            yield Runs(rows.take(mine), section.rows, begin, np.maximum(begin, end), best_last)

    def between(self, rows: Bindings[V], least: Ranks, most: Ranks, *, beyond: bool) -> Iterator[Runs[V]]:
        """Others, of which no variable is here, each with the run of the rows that may lie between two values of it, by
        the least number of each alone; `beyond` says that they are greater than that of the first value."""
        memory.check(32 * rows.length, "a join")
        side: Literal["left", "right"] = "right" if beyond else "left"
        for section in self.sections:
            mine = np.flatnonzero((least.kinds == section.kind) & (most.kinds == section.kind))
            if len(mine):
                begin = section.low.searchsorted(least.low[mine], side=side)
                end = section.low.searchsorted(most.high[mine], side="right")
                yield Runs(rows.take(mine), section.rows, begin, np.maximum(begin, end))


def overlapping(
    rows: Bindings[V], ends: tuple[Ranks, Ranks], others: Bindings[V], others_ends: tuple[Ranks, Ranks]
) -> Iterator[Runs[V]]:
    """Rows beside others, either side first, as far as their intervals may overlap: one begins within the other one.

    Args:
        ends, others_ends: where their intervals begin and end, which may be of any values. Each pair comes once that
            the orders allow: no begin of one after the end of the other.

    Cost: two sorts, and searches for each of both.
    """
    yield from OrderedRows.of(rows, ends[0]).between(others, *others_ends, beyond=False)
    yield from OrderedRows.of(others, others_ends[0]).between(rows, *ends, beyond=True)
    # Those that begin and end by values of different kinds are within none that they begin by the kind of.
    mixed, others_mixed = (np.flatnonzero(begin.kinds != end.kinds) for begin, end in (ends, others_ends))
    if len(mixed) and len(others_mixed):
        yield Runs.of_all(rows.take(mixed), others.take(others_mixed))
