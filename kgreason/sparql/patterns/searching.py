"""Breadth-first search over columns: what many starts reach, a layer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np

from kgreason.columns import pairs, sorted_sets
from kgreason.sparql.patterns.relations import Relation
from kgreason.sparql.solutions import Ids, Index

LAYER: Final = 500
"""What a layer costs besides its rows, in rows."""
_COPIED: Final = 32

Reached: TypeAlias = tuple[Index, Ids]
"""Numbers of starts, ascending, and what each reaches, each once for a start."""


def reached(
    steps: Sequence[Relation], position: int, rows: Index, starts: Ids, budget: int
) -> tuple[Reached | None, int]:
    """What each row's starts reach in one step or more of any of some relations, and the work that it took.

    Args:
        position: the end of the pairs at which the starts are: 0 to search forward, 1 backward.
        rows: for each start the row that it belongs to; several starts may share one.
        budget: the work, in pairs looked at, after which the search gives up and gives None.
    """
    known = np.empty(0, dtype=np.uint64)
    frontier, nodes = rows.astype(np.uint32), starts
    work = 0
    while len(nodes):
        found = [pairs.pack(frontier[index], ends) for step in steps for index, ends in [step.expand(position, nodes)]]
        work += LAYER + sum(map(len, found)) + len(known) // _COPIED
        if work > budget:
            return None, work
        fresh = sorted_sets.difference(sorted_sets.unique(np.concatenate([known[:0], *found])), known)
        known = sorted_sets.union(known, fresh)
        frontier, nodes = pairs.subjects(fresh), pairs.objects(fresh)
    return (pairs.subjects(known).astype(np.int64), pairs.objects(known)), work
