"""Rows of several ids as one number of 64 bits each, which sort like the rows: as long as their ids fit.

    layout = Layout.of(columns)
    keys = layout.keys(columns)  # uint64
    layout.columns(keys)  # the same columns

Numbers are sorted, merged and searched in a fifth of the time that byte strings take (`columns.rows`), and take eight
bytes where those take four for each id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.key_runs import Runs, prefix_runs

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]

_KEY_BITS: Final = 64
_ID_BITS: Final = 32
_HIGHEST: Final = 0xFFFFFFFF
_NO_KEYS: Final[Keys] = np.empty(0, dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the ids of a row lie in a number: those of the first column highest.

    Each is there as what it is above the least id `lows` of its column, in so many `bits`, 64 in all at most.
    """

    lows: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, columns: Sequence[Ids]) -> Layout | None:
        """A layout for some rows, None where no layout has room for their ids. Where there is room, each column has as
        many bits, so that most sets of rows have the same layout; else as many as its ids need, so that a layout
        changes by a bit at least."""
        highest = [int(np.maximum.reduce(column, initial=0)) for column in columns]
        even = _even(len(columns))
        if max(highest) >> even.bits[0] == 0:
            return even
        return _roomy([(0, high) for high in highest]) or cls.tight(columns)

    @classmethod
    def tight(cls, columns: Sequence[Ids]) -> Layout | None:
        """The layout with the least numbers, None where no layout has room for the ids of some rows, at least one."""
        return _roomy([(int(column.min()), int(column.max())) for column in columns])

    @classmethod
    def joint(cls, layouts: Sequence[Layout]) -> Layout | None:
        """A layout for the rows of one layout or more, None where there is none."""
        found: Layout | None = layouts[0]
        for layout in layouts[1:]:
            found = None if found is None else found._with(layout)
        return found

    def _with(self, other: Layout) -> Layout | None:
        if other == self:
            return self
        ends = [
            (min(low, other_low), min(max(low + (1 << size), other_low + (1 << other_size)) - 1, _HIGHEST))
            for low, size, other_low, other_size in zip(self.lows, self.bits, other.lows, other.bits, strict=True)
        ]
        return _roomy(ends)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.bits)

    @property
    def no_keys(self) -> Keys:
        """The keys of no rows."""
        return _NO_KEYS

    def of_some(self, positions: Sequence[int]) -> Layout:
        """The layout of some of the columns, in any order."""
        return Layout(tuple(self.lows[each] for each in positions), tuple(self.bits[each] for each in positions))

    def bits_after(self, count: int) -> int:
        """The bits of the columns after the first ones."""
        return sum(self.bits[count:])

    def keys(self, columns: Sequence[Ids]) -> Keys:
        """The keys of rows for which there is room: O(n * columns)."""
        keys = self._above(columns[0], 0).astype(np.uint64)
        for position in range(1, len(columns)):
            keys <<= np.uint64(self.bits[position])
            keys |= self._above(columns[position], position)
        return keys

    def key(self, row: Sequence[int]) -> int | None:
        """The key of one row, None where there is no room for it: O(columns)."""
        key = 0
        for value, low, size in zip(row, self.lows, self.bits, strict=True):
            if not 0 <= value - low < 1 << size:
                return None
            key = key << size | value - low
        return key

    def _above(self, column: Ids, position: int) -> Ids:
        low = self.lows[position]
        return column - np.uint32(low) if low else column

    def fitting_keys(self, columns: Sequence[Ids]) -> tuple[Keys, Mask]:
        """For each row its key, any if there is no room for it, and whether there is."""
        fits = np.ones(len(columns[0]), dtype=np.bool_)
        for column, low, size in zip(columns, self.lows, self.bits, strict=True):
            if low:
                fits &= column >= low
            if size < _ID_BITS:
                fits &= column <= low + (1 << size) - 1
        if not fits.all():
            columns = [np.where(fits, column, np.uint32(low)) for column, low in zip(columns, self.lows, strict=True)]
        return self.keys(columns), fits

    def columns(self, keys: Keys) -> tuple[Ids, ...]:
        """The rows of keys: O(n * columns)."""
        return tuple([self.column(keys, position) for position in range(len(self.bits))])

    def column(self, keys: Keys, position: int) -> Ids:
        """One column of the rows: O(n)."""
        after, size = self.bits_after(position + 1), self.bits[position]
        column = (keys >> np.uint64(after) if after else keys).astype(np.uint32)
        if size < _ID_BITS and position:
            column &= np.uint32((1 << size) - 1)
        if self.lows[position]:
            column += np.uint32(self.lows[position])
        return column

    def runs(self, keys: Keys, wanted: Sequence[Ids]) -> Runs:
        """For each of some rows of the first columns, in any order, where the rows that begin so begin and end in
        sorted keys: O(k log n)."""
        first = self.of_some(range(len(wanted)))
        prefixes, fits = first.fitting_keys(wanted)
        begin, end = prefix_runs(keys, prefixes, self.bits_after(len(wanted)))
        return begin, end if fits.all() else np.where(fits, end, begin)


@cache
def _even(count: int) -> Layout:
    """The layout in which each of so many columns has as many bits."""
    size = min(_ID_BITS, _KEY_BITS // count)
    return Layout((0,) * count, (size,) * count)


def _roomy(ends: Sequence[tuple[int, int]]) -> Layout | None:
    """A layout for ids between the ends of each column, None where they do not fit."""
    bits = tuple((high - low).bit_length() for low, high in ends)
    return Layout(tuple(low for low, _ in ends), bits) if sum(bits) <= _KEY_BITS else None
