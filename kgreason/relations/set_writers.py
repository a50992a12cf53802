"""Making sets of labels: all of them, one after the other, or some of many."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason import memory
from kgreason.relations import serialised_sets, table_tuning
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.numbered_sets import NumberedSets
from kgreason.relations.serialised_sets import Written

_LOOK_EVERY: Final = 16
"""After so many sets that were written the memory that is left is looked at."""


class SetWriter:
    """Writes sets one after the other; the latest are kept live, since the next ones are made of them."""

    def __init__(self, count: int) -> None:
        self._buffer = bytearray()
        self._small = array("I")
        self._begin = array("q", bytes(8 * count))
        self._end = array("q", bytes(8 * count))
        self._live = serialised_sets.LiveSets()

    def put(self, number: int, members: BitMap) -> None:
        """Write a set; the bitmap is taken over."""
        if 0 < len(members) <= table_tuning.SMALL_SET:
            self.put_small(number, members.to_array())
        else:
            if not number % _LOOK_EVERY:
                memory.check_reserve("a set of labels")
                memory.check(len(self._buffer) // 8, "the sets of labels")
            self._begin[number] = len(self._buffer)
            self._buffer += serialised_sets.write(members)
            self._end[number] = len(self._buffer)
            self._live.put(number, members)

    def put_small(self, number: int, members: Iterable[int]) -> None:
        """Write a set of `table_tuning.SMALL_SET` members or fewer, but at least one, given in order."""
        self._begin[number] = ~len(self._small)
        self._small.extend(members)
        self._end[number] = ~len(self._small)

    def put_all_small(self, numbers: NDArray[np.int64], counts: NDArray[np.int64], members: NDArray[np.uint32]) -> None:
        """Write sets as `put_small` does, given one after the other: O(members)."""
        if len(numbers):
            ends = len(self._small) + np.cumsum(counts)
            np.frombuffer(self._begin, dtype=np.int64)[numbers] = ~(ends - counts)
            np.frombuffer(self._end, dtype=np.int64)[numbers] = ~ends
            self._small.frombytes(members.tobytes())

    def is_empty(self, number: int) -> bool:
        """Whether no set was written, or the empty one."""
        return self._begin[number] == self._end[number]

    def get(self, number: int) -> BitMap:
        """A set that was written, or the empty one."""
        begin, end = self._begin[number], self._end[number]
        if begin < 0:
            return BitMap(self._small[~begin : ~end])
        found = self._live.get(number)
        return serialised_sets.read(self._buffer[begin:end]) if found is None else found

    def finish(self) -> LabelSets:
        """All sets, read-only from now on."""
        memory.check(4 * len(self._small) + 16 * len(self._begin), "the sets of labels")
        small = np.array(self._small, dtype=np.uint32)
        return LabelSets(self._buffer, small, np.array(self._begin), np.array(self._end))


class SetEditor:
    """Changes some sets of many."""

    def __init__(self, base: NumberedSets) -> None:
        self._base = base
        self._written: dict[int, Written] = {}
        self._live = serialised_sets.LiveSets()

    def __contains__(self, number: int) -> bool:
        """Whether a set was put."""
        return number in self._written

    def put(self, number: int, members: BitMap) -> None:
        """Replace a set; the bitmap is taken over."""
        if not len(self._written) % _LOOK_EVERY:
            memory.check_reserve("a set of labels")
        self._written[number] = serialised_sets.written(members)
        self._live.put(number, members)

    def get(self, number: int) -> BitMap:
        """A set as it is by now."""
        found = self._live.get(number)
        if found is not None:
            return found
        written = self._written.get(number)
        if written is not None:
            members = BitMap(written) if isinstance(written, array) else serialised_sets.read(written)
        else:
            members = self._base.get(number) if number < len(self._base) else serialised_sets.EMPTY
        self._live.put(number, members)
        return members

    @property
    def numbers(self) -> Iterable[int]:
        """The numbers of the sets that were put."""
        return self._written.keys()

    def finish(self, count: int) -> NumberedSets:
        """A version with `count` sets."""
        return self._base.changed(self._written, count)
