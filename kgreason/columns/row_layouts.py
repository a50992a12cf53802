"""How rows of ids lie in a column of keys that sort like them: as numbers of 64 bits where their ids fit
(`narrow_rows`), else as byte strings (`rows`). Both are read alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, rows, sorted_columns
from kgreason.columns.id_columns import repeated
from kgreason.columns.key_runs import Runs, in_order
from kgreason.columns.narrow_rows import Ids, Layout, Mask
from kgreason.columns.sorted_columns import Column


@dataclass(frozen=True, slots=True)
class ByteLayout:
    """Rows of `width` columns as byte strings, which have room for all ids."""

    width: int

    @property
    def no_keys(self) -> Column:
        """The keys of no rows."""
        return np.empty(0, dtype=f"S{4 * self.width}")

    def of_some(self, positions: Sequence[int]) -> ByteLayout:
        """The layout of some of the columns, in any order."""
        return ByteLayout(len(positions))

    def keys(self, columns: Sequence[Ids]) -> Column:
        """The keys of rows: O(n * columns)."""
        return rows.pack(columns)

    def fitting_keys(self, columns: Sequence[Ids]) -> tuple[Column, Mask]:
        """The keys of rows, and that there is room for each."""
        return rows.pack(columns), np.ones(len(columns[0]), dtype=np.bool_)

    def columns(self, keys: Column) -> tuple[Ids, ...]:
        """The rows of keys: O(n * columns)."""
        return rows.unpack(keys, self.width)

    def column(self, keys: Column, position: int) -> Ids:
        """One column of the rows: O(n)."""
        return np.ascontiguousarray(keys).view(">u4").reshape(-1, self.width)[:, position].astype(np.uint32)

    def runs(self, keys: Column, wanted: Sequence[Ids]) -> Runs:
        """For each of some rows of the first columns, in any order, where the rows that begin so begin and end in
        sorted keys: O(k log n)."""
        count = len(wanted)

        def search(low: Column) -> Runs:
            columns = rows.unpack(low, self.width)[:count]
            return keys.searchsorted(low), keys.searchsorted(self._filled(columns, 0xFFFFFFFF), side="right")

        return in_order(search, self._filled(wanted, 0))

    def _filled(self, columns: Sequence[Ids], rest: int) -> Column:
        """Rows of which all other columns are one id."""
        return rows.pack([*columns, *[repeated(rest, len(columns[0]))] * (self.width - len(columns))])


RowLayout: TypeAlias = Layout | ByteLayout


def layout_of(columns: Sequence[Ids]) -> RowLayout:
    """A layout for some rows: O(n * columns)."""
    return Layout.of(columns) or ByteLayout(len(columns))


def joint(layouts: Sequence[RowLayout]) -> RowLayout:
    """A layout for the rows of one layout or more, of as many columns."""
    narrow = [layout for layout in layouts if isinstance(layout, Layout)]
    found = Layout.joint(narrow) if len(narrow) == len(layouts) else None
    return found or ByteLayout(layouts[0].width)


def moved(keys: Column, layout: RowLayout, to: RowLayout) -> Column:
    """The keys of the same rows in another layout that has room for them; themselves where it is the same."""
    return keys if to == layout else _converted(keys, layout, to, range(to.width))


def distinct_ids(keys: Column, layout: RowLayout, position: int) -> Ids:
    """The sorted set of the ids of one column: O(n), by a flag for each id that there is room for, a block of rows at a
    time; where these are many beside the rows, of the whole column at once."""
    if isinstance(layout, ByteLayout) or (1 << layout.bits[position]) > tuning.DENSE_KEYS * len(keys):
        return bitmaps.distinct(layout.column(keys, position))
    low = layout.lows[position]
    flags = np.zeros(1 << layout.bits[position], dtype=np.bool_)
    for begin in range(0, len(keys), tuning.JOIN_ROWS):
        checkpoint()
        flags[layout.column(keys[begin : begin + tuning.JOIN_ROWS], position) - np.uint32(low)] = True
    return (np.flatnonzero(flags) + low).astype(np.uint32)


def reordered(keys: Column, layout: RowLayout, order: Sequence[int]) -> Column:
    """The sorted keys of rows whose columns come in another order, in the layout of these: a sort."""
    memory.check(2 * keys.nbytes, "rows in another order")
    found = _converted(keys, layout, layout.of_some(order), order)
    sorted_columns.sort(found)
    return found


def _converted(keys: Column, layout: RowLayout, to: RowLayout, order: Sequence[int]) -> Column:
    """The keys of rows whose columns come in another order, in a layout of these, a block at a time."""
    found = np.empty(len(keys), dtype=to.no_keys.dtype)
    for begin in range(0, len(keys), tuning.CACHED_ROWS):
        checkpoint()
        columns = layout.columns(keys[begin : begin + tuning.CACHED_ROWS])
        found[begin : begin + tuning.CACHED_ROWS] = to.keys([columns[position] for position in order])
    return found
