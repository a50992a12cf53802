"""A transitive closure read as a table of pairs, from either end."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kgreason.columns import bitmaps, pairs
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table
from kgreason.schemes.transitive.changes import changed
from kgreason.schemes.transitive.closure import Closure, close
from kgreason.schemes.transitive.difference import ClosureDifference
from kgreason.schemes.transitive.labelling import Labels
from kgreason.schemes.virtual import VirtualPairs, unlike_ends

PENDING_FRACTION = 16
_NO_IDS: Ids = np.empty(0, dtype=np.uint32)


class TransitiveTable(VirtualPairs):
    """The pairs of a closure. Its inverse is the closure of the inverse edges, with labels of its own, made when
    something first asks for a bound object and then kept up with small changes when next asked."""

    scheme = "transitive"

    def __init__(self, closure: Closure) -> None:
        self.closure = closure
        self._length = closure.pairs
        self._mirror: TransitiveTable | None = None
        self._merged: TransitiveTable | None = None
        self._behind: tuple[TransitiveTable, BinaryTable, BinaryTable] | None = None

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

    def kept_mirror(
        self,
    ) -> tuple[TransitiveTable | None, tuple[TransitiveTable, BinaryTable, BinaryTable] | None]:
        """The inverse if it was made, or an earlier one with the edges that came and went since; neither has this table
        for its own inverse, which `with_mirror` gives back."""
        mirror, behind = self._mirror, self._behind
        if mirror is not None and mirror._mirror is not None:
            mirror = TransitiveTable(mirror.closure)
        if behind is not None and behind[0]._mirror is not None:
            behind = (TransitiveTable(behind[0].closure), *behind[1:])
        return mirror, behind

    @classmethod
    def with_mirror(
        cls,
        closure: Closure,
        mirror: TransitiveTable | None,
        behind: tuple[TransitiveTable, BinaryTable, BinaryTable] | None,
    ) -> TransitiveTable:
        """A table with what `kept_mirror` gave."""
        table = cls(closure)
        table._mirror, table._behind = mirror, behind
        return table

    def changed(self, added: BinaryTable, removed: BinaryTable) -> TransitiveTable:
        """The closure after edges come that were not there, and edges go that were."""
        if not len(added) and not len(removed):
            return self
        after = TransitiveTable(changed(self.closure, added, removed))
        if self._mirror is not None:
            after._behind = (self._mirror, added, removed)
        elif self._behind is not None:
            mirror, came, gone = self._behind
            came, gone = came.difference(removed).union(added.difference(gone)), gone.difference(added).union(
                removed.difference(came)
            )
            after._behind = (mirror, came, gone)
        if after._behind is not None and sum(map(len, after._behind[1:])) * PENDING_FRACTION > len(self.edges):
            after._behind = None
        return after

    def merged(self) -> TransitiveTable:
        if self._merged is None:
            closure = self.closure.merged()
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

    def mutual(self) -> int:
        """How many pairs are there the other way round as well: those within a component that has a cycle."""
        grouped = sum(map(len, self.closure.groups.values()))
        return len(self.loops()) - grouped + sum(len(members) ** 2 for members in self.closure.groups.values())

    def mutual_degrees(self, identifiers: Ids) -> Index:
        """For each id with how many it is paired in both directions: with those of its component, if that has a
        cycle."""
        sizes = np.zeros(len(self.closure.labelling), dtype=np.int64)
        sizes[self.closure.labelling.labels(self.loops())] = 1
        for members in self.closure.groups.values():
            sizes[members] = len(members)
        labels = self.closure.labelling.labels(identifiers)
        return np.where(labels >= 0, sizes[labels], 0) if len(sizes) else np.zeros(len(identifiers), dtype=np.int64)

    def loops(self) -> Ids:
        """The ids that are paired with themselves, in any order: those of larger components, and those with an edge to
        themselves: O(edges)."""
        closure = self.closure
        subjects = closure.edges.where(np.equal(*closure.edges.columns())).columns()[0]
        labels = closure.labelling.labels(subjects)
        looping = np.concatenate([labels, *closure.groups.values()]).astype(np.uint32)
        return closure.labelling.nodes[bitmaps.distinct(looping)]

    def subjects(self) -> Ids:
        return self.edges.distinct(0)

    def distinct(self, position: int) -> Ids:
        return self.edges.distinct(position)

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return self.edges.occurs(position, identifiers)

    def has(self, fact: tuple[int, ...]) -> bool:
        labelling = self.closure.labelling
        source, target = labelling.label(fact[0]), labelling.label(fact[1])
        return source >= 0 and target >= 0 and target in self.closure.reached.get(int(self.closure.component[source]))

    def contains(self, columns: Columns) -> Mask:
        labelling = self.closure.labelling
        return self.closure.contains(labelling.labels(columns[0]), labelling.labels(columns[1]))

    def objects_of(self, subject: int) -> Ids:
        closure = self.closure
        label = closure.labelling.label(subject)
        if label < 0:
            return _NO_IDS
        return closure.labelling.nodes[bitmaps.to_ids(closure.reached.get(int(closure.component[label])))]

    def expand_subjects(self, subjects: Ids) -> tuple[Index, Ids]:
        closure = self.closure
        labels = closure.labelling.labels(subjects)
        known = np.flatnonzero(labels >= 0)
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        counts, reached = closure.reached.column(numbers.astype(np.int64))
        end = np.cumsum(counts)
        index, positions = pairs.spread((end - counts)[of], end[of])
        return known[index], closure.labelling.nodes[reached[positions]]

    def degrees(self, position: int, identifiers: Ids) -> Index:
        if position == 1:
            return self.inverse().degrees(0, identifiers)
        closure = self.closure
        labels = closure.labelling.labels(identifiers)
        known = np.flatnonzero(labels >= 0)
        numbers, of = np.unique(closure.component[labels[known]], return_inverse=True)
        counts = np.zeros(len(identifiers), dtype=np.int64)
        counts[known] = closure.reached.sizes(numbers.astype(np.int64))[of]
        return counts

    def ends(self, position: int) -> int:
        return self.edges.ends(position)

    def inverse(self) -> TransitiveTable:
        if self._mirror is None:
            if self._behind is None:
                self._mirror = TransitiveTable(close(self.edges.inverse()))
            else:
                mirror, added, removed = self._behind
                self._mirror = mirror.changed(added.inverse(), removed.inverse()).merged()
                self._behind = None
        return self._mirror

    def within(self, other: Table) -> bool | None:
        edges = self.edges.difference(other.edges) if isinstance(other, TransitiveTable) else None
        return None if edges is None else bool(other.contains(edges.columns()).all())

    def difference(self, other: Table) -> Table:
        if isinstance(other, TransitiveTable) and self._shares_labels(other):
            return ClosureDifference(self, other)
        return super().difference(other)

    def unlike(self, other: Table) -> Ids | None:
        if not isinstance(other, TransitiveTable) or not self._shares_labels(other):
            return None
        return np.sort(self.closure.labelling.nodes[self.unlike_labels(other)])

    def unlike_ends(self, other: Table, position: int) -> Ids:
        if not isinstance(other, TransitiveTable):
            return self.distinct(position)
        return unlike_ends(self.edges, other.edges, position)

    def _shares_labels(self, other: TransitiveTable) -> bool:
        """Whether both versions have the same labels: they have not when one is closed anew, or when they are two
        successors of one version, with fresh nodes of their own."""
        mine, theirs = self.closure.labelling, other.closure.labelling
        shared = min(len(mine), len(theirs))
        return mine is theirs or np.array_equal(mine.nodes[:shared], theirs.nodes[:shared])

    def unlike_labels(self, other: TransitiveTable) -> Labels:
        """The labels whose sets may differ from those of a version with the same labels, sorted."""
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
