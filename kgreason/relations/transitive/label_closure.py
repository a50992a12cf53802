"""A transitive closure as components, labels, and for each component the set of labels that it reaches.

The edges are condensed to strongly connected components; the components are numbered in post-order over a tree
cover, so that the nodes below a component in the tree have consecutive labels, and what it reaches is its run
and a few more. Labels belong to nodes, not to components: the members of a component begin with consecutive
ones, and when components merge or split later the labels stay where they are and only sets change.

A component reaches its own members just when it has a cycle, so reflexive pairs are those of the rule.
The tree cover is the one that the depth-first search walks. The optimum cover of Agrawal et al. takes 5 to 10 %
fewer bytes on category graphs and 35 % fewer on random ones, but twice the time, since it needs the closure of
the inverse edges first; a random cover takes up to four times as many (``python -m tests.benchmarks.covers``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason import tuning
from kgreason.checkpoints import passes
from kgreason.columns import bitmaps, pairs
from kgreason.columns.components import topological_components
from kgreason.columns.graphs import depth_first_order, rows_of
from kgreason.relations.binary import BinaryTable
from kgreason.relations.label_sets import LabelSets, SetWriter
from kgreason.relations.table import Mask
from kgreason.relations.transitive.node_labels import Labelling, Labels

_MANY: Final = 256
"""From so many successors on a component has checkpoints of its own."""

Cover: TypeAlias = Callable[[Labels, NDArray[np.int32]], Labels]
"""From compressed rows of an acyclic graph to a post-order of its nodes."""


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """The transitive closure of `edges`; immutable.

    `component` gives for each label the number of its component, the least label in it; `groups` the labels of
    each component with more than one; `reached` for the number of a component the labels that it reaches;
    `pairs` how many pairs that makes. `fresh_bytes` is what `reached` took when the labels were made.
    While `is_ordered`, as in post-order, a component reaches no label behind its own ones.
    """

    edges: BinaryTable
    labelling: Labelling
    component: NDArray[np.int32]
    groups: Mapping[int, Labels]
    reached: LabelSets
    pairs: int
    fresh_bytes: int
    is_ordered: bool

    @property
    def nbytes(self) -> int:
        """Bytes of all that is held beside the edges."""
        groups = sum(labels.nbytes for labels in self.groups.values())
        return self.labelling.nbytes + self.component.nbytes + self.reached.nbytes + groups

    def members(self, component: int) -> Labels:
        """The labels of a component."""
        found = self.groups.get(component)
        return np.array([component]) if found is None else found

    def contains(self, sources: Labels, targets: Labels) -> Mask:
        """For each pair of labels, -1 for nodes without one, whether it is in the closure.

        About a microsecond for each distinct component among the sources.
        """
        found = np.zeros(len(sources), dtype=np.bool_)
        known = np.flatnonzero((sources >= 0) & (targets >= 0))
        components = self.component[sources[known]].astype(np.int64)
        if self.is_ordered:
            likely = targets[known] <= components
            if self.groups:
                likely |= np.isin(components, np.fromiter(self.groups, dtype=np.int64, count=len(self.groups)))
            known, components = known[likely], components[likely]
        order = np.argsort(components, kind="stable")
        found[known[order]] = self.reached.contains(components[order], targets[known[order]].astype(np.uint32))
        return found

    def is_fragmented(self) -> bool:
        """Whether new labels would take much less: the sets have grown to twice what they were."""
        written = self.reached.nbytes
        return written > 2 * self.fresh_bytes + tuning.RELABEL_LEAST

    def compacted(self) -> Closure:
        """The same closure, relabelled if its labels have fragmented, with its changed sets written together."""
        if self.is_fragmented():
            return close(self.edges)
        reached = self.reached.compacted()
        if reached is self.reached:
            return self
        return replace(self, reached=reached)

    def _check(self) -> None:
        self.edges._check()
        self.labelling._check()
        self.reached._check()
        count = len(self.labelling)
        assert len(self.component) == len(self.reached) == count, "a label lacks a component or a set"
        assert bool((self.component[self.component] == self.component).all()), "a number is not that of itself"
        for number, labels in self.groups.items():
            assert len(labels) > 1, "a group of one"
            assert labels.min() == number, "a group is not numbered by its least label"
            assert bool((self.component[labels] == number).all()), "a label is in a group but not its component"
        numbers, sizes = np.unique(self.component, return_counts=True)
        assert {*self.groups} == {*numbers[sizes > 1].tolist()}, "a component lacks its group"
        total = sum(
            size * len(self.reached.get(number))
            for number, size in zip(numbers.tolist(), sizes.tolist(), strict=True)
        )
        assert total == self.pairs, "the number of pairs is stale"
        if self.is_ordered:
            for number in numbers.tolist():
                last = max(self.members(number))
                assert all(label <= last for label in self.reached.get(number)), "a label behind is reached"
        keys = self.edges.keys()
        sources = self.labelling.labels(pairs.subjects(keys))
        targets = self.labelling.labels(pairs.objects(keys))
        assert self.contains(sources, targets).all(), "an edge is missing from its closure"


def close(edges: BinaryTable, cover: Cover = depth_first_order) -> Closure:
    """Close edges from scratch: two sorts of the edges, and a loop over components with one union per edge.

    `cover` gives the order of the components' labels: a post-order over a tree cover.
    """
    keys = edges.keys()
    identifiers = bitmaps.distinct(np.concatenate((pairs.subjects(keys), pairs.objects(keys))))
    sources = np.searchsorted(identifiers, pairs.subjects(keys)).astype(np.int32)
    targets = np.searchsorted(identifiers, pairs.objects(keys)).astype(np.int32)
    found = topological_components(len(identifiers), sources, targets)
    sizes = np.bincount(found)
    across = found[sources] != found[targets]
    rows = rows_of(len(sizes), found[sources[across]], found[targets[across]])
    order = cover(*rows)
    first = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes[order], out=first[1:])
    begin = np.empty(len(sizes), dtype=np.int64)
    begin[order] = first[:-1]
    by_label = np.argsort(begin[found], kind="stable")
    cyclic = sizes > 1
    cyclic[found[sources[~across]]] = True
    successors_first = np.arange(len(sizes))[::-1]
    reached, total = _reach(rows, successors_first, begin, sizes, cyclic)
    groups = {
        int(begin[number]): np.arange(begin[number], begin[number] + sizes[number])
        for number in np.flatnonzero(sizes > 1)
    }
    is_ordered = bool((begin[found[sources[across]]] > begin[found[targets[across]]]).all())
    component = begin[found[by_label]].astype(np.int32)
    labelling = Labelling(identifiers[by_label])
    return Closure(edges, labelling, component, groups, reached, total, reached.nbytes, is_ordered)


def close_again(closure: Closure, edges: BinaryTable) -> Closure:
    """Close other edges under the labels of an ordered closure: the components are as they were, and all edges between
    components lead to lower labels.

    As `close`, without the sorts and the search for components and labels.
    """
    count = len(closure.labelling)
    keys = edges.keys()
    # In this numbering, the labels read from behind, sources come before targets.
    sources, targets = (
        count - 1 - closure.component[closure.labelling.labels(column)].astype(np.int64)
        for column in (pairs.subjects(keys), pairs.objects(keys))
    )
    across = sources != targets
    rows = rows_of(count, sources[across], targets[across])
    sizes = np.bincount(count - 1 - closure.component, minlength=count)
    cyclic = sizes > 1
    cyclic[sources[~across]] = True
    begin = np.arange(count)[::-1]
    reached, total = _reach(rows, begin, begin, sizes, cyclic)
    return replace(closure, edges=edges, reached=reached, pairs=total)


def _reach(
    rows: tuple[Labels, NDArray[np.int32]], order: Labels, begin: Labels, sizes: Labels, cyclic: Mask
) -> tuple[LabelSets, int]:
    """The labels that each component reaches, and the number of pairs that they stand for."""
    # Each successor is read once or twice: a view of the array takes a ninth of the bytes of a list.
    offsets, successors = rows[0].tolist(), rows[1].data
    lows, highs = begin.tolist(), (begin + sizes).tolist()
    ends = ((sizes == 1) & ~cyclic & (np.diff(rows[0]) == 0)).tolist()
    writer = SetWriter(int(sizes.sum()))
    total = 0
    for number, has_cycle in passes(zip(order.tolist(), cyclic[order].tolist(), strict=True)):
        low, high = lows[number], highs[number]
        if offsets[number] == offsets[number + 1] and not has_cycle:
            continue
        below = successors[offsets[number] : offsets[number + 1]]
        if len(below) <= tuning.SMALL_SET and not has_cycle and all(ends[successor] for successor in below):
            writer.put_small(low, sorted([lows[successor] for successor in below]))
            total += (high - low) * len(below)
            continue
        members = BitMap()
        for successor in below if len(below) < _MANY else passes(below):
            # What leads to another successor comes before it, and brings what that one reaches.
            if lows[successor] not in members:
                members |= writer.get(lows[successor])
                members.add_range(lows[successor], highs[successor])
        if has_cycle:
            members.add_range(low, high)
        total += (high - low) * len(members)
        writer.put(low, members)
    return writer.finish(), total
