"""Breadth-first search over columns: what many starts reach, a layer at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from kgreason.algebra.relation import Relation
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs, sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.sparql import query_tuning
from kgreason.sparql.solutions import Ids, Index

Reached: TypeAlias = tuple[Index, Ids]
"""Numbers of starts, ascending, and what each reaches, each once for a start."""


class DistinctKeys:
    """Keys that come in pieces, each kept once: what waits is united when it is as much as what is there."""

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.uint64)
        self._waiting: list[Keys] = []
        self._size = 0

    def add(self, keys: Keys) -> None:
        """Take in some keys: amortised, one sort of all that differ."""
        self._waiting.append(keys)
        self._size += len(keys)
        if self._size > max(query_tuning.SEARCHED_PIECE, len(self._known)):
            self.all()

    def all(self) -> Keys:
        """All of them, sorted."""
        if self._waiting:
            checkpoint()
            fresh = sorted_sets.unique(np.concatenate(self._waiting))
            checkpoint()
            self._known = sorted_sets.union(self._known, fresh)
            self._waiting, self._size = [], 0
        return self._known


def stepped(steps: Sequence[Relation], position: int, rows: Ids, nodes: Ids) -> tuple[Ids, Ids]:
    """One step of any of some relations further: numbers of starts, ascending, and nodes, each pair once."""
    found = DistinctKeys()
    for step in steps:
        for index, columns in step.lookups({position: nodes}, query_tuning.SEARCHED_PIECE):
            found.add(pairs.pack(rows[index], columns[1 - position]))
    keys = found.all()
    return pairs.subjects(keys), pairs.objects(keys)


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
        work += query_tuning.LAYER_WORK + len(known) // query_tuning.COPIED_KEYS
        found = DistinctKeys()
        for step in steps:
            for index, columns in step.lookups({position: nodes}, query_tuning.SEARCHED_PIECE):
                work += len(index)
                if work > budget:
                    return None, work
                found.add(pairs.pack(frontier[index], columns[1 - position]))
        fresh = sorted_sets.difference(found.all(), known)
        known = sorted_sets.union(known, fresh)
        frontier, nodes = pairs.subjects(fresh), pairs.objects(fresh)
    return (pairs.subjects(known).astype(np.int64), pairs.objects(known)), work
