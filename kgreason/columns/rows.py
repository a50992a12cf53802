"""Facts of three and more columns as one column of fixed-width byte strings that sort like the rows.

Big-endian ids, side by side, compare byte by byte as the rows compare column by column, so that everything
in `sorted_sets` serves wide facts as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.columns import sorted_sets
from kgreason.columns.narrow_rows import Keys, Layout
from kgreason.columns.sorted_columns import Column


def pack(columns: Sequence[NDArray[np.uint32]]) -> Column:
    """One byte string per row of two or more columns of the same length: O(n * columns)."""
    table = np.empty((len(columns[0]), len(columns)), dtype=">u4")
    for position, column in enumerate(columns):
        table[:, position] = column
    return table.view(f"S{4 * len(columns)}").reshape(-1)


def unpack(rows: Column, width: int) -> tuple[NDArray[np.uint32], ...]:
    """The columns of packed rows: O(n * width)."""
    table = np.ascontiguousarray(rows).view(">u4").reshape(-1, width)
    return tuple(table[:, position].astype(np.uint32) for position in range(width))


def distinct(columns: Sequence[NDArray[np.uint32]]) -> Column:
    """The sorted set of the rows of columns in any order, packed: one sort, of numbers where the ids of a row fit into
    64 bits together (`columns.narrow_rows`)."""
    layout = Layout.of(columns) if len(columns[0]) >= tuning.MANY_KEYS else None
    if layout is None:
        return sorted_sets.unique(pack(columns))
    memory.check(24 * len(columns[0]), "rows without duplicates")
    return packed_keys(layout, sorted_sets.unique(layout.keys(columns)))


def packed_keys(layout: Layout, keys: Keys) -> Column:
    """The byte strings of rows that are given as numbers: O(n * columns)."""
    return pack(layout.columns(keys))
