"""Columns of the values of a batch of rows, and all combinations of the values of several columns.

A column has one value for each row of the batch, or, where `rows` says which row each value belongs to, any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Rows: TypeAlias = NDArray[np.int64]
"""Row numbers of a batch, or positions in a column, in ascending order."""

Mask: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """The values of a reference.

    Attributes:
        texts: null where there is no value.
        rows: None for one value in each row.
        datatype: the natural one of all values, or of each; None or null for a string.
        problem: why a text is not a value, null where it is one; None where all are.
    """

    texts: pa.Array
    rows: Rows | None = None
    datatype: str | pa.Array | None = None
    problem: pa.Array | None = None

    def at(self, positions: Rows | pa.Array | None) -> ValueColumn:
        """The values at positions, none where a position is null; `rows` is not known of them any more."""
        if positions is None:
            return self
        return ValueColumn(
            taken(self.texts, positions),
            None,
            self.datatype if isinstance(self.datatype, str | None) else taken(self.datatype, positions),
            None if self.problem is None else taken(self.problem, positions),
        )

    def without(self, nulls: frozenset[str]) -> ValueColumn:
        """The values, none where the text is one that stands for none."""
        if not nulls:
            return self
        is_null = pc.is_in(self.texts, pa.array(sorted(nulls), pa.string()))
        return replace(self, texts=pc.if_else(is_null, pa.scalar(None, pa.string()), self.texts))


def taken(column: pa.Array, positions: Rows | pa.Array) -> pa.Array:
    """The elements at positions."""
    return column.take(positions if isinstance(positions, pa.Array) else pa.array(positions))


def combinations(columns: Sequence[Rows | None]) -> tuple[Rows | None, list[Rows | None]]:
    """All combinations of the values of each row, one of each column: RML's n-ary Cartesian product.

    Args:
        columns: for each column the row of each value, None for one value in each row.

    Returns:
        the row of each combination, and for each column the positions of its values; None for all as they are.
    """
    rows: Rows | None = None
    positions: list[Rows | None] = [None] * len(columns)
    for number, own in enumerate(columns):
        if own is None:
            continue
        if rows is None:
            rows, positions[number] = own, np.arange(len(own))
            continue
        starts, ends = np.searchsorted(own, rows, "left"), np.searchsorted(own, rows, "right")
        repeated, found = spread(starts, ends)
        rows = rows[repeated]
        positions = [None if one is None else one[repeated] for one in positions]
        positions[number] = found
    if rows is None:
        return None, positions
    return rows, [rows if own is None else at for own, at in zip(columns, positions, strict=True)]


def spread(starts: Rows, ends: Rows) -> tuple[Rows, Rows]:
    """Every position between each start and its end, and before them the number of the range that it is of."""
    counts = ends - starts
    numbers = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(len(numbers)) - np.repeat(np.cumsum(counts) - counts, counts)
    return numbers, starts[numbers] + offsets


def mask_of(column: pa.Array) -> Mask:
    """A column of truth values as an array; null is false."""
    filled = column.fill_null(False) if column.null_count else column
    found: Mask = filled.to_numpy(zero_copy_only=False)
    return found


def first_reason(*reasons: pa.Array | None) -> pa.Array | None:
    """The first reason of each row that is not null; None where all are null."""
    known = [one for one in reasons if one is not None and one.null_count < len(one)]
    return pc.coalesce(*known) if len(known) > 1 else known[0] if known else None


def reason_where(mask: Any, reason: str) -> pa.Array | None:
    """A reason where a column of truth values is true; None where it never is."""
    if not pc.any(mask).as_py():
        return None
    return pc.if_else(pc.fill_null(mask, False), pa.scalar(reason), pa.scalar(None, pa.string()))


def joined(pieces: Sequence[str | pa.Array], length: int) -> pa.Array:
    """Fixed texts and columns of strings, one after the other; null where one is null."""
    merged: list[str | pa.Array] = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        elif not (isinstance(piece, str) and not piece):
            merged.append(piece)
    if not any(isinstance(piece, pa.Array) for piece in merged):
        return pa.repeat(pa.scalar("".join(map(str, merged)), pa.string()), length)
    if len(merged) == 1:
        return merged[0]
    scalars = [pa.scalar(piece, pa.string()) if isinstance(piece, str) else piece for piece in merged]
    return pc.binary_join_element_wise(*scalars, pa.scalar("", pa.string()))


def content(texts: pa.Array) -> bytes:
    """The bytes of all texts of a column, one after the other."""
    offsets, data = texts.buffers()[1:]
    if data is None or not len(texts):
        return b""
    edges = np.frombuffer(offsets, dtype=np.int32)[[texts.offset, texts.offset + len(texts)]]
    return bytes(memoryview(data)[int(edges[0]) : int(edges[1])])
