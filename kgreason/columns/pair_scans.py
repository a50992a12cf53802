"""What one pass over pairs answers, where many searches or the mirror of the pairs would take longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs, sorted_sets
from kgreason.columns.id_flags import flags_of, membership
from kgreason.columns.pairs import Ids, Keys

_SHIFT: Final = np.uint64(32)
_NO_IDS: Final[Ids] = np.empty(0, dtype=np.uint32)
_SAMPLED: Final = 1 << 10
"""So many keys tell whether about half of all are wanted."""
_DENSE_RUNS: Final = 32
"""Where a pair in so many has a subject of its own that is wanted, all pairs are looked at: 4 ms for a million,
in place of 4 to 8."""


def subjects_of(keys: Keys, object: int) -> Ids:
    """The subjects of one object, sorted: O(n), but a hundredth of what the mirror takes."""
    return pairs.subjects(keys[(pairs.objects_within(keys) == object).nonzero()[0]])


def keys_of_objects(keys: Keys, objects: Ids) -> Keys | None:
    """The keys that have one of some objects; None where a sample says that these are half of them or more:
    O(n + highest object), 4 ns for each key."""
    is_wanted = membership(objects, len(keys))
    column = pairs.objects_within(keys)
    sample = column[:: max(1, len(keys) // _SAMPLED)]
    if 2 * np.count_nonzero(is_wanted(sample)) >= len(sample):
        return None
    parts = [keys[:0]]
    for begin in range(0, len(keys), tuning.JOIN_ROWS):
        checkpoint()
        block = slice(begin, begin + tuning.JOIN_ROWS)
        parts.append(keys[block][is_wanted(column[block])])
    return np.concatenate(parts)


def subjects_of_any(keys: Keys, objects: Ids) -> Ids:
    """The sorted set of the subjects that have one of some objects in sorted keys: O(n + highest object), 4 ns for each
    key."""
    is_wanted = membership(objects, len(keys))
    parts = [_NO_IDS]
    for begin in range(0, len(keys), tuning.JOIN_ROWS):
        checkpoint()
        block = keys[begin : begin + tuning.JOIN_ROWS]
        parts.append(pairs.distinct_subjects(block[is_wanted(pairs.objects_within(block))]))
    return sorted_sets.unique_of_sorted(np.concatenate(parts))


def run_objects(keys: Keys, subjects: Ids) -> Ids:
    """The objects that some subjects, in any order, have in sorted keys, those of each subject once at least:
    O(k log n + output), or O(n) where most keys are of them."""
    if len(subjects) >= tuning.MANY_KEYS and len(subjects) * _DENSE_RUNS > len(keys) > 0:
        highest = int(max(keys[-1] >> _SHIFT, subjects.max()))
        if highest < tuning.DENSE_KEYS * len(subjects):
            return _united(_flagged_objects(keys, flags_of(subjects, highest + 1)), highest + 1)
    begin, end = pairs.ranges(keys, subjects)
    counts, column = end - begin, pairs.objects_within(keys)
    if int(counts.sum()) <= tuning.JOIN_ROWS:
        return column[pairs.positions_of(begin, end)]
    runs = pairs.runs_within(counts, tuning.JOIN_ROWS)
    parts = (column[pairs.positions_of(begin[first:last], end[first:last])] for first, last in runs)
    return _united(parts, len(subjects))


def _flagged_objects(keys: Keys, flags: NDArray[np.bool_]) -> Iterator[Ids]:
    """The objects of flagged subjects, a bounded number at a time."""
    for begin in range(0, len(keys), tuning.JOIN_ROWS):
        checkpoint()
        block = keys[begin : begin + tuning.JOIN_ROWS]
        yield pairs.objects(block[flags[(block >> _SHIFT).view(np.int64)]])


def _united(columns: Iterable[Ids], size: int) -> Ids:
    """The ids of columns, those once that are not very high beside a size: by flags, which take less than many
    columns."""
    flags, parts = np.zeros(size, dtype=np.bool_), [_NO_IDS]
    for column in columns:
        highest = int(column.max(initial=0))
        if highest >= tuning.DENSE_KEYS * size:
            parts.append(column)
            continue
        if highest >= len(flags):
            flags = np.append(flags, np.zeros(highest + 1 - len(flags), dtype=np.bool_))
        flags[column] = True
    return np.concatenate([np.flatnonzero(flags).astype(np.uint32), *parts])
