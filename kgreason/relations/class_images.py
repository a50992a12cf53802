"""What groups of things lead to along a relation whose pairs are those within classes: class by class.

Where x1, x2, ... of one class are in a group, each of them leads to all members of the class; so the class is looked up
once for the group, and each member comes out once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs, sorted_sets
from kgreason.relations.equality import EqualityTable
from kgreason.relations.equivalence import EquivalenceTable
from kgreason.relations.table import Ids, Index, Mask, Table

GroupImage: TypeAlias = tuple[Index, Ids]
"""The number of a group, and an id that it leads to, for each row."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassImages:
    """Reads a table of pairs by its classes."""

    _classes: EquivalenceTable
    _equality: EqualityTable | None

    @classmethod
    def of(cls, table: Table) -> ClassImages | None:
        """None for a table without classes."""
        if isinstance(table, EqualityTable):
            return cls(table.classes, table)
        return cls(table, None) if isinstance(table, EquivalenceTable) else None

    def images(self, groups: Index, identifiers: Ids) -> Iterator[GroupImage]:
        """The distinct ids that each group leads to from its ids, about `tuning.JOIN_ROWS` rows at a time, more where
        a class is larger: a sort of the rows, and O(output)."""
        keys = sorted_sets.unique(pairs.pack(groups.astype(np.uint32), identifiers))
        ids = pairs.objects(keys)
        mine = pairs.pack(pairs.subjects(keys), self._classes.least(ids))
        wholes, members = sorted_sets.counted(mine)
        of, least = pairs.subjects(wholes), pairs.objects(wholes)
        first = np.empty(len(wholes), dtype=np.uint32)  # one of the ids, the only one where there is one
        first[wholes.searchsorted(mine)] = ids
        sizes = self._classes.fanout(0, least)
        cuts = np.searchsorted(np.cumsum(sizes), np.arange(tuning.JOIN_ROWS, int(sizes.sum()), tuning.JOIN_ROWS))
        for begin, end in zip([0, *cuts.tolist()], [*cuts.tolist(), len(wholes)], strict=True):
            if begin < end:
                checkpoint()
                index, found = self._classes.expand_subjects(least[begin:end])
                kept = self._are_reached((members == 1)[begin:end][index], first[begin:end][index], found)
                yield of[begin:end][index[kept]].astype(np.int64), found[kept]

    def _are_reached(self, is_single: Mask, first: Ids, found: Ids) -> Index:
        """Which members a group leads to: a single one does not lead to itself, unless it is paired with itself."""
        itself = np.flatnonzero(is_single & (first == found))
        kept = np.ones(len(found), dtype=np.bool_)
        if self._equality is not None:
            kept[itself] = sorted_sets.contains(self._equality.loops(), found[itself])
        return np.flatnonzero(kept)
