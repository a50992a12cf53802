"""Contractions of directed graphs that keep what their strongly connected components are, whole columns at a time.

A contraction has a smaller graph, and makes the labels of the nodes from those of the smaller graph's. Labels number
the components without gaps, so that no edge leads to a lower one.

* `contract_single_successors`: nodes with no successor, or only one, go. What leads to them leads to the first node
  behind them that stays. They are in the component of that one just when something in that component leads to them.
* `contract_giant`: all nodes that the busiest one reaches, and that reach it, become one.
* `contraction`: the one of these that helps.

No edge leads from a node to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import sorting, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import sorted_sets
from kgreason.columns.graphs import edges_between

Numbers: TypeAlias = NDArray[Any]
"""Numbers of nodes, int32 or int64."""
Mask: TypeAlias = NDArray[np.bool_]

_HALF: Final = 32
_LOW: Final = (1 << _HALF) - 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contraction:
    """The edges between `count` nodes, and what makes the labels of the graph before of the labels of this one."""

    count: int
    sources: Numbers
    targets: Numbers
    expanded: Callable[[Numbers], Numbers]


def contract_giant(
    count: int, sources: Numbers, targets: Numbers, busiest: int, every: int = 1
) -> Contraction | None:
    """One node for the nodes that `busiest` reaches by one in `every` edges, and that so reach it: its component, or
    much of it. None where these are less than a quarter of the nodes, or it is too deep.

    O(nodes + these edges) for each step of breadth-first searches in both directions, and once O(edges).
    """
    numbers = giant_numbers(count, sources[::every], targets[::every], busiest)
    if numbers is None:
        return None
    left = int(numbers.max()) + 1
    if left == 1:
        nothing = np.empty(0, dtype=np.int64)
        return Contraction(1, nothing, nothing, lambda labels: labels[numbers])
    sources, targets = edges_between(numbers.astype(sources.dtype, copy=False), sources, targets)
    return Contraction(left, sources, targets, lambda labels: labels[numbers])


def giant_numbers(count: int, sources: Numbers, targets: Numbers, busiest: int) -> Numbers | None:
    """Numbers of the nodes from 0 on, in which the component of `busiest` is 0; None where that has less than a quarter
    of the nodes, or is too deep. O(nodes + edges) for each step of breadth-first searches in both directions."""
    together = _giant(count, sources, targets, busiest)
    size = 0 if together is None else int(np.count_nonzero(together))
    if together is None or size < 2 or 4 * size < count:
        return None
    numbers: Numbers = np.cumsum(~together)
    numbers[together] = 0
    return numbers


def busiest_node(count: int, sources: Numbers, targets: Numbers) -> int:
    """The node with the most ways through it."""
    return int(np.argmax(np.bincount(sources, minlength=count) * np.bincount(targets, minlength=count)))


def _giant(count: int, sources: Numbers, targets: Numbers, busiest: int) -> Mask | None:
    """The component of a node; None where it has less than a quarter of the nodes, or is too deep."""
    ahead = _reached(count, sources, targets, busiest)
    if ahead is None or 4 * np.count_nonzero(ahead) < count:
        return None
    if not ahead.all():
        inner = ahead[sources] & ahead[targets]
        sources, targets = sources[inner], targets[inner]
    behind = _reached(count, targets, sources, busiest)
    return None if behind is None else ahead & behind


def _reached(count: int, sources: Numbers, targets: Numbers, start: int) -> Mask | None:
    """What a node reaches, and itself; None where that takes too many steps."""
    found = np.zeros(count, dtype=np.bool_)
    found[start] = True
    size = 1
    for _ in range(tuning.GIANT_STEPS):
        checkpoint()
        found[targets[found[sources]]] = True
        before, size = size, int(np.count_nonzero(found))
        if size in (before, count):
            return found
        if size - before >= count >> 4:
            stays = ~found[targets]
            sources, targets = sources[stays], targets[stays]
    return None


def contract_single_successors(count: int, sources: Numbers, targets: Numbers, degrees: Numbers) -> Contraction:
    """Without the nodes that have no successor or one, given how many edges leave each node; of a cycle of such nodes
    one stays. Duplicates among the edges that are left are gone.

    O(nodes + edges), and a logarithm of the longest way through such nodes times their number.
    """
    forest = _Forest.of(count, sources, targets, degrees)
    ends = degrees[forest.roots] == 0
    kept = (forest.roots == np.arange(count)) & ~ends
    nodes = np.flatnonzero(kept)
    numbers = np.empty(count, dtype=np.int64)
    numbers[nodes] = np.arange(len(nodes))
    stays = kept[sources] & ~ends[targets]
    sources, targets = sources[stays], targets[stays]
    goes = ~(kept | ends)
    enters = goes[targets]
    befores, entered = sources[enters], targets[enters]
    keys = numbers[sources] << _HALF | numbers[forest.roots[targets]]

    def expanded(labels: Numbers) -> Numbers:
        number = int(labels.max(initial=-1)) + 1
        label = np.full(count, number)
        label[nodes] = labels
        label[goes] = label[forest.roots[goes]]
        alone = ends | (goes & (forest.depths > 0))
        alone &= ~forest.paths_from(entered[label[befores] == label[entered]])
        return _with_singles(label, number, np.flatnonzero(alone), forest.depths)

    keys = sorted_sets.unique(keys[keys >> _HALF != keys & _LOW])
    return Contraction(len(nodes), keys >> _HALF, keys & _LOW, expanded)


def _with_singles(label: Numbers, number: int, alone: Numbers, depths: Numbers) -> Numbers:
    """Labels where each node of `alone` gets one of its own, deeper ones first, before those that share its label."""
    if not len(alone):
        return label
    place, depth = label[alone], depths[alone]
    deepest = depth.max()
    order = sorting.argsort(place * (deepest + 1) + (deepest - depth))
    singles = np.empty(len(alone), dtype=np.int64)
    singles[order] = np.arange(len(alone))
    before = np.cumsum(np.bincount(place, minlength=number + 1))
    label = label + before[label]
    label[alone] = singles + place
    return label


@dataclass(frozen=True, slots=True)
class _Forest:
    """Trees of nodes with one successor, below nodes with another number of these or below a cycle.

    `successors` leads each node one step on, one without a single successor and one on a cycle to itself: `depths`
    counts the steps that are left. `roots` has the node at the end of them, or the first node of the cycle there.
    """

    successors: Numbers
    roots: Numbers
    depths: Numbers

    @classmethod
    def of(cls, count: int, sources: Numbers, targets: Numbers, degrees: Numbers) -> _Forest:
        successors = np.arange(count)
        single = degrees[sources] == 1
        successors[sources[single]] = targets[single]
        ways = _ways_to_roots(successors, np.flatnonzero(degrees == 1))
        astray = np.flatnonzero(ways & _LOW >= count)
        if not len(astray):
            return cls(successors, ways >> _HALF, ways & _LOW)
        nodes, first = _cycles(successors, ways[astray] >> _HALF)
        successors[nodes] = nodes
        if len(nodes) < len(astray):
            ways = _ways_to_roots(successors, np.flatnonzero(successors != np.arange(count)))
        else:
            ways[nodes] = nodes << _HALF
        roots = ways >> _HALF
        to_first = np.arange(count)
        to_first[nodes] = first
        return cls(successors, to_first[roots], ways & _LOW)

    def paths_from(self, nodes: Numbers) -> Mask:
        """The nodes, and all between them and their roots, with the roots."""
        found = np.zeros(len(self.roots), dtype=np.bool_)
        found[nodes] = True
        if not len(nodes):
            return found
        inner = self.depths > 0
        is_leaf = inner.copy()
        is_leaf[self.successors[inner]] = False
        if found[is_leaf].all():
            return found | inner
        ahead = self.successors
        for _ in range(int(self.depths[nodes].max()).bit_length()):
            checkpoint()
            found[ahead[found]] = True
            ahead = ahead[ahead]
        return found


def _ways_to_roots(successors: Numbers, active: Numbers) -> Numbers:
    """For each node its root and, in the low half, how many steps away that is; for one that leads into a cycle any
    node of the cycle, and at least as many steps as there are nodes.

    Pointer jumping, from the `active` nodes, which are all but the roots: each round doubles the steps that are made.
    """
    count = len(successors)
    ways = successors << _HALF
    ways[active] += 1
    for _ in range(count.bit_length()):
        checkpoint()
        is_whole = len(active) == count
        here = ways if is_whole else ways[active]
        ahead = ways[here >> _HALF]
        goes_on = ahead & _LOW > 0
        going = np.count_nonzero(goes_on)
        if not going:
            break
        if 2 * going < len(active):
            active, here, ahead = active[goes_on], here[goes_on], ahead[goes_on]
            is_whole = False
        ahead += here & _LOW
        if is_whole:
            ways = ahead
        else:
            ways[active] = ahead
    return ways


def _cycles(successors: Numbers, some: Numbers) -> tuple[Numbers, Numbers]:
    """The nodes on cycles, all of which are among `some`, in order, and for each the least node of its cycle."""
    found = np.zeros(len(successors), dtype=np.bool_)
    found[some] = True
    nodes = np.flatnonzero(found)
    places = np.empty(len(successors), dtype=np.int64)
    places[nodes] = np.arange(len(nodes))
    # The least node so far, and in the low half how far that looked.
    ways = np.arange(len(nodes)) << _HALF | places[successors[nodes]]
    for _ in range(len(nodes).bit_length()):
        checkpoint()
        ahead = ways[ways & _LOW]
        np.minimum(ways, ahead | _LOW, out=ways)
        ways = ways & ~_LOW | ahead & _LOW
    return nodes, nodes[ways >> _HALF]


def contraction(count: int, sources: Numbers, targets: Numbers) -> tuple[Contraction, bool] | None:
    """A contraction that takes away at least an eighth of the nodes, if there is one; whether it is one of the graph
    with all edges reversed. Of very many edges a sample tells what is a giant component, or much of one."""
    every = len(sources) // (tuning.GIANT_EDGES * count)
    if every > 1:
        busiest = busiest_node(count, sources[::every], targets[::every])
        giant = contract_giant(count, sources, targets, busiest, every)
        if giant is not None:
            return giant, False
    leaving, entering = (np.bincount(ends, minlength=count) for ends in (sources, targets))
    if 4 * np.count_nonzero(leaving <= 1) >= count:
        return contract_single_successors(count, sources, targets, leaving), False
    if 4 * np.count_nonzero(entering <= 1) >= count:
        return contract_single_successors(count, targets, sources, entering), True
    giant = contract_giant(count, sources, targets, int(np.argmax(leaving * entering)))
    return None if giant is None else (giant, False)
