"""Keys that came one by one, under ids that follow each other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason.dictionary import term_tuning


class KeyList(list[str]):
    """Keys in the order of their ids, which grow; texts are read in passes of so many bytes, which ask for sizes."""

    __slots__ = ("_ends",)

    _ends: NDArray[np.int64]

    def keys(self, rows: NDArray[np.uint32]) -> list[str]:
        """The keys of rows: some 40 nanoseconds each."""
        return [*map(self.__getitem__, rows.tolist())]

    def sizes(self, rows: NDArray[np.uint32]) -> NDArray[np.int64]:
        """How many characters the keys of rows have. To look at each takes 70 nanoseconds, since they are spread over
        memory; of many it is kept where they would end in a column, so that the next look at one takes 4."""
        known = getattr(self, "_ends", np.zeros(1, dtype=np.int64))
        fresh = self[len(known) - 1 :]
        if len(rows) * term_tuning.SIZED_KEYS < len(fresh):
            return np.fromiter((len(self[row]) for row in rows.tolist()), np.int64, len(rows))
        if fresh:
            ends = np.fromiter(map(len, fresh), np.int64, len(fresh)).cumsum()
            self._ends = known = np.concatenate([known, known[-1] + ends])
        ends = rows.astype(np.int64) + 1
        return known[ends] - known[ends - 1]
