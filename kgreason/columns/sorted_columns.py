"""Columns in order: sorting, whether one is sorted, where its values change, and merges. n is the length.

The columns are uint64 keys (binary facts), uint32 ids, or byte strings (wide facts).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.columns.masks import all_of
from kgreason.sorting import falls_rarely

Column: TypeAlias = NDArray[Any]


def in_order(values: Column) -> Column:
    """The values, sorted (`sort`)."""
    ordered = values.copy()
    sort(ordered)
    return ordered


def sort(values: Column) -> None:
    """Sort a column of one's own in its memory: a merge of the runs in which the values come, where a sample finds that
    they come in runs, as the rows of joins do. Numbers must come in long runs for that, without a fall in the sample:
    numpy sorts 65,536 of them in 0.2 ms by vectors, runs of ten are merged in 2.8, and of 10,000 in 0.5. Byte strings
    are only compared."""
    most = 0.3 if values.dtype.kind == "S" else 0.0
    values.sort(kind="stable" if len(values) >= tuning.MANY_KEYS and falls_rarely(values, most) else None)


def is_sorted(values: Column) -> bool:
    """Whether the values never fall: O(n), at a small fraction of a sort, and next to nothing where they fall soon."""
    if len(values) < 2:
        return True
    some = values[:tuning.SORTED_PREFIX]
    if not all_of(some[1:] >= some[:-1]):
        return False
    return len(some) == len(values) or all_of(values[1:] >= values[:-1])


def is_worth_sorting(values: Column) -> bool:
    """Whether a column is better sorted than looked at: it is not sorted, or has few values."""
    return len(values) <= tuning.SORTED_PREFIX or not is_sorted(values)


def firsts(values: Column) -> NDArray[np.bool_]:
    """For each value whether it is not the one before. Byte strings are compared by the numbers in them, for a fifth of
    the time."""
    found = np.empty(len(values), dtype=np.bool_)
    found[:1] = True
    if values.dtype.kind != "S" or values.dtype.itemsize % 4:
        np.not_equal(values[1:], values[:-1], out=found[1:])
        return found
    size = 4 if values.dtype.itemsize % 8 else 8
    parts = values.view(f"u{size}").reshape(len(values), -1)
    np.not_equal(parts[1:, 0], parts[:-1, 0], out=found[1:])
    for part in range(1, parts.shape[1]):
        found[1:] |= parts[1:, part] != parts[:-1, part]
    return found


def merged(columns: Sequence[Column]) -> Column:
    """All members of several sorted columns, sorted, equal ones side by side: O(n log k) for k columns.

    NumPy's stable sort finds the runs and merges them (timsort): 2 to 8 ns for each member, where its default sort
    takes 60 ns.
    """
    whole = np.concatenate(columns)
    whole.sort(kind="stable")
    return whole
