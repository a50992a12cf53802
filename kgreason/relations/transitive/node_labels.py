"""Ids and labels: which node has which label, looked up a column at a time."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.relations.table import Ids
from kgreason.relations.transitive import closure_tuning

Labels: TypeAlias = NDArray[np.int64]

NO_LABELS: Final[Labels] = np.empty(0, dtype=np.int64)


class Labelling:
    """An immutable numbering of nodes: label n is that of node ``nodes[n]``."""

    __slots__ = ("_order", "_sorted", "_table", "nodes")

    def __init__(self, nodes: Ids) -> None:
        """Take over the ids of the nodes, each once, in the order of their labels."""
        self.nodes = nodes
        highest = int(nodes.max()) if len(nodes) else 0
        self._table: NDArray[np.int32] | None = None
        self._order = self._sorted = nodes[:0]
        if highest < closure_tuning.DENSE_LABELS * len(nodes):
            self._table = np.full(highest + 1, -1, dtype=np.int32)
            self._table[nodes] = np.arange(len(nodes), dtype=np.int32)
        else:
            self._order = np.argsort(nodes, kind="stable").astype(np.uint32)
            self._sorted = nodes[self._order]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        table = 0 if self._table is None else self._table.nbytes
        return int(self.nodes.nbytes + self._order.nbytes + self._sorted.nbytes + table)

    def label(self, identifier: int) -> int:
        """The label of one id, -1 for none: O(log n), or O(1) where ids are dense."""
        if self._table is not None:
            return int(self._table[identifier]) if identifier < len(self._table) else -1
        at = int(self._sorted.searchsorted(np.uint32(identifier)))
        return int(self._order[at]) if at < len(self._sorted) and self._sorted[at] == identifier else -1

    def labels(self, identifiers: Ids) -> Labels:
        """The labels of many ids, in any order, -1 for none: O(k log n), or O(k) where ids are dense."""
        if self._table is not None:
            known = identifiers < len(self._table)
            return np.where(known, self._table[np.where(known, identifiers, 0)], -1).astype(np.int64)
        if not len(self._sorted):
            return np.full(len(identifiers), -1, dtype=np.int64)
        at = self._sorted.searchsorted(identifiers)
        at[at == len(self._sorted)] = 0
        return np.where(self._sorted[at] == identifiers, self._order[at].astype(np.int64), -1)

    def extended(self, identifiers: Ids) -> Labelling:
        """With fresh labels, behind all others, for those of the ids that have none: O(n)."""
        fresh = sorted_sets.unique(identifiers[self.labels(identifiers) < 0])
        return Labelling(np.concatenate((self.nodes, fresh))) if len(fresh) else self

    def _check(self) -> None:
        assert len(sorted_sets.unique(self.nodes)) == len(self.nodes), "a node has two labels"
        assert np.array_equal(self.labels(self.nodes), np.arange(len(self.nodes))), "the look-up differs"
