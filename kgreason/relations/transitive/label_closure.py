"""A transitive closure as components, labels, and for each component the set of labels that it reaches.

The edges are condensed to strongly connected components; the components are numbered in post-order over a tree
cover, so that the nodes below a component in the tree have consecutive labels, and what it reaches is its run
and a few more. Labels belong to nodes, not to components: the members of a component begin with consecutive
ones, and when components merge or split later the labels stay where they are and only sets change.

A component reaches its own members just when it has a cycle, so reflexive pairs are those of the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.checkpoints import passes
from kgreason.columns import bitmaps, pairs
from kgreason.columns.masks import all_of, any_of
from kgreason.relations.binary import BinaryTable
from kgreason.relations.numbered_sets import NumberedSets
from kgreason.relations.shared_sets import SharedSets
from kgreason.relations.table import Mask
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.node_labels import Labelling, Labels


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """The transitive closure of `edges`; immutable.

    `component` gives for each label the number of its component, the least label in it; `groups` the labels of
    each component with more than one; `reached` for the number of a component the labels that it reaches;
    `pairs` how many pairs that makes. `fresh_bytes` is what `reached` took when the labels were made.
    While `is_ordered`, as in post-order, a component reaches no label behind its own ones.
    With a `hub` the sets above it have all that it reaches in common, and `reached` keeps that once.
    """

    edges: BinaryTable
    labelling: Labelling
    component: NDArray[np.int32]
    groups: Mapping[int, Labels]
    reached: NumberedSets
    pairs: int
    fresh_bytes: int
    is_ordered: bool
    hub: Hub | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all that is held beside the edges."""
        groups = sum(labels.nbytes for labels in self.groups.values())
        hub = 0 if self.hub is None else self.hub.nbytes
        return self.labelling.nbytes + self.component.nbytes + self.reached.nbytes + groups + hub

    def members(self, component: int) -> Labels:
        """The labels of a component."""
        found = self.groups.get(component)
        return np.array([component]) if found is None else found

    def subject_counts(self) -> Labels:
        """How many nodes reach that of each label, int64: O(pairs)."""
        numbers, sizes = np.unique(self.component, return_counts=True)
        counts, reached = self.reached.column(numbers.astype(np.int64))
        return np.bincount(reached, weights=sizes.repeat(counts), minlength=len(self.component)).astype(np.int64)

    def contains(self, sources: Labels, targets: Labels) -> Mask:
        """For each pair of labels, -1 for nodes without one, whether it is in the closure.

        About a microsecond for each distinct component among the sources of pairs that are no edges.
        """
        found = np.zeros(len(sources), dtype=np.bool_)
        known = np.flatnonzero((sources >= 0) & (targets >= 0))
        components = self.component[sources[known]].astype(np.int64)
        within = self.component[targets[known]] == components
        if any_of(within):
            inner, known, components = known[within], known[~within], components[~within]
            found[inner] = self._contains_within(sources[inner], targets[inner])
        if self.is_ordered:
            likely = targets[known] <= components
            if self.groups:
                likely |= np.isin(components, np.fromiter(self.groups, dtype=np.int64, count=len(self.groups)))
            known, components = known[likely], components[likely]
        if len(known) >= closure_tuning.EDGES_FIRST and self._are_mostly_edges(sources[known], targets[known]):
            is_edge = self._are_edges(sources[known], targets[known])
            found[known[is_edge]] = True
            known, components = known[~is_edge], components[~is_edge]
        order = np.argsort(components, kind="stable")
        found[known[order]] = self.reached.contains(components[order], targets[known[order]].astype(np.uint32))
        return found

    def _contains_within(self, sources: Labels, targets: Labels) -> Mask:
        """The same for pairs within components: those of larger ones are all there, and a node by itself leads to
        itself by an edge alone."""
        found: Mask = sources != targets
        loops = np.flatnonzero(~found)
        found[loops] = np.isin(self.component[sources[loops]], np.fromiter(self.groups, np.int64, len(self.groups)))
        alone = loops[~found[loops]]
        found[alone] = self._are_edges(sources[alone], targets[alone])
        return found

    def _are_mostly_edges(self, sources: Labels, targets: Labels) -> bool:
        """Whether one in four of many pairs of labels is an edge, by a look at some."""
        some = slice(None, None, max(1, len(sources) // closure_tuning.SHIFT_SAMPLE))
        is_edge = self._are_edges(sources[some], targets[some])
        return 4 * int(np.count_nonzero(is_edge)) >= len(is_edge)

    def _are_edges(self, sources: Labels, targets: Labels) -> Mask:
        nodes = self.labelling.nodes
        return self.edges.contains((nodes[sources], nodes[targets]))

    def is_fragmented(self) -> bool:
        """Whether new labels would take much less: the sets have grown to twice what they were."""
        written = self.reached.stored().nbytes
        return written > 2 * self.fresh_bytes + closure_tuning.RELABEL_LEAST

    def _check(self) -> None:
        self.edges._check()
        self.labelling._check()
        self.reached._check()
        count = len(self.labelling)
        assert len(self.component) == len(self.reached) == count, "a label lacks a component or a set"
        assert all_of(self.component[self.component] == self.component), "a number is not that of itself"
        for number, labels in self.groups.items():
            assert len(labels) > 1, "a group of one"
            assert labels.min() == number, "a group is not numbered by its least label"
            assert all_of(self.component[labels] == number), "a label is in a group but not its component"
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
        order = np.argsort(self.component[sources], kind="stable")
        components, reached = self.component[sources[order]].astype(np.int64), targets[order].astype(np.uint32)
        assert all_of(self.reached.contains(components, reached)), "an edge is missing from its closure"
        if self.hub is not None:
            self.hub._check(self)


@dataclass(frozen=True, slots=True, eq=False)
class Hub:
    """A component that much of a graph reaches.

    `number` is that of the component; `above` says for each label whether it reaches the component and is not reached
    by it, `below` whether the component reaches it or has it, and `shared` are the latter as a set. `rest` is the
    closure of all edges but those from above to below: a label above reaches what it reaches there, and `shared`.
    Of these `overlap` labels, in all sets together, are counted twice.
    """

    number: int
    above: Mask
    below: Mask
    shared: BitMap
    rest: Closure
    overlap: int

    @property
    def nbytes(self) -> int:
        """Bytes of what it has beside the sets."""
        return self.below.nbytes + self.rest.edges.nbytes

    def counted_twice(self, labels: Labels) -> int:
        """How many labels below are reached in the rest by those of some labels that are above: microseconds each."""
        numbers, counts = np.unique(self.rest.component[labels[self.above[labels]]], return_counts=True)
        get, shared = self.rest.reached.get, self.shared
        found = zip(numbers.tolist(), counts.tolist(), strict=True)
        return sum(count * get(number).intersection_cardinality(shared) for number, count in passes(found))

    def _check(self, whole: Closure) -> None:
        self.rest._check()
        labels = np.arange(len(whole.labelling))
        assert np.array_equal(np.flatnonzero(self.below), bitmaps.to_ids(self.shared)), "two sets of labels below"
        own = BitMap(whole.members(self.number).astype(np.uint32))
        assert self.shared == self.rest.reached.get(self.number) | own, "the hub reaches other labels"
        reaching = [self.number in whole.reached.get(number) for number in whole.component.tolist()]
        assert np.array_equal(self.above, np.array(reaching, dtype=np.bool_) & ~self.below), "others are above"
        sources, targets = (whole.labelling.labels(column) for column in whole.edges.columns())
        kept = whole.edges.filter(~(self.above[sources] & self.below[targets]))
        assert np.array_equal(kept.keys(), self.rest.edges.keys()), "the rest has other edges"
        assert self.overlap == self.counted_twice(labels), "the number of labels that are counted twice is stale"


def with_hub(edges: BinaryTable, hub: Hub, is_ordered: bool) -> Closure:
    """The closure of edges, given what it is made of."""
    rest = hub.rest
    total = rest.pairs + int(np.count_nonzero(hub.above)) * len(hub.shared) - hub.overlap
    reached = SharedSets(rest.reached, hub.shared, hub.above)
    return Closure(
        edges, rest.labelling, rest.component, rest.groups, reached, total, rest.fresh_bytes, is_ordered, hub
    )
