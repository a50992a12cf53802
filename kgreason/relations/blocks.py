"""A set of facts in three blocks of sorted distinct keys: ``base - removed + added``.

All of removed is in base, none of added is. A change makes new small blocks and shares the large one; a read looks at
all three, at the small ones only where they have keys. Keys of one set have one type: numbers of 64 bits for pairs and
for rows that fit, else byte strings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.columns.key_runs import Runs
from kgreason.columns.sorted_columns import Column
from kgreason.relations import table_tuning
from kgreason.relations.table import Index, Mask

Blocks: TypeAlias = tuple[Column, Column, Column]
"""What is large, what was added since, and what was removed since."""

BlockRuns: TypeAlias = tuple[Runs, Runs | None, Runs | None]
"""Runs of each block, None for a small one without keys."""


def merged(blocks: Blocks) -> Column:
    """All keys, sorted: O(1), or one merge after small changes."""
    base, added, removed = blocks
    return sorted_sets.joined(sorted_sets.difference(base, removed), added)


def changed(blocks: Blocks, gone: Column, come: Column) -> Blocks:
    """Blocks without sorted keys that are there, and with others that are not: O(small blocks + k log n)."""
    base, added, removed = blocks
    kept, still = sorted_sets.difference(added, gone), sorted_sets.difference(removed, come)
    new, lost = sorted_sets.difference(come, removed), sorted_sets.difference(gone, added)
    # What comes is not there, and what goes is, so that neither is in the block that it joins.
    return base, sorted_sets.joined(kept, new), sorted_sets.joined(still, lost)


def limit(base: Column) -> int:
    """How many small changes are worth keeping beside the large block."""
    return max(table_tuning.BLOCKS_MERGE_LEAST, len(base) // table_tuning.BLOCKS_MERGE_FRACTION)


def contains(
    blocks: Blocks, wanted: Column, search: Callable[[Column, Column], Mask] = sorted_sets.contains
) -> Mask:
    """For each key, in any order, whether it is there: O(k log n); `search` looks for keys in the large block."""
    base, added, removed = blocks
    found = search(base, wanted)
    if len(removed):
        found &= ~sorted_sets.contains(removed, wanted)
    if len(added):
        found |= sorted_sets.contains(added, wanted)
    return found


def difference_of_versions(blocks: Blocks, others: Blocks) -> Column:
    """The keys of blocks that are not in others with the same large block: a look at the small ones alone."""
    (_, added, removed), (_, other_added, other_removed) = blocks, others
    return sorted_sets.union(sorted_sets.difference(added, other_added), sorted_sets.difference(other_removed, removed))


def runs_of(blocks: Blocks, search: Callable[[Column], Runs]) -> BlockRuns:
    """What a search for some rows finds in each block."""
    base, added, removed = blocks
    return search(base), search(added) if len(added) else None, search(removed) if len(removed) else None


def counts(runs: BlockRuns) -> Index:
    """How many keys there are for each row of a search, int64."""
    base, added, removed = runs
    found = base[1] - base[0]
    if added is not None:
        found = found + added[1] - added[0]
    return found if removed is None else found - removed[1] + removed[0]


def part(runs: BlockRuns, first: int, last: int) -> BlockRuns:
    """The runs of some rows that follow each other."""
    rows = slice(first, last)
    base, added, removed = (None if each is None else (each[0][rows], each[1][rows]) for each in runs)
    assert base is not None, "the large block was not searched"
    return base, added, removed


def found(blocks: Blocks, runs: BlockRuns) -> tuple[Index, Column]:
    """The number of the row, and the key, of each key that a search found: O(output)."""
    base, added, removed = blocks
    index, positions = pairs.spread(*runs[0])
    keys = base[positions]
    if len(removed):
        kept = ~sorted_sets.contains(removed, keys)
        index, keys = index[kept], keys[kept]
    if runs[1] is not None:
        more, positions = pairs.spread(*runs[1])
        index = np.concatenate((index, more))
        keys = np.concatenate((keys, added[positions]))
    return index, keys


def sampled_fanout(sample: Column, step: int, wanted: Column) -> float:
    """About how many facts have one of some ids, at least one, at a position, by the ids there of each `step`-th."""
    ids, times = np.unique(wanted, return_counts=True)
    at = np.minimum(np.searchsorted(ids, sample), len(ids) - 1)
    met = int(times[at[ids[at] == sample]].sum())
    return max(1, met) * step / len(wanted)


def check_blocks(blocks: Blocks) -> None:
    """Raise AssertionError unless the invariants hold."""
    base, added, removed = blocks
    for block in blocks:
        sorted_sets.check(block)
        assert block.dtype == base.dtype, "a block has other keys"
    assert bool(sorted_sets.contains(base, removed).all()), "removed a fact that is not there"
    assert not sorted_sets.contains(base, added).any(), "added a fact that is there"
