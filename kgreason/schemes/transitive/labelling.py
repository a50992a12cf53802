"""Ids and labels: which node has which label, looked up a column at a time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.schemes.scheme import Ids

Labels: TypeAlias = NDArray[np.int64]


class Labelling:
    """An immutable numbering of nodes: label n is that of node ``nodes[n]``."""

    __slots__ = ("_order", "_sorted", "nodes")

    def __init__(self, nodes: Ids) -> None:
        """Take over the ids of the nodes, each once, in the order of their labels."""
        self.nodes = nodes
        self._order = np.argsort(nodes, kind="stable").astype(np.uint32)
        self._sorted = nodes[self._order]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.nodes.nbytes + self._order.nbytes + self._sorted.nbytes)

    def label(self, identifier: int) -> int:
        """The label of one id, -1 for none: O(log n)."""
        at = int(self._sorted.searchsorted(np.uint32(identifier)))
        return int(self._order[at]) if at < len(self._sorted) and self._sorted[at] == identifier else -1

    def labels(self, identifiers: Ids) -> Labels:
        """The labels of many ids, in any order, -1 for none: O(k log n)."""
        if not len(self._sorted):
            return np.full(len(identifiers), -1, dtype=np.int64)
        at = self._sorted.searchsorted(identifiers)
        at[at == len(self._sorted)] = 0
        return np.where(self._sorted[at] == identifiers, self._order[at].astype(np.int64), -1)

    def extended(self, identifiers: Ids) -> Labelling:
        """With fresh labels, behind all others, for those of the ids that have none: O(n)."""
        fresh = np.unique(identifiers[self.labels(identifiers) < 0])
        return Labelling(np.concatenate((self.nodes, fresh))) if len(fresh) else self

    def _check(self) -> None:
        assert bool((self._sorted[1:] > self._sorted[:-1]).all()), "a node has two labels"
        assert np.array_equal(self.nodes[self._order], self._sorted), "the look-up differs from the nodes"
