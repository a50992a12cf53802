"""Rows of several id columns as one column of keys: equal rows have equal keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.algebra.local_terms import UNBOUND
from kgreason.checkpoints import passes
from kgreason.columns import pairs, sorted_sets
from kgreason.columns.masks import all_of
from kgreason.columns.narrow_rows import Layout
from kgreason.sorting import argsort

Ids: TypeAlias = NDArray[np.uint32]
Index: TypeAlias = NDArray[np.int64]
Counts: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[Any]


def keys_of(columns: Sequence[Ids], length: int) -> Keys:
    """One key for each row, that sorts like the rows up to two columns: O(n), or where the ids of more columns do not
    fit into 64 bits, a sort for each column over two."""
    if not columns:
        return np.zeros(length, dtype=np.uint32)
    if len(columns) == 1:
        return columns[0]
    if len(columns) > 2:
        layout = Layout.of(columns)
        if layout is not None:
            return layout.keys(columns)
    keys = pairs.pack(columns[0], columns[1])
    for column in passes(columns[2:], 8):
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
    key: one sort, or a pass where they ascend."""
    if len(keys) < 2:
        return np.arange(len(keys)), np.zeros(len(keys), dtype=np.int64)
    memory.check(48 * len(keys), "the distinct keys of rows")
    starts = np.empty(len(keys), dtype=np.bool_)
    starts[0] = True
    if all_of(keys[1:] >= keys[:-1]):
        np.not_equal(keys[1:], keys[:-1], out=starts[1:])
        return np.flatnonzero(starts), np.cumsum(starts) - 1
    order = argsort(keys)
    ascending = keys[order]
    np.not_equal(ascending[1:], ascending[:-1], out=starts[1:])
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.cumsum(starts) - 1
    return order[starts], numbers


def rows_of_each(column: Ids) -> Iterator[tuple[int, Index]]:
    """Each distinct id, ascending, with the rows that have it: one sort, and a microsecond for each id."""
    if not len(column):
        return
    order = argsort(column)
    ascending = column[order]
    begins = np.flatnonzero(ascending[1:] != ascending[:-1]) + 1
    yield from zip(ascending[[0, *begins]].tolist(), np.split(order, begins), strict=True)


def summed(numbers: Index, counts: Counts, length: int) -> Counts:
    """For each number the sum of its counts, exactly."""
    if len(counts) and int(counts.max()) * len(counts) < 1 << 52:
        return np.bincount(numbers, weights=counts, minlength=length).astype(np.int64)
    sums = np.zeros(length, dtype=np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def distinct_ids(column: Ids) -> tuple[Ids, Index]:
    """The distinct ids, ascending, and for each row the number of its id: a pass where the ids are close together,
    otherwise a sort."""
    if not len(column):
        return column, np.zeros(0, dtype=np.int64)
    lowest, highest = int(column.min()), int(column.max())
    if highest == UNBOUND:
        bound = column[column != UNBOUND]
        lowest, highest = (int(bound.min()), int(bound.max())) if len(bound) else (0, 0)
    if highest - lowest > tuning.DENSE_ROWS * len(column):
        first, numbers = numbered(column)
        return column[first], numbers
    size = highest - lowest + 1
    places = column - np.uint32(lowest)
    places[column == UNBOUND] = size
    present = np.zeros(size + 1, dtype=np.bool_)
    present[places] = True
    distinct = np.flatnonzero(present)
    ids = (distinct + lowest).astype(np.uint32)
    if present[size]:
        ids[-1] = UNBOUND
    numbers = np.empty(size + 1, dtype=np.int64)
    numbers[distinct] = np.arange(len(distinct))
    return ids, numbers[places]


def places_among(ids: Ids, values: int) -> Callable[[Ids], Index]:
    """The place of each of some values among sorted distinct ids, at least one, of which all values are: by a table of
    places where the range of the ids is small beside the number of `values` to come, otherwise by a search."""
    lowest, size = int(ids[0]), int(ids[-1]) - int(ids[0]) + 1
    if size > tuning.DENSE_ROWS * values:
        return ids.searchsorted
    places = np.empty(size, dtype=np.int64)
    places[ids - ids[0]] = np.arange(len(ids))
    return lambda some: places[some - np.uint32(lowest)]


def is_member(values: Ids, members: Ids) -> NDArray[np.bool_]:
    """For each value whether it is a member, both in any order: by a table of flags where the ids are close together,
    otherwise a sort of the members."""
    if not len(members):
        return np.zeros(len(values), dtype=np.bool_)
    highest = int(members.max())
    if highest <= tuning.FLAGGED_ROWS * (len(members) + len(values)):
        flags = np.zeros(highest + 2, dtype=np.bool_)
        flags[members] = True
        return np.asarray(flags[np.minimum(values, highest + 1)])
    return sorted_sets.among(values, members)
