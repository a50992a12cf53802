"""Sets of ids as Roaring bitmaps (pyroaring), and the ways from columns to bitmaps and back."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason import memory, tuning
from kgreason.columns import sorted_sets
from kgreason.columns.id_flags import flags_of
from kgreason.columns.masks import all_of

_SPARSE_IDS: Final = 16
"""A bitmap of more than so many times the ids that are asked for is intersected with them first."""


def from_ids(identifiers: NDArray[np.uint32]) -> BitMap:
    """The set of uint32 ids in any order: about 5 ns each.

    Roaring is slow to fill from unsorted ids, so many of them are sorted first, by a table of flags where
    they are dense. `array.array` is the one buffer that pyroaring takes without an object per id.
    """
    if len(identifiers) >= tuning.MANY_IDS:
        # Roaring ends the process where there is no memory.
        memory.check(memory.LEAST + 12 * len(identifiers), "a set of ids")
    if len(identifiers) >= tuning.MANY_IDS and not all_of(identifiers[1:] > identifiers[:-1]):
        identifiers = distinct(identifiers)
    buffer = array("I")
    buffer.frombytes(np.ascontiguousarray(identifiers, dtype=np.uint32).tobytes())
    return BitMap(buffer)


def distinct(identifiers: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The sorted set of uint32 ids in any order: O(n + highest id) where dense, otherwise one sort."""
    if len(identifiers) <= tuning.FEW_IDS:
        return np.array(sorted({*identifiers.tolist()}), dtype=np.uint32)
    flags = _flags(identifiers)
    return sorted_sets.unique(identifiers) if flags is None else np.flatnonzero(flags).astype(np.uint32)


def _flags(identifiers: NDArray[np.uint32]) -> NDArray[np.bool_] | None:
    """For each id up to the highest one whether it is there; None where they are not dense."""
    highest = int(identifiers.max()) if len(identifiers) else 0
    if highest >= 16 * len(identifiers):
        return None
    return flags_of(identifiers, highest + 1)


def to_ids(members: BitMap) -> NDArray[np.uint32]:
    """The sorted ids of a bitmap: about 1 ns each."""
    memory.check(4 * len(members), "a column of ids")
    return np.frombuffer(members.to_array(), dtype=np.uint32)


def concatenated(sets: Sequence[BitMap]) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """How many ids each of some bitmaps has, and the ids, sorted within each: about 1 ns each, and a third of a
    microsecond for each bitmap."""
    counts = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    memory.check(8 * int(counts.sum()), "a column of ids")
    return counts, np.frombuffer(b"".join([members.to_array() for members in sets]), dtype=np.uint32)


def union(sets: Sequence[BitMap]) -> BitMap:
    """The members of all sets: about a nanosecond each."""
    memory.check(2 * sum(map(len, sets)), "a union of sets")
    return BitMap.union(*sets) if sets else BitMap()


def contains(members: BitMap, identifiers: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """For each id, in any order, whether it is a member: O(n + members), or n look-ups where n is small beside them."""
    if len(identifiers) <= tuning.FEW_IDS:
        return np.fromiter((i in members for i in identifiers.tolist()), np.bool_, len(identifiers))
    found = np.zeros(len(identifiers), dtype=np.bool_)
    if not members:
        return found
    if len(identifiers) * _SPARSE_IDS < len(members):
        members = members & from_ids(identifiers)
        if not members:
            return found
    highest = members.max()
    if highest > 64 * (len(identifiers) + len(members)):
        sorted_ids = to_ids(members)
        at = np.searchsorted(sorted_ids, identifiers)
        at[at == len(sorted_ids)] = 0
        return np.asarray(sorted_ids[at] == identifiers)
    flags = flags_of(to_ids(members), max(highest, int(identifiers.max())) + 1)
    return np.asarray(flags[identifiers])
