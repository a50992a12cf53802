"""How values are looked for among the members of a sorted set: each way gives whether each value is one.

`kgreason.columns.sorted_sets.contains` says which way is best for some values. n is how many these are, m how many
members there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns.hash_sets import HashSet
from kgreason.columns.sorted_columns import Column
from kgreason.sorting import argsort


def found_unordered(members: Column, values: Column) -> NDArray[np.bool_]:
    """For many values in no order: by a table of hashes, O(n + m), or after a sort of them, where members are many
    more."""
    if len(members) <= tuning.HASHED_MEMBERS * len(values):
        hashed = HashSet.of(members)
        if hashed is not None:
            return hashed.contains(values)
    memory.check(24 * len(values), "a search for keys")
    order = argsort(values)
    found = np.empty(len(values), dtype=np.bool_)
    found[order] = found_in_order(members, values[order])
    return found


def found_in_order(members: Column, values: Column) -> NDArray[np.bool_]:
    """By binary search, O(n log m): fast where the values are sorted, so that the next one is found nearby, or few."""
    if len(values) > tuning.SEARCH_ROWS:
        pieces = range(0, len(values), tuning.SEARCH_ROWS)
        return np.concatenate([found_in_order(members, values[begin : begin + tuning.SEARCH_ROWS]) for begin in pieces])
    checkpoint()
    # A value above all members is compared with the last one, which is less.
    found: NDArray[np.bool_] = members.take(members.searchsorted(values), mode="clip") == values
    return found


def found_in_blocks(members: Column, values: Column) -> NDArray[np.bool_]:
    """The same of many sorted values: each block of them is looked for in a part of the members that stays in the
    cache."""
    size = tuning.SOUGHT_BLOCK
    begins = members.searchsorted(values[::size])
    ends = np.append(begins[1:] + 1, len(members))
    found = np.zeros(len(values), dtype=np.bool_)
    for block, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
        if begin < len(members):
            if not block & 0xFF:
                checkpoint()
            rows = slice(block * size, (block + 1) * size)
            found[rows] = found_in_order(members[begin:end], values[rows])
    return found
