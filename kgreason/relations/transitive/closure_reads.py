"""Reads of a transitive closure from its subjects, by labels and the sets of labels that components reach."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.closure_labels import ClosureLabels
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.virtual_pairs import VirtualPairs


class ClosureReads(VirtualPairs):
    """The pairs of a closure, of which a subclass has the inverse."""

    is_transitive = True

    closure: Closure

    @property
    def edges(self) -> BinaryTable:
        """The edges whose closure it is."""
        return self.closure.edges

    def inputs(self) -> Iterable[Table]:
        return (self.edges,)

    @property
    def estimate(self) -> int:
        return self.closure.pairs

    def __bool__(self) -> bool:
        return self.closure.pairs > 0

    def count(self) -> int:
        return self.closure.pairs

    def symmetric_count(self) -> int:
        """The pairs within components that have a cycle: O(components with one + edges)."""
        grouped = sum(map(len, self.closure.groups.values()))
        return len(self.loops()) - grouped + sum(len(members) ** 2 for members in self.closure.groups.values())

    def symmetric_fanout(self, identifiers: Ids) -> Index:
        """With those of its component, if that has a cycle: O(nodes + k)."""
        sizes = np.zeros(len(self.closure.labelling), dtype=np.int64)
        sizes[self.closure.labelling.labels(self.loops())] = 1
        for members in self.closure.groups.values():
            sizes[members] = len(members)
        labels = self.closure.labelling.labels(identifiers)
        return np.where(labels >= 0, sizes[labels], 0) if len(sizes) else np.zeros(len(identifiers), dtype=np.int64)

    def representatives(self, identifiers: Ids) -> Ids:
        """One member of its component: O(k)."""
        if not self.closure.groups:
            return identifiers
        labels = self.closure.labelling.labels(identifiers)
        return np.where(labels >= 0, self.closure.labelling.nodes[self.closure.component[labels]], identifiers)

    def circles(self) -> Ids:
        """The members of larger components: one sort of these."""
        groups = self.closure.groups
        return np.sort(self.closure.labelling.nodes[np.concatenate([*groups.values()])]) if groups else NO_IDS

    def loops(self) -> Ids:
        """Those of larger components, and those with an edge to themselves: O(edges)."""
        closure = self.closure
        subjects = closure.edges.filter(np.equal(*closure.edges.columns())).columns()[0]
        labels = closure.labelling.labels(subjects)
        looping = np.concatenate([labels, *closure.groups.values()]).astype(np.uint32)
        return closure.labelling.nodes[bitmaps.distinct(looping)]

    def image(self, position: int, identifiers: Ids) -> Ids:
        """By a search along the edges, O(edges), and from where that goes deep by what is known of the closure."""
        starts = bitmaps.distinct(identifiers)
        members = BitMap()
        for _ in range(closure_tuning.LAYERS):
            if not len(starts):
                break
            _, columns = self.edges.lookup({position: starts})
            fresh = bitmaps.from_ids(columns[1 - position]) - members
            members |= fresh
            starts = bitmaps.to_ids(fresh)
        for start in starts.tolist():
            members |= bitmaps.from_ids(self.select({position: start})[1 - position])
        return bitmaps.to_ids(members)

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        """As `image`, and a look at the sets of those of the ids that no edge from another one of them leads to."""
        found = self.image(position, identifiers)
        starts = bitmaps.distinct(identifiers)
        doubtful = sorted_sets.intersection(found, starts)
        _, ends = self.edges.lookup({position: starts})
        doubtful = sorted_sets.difference(doubtful, bitmaps.distinct(ends[1 - position][ends[0] != ends[1]]))
        if not len(doubtful):
            return found
        if position == 0:
            return self.inverse().proper_image(1, starts)
        return sorted_sets.difference(found, doubtful[~self._reach_others(doubtful, starts)])

    def _reach_others(self, identifiers: Ids, ends: Ids) -> Mask:
        """For each id whether it leads to one of some ends that is another one: O(components of the ids, and words of
        their sets)."""
        closure = self.closure
        labels = closure.labelling.labels(identifiers)
        wanted = closure.labelling.labels(ends)
        members = BitMap(wanted[wanted >= 0].astype(np.uint32))
        numbers, of = np.unique(closure.component[labels], return_inverse=True)
        common = [closure.reached.get(number) & members for number in numbers.tolist()]
        sizes = np.fromiter(map(len, common), dtype=np.int64, count=len(common))
        first = np.fromiter((each.min() if each else -1 for each in common), dtype=np.int64, count=len(common))
        found: Mask = (sizes[of] > 1) | ((sizes[of] == 1) & (first[of] != labels))
        return found

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        """O(labels in the sets of the subjects, by runs and words of them, + pairs found)."""
        closure = self.closure
        labels = closure.labelling.labels(subjects)
        known = np.flatnonzero(labels >= 0)
        wanted = closure.labelling.labels(objects)
        members = BitMap(wanted[wanted >= 0].astype(np.uint32))
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        found = [closure.reached.get(number) & members for number in numbers.tolist()]
        rows, ends = pairs.runs_of(*bitmaps.concatenated(found), of)
        return subjects[known[rows]], closure.labelling.nodes[ends]

    def generators(self) -> tuple[Table]:
        return (self.edges,)

    def reachability_labels(self) -> ReachabilityLabels:
        return ClosureLabels(self.closure)

    def subjects(self) -> Ids:
        return self.edges.distinct(0)

    def distinct(self, position: int) -> Ids:
        return self.edges.distinct(position)

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.edges.has_key(position, identifiers)

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        return self.edges.has_key(position, identifiers)

    def has(self, fact: tuple[int, ...]) -> bool:
        labelling = self.closure.labelling
        source, target = labelling.label(fact[0]), labelling.label(fact[1])
        return source >= 0 and target >= 0 and self.closure.reached.has(int(self.closure.component[source]), target)

    def contains(self, columns: Columns) -> Mask:
        if len(columns[0]) == 1:
            return np.array([self.has((int(columns[0][0]), int(columns[1][0])))])
        labels = self.closure.labelling.labels
        found = np.empty(len(columns[0]), dtype=np.bool_)
        for begin in range(0, len(found), closure_tuning.ASKED_PAIRS):
            rows = slice(begin, begin + closure_tuning.ASKED_PAIRS)
            found[rows] = self.closure.contains(labels(columns[0][rows]), labels(columns[1][rows]))
        return found

    def objects_of(self, subject: int) -> Ids:
        closure = self.closure
        label = closure.labelling.label(subject)
        if label < 0:
            return NO_IDS
        return closure.labelling.nodes[bitmaps.to_ids(closure.reached.get(int(closure.component[label])))]

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        if position == 1:
            return super().few_of(position, identifier, most)
        closure = self.closure
        label = closure.labelling.label(identifier)
        if label < 0:
            return []
        reached = closure.reached.get(int(closure.component[label]))
        return closure.labelling.nodes[bitmaps.to_ids(reached)].tolist() if len(reached) <= most else None

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        closure = self.closure
        labels = closure.labelling.labels(subjects)
        known = np.flatnonzero(labels >= 0)
        components = closure.component[labels[known]].astype(np.int64)
        numbers, of = np.unique(components, return_inverse=True)
        if len(numbers) == len(components):
            counts, reached = closure.reached.column(components)
            return known.repeat(counts), closure.labelling.nodes[reached]
        counts, reached = closure.reached.column(numbers)
        end = np.cumsum(counts)
        objects = closure.labelling.nodes[reached[pairs.positions_of((end - counts)[of], end[of])]]
        return known.repeat(counts[of]), objects

    def distinct_estimate(self, position: int) -> int:
        return self.edges.distinct_estimate(position)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 1:
            return self.inverse().fanout(0, identifiers)
        closure = self.closure
        labels = closure.labelling.labels(identifiers)
        known = np.flatnonzero(labels >= 0)
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        counts[known] = closure.reached.sizes(numbers.astype(np.int64))[of]
        return counts

    def reciprocal(self, other: Table) -> Columns:
        """Of a closure with itself the pairs within its components: O(these)."""
        if other is not self:
            return super().reciprocal(other)
        nodes = self.closure.labelling.nodes
        groups = [nodes[members] for members in self.closure.groups.values()]
        in_group = np.concatenate([NO_IDS, *groups])
        alone = np.setdiff1d(self.loops(), in_group)
        subjects = [np.repeat(members, len(members)) for members in groups]
        objects = [np.tile(members, len(members)) for members in groups]
        return np.concatenate([alone, *subjects]), np.concatenate([alone, *objects])
