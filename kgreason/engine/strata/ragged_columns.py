"""Columns of which each of many things has a run of values, one run after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kgreason.columns import pairs
from kgreason.engine.rules.groups import Flags
from kgreason.engine.strata.atom_columns import Numbers


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RaggedColumn:
    """The values of all things, int64, and where the run of each begins: one border more than there are things."""

    values: Numbers
    borders: Numbers

    def __len__(self) -> int:
        return len(self.borders) - 1

    def of(self, things: Numbers) -> RaggedColumn:
        """The column of some things, in their order: O(values)."""
        begins, ends = self.borders[things], self.borders[things + 1]
        return RaggedColumn(self.values[pairs.positions_of(begins, ends)], np.append(0, np.cumsum(ends - begins)))

    def equals(self, things: Numbers, other: RaggedColumn, others: Numbers) -> Flags:
        """For each of some things whether its run is that of the thing beside it of another column: O(values)."""
        begins, other_begins = self.borders[things], other.borders[others]
        lengths = self.borders[things + 1] - begins
        found: Flags = lengths == other.borders[others + 1] - other_begins
        alike = np.flatnonzero(found)
        index, positions = pairs.spread(begins[alike], begins[alike] + lengths[alike])
        beside = positions + (other_begins - begins)[alike][index]
        differs = self.values[positions] != other.values[beside]
        found[alike[index[differs]]] = False
        return found
