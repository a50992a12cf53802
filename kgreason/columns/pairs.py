"""Binary facts as uint64 keys, ``subject << 32 | object``; sorted keys are grouped by subject."""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import near_pairs, sorted_columns, sorted_sets
from kgreason.columns.id_flags import flags_of
from kgreason.columns.key_runs import prefix_runs
from kgreason.columns.masks import all_of, any_of

Ids: TypeAlias = NDArray[np.uint32]
Keys: TypeAlias = NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]

_BITS: Final = 32
# As arrays, which numpy takes in half the time of its own scalars.
_SHIFT = np.array(_BITS, dtype=np.uint64)
_MASK = np.array(0xFFFFFFFF, dtype=np.uint64)
_LOW_BITS: Final = 0xFFFFFFFF
_EXACT = 1 << 16
"""The subjects of so many pairs or fewer are counted, and not estimated."""
_BLOCKS = 4096
_COUNTED = 512
_WINDOW = 256
"""An estimate parts the pairs into _BLOCKS, and looks at the first _WINDOW pairs in _COUNTED of these."""
_STRIDE: Final = 16
"""Of sorted pairs every so many is looked at for the longest run."""
_NEAR: Final = 8
"""The end of a run is looked for among so many pairs before it is searched for."""
_NO_IDS: Final[Ids] = np.empty(0, dtype=np.uint32)
_LOW: Final = 0 if sys.byteorder == "little" else 1
"""Which half of a key is its object, where keys are read as pairs of ids."""


def pack(subjects: Ids, objects: Ids | int) -> Keys:
    """Keys of two columns of the same length, or of a column and one object of all: O(n)."""
    keys: Keys = subjects.astype(np.uint64)
    keys <<= _SHIFT
    keys |= objects
    return keys


def distinct(left: Ids, right: Ids) -> Keys:
    """The sorted set of the keys of two columns in any order: O(n + cells) by a table of flags where the pairs that the
    ids could make are not many more than those given, otherwise one sort."""
    near = near_pairs.distinct(left, right) if len(left) >= tuning.MANY_KEYS else None
    return sorted_sets.unique_of_own(pack(left, right)) if near is None else near


def contains(members: Keys, wanted: Keys) -> NDArray[np.bool_]:
    """For each key, in any order, whether it is in the sorted set: as `sorted_sets.contains`, but for many keys that
    are near each other by `near_pairs`, so many at once."""
    if len(wanted) < tuning.HASHED_VALUES:
        return sorted_sets.contains(members, wanted)
    found = np.empty(len(wanted), dtype=np.bool_)
    for begin in range(0, len(wanted), tuning.HASH_ROWS):
        checkpoint()
        some = wanted[begin : begin + tuning.HASH_ROWS]
        near = near_pairs.contains(members, subjects(some), objects(some))
        if near is None:
            found[begin:] = sorted_sets.contains(members, wanted[begin:])
            break
        found[begin : begin + tuning.HASH_ROWS] = near
    return found


def subjects(keys: Keys) -> Ids:
    """The upper halves: O(n)."""
    if len(keys) > tuning.JOIN_ROWS and keys.flags.c_contiguous:
        return subjects_within(keys).copy()  # without as many numbers of 64 bits on the way
    return (keys >> _SHIFT).astype(np.uint32)


def subjects_within(keys: Keys) -> Ids:
    """The upper halves as a view of the keys: O(1), slower to read."""
    return keys.view(np.uint32)[1 - _LOW :: 2]


def objects(keys: Keys) -> Ids:
    """The lower halves, which are what a narrower number keeps: O(n)."""
    return keys.astype(np.uint32)


def objects_within(keys: Keys) -> Ids:
    """The lower halves as a view of the keys: O(1), slower to read."""
    return keys.view(np.uint32)[_LOW::2]


def has_key(keys: Keys, key: int) -> bool:
    """Whether one key is there: O(log n), half a microsecond."""
    # A memoryview gives Python's own integers, several times faster than numpy's scalars, also below.
    fast = keys.data
    at = bisect_left(fast, key)
    return at < len(fast) and fast[at] == key


def has_subject(keys: Keys, subject: int) -> bool:
    """Whether a key begins with one subject: O(log n), half a microsecond."""
    fast = keys.data
    at = bisect_left(fast, subject << 32)
    return at < len(fast) and fast[at] < subject + 1 << 32


def run_of(keys: Keys, subject: int) -> tuple[int, int]:
    """Where the run of one subject in the sorted keys begins and ends: O(log n), a microsecond at most."""
    fast, limit = keys.data, subject + 1 << 32
    begin = end = bisect_left(fast, subject << 32)
    # Most subjects have few objects.
    near = min(begin + _NEAR, len(fast))
    while end < near and fast[end] < limit:
        end += 1
    return begin, bisect_left(fast, limit, end) if end == begin + _NEAR else end


def objects_of(keys: Keys, subject: int) -> Ids:
    """The objects of one subject, sorted, as a view of the keys: O(log n), a microsecond."""
    begin, end = run_of(keys, subject)
    return keys.view(np.uint32)[2 * begin + _LOW : 2 * end : 2] if begin < end else _NO_IDS


def few_objects(keys: Keys, subject: int, most: int) -> list[int] | None:
    """The objects of one subject, sorted, as Python's integers; None where there are more than `most`: O(log n), half a
    microsecond."""
    fast, limit = keys.data, subject + 1 << 32
    begin = bisect_left(fast, subject << 32)
    found: list[int] = []
    for key in fast[begin : begin + most + 1]:
        if key >= limit:
            return found
        found.append(key & _LOW_BITS)
    return found if len(found) <= most else None


def keys_of_few(keys: Keys, wanted: Sequence[int], most: int) -> tuple[list[int], list[int]] | None:
    """For a few subjects, in any order, the number of the row and the key of each of their keys, as Python's integers;
    None where one of them has more than `most`: O(log n + most) each, a microsecond or two."""
    fast = keys.data
    rows: list[int] = []
    found: list[int] = []
    for row, subject in enumerate(wanted):
        begin, limit = bisect_left(fast, subject << 32), subject + 1 << 32
        before = len(found)
        for key in fast[begin : begin + most + 1]:
            if key >= limit:
                break
            found.append(key)
        if len(found) - before > most:
            return None
        rows += [row] * (len(found) - before)
    return rows, found


def swap(keys: Keys) -> Keys:
    """Keys of the inverse pairs, in the order of `keys`: O(n)."""
    swapped = keys << _SHIFT
    for begin in range(0, len(keys), tuning.JOIN_ROWS):
        swapped[begin : begin + tuning.JOIN_ROWS] |= keys[begin : begin + tuning.JOIN_ROWS] >> _SHIFT
    return swapped


def mirrored(keys: Keys) -> Keys:
    """The sorted keys of the inverse pairs: one sort, or less where they are dense."""
    near = near_pairs.mirrored(keys) if len(keys) >= tuning.MANY_KEYS else None
    if near is None:
        near = swap(keys)
        sorted_columns.sort(near)
    return near


def distinct_subjects(keys: Keys) -> Ids:
    """The sorted set of subjects of sorted keys: O(n)."""
    return subjects(keys[run_begins(keys)])


def run_begins(keys: Keys) -> Positions:
    """Where the run of each subject begins in sorted keys: O(n)."""
    column = subjects_within(keys)
    is_first = np.ones(len(keys), dtype=np.bool_)
    np.not_equal(column[1:], column[:-1], out=is_first[1:])
    return np.flatnonzero(is_first)


def estimated_subjects(keys: Keys) -> int:
    """About how many distinct subjects sorted keys have, for less than a millisecond.

    The keys are parted into blocks. One that ends with the subject that it begins with has no other, however large it
    is; how often the subject changes in the rest is counted in some of them.
    """
    if len(keys) <= _EXACT:
        column = subjects_within(keys)
        return min(len(keys), 1) + int(np.count_nonzero(column[1:] != column[:-1]))
    bounds = np.linspace(0, len(keys) - 1, _BLOCKS + 1).astype(np.int64)
    ends = keys[bounds] >> _SHIFT
    mixed = np.flatnonzero(ends[1:] != ends[:-1])
    if not len(mixed):
        return 1
    chosen = mixed[np.linspace(0, len(mixed) - 1, min(_COUNTED, len(mixed))).astype(np.int64)]
    size = len(keys) // _BLOCKS
    column = keys[bounds[chosen, None] + np.arange(min(size, _WINDOW) + 1)] >> _SHIFT
    changes = float((column[:, 1:] != column[:, :-1]).mean()) * size * len(mixed)
    return 1 + max(len(mixed), round(changes))


def run_bound(keys: Keys) -> int:
    """No subject of sorted keys has more of them than this, which is below 2 * `_STRIDE` or 8 times what the subject
    has that has most: O(n / `_STRIDE`)."""
    stride = _STRIDE
    while stride < len(keys):
        subjects = keys[::stride] >> _SHIFT
        if not any_of(subjects[1:] == subjects[:-1]):
            break
        stride *= 4
    return min(2 * stride - 1, len(keys))


def has_subjects(keys: Keys, wanted: Ids) -> NDArray[np.bool_]:
    """For each wanted subject, in any order, whether the sorted keys have it.

    O(k log n) for few; where they are many beside the keys, O(n) by a table of flags over the subjects.
    """
    if not len(keys) or not len(wanted):
        return np.zeros(len(wanted), dtype=np.bool_)
    if len(wanted) >= tuning.MANY_KEYS:
        highest = int(max(keys[-1] >> _SHIFT, wanted.max()))
        if highest // 8 + len(keys) < tuning.DENSE_KEYS * len(wanted):
            flags = flags_of(subjects_within(keys), highest + 1)
            return np.asarray(flags[wanted])
    lows = wanted.astype(np.uint64) << _SHIFT
    # A subject above all keys is compared with that of the last one, which is less.
    return np.asarray((keys.take(keys.searchsorted(lows), mode="clip") ^ lows) <= _MASK)


def ranges(keys: Keys, wanted: Ids) -> tuple[Positions, Positions]:
    """For each wanted subject, in any order, where its run in the sorted keys begins and ends (`key_runs`)."""
    return prefix_runs(keys, wanted, _BITS)


def runs_within(counts: Positions, most: int) -> Iterator[tuple[int, int]]:
    """Where runs of rows begin and end whose counts make `most` at most in all, or which are one row: O(n)."""
    ends = counts.cumsum()
    begin = done = 0
    while begin < len(counts):
        end = max(begin + 1, int(ends.searchsorted(done + most, side="right")))
        yield begin, end
        begin, done = end, int(ends[end - 1])


def positions_of(begin: Positions, end: Positions) -> Positions:
    """The positions of all runs, one after the other: O(output)."""
    lengths = end - begin
    offsets = lengths.cumsum()
    total = int(offsets[-1]) if len(offsets) else 0
    memory.check(8 * total, "a join")
    offsets -= lengths
    np.subtract(begin, offsets, out=offsets)
    positions: Positions = offsets.repeat(lengths)
    for first in range(0, total, tuning.CACHED_ROWS):
        some = positions[first : first + tuning.CACHED_ROWS]
        some += np.arange(first, first + len(some))
    return positions


def spread(begin: Positions, end: Positions) -> tuple[Positions, Positions]:
    """The positions of all runs, one after the other, each with the index of its run: O(output)."""
    lengths = end - begin
    if all_of(lengths == 1):
        return np.arange(len(begin)), begin
    positions = positions_of(begin, end)
    memory.check(8 * len(positions), "a join")
    return np.arange(len(begin)).repeat(lengths), positions


def runs_of(lengths: Positions, ids: Ids, of: NDArray[np.int64]) -> tuple[NDArray[np.int64], Ids]:
    """For rows that each have one of some runs of ids, by its number: the row of each of its ids, and these ids. The
    runs are given by their lengths and the ids of all, one run after the other."""
    end = np.cumsum(lengths)
    rows, positions = spread((end - lengths)[of], end[of])
    return rows, ids[positions]
