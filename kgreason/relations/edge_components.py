"""The components of edges: their members one after the other, where each begins, and the labels of these."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.columns import bitmaps, sorted_sets
from kgreason.columns.components import undirected_components
from kgreason.relations.binary import BinaryTable
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.table import Ids, Index, Mask, Table

Numbers: TypeAlias = NDArray[np.int64]


def has_detour(edges: BinaryTable, one: int, other: int) -> bool:
    """Whether two edges lead from a node to another one: O(edges of both)."""
    if one == other:
        return False
    near, far = (
        sorted_sets.union(np.sort(edges.objects_of(node)), np.sort(edges.inverse().objects_of(node)))
        for node in (one, other)
    )
    return bool(sorted_sets.contains(near, far).any())


def within_components(starts: Numbers, count: int) -> Mask:
    """For each of `count` members but the last, whether the next one is of the same component."""
    inside = np.ones(count, dtype=np.bool_)
    inside[starts[(starts > 0) & (starts < count)] - 1] = False
    return inside[:-1]


def components_of(edges: BinaryTable) -> tuple[Ids, Numbers]:
    """The ends of edges, component by component, and where each begins."""
    subjects, objects = edges.columns()
    nodes = bitmaps.distinct(np.concatenate((subjects, objects)))
    found = undirected_components(len(nodes), np.searchsorted(nodes, subjects), np.searchsorted(nodes, objects))
    order = np.argsort(found, kind="stable")
    starts = np.zeros(int(found.max()) + 2 if len(found) else 1, dtype=np.int64)
    np.cumsum(np.bincount(found), out=starts[1:])
    return nodes[order], starts


def numbers_of(starts: Numbers) -> Numbers:
    """For each member the number of its component."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


def paths(groups: Index, members: Ids) -> BinaryTable:
    """Edges from each member of a group to the next one of it."""
    same = groups[1:] == groups[:-1]
    return BinaryTable.of((members[:-1][same], members[1:][same]))


class ComponentLabels(ReachabilityLabels):
    """Labels component by component, so that a component reaches an interval: its own labels."""

    def __init__(self, edges: BinaryTable, members: Ids, starts: Numbers) -> None:
        self._edges = edges
        self._members = members
        self._starts = starts

    @property
    def edges(self) -> Table:
        return self._edges

    @property
    def nodes(self) -> Ids:
        return self._members

    @property
    def components(self) -> Numbers:
        return numbers_of(self._starts)

    def sets(self) -> Iterator[tuple[int, BitMap]]:
        for component, (begin, end) in enumerate(pairwise(self._starts.tolist())):
            yield component, BitMap(range(begin, end))
