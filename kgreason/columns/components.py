"""Components of graphs as columns of edges: strongly connected ones in topological order, and undirected ones.

Nodes are 0 ... count - 1; edges are two columns of one length, in any order and with duplicates.

A small graph is searched node by node. A large one is contracted, whole columns at a time (`contractions`), for as long
as that takes away many of its nodes; what is left is searched node by node, at about a microsecond for each node and
edge. ``python -m tests.benchmarks.components`` has the times beside those of scipy.

Sources: R. Tarjan, Depth-first search and linear graph algorithms (1972), with the one stack of D. Pearce, A
space-efficient algorithm for finding strongly connected components (2016); G. Slota, S. Rajamanickam, K. Madduri, BFS
and coloring-based parallel algorithms for strongly connected components and related problems (2014), for trimming,
one giant component and a serial search for the rest; S. Liu, R. Tarjan, Simple concurrent labeling algorithms for
connected components (2019).
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

import numpy as np

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns.graphs import Nodes, rows_of

if TYPE_CHECKING:
    from kgreason.columns.contractions import Contraction, Numbers

_TURNS: Final = 1 << 14
"""So many nodes are visited between two checkpoints: some milliseconds."""
_DONE: Final = 1 << 40
"""The number of the first component; above the turns, of which there is one for each node."""


def topological_components(count: int, sources: Nodes, targets: Nodes) -> Numbers:
    """For each node the number of its strongly connected component, sources before targets: O(nodes + edges)."""
    memory.check(56 * (count + len(sources)), "the search for components")
    differ = sources != targets
    if not differ.all():
        sources, targets = sources[differ], targets[differ]
    steps: list[tuple[Contraction, bool]] = []
    while True:
        checkpoint()
        labels = _numbers_along(count, sources, targets)
        if labels is not None:
            break
        found = None
        if count + len(sources) >= tuning.CONTRACTED_LEAST:
            from kgreason.columns.contractions import contraction  # most graphs are small

            found = contraction(count, sources, targets)
        if found is None:
            labels = _depth_first_components(count, sources, targets)
            break
        steps.append(found)
        step, is_reversed = found
        count, sources, targets = step.count, step.sources, step.targets
        if is_reversed:
            sources, targets = targets, sources
    for step, is_reversed in reversed(steps):
        labels = _reversed(step.expanded(_reversed(labels))) if is_reversed else step.expanded(labels)
    return labels


def _numbers_along(count: int, sources: Numbers, targets: Numbers) -> Numbers | None:
    """Each node by itself where all edges lead up, or all down; otherwise None."""
    rises = sources < targets
    if rises.all():
        return np.arange(count)
    return None if rises.any() else _reversed(np.arange(count))


def _reversed(labels: Numbers) -> Numbers:
    """The same components in the order of the graph with all edges reversed."""
    return np.asarray(labels.max(initial=-1) - labels)


def _depth_first_components(count: int, sources: Numbers, targets: Numbers) -> Numbers:
    """The labels node by node. Views of arrays in place of lists: they take a quarter of the bytes, and half the time
    once these no longer fit the processor's cache."""
    offsets, successors = rows_of(count, sources, targets)
    begin, rows, position = offsets.data, successors.data, offsets[:-1].copy().data
    labels = np.zeros(count, dtype=np.int64)
    # The turn at which a node was met, or the least such among those that it reaches; once its component is known,
    # the number of that, which is above all turns.
    low = labels.data
    path, turns, waiting = array("q"), array("q"), array("q")
    turn, number = 0, _DONE
    for root in range(count):
        if low[root]:
            continue
        turn += 1
        node, met, least = root, turn, turn
        low[node] = least
        at, end = begin[node], begin[node + 1]
        while True:
            while at < end:
                target = rows[at]
                at += 1
                known = low[target]
                if not known:
                    position[node], low[node] = at, least
                    path.append(node)
                    turns.append(met)
                    turn += 1
                    if not turn % _TURNS:
                        checkpoint()
                    node, met, least = target, turn, turn
                    low[node] = least
                    at, end = begin[node], begin[node + 1]
                elif known < least:
                    least = known
            if least == met:
                while waiting and low[waiting[-1]] >= met:
                    low[waiting.pop()] = number
                least = number
                number += 1
            else:
                waiting.append(node)
            low[node] = least
            if not path:
                break
            node, met, below = path.pop(), turns.pop(), least
            least = min(low[node], below)
            at, end = position[node], begin[node + 1]
    return number - 1 - labels


def undirected_components(count: int, sources: Nodes, targets: Nodes) -> Numbers:
    """For each node the number of its component when edges have no direction.

    Each round hooks roots to the least root beside them, and shortens all ways to one step: a few rounds, of a
    logarithm of the nodes at worst, over the edges that are still between different roots.
    """
    memory.check(48 * (count + len(sources)), "the search for components")
    roots = np.arange(count)
    while True:
        checkpoint()
        sources, targets = roots[sources], roots[targets]
        differ = sources != targets
        sources, targets = sources[differ], targets[differ]
        if not len(sources):
            break
        np.minimum.at(roots, np.maximum(sources, targets), np.minimum(sources, targets))
        while not np.array_equal(shorter := roots[roots], roots):
            roots = shorter
    is_root = roots == np.arange(count)
    return np.asarray((np.cumsum(is_root) - 1)[roots])
