"""Nodes in components, as versions of each other: what a change does not touch is copied, and neither searched nor
sorted again."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import pairs, sorted_sets
from kgreason.relations.edge_components import Numbers, numbers_of
from kgreason.relations.table import NO_IDS, Ids, Index

_SPARSE = 16
_SHORT = 1 << 18
"""The components of many nodes are read off an array by id where there are fewer than _SPARSE ids for each node, or
_SHORT in all, and at least one of _SPARSE nodes is asked for: 5 nanoseconds each, a search 80."""


@final
class NodeComponents:
    """The members of component n are ``members[starts[n] : starts[n + 1]]``, in order. Those of a component that was
    replaced stay where they are, but no node has its number, until they are as many as the others."""

    def __init__(self, members: Ids, starts: Numbers, nodes: Ids, numbers: NDArray[np.int32]) -> None:
        """Take over the components; `nodes` are all nodes, sorted, and `numbers` those of their components."""
        self.members = members
        self.starts = starts
        self.nodes = nodes
        self._by_node = numbers
        self._by_id: NDArray[np.int32] | None = None
        self._sizes: Numbers | None = None

    @classmethod
    def of(cls, members: Ids, starts: Numbers) -> NodeComponents:
        """Components, one after the other; `starts` ends with the number of nodes: one sort."""
        order = np.argsort(members, kind="stable")
        return cls(members, starts, members[order], numbers_of(starts).astype(np.int32)[order])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays, and of those that were made when they were asked for."""
        arrays = (self.members, self.starts, self.nodes, self._by_node)
        made = [array.nbytes for array in (self._by_id, self._sizes) if array is not None]
        return sum(array.nbytes for array in arrays) + sum(made)

    def of_nodes(self, nodes: Ids) -> Numbers:
        """The number of the component of each node, in any order, -1 for none."""
        if not len(self.nodes):
            return np.full(len(nodes), -1, dtype=np.int64)
        limit = max(len(self.nodes) * _SPARSE, _SHORT)
        if self._by_id is not None or (len(nodes) * _SPARSE >= len(self.nodes) and int(self.nodes[-1]) < limit):
            if self._by_id is None:
                self._by_id = np.full(int(self.nodes[-1]) + 2, -1, dtype=np.int32)
                self._by_id[self.nodes] = self._by_node
            return self._by_id[np.minimum(nodes, len(self._by_id) - 1)].astype(np.int64)
        at = self.nodes.searchsorted(nodes)
        at[at == len(self.nodes)] = 0
        numbers = self._by_node[at].astype(np.int64)
        numbers[self.nodes[at] != nodes] = -1
        return numbers

    def of_node(self, node: int) -> Ids:
        """The members of the component of one node, none where it has none: O(log nodes), as a view."""
        at = int(self.nodes.searchsorted(np.uint32(node)))
        if at == len(self.nodes) or self.nodes[at] != node:
            return NO_IDS
        number = self._by_node[at]
        return self.members[self.starts[number] : self.starts[number + 1]]

    def sizes(self, numbers: Numbers) -> Index:
        """How many members each component has, 0 for -1."""
        if self._sizes is None:
            # -1 finds the size 0 at the end.
            self._sizes = np.append(np.diff(self.starts), 0)
        return np.asarray(self._sizes[numbers])

    def spread(self, numbers: Numbers) -> tuple[Index, Ids]:
        """The members of each component, with the place of its number among the numbers: O(output)."""
        index, positions = pairs.spread(self.starts[numbers], self.starts[numbers + 1])
        return index, self.members[positions]

    def whole(self) -> tuple[Ids, Numbers]:
        """All components, one after the other, and where each begins: O(nodes) where some were replaced."""
        if len(self.members) == len(self.nodes):
            return self.members, self.starts
        sizes = np.diff(self.starts)
        is_there = np.zeros(len(sizes), dtype=np.bool_)
        is_there[self._by_node] = True
        starts = np.zeros(int(is_there.sum()) + 1, dtype=np.int64)
        np.cumsum(sizes[is_there], out=starts[1:])
        return self.members[np.repeat(is_there, sizes)], starts

    def replaced(self, numbers: Numbers, members: Ids, starts: Numbers) -> NodeComponents:
        """The version with components in the place of others, given as for `of`: O(their members log nodes), and a copy
        of the arrays."""
        fresh = NodeComponents.of(members, starts)
        shift = len(self.starts) - 1
        at, known = _places(self.nodes, fresh.nodes)
        by_node = self._by_node.copy()
        by_node[at[known]] = fresh._by_node[known] + shift
        nodes = self.nodes
        gone = sorted_sets.difference(np.sort(self.spread(numbers)[1]), fresh.nodes)
        if len(gone):
            places = nodes.searchsorted(gone)
            nodes, by_node = np.delete(nodes, places), np.delete(by_node, places)
        if not known.all():
            come = fresh.nodes[~known]
            places = nodes.searchsorted(come)
            nodes, by_node = np.insert(nodes, places, come), np.insert(by_node, places, fresh._by_node[~known] + shift)
        ends = np.concatenate((self.starts, self.starts[-1] + starts[1:]))
        found = NodeComponents(np.concatenate((self.members, members)), ends, nodes, by_node)
        return found if len(found.members) <= 2 * len(nodes) else NodeComponents.of(*found.whole())


def _places(nodes: Ids, wanted: Ids) -> tuple[Index, NDArray[np.bool_]]:
    """Where wanted ids are, or would be, among sorted nodes, and whether they are there."""
    at = nodes.searchsorted(wanted)
    known = np.zeros(len(wanted), dtype=np.bool_)
    inside = at < len(nodes)
    known[inside] = nodes[at[inside]] == wanted[inside]
    return at, known
