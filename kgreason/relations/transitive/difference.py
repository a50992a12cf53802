"""What a version of a closure has and another version lacks, set by set.

Versions that follow each other mostly have the same labels, and only the components that changed are looked at. Where
the closure was made anew, the sets of the other version are read under the labels of this one: O(labels in its sets).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs
from kgreason.relations.table import Columns, Ids, Index, Table
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.virtual import DifferenceTable

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable


class ClosureDifference(DifferenceTable):
    """The pairs that came between two versions, or those that went: a look at the components that changed.

    Nothing is compared before something reads them: most changes are never read.
    """

    def __init__(self, whole: TransitiveTable, part: TransitiveTable) -> None:
        super().__init__(whole, part)
        self._nodes = whole.closure.labelling.nodes
        self._mine, self._theirs = whole.closure, part.closure
        self._versions = (whole, part)

    @cached_property
    def _sets(self) -> tuple[Labels, Labels, list[BitMap]]:
        """The labels of the subjects, for each the number of its set, and the sets of labels of the objects."""
        whole, part = self._versions
        has_same = whole.shares_labels(part)
        labels = whole.changed_labels(part) if has_same else np.arange(len(self._nodes))
        theirs = labels if has_same else self._theirs.labelling.labels(self._nodes)
        known = (theirs >= 0) & (theirs < len(self._theirs.component))
        before = np.full(len(labels), -1, dtype=np.int64)
        before[known] = self._theirs.component[theirs[known]]
        after = self._mine.component[labels].astype(np.int64)
        kinds, number = np.unique(np.stack((after, before), axis=1), axis=0, return_inverse=True)
        number = number.reshape(-1)
        read = self._theirs.reached.get if has_same else self._relabelled()
        sets = [self._mine.reached.get(new) - (read(old) if old >= 0 else BitMap()) for new, old in kinds.tolist()]
        present = np.fromiter(map(bool, sets), dtype=np.bool_, count=len(sets))
        kept = present[number] if len(number) else np.zeros(0, dtype=np.bool_)
        return labels[kept], number[kept], sets

    def _relabelled(self) -> Callable[[int], BitMap]:
        """From a component of the other version to its set under the labels of this one; of a component that is asked
        for again, as one is whose members are apart by now, the set is kept."""
        mine = self._mine.labelling.labels(self._theirs.labelling.nodes)

        @lru_cache(maxsize=1)
        def read(component: int) -> BitMap:
            found = mine[bitmaps.to_ids(self._theirs.reached.get(component))]
            return bitmaps.from_ids(np.sort(found[found >= 0].astype(np.uint32)))

        return read

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
            return np.sort(self._nodes[self._sets[0]])
        reached = BitMap.union(BitMap(), *self._sets[2])
        return np.sort(self._nodes[bitmaps.to_ids(reached)])

    def fanout(self, position: int, identifiers: Ids) -> Index:
        if position == 1:
            return super().fanout(1, identifiers)
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
        wanted = self._mine.labelling.labels(identifiers)
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
        return np.sort(self._nodes[found])

    def _objects(self, identifiers: Ids, is_proper: bool) -> Labels:
        """The labels that are in a set of some ids; with `is_proper`, of another one than its own."""
        known, numbers = self._numbers(identifiers)
        labels = self._mine.labelling.labels(identifiers[known])
        used, first, counts = np.unique(numbers, return_index=True, return_counts=True)
        reached = BitMap()
        for number, label, count in zip(used.tolist(), labels[first].tolist(), counts.tolist(), strict=True):
            found = self._sets[2][number]
            reached |= found - BitMap([label]) if is_proper and count == 1 else found
        return bitmaps.to_ids(reached).astype(np.int64)

    def _subjects_of(self, identifiers: Ids, is_proper: bool) -> Labels:
        """The labels in whose set some ids are; with `is_proper`, another one than its own."""
        labels, numbers, sets = self._sets
        wanted = self._mine.labelling.labels(identifiers)
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
        wanted = self._mine.labelling.labels(objects)
        members = BitMap(wanted[wanted >= 0].astype(np.uint32))
        rows, ends = pairs.runs_of([bitmaps.to_ids(self._sets[2][number] & members) for number in used.tolist()], of)
        return subjects[known[rows]], self._nodes[ends]

    def reciprocal(self, other: Table) -> Columns:
        """Of what a closure gained with the closure itself the pairs within its components: O(labels in these)."""
        if other is not self.whole:
            return super().reciprocal(other)
        labels, numbers, sets = self._sets
        used, first, of = np.unique(numbers, return_index=True, return_inverse=True)
        components = self._mine.component[labels[first]].tolist()
        runs = [
            bitmaps.to_ids(sets[number] & self._members(component))
            for number, component in zip(used.tolist(), components, strict=True)
        ]
        rows, ends = pairs.runs_of(runs, of)
        return self._nodes[labels[rows]], self._nodes[ends]

    def _members(self, component: int) -> BitMap:
        """The labels of a component."""
        return bitmaps.from_ids(self._mine.members(component).astype(np.uint32))

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 in bound:
            return super().lookup(bound)
        known, numbers = self._numbers(bound[0])
        used, of = np.unique(numbers, return_inverse=True)
        sets = self._sets[2]
        index, reached = pairs.runs_of([bitmaps.to_ids(sets[number]) for number in used.tolist()], of)
        rows = known[index]
        return rows, (bound[0][rows], self._nodes[reached])
