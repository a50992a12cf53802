"""A growing set of pairs that are many beside the ids which they are made of: a bit for each pair of these ids.

Rules derive most facts many times. Whether a pair is known already takes a look at one bit, where sorted sets are
merged; and what a step derives need not be held until it is compared. Ids are numbered in the order in which they come,
so that they need not be near each other: 239,000 pairs of 3,000 subjects and 900 objects take a third of a megabyte,
and their keys two.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs
from kgreason.sorting import distinct

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.int64]

_WORD: Final = 64
_ROOM: Final = 4
"""A table that is too small is made larger by so manieth a part than it has to be."""


class PairBits:
    """A set of pairs of ids, to which pairs are added."""

    __slots__ = ("_bits", "_columns", "_rows")

    def __init__(self) -> None:
        """No pairs."""
        self._rows, self._columns = _Numbering(), _Numbering()
        self._bits = np.zeros((0, 0), dtype=np.uint64)

    @classmethod
    def of(cls, keys: Keys, most: int) -> PairBits | None:
        """The set of some sorted keys; None where it would take more than `most` bytes: O(n + bits)."""
        found = cls()
        for begin in range(0, len(keys), tuning.JOIN_ROWS):
            checkpoint()
            some = keys[begin : begin + tuning.JOIN_ROWS]
            if found.added(pairs.subjects(some), pairs.objects(some), most) is None:
                return None
        return found

    def added(self, left: Ids, right: Ids, most: int) -> Keys | None:
        """Add the pairs of two columns in any order, at least one; the sorted keys of those that were not there. None
        where the set would take more than `most` bytes, and then nothing is added.

        Cost: 4 ns for each pair, and a sort of those that come.
        """
        if not (self._rows.has_places(left, most // 4) and self._columns.has_places(right, most // 4)):
            return None
        is_new = np.empty(len(left), dtype=np.bool_)
        for block in _blocks(len(left)):
            places = self._rows.of(left[block]), self._columns.of(right[block])
            if not self._has_room(most):
                return None
            words, bits = self._places(*places)
            np.equal(self._bits.reshape(-1)[words] & bits, 0, out=is_new[block])
        keys = pairs.distinct(left[is_new], right[is_new])
        for block in _blocks(len(keys)):
            some = keys[block]
            words, bits = self._places(self._rows.of(pairs.subjects(some)), self._columns.of(pairs.objects(some)))
            np.add.at(self._bits.reshape(-1), words, bits)  # each bit is set once
        return keys

    def _places(self, rows: Numbers, columns: Numbers) -> tuple[Numbers, Keys]:
        """The words of pairs, and their bits in these; the columns are written over."""
        rows *= self._bits.shape[1]
        rows += columns >> 6
        columns &= _WORD - 1
        return rows, np.uint64(1) << columns.view(np.uint64)

    def _has_room(self, most: int) -> bool:
        """Whether there is a bit for each pair of the ids, or may be one."""
        rows, words = self._rows.count + 1, self._columns.count // _WORD + 1
        height, width = self._bits.shape
        if rows <= height and words <= width:
            return True
        if 8 * rows * words > most:
            return False
        shape = (max(height, rows + rows // _ROOM), max(width, words + words // _ROOM))
        memory.check(8 * shape[0] * shape[1], "a table of pairs")
        larger = np.zeros(shape, dtype=np.uint64)
        larger[:height, :width] = self._bits
        self._bits = larger
        return True


class _Numbering:
    """Numbers of ids, from 1 on, in the order in which they come."""

    __slots__ = ("_numbers", "count")

    def __init__(self) -> None:
        self._numbers = np.zeros(0, dtype=np.uint32)
        self.count = 0

    def has_places(self, identifiers: Ids, most: int) -> bool:
        """Whether there is a place for each id up to the highest of a column, or may be one."""
        size = int(identifiers.max()) + 1
        if size > len(self._numbers):
            if size > most:
                return False
            numbers = memory.lazy_zeros(size + size // _ROOM, np.uint32)
            numbers[: len(self._numbers)] = self._numbers
            self._numbers = numbers
        return True

    def of(self, identifiers: Ids) -> Numbers:
        """The numbers of ids, which are given to those that have none."""
        found = self._numbers[identifiers]
        is_unknown = found == 0
        if is_unknown.any():
            fresh = distinct(identifiers[is_unknown])
            self._numbers[fresh] = np.arange(self.count + 1, self.count + 1 + len(fresh))
            self.count += len(fresh)
            found = self._numbers[identifiers]
        return found.astype(np.int64)


def _blocks(count: int) -> Iterator[slice]:
    return (slice(begin, begin + tuning.CACHED_ROWS) for begin in range(0, count, tuning.CACHED_ROWS))
