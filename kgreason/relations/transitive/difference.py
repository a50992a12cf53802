"""What a version of a closure has and another version with the same labels lacks, set by set."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, pairs
from kgreason.relations.table import NO_IDS, Columns, Ids, Index
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.virtual import DifferenceTable

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable


class ClosureDifference(DifferenceTable):
    """The pairs that came between two versions, or those that went: a look at the components that changed.

    Nothing is compared before something reads them: most changes are never read.
    """

    def __init__(self, whole: TransitiveTable, part: TransitiveTable) -> None:
        """Two versions with the same labels."""
        super().__init__(whole, part)
        self._nodes = whole.closure.labelling.nodes
        self._mine, self._theirs = whole.closure, part.closure
        self._versions = (whole, part)

    @cached_property
    def _sets(self) -> tuple[Labels, Labels, list[BitMap]]:
        """The labels of the subjects, for each the number of its set, and the sets of labels of the objects."""
        whole, part = self._versions
        labels = whole.changed_labels(part)
        known = labels < len(self._theirs.component)
        before = np.full(len(labels), -1, dtype=np.int64)
        before[known] = self._theirs.component[labels[known]]
        after = self._mine.component[labels].astype(np.int64)
        kinds, number = np.unique(np.stack((after, before), axis=1), axis=0, return_inverse=True)
        number = number.reshape(-1)
        sets = [
            self._mine.reached.get(new) - (self._theirs.reached.get(old) if old >= 0 else BitMap())
            for new, old in kinds.tolist()
        ]
        present = np.fromiter(map(bool, sets), dtype=np.bool_, count=len(sets))
        kept = present[number] if len(number) else np.zeros(0, dtype=np.bool_)
        return labels[kept], number[kept], sets

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

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        if 1 in bound:
            return super().lookup(bound)
        labels, numbers, sets = self._sets
        wanted = self._mine.labelling.labels(bound[0])
        at = np.searchsorted(labels, wanted)
        at[at == len(labels)] = 0
        known = np.flatnonzero(labels[at] == wanted) if len(labels) else np.empty(0, dtype=np.int64)
        used, of = np.unique(numbers[at[known]], return_inverse=True)
        runs = [bitmaps.to_ids(sets[number]) for number in used.tolist()]
        lengths = np.fromiter(map(len, runs), dtype=np.int64, count=len(runs))
        end = np.cumsum(lengths)
        index, positions = pairs.spread((end - lengths)[of], end[of])
        reached = np.concatenate(runs) if runs else NO_IDS
        rows = known[index]
        return rows, (bound[0][rows], self._nodes[reached[positions]])
