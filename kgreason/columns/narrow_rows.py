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
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]

_KEY_BITS: Final = 64


@dataclass(frozen=True, slots=True)
class Layout:
    """How the ids of a row lie in a number: those of the first column highest.

    Each is there as what it is above the least id `lows` of its column, in so many `bits`, 64 in all at most.
    """

    lows: tuple[int, ...]
    bits: tuple[int, ...]

    @classmethod
    def of(cls, columns: Sequence[Ids]) -> Layout | None:
        """A layout for some rows, at least one; None where no layout has room for their ids. Where there is room, each
        column has as many bits, so that most sets of rows have the same layout."""
        share = (1 << _KEY_BITS // len(columns)) - 1
        if all(int(column.max()) <= share for column in columns):
            return _roomy([(0, share)] * len(columns))
        return cls.tight(columns)

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
            (min(low, other_low), max(low + (1 << size), other_low + (1 << other_size)) - 1)
            for low, size, other_low, other_size in zip(self.lows, self.bits, other.lows, other.bits, strict=True)
        ]
        return _roomy(ends)

    def of_some(self, positions: Sequence[int]) -> Layout:
        """The layout of some of the columns."""
        return Layout(tuple(self.lows[each] for each in positions), tuple(self.bits[each] for each in positions))

    def bits_after(self, count: int) -> int:
        """The bits of the columns after the first ones."""
        return sum(self.bits[count:])

    def keys(self, columns: Sequence[Ids]) -> Keys:
        """The keys of rows for which there is room: O(n * columns)."""
        keys = np.zeros(len(columns[0]), dtype=np.uint64)
        for column, low, size in zip(columns, self.lows, self.bits, strict=True):
            keys <<= np.uint64(size)
            keys |= column - np.uint32(low) if low else column
        return keys

    def fitting_keys(self, columns: Sequence[Ids]) -> tuple[Keys, Mask]:
        """For each row its key, any if there is no room for it, and whether there is."""
        fits = np.ones(len(columns[0]), dtype=np.bool_)
        for column, low, size in zip(columns, self.lows, self.bits, strict=True):
            fits &= column >= low
            fits &= column <= low + (1 << size) - 1
        if not fits.all():
            columns = [np.where(fits, column, np.uint32(low)) for column, low in zip(columns, self.lows, strict=True)]
        return self.keys(columns), fits

    def columns(self, keys: Keys) -> tuple[Ids, ...]:
        """The rows of keys: O(n * columns)."""
        return tuple(self.column(keys, position) for position in range(len(self.bits)))

    def column(self, keys: Keys, position: int) -> Ids:
        """One column of the rows: O(n)."""
        after, size = self.bits_after(position + 1), self.bits[position]
        column = (keys >> np.uint64(after) if 0 < after < _KEY_BITS else keys).astype(np.uint32)
        if size < 32:
            column &= np.uint32((1 << size) - 1)
        if self.lows[position]:
            column += np.uint32(self.lows[position])
        return column

    def moved(self, keys: Keys, to: Layout) -> Keys:
        """The keys of the same rows in another layout that has room for them; themselves where it is the same."""
        return keys if to == self else to.keys(self.columns(keys))


def _roomy(ends: Sequence[tuple[int, int]]) -> Layout | None:
    """A layout for ids between the ends of each column, None where they do not fit."""
    bits = tuple((high - low).bit_length() for low, high in ends)
    return Layout(tuple(low for low, _ in ends), bits) if sum(bits) <= _KEY_BITS else None
