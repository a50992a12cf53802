"""Strongly connected components of a graph that has grown: nodes and edges have come, and none has gone.

Components that no new path can join, nor put into another order, keep their order, and are not searched: those before
the first that something new leads to, and those after the last that leads to something new.

Source: D. Pearce, P. Kelly, A dynamic topological sort algorithm for directed acyclic graphs (2006), of many edges at
once.
"""

from __future__ import annotations

import numpy as np

from kgreason.columns.components import topological_components
from kgreason.columns.graphs import Nodes, Numbers, edges_between


def grown_components(known: Numbers, sources: Nodes, targets: Nodes) -> tuple[Numbers, bool]:
    """For each node the number of its component, sources before targets, and whether components have become one.

    Cost: O(nodes + edges), and the search of the components that may have moved and of the edges between them.

    Args:
        known: for each node the number of its component in the graph before, numbered so; -1 for one that has come.
        sources, targets: the edges, among them all of those before.
    """
    before, is_new = int(known.max(initial=-1)) + 1, known < 0
    numbers = known.copy()
    numbers[is_new] = np.arange(before, before + np.count_nonzero(is_new))
    sources, targets = edges_between(numbers, sources, targets)
    comes_in, goes_out = targets >= before, sources >= before
    against = (sources > targets) & ~goes_out
    begin = int(targets[(against | goes_out) & ~comes_in].min(initial=before))
    end = int(sources[(against | comes_in) & ~goes_out].max(initial=-1)) + 1
    begin, end = (begin, end) if begin < end else (end, end)
    moved = np.arange(before + np.count_nonzero(is_new))
    local = np.full(len(moved), -1, dtype=np.int64)
    some = np.concatenate((moved[begin:end], moved[before:]))
    local[some] = np.arange(len(some))
    inside = (local[sources] >= 0) & (local[targets] >= 0)
    labels = topological_components(len(some), local[sources[inside]], local[targets[inside]])
    count = int(labels.max(initial=-1)) + 1
    moved[end:before] += count - (end - begin)
    moved[some] = labels + begin
    are_joined = len(np.unique(labels[: end - begin])) < end - begin
    return _without_gaps(moved[numbers]), are_joined


def _without_gaps(numbers: Numbers) -> Numbers:
    """The same order, numbered from 0: components may have lost all their nodes."""
    is_used = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.bool_)
    is_used[numbers] = True
    return np.asarray((np.cumsum(is_used) - 1)[numbers])
