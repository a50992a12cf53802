"""Some of the pairs of a closure, as sets of its labels: what a version has and another lacks, and what leads through
edges."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.unwritten import UnwrittenTable

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable

Sets: TypeAlias = tuple[Labels, Labels, list[BitMap]]
"""The labels of the subjects, sorted, for each the number of its set, and the sets of labels of the objects."""


class LabelledPairs(UnwrittenTable):
    """Some of the pairs of a closure, by its labels; read at the cost of the sets that are looked at."""

    arity = 2

    whole: TransitiveTable
    """The table of the closure."""

    @property
    def _closure(self) -> Closure:
        return self.whole.closure

    @property
    @abstractmethod
    def _sets(self) -> Sets:
        """What it consists of; no set is empty."""

    @property
    def estimate(self) -> int:
        return len(self)

    def __bool__(self) -> bool:
        return len(self._sets[0]) > 0

    def count(self) -> int:
        _, numbers, sets = self._sets
        return sum(len(sets[number]) for number in numbers.tolist())

    def chunks(self) -> Iterator[Columns]:
        yield from self.chunks_of(self.distinct(0))

    def distinct(self, position: int) -> Ids:
        if position == 0:
            return np.sort(self._closure.labelling.nodes[self._sets[0]])
        reached = BitMap.union(BitMap(), *self._sets[2])
        return np.sort(self._closure.labelling.nodes[bitmaps.to_ids(reached)])

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        return self.whole.may_have_key(position, identifiers)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 1 and len(identifiers) == 1:
            return np.array([len(self.image(1, identifiers))])
        if position == 1:
            return self.inverse().fanout(0, identifiers)
        known, numbers = self._numbers(identifiers)
        sizes = np.fromiter(map(len, self._sets[2]), dtype=np.int64, count=len(self._sets[2]))
        counts = np.zeros(len(identifiers), dtype=np.int64)
        counts[known] = sizes[numbers]
        return counts

    def _numbers(self, identifiers: Ids) -> tuple[Index, Labels]:
        """Which of some ids are subjects, by their places, and for each of these the number of its set."""
        labels, numbers, _ = self._sets
        if not len(labels):
            return np.empty(0, dtype=np.int64), numbers
        wanted = self._closure.labelling.labels(identifiers)
        at = np.searchsorted(labels, wanted)
        at[at == len(labels)] = 0
        known = np.flatnonzero(labels[at] == wanted)
        return known, numbers[at[known]]

    def image(self, position: int, identifiers: Ids) -> Ids:
        """O(labels in the sets that are looked at)."""
        return self._image(position, identifiers, is_proper=False)

    def proper_image(self, position: int, identifiers: Ids) -> Ids:
        """O(labels in the sets that are looked at)."""
        return self._image(position, identifiers, is_proper=True)

    def _image(self, position: int, identifiers: Ids, is_proper: bool) -> Ids:
        wanted = bitmaps.distinct(identifiers)
        found = self._objects(wanted, is_proper) if position == 0 else self._subjects_of(wanted, is_proper)
        return np.sort(self._closure.labelling.nodes[found])

    def _objects(self, identifiers: Ids, is_proper: bool) -> Labels:
        """The labels that are in a set of some ids; with `is_proper`, of another one than its own."""
        known, numbers = self._numbers(identifiers)
        labels = self._closure.labelling.labels(identifiers[known])
        used, first, counts = np.unique(numbers, return_index=True, return_counts=True)
        reached = BitMap()
        for number, label, count in zip(used.tolist(), labels[first].tolist(), counts.tolist(), strict=True):
            found = self._sets[2][number]
            reached |= found - BitMap([label]) if is_proper and count == 1 else found
        return bitmaps.to_ids(reached).astype(np.int64)

    def _subjects_of(self, identifiers: Ids, is_proper: bool) -> Labels:
        """The labels in whose set some ids are; with `is_proper`, another one than its own."""
        labels, numbers, sets = self._sets
        wanted = self._closure.labelling.labels(identifiers)
        members = BitMap(wanted[wanted >= 0].astype(np.uint32))
        common = [found & members for found in sets]
        sizes = np.fromiter(map(len, common), dtype=np.int64, count=len(common))
        kept = sizes[numbers] > 0
        if is_proper:
            only = np.array([found.min() if len(found) == 1 else -1 for found in common], dtype=np.int64)
            kept &= only[numbers] != labels
        return labels[kept]

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        """O(labels in the sets of the subjects, by runs and words of them, + pairs found)."""
        known, numbers = self._numbers(subjects)
        used, of = np.unique(numbers, return_inverse=True)
        wanted = self._closure.labelling.labels(objects)
        members, sets = BitMap(wanted[wanted >= 0].astype(np.uint32)), self._sets[2]
        rows, ends = pairs.runs_of(*bitmaps.concatenated([sets[number] & members for number in used.tolist()]), of)
        return subjects[known[rows]], self._closure.labelling.nodes[ends]

    def reciprocal(self, other: Table) -> Columns:
        """With the closure itself the pairs within its components: O(labels in these)."""
        if other is not self.whole:
            return super().reciprocal(other)
        labels, numbers, sets = self._sets
        used, first, of = np.unique(numbers, return_index=True, return_inverse=True)
        components = self._closure.component[labels[first]].tolist()
        found = [sets[n] & self._members(component) for n, component in zip(used.tolist(), components, strict=True)]
        rows, ends = pairs.runs_of(*bitmaps.concatenated(found), of)
        return self._closure.labelling.nodes[labels[rows]], self._closure.labelling.nodes[ends]

    def _members(self, component: int) -> BitMap:
        """The labels of a component."""
        return bitmaps.from_ids(self._closure.members(component).astype(np.uint32))

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 in bound and len(bound[1]) == 1:
            subjects = self.image(1, bound[1])
            return np.zeros(len(subjects), dtype=np.int64), (subjects, bound[1].repeat(len(subjects)))
        if 1 in bound:
            index, columns = self.inverse().lookup({0: bound[1]})
            return index, columns[::-1]
        known, numbers = self._numbers(bound[0])
        used, of = np.unique(numbers, return_inverse=True)
        sets = self._sets[2]
        index, reached = pairs.runs_of(*bitmaps.concatenated([sets[number] for number in used.tolist()]), of)
        rows = known[index]
        return rows, (bound[0][rows], self._closure.labelling.nodes[reached])
