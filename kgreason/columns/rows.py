"""Facts of three and more columns as one column of fixed-width byte strings that sort like the rows.

Big-endian ids, side by side, compare byte by byte as the rows compare column by column, so that everything
in `sorted_sets` serves wide facts as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.columns.sorted_sets import Column


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
