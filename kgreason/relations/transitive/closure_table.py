"""A transitive closure as a table of pairs: its versions, and the inverse that reads of the other end need."""

from __future__ import annotations

from math import inf

import numpy as np

from kgreason.columns import bitmaps, pairs
from kgreason.columns.masks import all_of
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.stored import Part, PartReader, PartWriter, expect_kind
from kgreason.relations.table import NO_IDS, Columns, Ids, Index, Table
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.affected import affected_subjects
from kgreason.relations.transitive.backward import BackwardSearch
from kgreason.relations.transitive.closing import close, compacted
from kgreason.relations.transitive.closure_parts import read_closure, write_closure
from kgreason.relations.transitive.closure_reads import ClosureReads
from kgreason.relations.transitive.difference import ClosureDifference
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.transitive.passing import PassingPairs, least_passing
from kgreason.relations.transitive.versions import changed


class TransitiveTable(ClosureReads):
    """The pairs of a closure. Its inverse is the closure of the inverse edges, with labels of its own, made when
    something first asks for many bound objects, or often, and then kept up with small changes when next asked."""

    scheme = "transitive"
    stored_as = "transitive"

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
    def nbytes(self) -> int:
        return self.closure.nbytes + (self._mirror.closure.nbytes if self._mirror is not None else 0)

    def searched_subjects(self, objects: Ids) -> list[Ids] | None:
        """The subjects of each different one of some objects, in their order, by searches; None where the inverse is
        there, or worth making: where that of a version before is there, for more than a few subjects."""
        if self._mirror is not None or self._search.is_done:
            return None
        most = inf if self._behind is None else closure_tuning.FEW_SUBJECTS
        return self._search.subjects_of(bitmaps.distinct(objects), most)

    def image_of(self, position: int, identifier: int) -> Ids:
        found = self.searched_subjects(np.array([identifier], dtype=np.uint32)) if position == 1 else None
        return super().image_of(position, identifier) if found is None else found[0]

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = self.searched_subjects(bound[1]) if 1 in bound else None
        if found is None:
            return super().lookup(bound)
        place, end = bitmaps.distinct(bound[1]).searchsorted(bound[1]), np.cumsum([0, *map(len, found)])
        index = np.repeat(np.arange(len(place)), np.diff(end)[place])
        rows = pairs.positions_of(end[place], end[place + 1])
        return index, (np.concatenate([NO_IDS, *found])[rows], bound[1][index])

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self._fanin(identifiers) if position == 1 else super().fanout(0, identifiers)

    def _fanin(self, objects: Ids) -> Index:
        """How many subjects each of some objects has: by searches, by the inverse, or where that is not there and
        there are few pairs, counted once for all objects."""
        found = self.searched_subjects(objects)
        if found is not None:
            counts = np.array([len(subjects) for subjects in found], dtype=np.int64)
            return counts[bitmaps.distinct(objects).searchsorted(objects)]
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
        if position == 0 or self.searched_subjects(few) is None:
            return super().expected_fanout(position, identifiers)
        return float(self._fanin(few).mean())

    def is_indexed(self, position: int) -> bool:
        return position == 0 or self._mirror is not None or self._behind is not None

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
        if not isinstance(other, TransitiveTable):
            return None
        return all(all_of(other.contains(edges)) for edges in self.edges.difference(other.edges).chunks())

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
            affected = self.changed_subjects(other)
            assert affected is not None
            return np.sort(self.closure.labelling.labels(affected))
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
