"""A transitive closure read as a table of pairs, from either end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Mask, Table
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.affected import affected_subjects
from kgreason.relations.transitive.backward import BackwardSearch
from kgreason.relations.transitive.closing import close, compacted
from kgreason.relations.transitive.closure_labels import ClosureLabels
from kgreason.relations.transitive.closure_parts import read_closure, write_closure
from kgreason.relations.transitive.difference import ClosureDifference
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.transitive.passing import PassingPairs, least_passing
from kgreason.relations.transitive.versions import changed
from kgreason.relations.virtual_pairs import VirtualPairs


class TransitiveTable(VirtualPairs):
    """The pairs of a closure. Its inverse is the closure of the inverse edges, with labels of its own, made when
    something first asks for many bound objects, or often, and then kept up with small changes when next asked."""

    scheme = "transitive"
    stored_as = "transitive"
    is_transitive = True

    def __init__(self, closure: Closure) -> None:
        self.closure = closure
        self._length = closure.pairs
        self._mirror: TransitiveTable | None = None
        self._merged: TransitiveTable | None = None
        self._behind: tuple[TransitiveTable, BinaryTable, BinaryTable] | None = None
        self._search = BackwardSearch(closure.edges)
        self._subject_counts: Index | None = None

    @classmethod
    def of(cls, edges: BinaryTable) -> TransitiveTable:
        """The closure of edges, from scratch."""
        return cls(close(edges))

    @classmethod
    def given(cls, closure: Closure, mirror: Closure | None) -> TransitiveTable:
        """A closure that is there already, perhaps with that of the inverse edges."""
        table = cls(closure)
        if mirror is not None:
            table._mirror = cls(mirror)
            table._mirror._mirror = table
        return table

    def write(self, to: PartWriter) -> list[Part]:
        """The edges, the labels, and the inverse if it was made, or an earlier one with the edges that came and went
        since; neither has this table for its own inverse."""
        mirror, behind = self._mirror, self._behind
        if mirror is not None and mirror._mirror is not None:
            mirror = TransitiveTable(mirror.closure)
        if behind is not None and behind[0]._mirror is not None:
            behind = (TransitiveTable(behind[0].closure), *behind[1:])
        edges = to.table(self.edges)
        later = None if behind is None else [to.table(part) for part in behind]
        return [edges, write_closure(self.closure, to), to.optional(mirror), later]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> TransitiveTable:
        """A table of `write`; LoadError where it is damaged."""
        edges = expect_kind(of.table(parts[0], "its edges", 2), BinaryTable, "its edges")
        table = cls(read_closure(parts[1], edges, of))
        mirror = of.optional(parts[2], "its mirror", 2)
        if mirror is not None:
            table._mirror = expect_kind(mirror, cls, "its mirror")
        if parts[3] is not None:
            what = "what its mirror lacks"
            before, added, removed = (of.table(part, what, 2) for part in of.entries(parts[3], 3, what))
            table._behind = (
                expect_kind(before, cls, "its mirror before"),
                expect_kind(added, BinaryTable, "edges that came"),
                expect_kind(removed, BinaryTable, "edges that went"),
            )
        return table

    def changed(
        self, added: BinaryTable, removed: BinaryTable, edges: BinaryTable | None = None
    ) -> TransitiveTable:
        """The closure after edges come that were not there, and edges go that were; `edges` are all that there are
        then, made from these if it is None."""
        if not len(added) and not len(removed):
            return self
        after = TransitiveTable(changed(self.closure, added, removed, edges))
        if self._mirror is not None:
            after._behind = (self._mirror, added, removed)
        elif self._behind is not None:
            mirror, came, gone = self._behind
            came, gone = came.difference(removed).union(added.difference(gone)), gone.difference(added).union(
                removed.difference(came)
            )
            after._behind = (mirror, came, gone)
        if after._behind is not None:
            _, came, gone = after._behind
            if (len(came) + len(gone)) * closure_tuning.PENDING_FRACTION > len(self.edges):
                after._behind = None
        return after

    def compacted(self) -> TransitiveTable:
        if self._merged is None:
            closure = compacted(self.closure)
            if closure is self.closure:
                return self
            self._merged = TransitiveTable(closure)
            self._merged._mirror, self._merged._behind = self._mirror, self._behind
        return self._merged

    @property
    def edges(self) -> BinaryTable:
        """The edges whose closure it is."""
        return self.closure.edges

    @property
    def nbytes(self) -> int:
        return self.closure.nbytes + (self._mirror.closure.nbytes if self._mirror is not None else 0)

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
        """As `image`, and a look at the pairs of those of the ids that no edge from another one of them leads to."""
        found = self.image(position, identifiers)
        starts = bitmaps.distinct(identifiers)
        doubtful = sorted_sets.intersection(found, starts)
        _, ends = self.edges.lookup({position: starts})
        doubtful = sorted_sets.difference(doubtful, bitmaps.distinct(ends[1 - position][ends[0] != ends[1]]))
        index, columns = self.lookup({1 - position: doubtful})
        others = columns[position]
        is_sure = sorted_sets.contains(starts, others) & (others != doubtful[index])
        sure = bitmaps.distinct(doubtful[index[is_sure]])
        return sorted_sets.union(sorted_sets.difference(found, doubtful), sure)

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        """O(labels in the sets of the subjects, by runs and words of them, + pairs found)."""
        closure = self.closure
        labels = closure.labelling.labels(subjects)
        known = np.flatnonzero(labels >= 0)
        wanted = closure.labelling.labels(objects)
        members = BitMap(wanted[wanted >= 0].astype(np.uint32))
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        runs = [bitmaps.to_ids(closure.reached.get(number) & members) for number in numbers.tolist()]
        rows, ends = pairs.runs_of(runs, of)
        return subjects[known[rows]], closure.labelling.nodes[ends]

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

    def searched_subjects(self, objects: Ids) -> list[Ids] | None:
        """The subjects of each of some objects by searches; None where the inverse is there, or worth making."""
        return self._search.subjects_of(objects) if self._mirror is None and self._behind is None else None

    def image_of(self, position: int, identifier: int) -> Ids:
        found = self.searched_subjects(np.array([identifier], dtype=np.uint32)) if position == 1 else None
        return super().image_of(position, identifier) if found is None else found[0]

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = self.searched_subjects(bound[1]) if 1 in bound else None
        if found is None:
            return super().lookup(bound)
        index = np.repeat(np.arange(len(found)), [len(subjects) for subjects in found])
        return index, (np.concatenate([NO_IDS, *found]), bound[1][index])

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        closure = self.closure
        labels = closure.labelling.labels(subjects)
        known = np.flatnonzero(labels >= 0)
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        counts, reached = closure.reached.column(numbers.astype(np.int64))
        end = np.cumsum(counts)
        index, positions = pairs.spread((end - counts)[of], end[of])
        return known[index], closure.labelling.nodes[reached[positions]]

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 1:
            return self._fanin(identifiers)
        closure = self.closure
        labels = closure.labelling.labels(identifiers)
        known = np.flatnonzero(labels >= 0)
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        counts[known] = closure.reached.sizes(numbers.astype(np.int64))[of]
        return counts

    def _fanin(self, objects: Ids) -> Index:
        """How many subjects each of some objects has: by searches, by the inverse, or where that is not there and
        there are few pairs, counted once for all objects."""
        found = self.searched_subjects(objects)
        if found is not None:
            return np.array([len(subjects) for subjects in found], dtype=np.int64)
        few = self._mirror is None and self._behind is None
        if not few or self.closure.pairs > closure_tuning.COUNTED_PAIRS * len(self.edges):
            return self.inverse().fanout(0, objects)
        closure = self.closure
        if self._subject_counts is None:
            # An object that is no node has the label -1, which finds the 0 at the end.
            self._subject_counts = np.append(closure.subject_counts(), 0)
        return self._subject_counts[closure.labelling.labels(objects)]

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        few = identifiers[:: -(-len(identifiers) // closure_tuning.SAMPLED_SEARCHES)] if position == 1 else identifiers
        found = self.searched_subjects(few) if position == 1 else None
        if found is None:
            return super().expected_fanout(position, identifiers)
        return sum(map(len, found)) / len(found)

    def distinct_estimate(self, position: int) -> int:
        return self.edges.distinct_estimate(position)

    def inverse(self) -> TransitiveTable:
        if self._mirror is None:
            if self._behind is None:
                self._mirror = TransitiveTable(close(self.edges.inverse()))
            else:
                mirror, added, removed = self._behind
                self._mirror = mirror.changed(added.inverse(), removed.inverse()).compacted()
                self._behind = None
        return self._mirror

    def is_subset_of(self, other: Table) -> bool | None:
        edges = self.edges.difference(other.edges) if isinstance(other, TransitiveTable) else None
        return None if edges is None else bool(other.contains(edges.columns()).all())

    def difference(self, other: Table) -> Table:
        return ClosureDifference(self, other) if isinstance(other, TransitiveTable) else super().difference(other)

    def passing(self, edges: Table) -> Table:
        return PassingPairs(self, as_binary(edges))

    def least_passing(self, edges: Table) -> int:
        """What the components that the edges leave reach along one of them: O(edges)."""
        return least_passing(self.closure, as_binary(edges))

    def _changed_subjects(self, other: Table) -> Ids | None:
        """A look at the sets that differ; where the labels differ, at the edges (`affected_subjects`)."""
        if not isinstance(other, TransitiveTable):
            return None
        if not self.shares_labels(other):
            return affected_subjects(self, other)
        return np.sort(self.closure.labelling.nodes[self.changed_labels(other)])

    def _keys_missing_from(self, other: Table, position: int) -> Ids:
        if not isinstance(other, TransitiveTable):
            return self.distinct(position)
        return self.edges.keys_missing_from(other.edges, position)

    def shares_labels(self, other: TransitiveTable) -> bool:
        """Whether both versions have the same labels: they do not when one is closed anew, or when they are two
        successors of one version, with fresh nodes of their own."""
        mine, theirs = self.closure.labelling, other.closure.labelling
        shared = min(len(mine), len(theirs))
        return mine is theirs or np.array_equal(mine.nodes[:shared], theirs.nodes[:shared])

    def changed_labels(self, other: TransitiveTable) -> Labels:
        """The labels whose sets may differ from those of another version, sorted."""
        if not self.shares_labels(other):
            return np.sort(self.closure.labelling.labels(affected_subjects(self, other)))
        mine, theirs = self.closure, other.closure
        shared = min(len(mine.component), len(theirs.component))
        numbers = mine.reached.differing(theirs.reached)
        moved = np.flatnonzero(mine.component[:shared] != theirs.component[:shared])
        flags = np.zeros(len(mine.component), dtype=np.bool_)
        flags[[number for number in numbers if number < len(flags)]] = True
        return np.union1d(np.flatnonzero(flags[mine.component]), moved)

    def _check(self) -> None:
        self.closure._check()
        if self._mirror is not None:
            self._mirror.closure._check()
            assert self._mirror.closure.pairs == self.closure.pairs, "the mirror has another number of pairs"
        super()._check()
