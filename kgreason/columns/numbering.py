"""Distinct numbers in order, and the place of each among them: those that are dense by a table, others by sorts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.columns import sorted_sets
from kgreason.sorting import numbered

Numbers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Numbering:
    """Distinct `numbers`, none below 0, in order; `table` has the places of those that are less than its length."""

    numbers: Numbers
    table: NDArray[np.int32]

    @classmethod
    def of(cls, columns: Sequence[Numbers]) -> Numbering:
        """All numbers of some columns: O(numbers), and a sort of those that are too far from 0 for a table."""
        limit = tuning.NUMBERED_SPAN * sum(map(len, columns)) + 1
        is_there = np.zeros(limit, dtype=np.bool_)
        others = []
        for column in columns:
            is_low = column < limit
            others.append(column[~is_low])
            is_there[column[is_low] if len(others[-1]) else column] = True
        low = np.flatnonzero(is_there)
        table = np.zeros(limit, dtype=np.int32)
        table[low] = np.arange(len(low), dtype=np.int32)
        return cls(np.concatenate((low, sorted_sets.unique(np.concatenate(others)))), table)

    def places(self, numbers: Numbers) -> Numbers:
        """For each of some of the numbers, in any order, its place among all: O(numbers), and a sort of those that are
        not in the table."""
        is_high = numbers >= len(self.table)
        if not is_high.any():
            return self.table[numbers].astype(np.int64)
        found = self.table.take(numbers, mode="clip").astype(np.int64)
        distinct, places = numbered(numbers[is_high])
        found[is_high] = self.numbers.searchsorted(distinct)[places]
        return found
