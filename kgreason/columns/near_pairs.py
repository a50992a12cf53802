"""Pairs of ids that are near each other: flags for all pairs that these ids could make, in place of sorts and searches.

In closures and in large steps of rules so many of the pairs are there that a flag for each takes fewer bytes than
the keys do. Pairs that are sorted read the flags row by row. Each function gives None where they would be too many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]
Positions: TypeAlias = NDArray[np.int64]

_SHIFT: Final = np.uint64(32)
_LOW_BITS: Final = 0xFFFFFFFF
_SAMPLE: Final = 1 << 10
"""So many objects of sorted keys tell about where all are."""


@dataclass(frozen=True, slots=True)
class Area:
    """All pairs of ids from the least to the greatest on either side, as cells in rows, one for each subject."""

    low: tuple[int, int]
    high: tuple[int, int]

    @classmethod
    def of(cls, left: Ids, right: Ids) -> Area:
        """The least area of some pairs, at least one: two passes over each side."""
        return cls((int(left.min()), int(right.min())), (int(left.max()), int(right.max())))

    def with_objects(self, keys: Keys) -> Area:
        """The area with the objects of some keys as well, at least one."""
        least, greatest = _object_ends(keys)
        return Area((self.low[0], min(self.low[1], least)), (self.high[0], max(self.high[1], greatest)))

    @property
    def width(self) -> int:
        """The cells of a row."""
        return self.high[1] - self.low[1] + 1

    @property
    def cells(self) -> int:
        """How many there are."""
        return (self.high[0] - self.low[0] + 1) * self.width

    def of_columns(self, left: Ids, right: Ids) -> Positions:
        """The cells of pairs."""
        cells = left.astype(np.int64)
        cells -= self.low[0]
        cells *= self.width
        cells += right
        cells -= self.low[1]
        return cells

    def of_keys(self, keys: Keys) -> Positions:
        """The cells of keys, whose halves need not be taken apart: s * 2**32 + o is to become s * width + o."""
        cells = keys >> _SHIFT
        cells *= np.uint64((1 << 32) - self.width)
        np.subtract(keys, cells, out=cells)
        cells -= np.uint64(self.low[0] * self.width + self.low[1])
        return cells.view(np.int64)

    def keys_of(self, cells: Positions) -> Keys:
        """The keys of cells, in the same memory: s * width + o becomes s * 2**32 + o."""
        keys = cells.view(np.uint64)
        width, first = np.uint64(self.width), np.uint64((self.low[0] << 32) + self.low[1])
        for begin in range(0, len(keys), tuning.CACHED_ROWS):
            some = keys[begin : begin + tuning.CACHED_ROWS]
            some += some // width * np.uint64((1 << 32) - self.width) + first
        return keys

    def rows_of(self, keys: Keys) -> Keys:
        """Those of some sorted keys whose subjects are among the rows."""
        begin = int(keys.searchsorted(np.uint64(self.low[0] << 32)))
        return keys[begin : int(keys.searchsorted(np.uint64(self.high[0] << 32 | _LOW_BITS), side="right"))]


def distinct(left: Ids, right: Ids) -> Keys | None:
    """The sorted set of the keys of two columns in any order, of at least one pair: O(n + cells)."""
    area = Area.of(left, right)
    if area.cells > tuning.PAIR_CELLS * len(left):
        return None
    memory.check(area.cells + 8 * len(left), "pairs without duplicates")
    flags = np.zeros(area.cells, dtype=np.bool_)
    for begin in range(0, len(left), tuning.CACHED_ROWS):
        rows = slice(begin, begin + tuning.CACHED_ROWS)
        flags[area.of_columns(left[rows], right[rows])] = True
    return area.keys_of(np.flatnonzero(flags))


def mirrored(keys: Keys) -> Keys | None:
    """The sorted keys of the inverse pairs of sorted ones, at least one: O(n + cells), without columns of the ids."""
    least, greatest = _object_ends(keys)
    area = Area((least, int(keys[0]) >> 32), (greatest, int(keys[-1]) >> 32))
    if area.cells > tuning.PAIR_CELLS * len(keys):
        return None
    memory.check(area.cells + 8 * len(keys), "pairs in another order")
    flags = np.zeros(area.cells, dtype=np.bool_)
    for block in _blocks(len(keys)):
        some = keys[block]
        flags[area.of_columns(some.astype(np.uint32), (some >> _SHIFT).astype(np.uint32))] = True
    return area.keys_of(np.flatnonzero(flags))


def contains(members: Keys, left: Ids, right: Ids) -> Mask | None:
    """For each pair of two columns in any order whether it is in the sorted set, by a table of bits; None also where
    there are many more members: O(n + members between), 5 ns for each pair where hashes take 22."""
    area = Area.of(left, right)
    if area.cells > tuning.NEAR_CELLS * len(left):
        return None
    members = area.rows_of(members)
    if len(members) > tuning.NEAR_MEMBERS * len(left):
        return None
    ends = members.astype(np.uint32)
    between = members[(ends >= area.low[1]) & (ends <= area.high[1])]
    table = _bit_table(area.of_keys(between), area.cells)
    found = np.empty(len(left), dtype=np.bool_)
    for block in _blocks(len(left)):
        wanted = area.of_columns(left[block], right[block])
        bits = table[wanted >> 6]
        bits >>= wanted.view(np.uint64) & np.uint64(63)
        bits &= np.uint64(1)
        found[block] = bits
    return found


def _bit_table(ascending: Positions, cells: int) -> Keys:
    """A table of bits, 64 in a number, of which the given ones are set."""
    table = np.zeros((cells >> 6) + 1, dtype=np.uint64)
    if len(ascending):
        words = ascending >> 6
        begins = np.append(0, np.flatnonzero(words[1:] != words[:-1]) + 1)
        bits = np.uint64(1) << (ascending.view(np.uint64) & np.uint64(63))
        table[words[begins]] = np.bitwise_or.reduceat(bits, begins)
    return table


def common(keys: Keys, others: Keys) -> Mask | None:
    """For each of some sorted keys, at least one, whether it is among others, also sorted.

    Cost: 7 to 12 ns for each key, a third of a merge. Where the answer is None, a look at a thousand keys finds that
    out, and seldom a pass over both.
    """
    sample = keys[:: max(1, len(keys) // _SAMPLE)].astype(np.uint32)
    area = Area((int(keys[0]) >> 32, int(sample.min())), (int(keys[-1]) >> 32, int(sample.max())))
    others = area.rows_of(others)
    most = tuning.FLAGS_PER_KEY * (len(keys) + len(others))
    if area.cells > most or not len(others):
        return None if area.cells > most else np.zeros(len(keys), dtype=np.bool_)
    area = area.with_objects(keys).with_objects(others)
    if area.cells > most:
        return None
    memory.check(area.cells + len(keys), "flags of pairs")
    flags = np.zeros(area.cells, dtype=np.bool_)
    for block in _blocks(len(others)):
        flags[area.of_keys(others[block])] = True
    found = np.empty(len(keys), dtype=np.bool_)
    for block in _blocks(len(keys)):
        found[block] = flags[area.of_keys(keys[block])]
    return found


def _object_ends(keys: Keys) -> tuple[int, int]:
    """The least and the greatest object of some keys, at least one."""
    columns = (keys[block].astype(np.uint32) for block in _blocks(len(keys)))
    least, greatest = zip(*((int(each.min()), int(each.max())) for each in columns), strict=True)
    return min(least), max(greatest)


def _blocks(count: int) -> Iterator[slice]:
    for begin in range(0, count, tuning.CACHED_ROWS):
        checkpoint()
        yield slice(begin, min(begin + tuning.CACHED_ROWS, count))
