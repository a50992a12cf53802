"""Rows of several id columns as one column of keys: equal rows have equal keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs
from kgreason.sparql.solutions import Counts, Ids, Index, Solutions

Keys = NDArray[Any]


def keys_of(columns: Sequence[Ids], length: int) -> Keys:
    """One key for each row, that sorts like the rows up to two columns: O(n), or a sort for each column over two."""
    if not columns:
        return np.zeros(length, dtype=np.uint32)
    if len(columns) == 1:
        return columns[0]
    keys = pairs.pack(columns[0], columns[1])
    for column in columns[2:]:
        keys = pairs.pack(numbered(keys)[1].astype(np.uint32), column)
    return keys


def joint_keys(left: Sequence[Ids], right: Sequence[Ids]) -> tuple[Keys, Keys]:
    """Keys for the rows of two tables with the same columns, at least one, equal where the rows are."""
    if len(left) <= 2:
        return keys_of(left, 0), keys_of(right, 0)
    size = len(left[0])
    keys = keys_of([np.concatenate(both) for both in zip(left, right, strict=True)], 0)
    return keys[:size], keys[size:]


def numbered(keys: Keys) -> tuple[Index, Index]:
    """The distinct keys, each by the first row that has it, in ascending order; and for each row the number of its
    key: one sort, or one pass for few distinct ids."""
    if len(keys) < 2:
        return np.arange(len(keys)), np.zeros(len(keys), dtype=np.int64)
    order = np.argsort(keys, kind="stable")
    ascending = keys[order]
    starts = np.empty(len(keys), dtype=np.bool_)
    starts[0] = True
    np.not_equal(ascending[1:], ascending[:-1], out=starts[1:])
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.cumsum(starts) - 1
    return order[starts], numbers


def rows_of_each(column: Ids) -> Iterator[tuple[int, Index]]:
    """Each distinct id, ascending, with the rows that have it: one sort, and a microsecond for each id."""
    if not len(column):
        return
    order = np.argsort(column, kind="stable")
    ascending = column[order]
    begins = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    yield from zip(ascending[[0, *begins]].tolist(), np.split(order, begins), strict=True)


def grouped(solutions: Solutions) -> Solutions:
    """Equal rows as one row with a weight: one sort."""
    if not solutions.columns:
        return Solutions({}, 1, np.array([solutions.total()], dtype=np.int64)) if solutions.length else solutions
    first, numbers = numbered(keys_of([*solutions.columns.values()], solutions.length))
    if len(first) == solutions.length:
        return solutions
    columns = {name: column[first] for name, column in solutions.columns.items()}
    return Solutions(columns, len(first), summed(numbers, solutions.counts(), len(first)))


def summed(numbers: Index, counts: Counts, length: int) -> Counts:
    """For each number the sum of its counts, exactly."""
    if len(counts) and int(counts.max()) * len(counts) < 1 << 52:
        return np.bincount(numbers, weights=counts, minlength=length).astype(np.int64)
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def distinct(solutions: Solutions) -> Solutions:
    """Each row once, without weights, in the order of first sight: one sort."""
    if not solutions.columns:
        return Solutions({}, min(solutions.length, 1))
    first, _ = numbered(keys_of([*solutions.columns.values()], solutions.length))
    bare = Solutions(solutions.columns, solutions.length)
    return bare if len(first) == solutions.length else bare.take(np.sort(first))
