"""Which ids a column has, in an eighth of a byte for each where they are dense: what is not in it is found at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.columns import sorted_sets
from kgreason.columns.id_flags import flags_of


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IdFilter:
    """The ids of a column from `low` to `high`, a bit for each of these; without bits only that there are no others.

    `count` is how many different ids there are.
    """

    low: int
    high: int
    count: int
    bits: bytes | None

    @classmethod
    def of(cls, identifiers: NDArray[np.uint32]) -> IdFilter:
        """Of uint32 ids in any order: O(n + ids between the lowest and the highest) where dense, otherwise a sort."""
        if len(identifiers) <= tuning.FEW_IDS:
            few = {*identifiers.tolist()}
            return cls(min(few, default=0), max(few, default=-1), len(few), None)
        low, high = int(identifiers.min()), int(identifiers.max())
        if high - low >= tuning.FILTERED_IDS * len(identifiers):
            return cls(low, high, len(sorted_sets.unique(identifiers)), None)
        flags = flags_of(identifiers, high - low + 1, low)
        return cls(low, high, int(np.count_nonzero(flags)), np.packbits(flags, bitorder="little").tobytes())

    def may_have(self, identifier: int) -> bool:
        """Whether the column has an id, or may have where there are no bits: O(1)."""
        place = identifier - self.low
        if place < 0 or identifier > self.high:
            return False
        return self.bits is None or bool(self.bits[place >> 3] >> (place & 7) & 1)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return 0 if self.bits is None else len(self.bits)
