"""What a version of a closure has and another version lacks, set by set.

Versions that follow each other mostly have the same labels, and only the components that changed are looked at. Where
the closure was made anew, the sets of the other version are read under the labels of this one: O(labels in its sets),
unless these are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import NO_IDS, Columns, Ids
from kgreason.relations.table_difference import DifferenceTable
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.labelled_pairs import LabelledPairs, Sets
from kgreason.relations.transitive.node_labels import NO_LABELS, Labels
from kgreason.relations.transitive.relabelling import Relabelling, labelled
from kgreason.sorting import distinct_rows

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable

Lacking: TypeAlias = Callable[[int, int], BitMap]


_SAMPLED: Final = 16
"""By so many subjects it is estimated how many pairs there are: a join order asks no more."""


class ClosureDifference(LabelledPairs, DifferenceTable):
    """The pairs that came between two versions, or those that went: a look at the components that changed.

    Nothing is compared before something reads them: most changes are never read.
    """

    whole: TransitiveTable
    part: TransitiveTable

    def __init__(self, whole: TransitiveTable, part: TransitiveTable) -> None:
        DifferenceTable.__init__(self, whole, part)

    def __bool__(self) -> bool:
        """O(edges that differ), before the sets are compared."""
        return super().__bool__() if "_sets" in self.__dict__ else not self.whole.is_subset_of(self.part)

    @property
    def estimate(self) -> int:
        """O(edges that differ) where the other version has no pair more, or none less: no set is compared. By what a
        few subjects reach where most sets differ."""
        if "_sets" in self.__dict__:
            return len(self)
        if self._estimate is None:
            self._estimate = self._guess()
        return self._estimate

    def _guess(self) -> int:
        if self.part.is_subset_of(self.whole):
            return len(self.whole) - len(self.part)
        if not self or not self._differs_much():
            return len(self)
        subjects = self.whole.distinct(0)
        some = subjects[:: -(-len(subjects) // _SAMPLED)].tolist()
        return max(1, sum(len(self._fresh(0, each)) for each in some) * len(subjects) // len(some))

    def some(self) -> Columns:
        """The edges that the other version has not even a path for: O(edges that differ), and no set is compared. There
        is a path for each edge only where no pair is left."""
        found = [(NO_IDS, NO_IDS)]
        for subjects, objects in self.whole.edges.difference(self.part.edges).chunks():
            kept = ~self.part.contains((subjects, objects))
            found.append((subjects[kept], objects[kept]))
        return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])

    def superset(self, most: int) -> Columns | None:
        """What edges connect that the other version does not have, where a few ends are those of all: O(these edges,
        and edges of all that reaches them or is reached); no set is compared."""
        stars = _stars(self.whole.edges.difference(self.part.edges))
        if "_sets" in self.__dict__ or stars is None:
            return None
        parts = [(NO_IDS, NO_IDS)]
        for sources, targets in stars:
            above = sorted_sets.union(sources, self.whole.image(1, sources))
            below = sorted_sets.union(targets, self.whole.image(0, targets))
            most -= len(above) * len(below)
            if most < 0:
                return None
            parts.append((above.repeat(len(below)), np.tile(below, len(above))))
        subjects, objects = map(np.concatenate, zip(*parts, strict=True))
        return subjects, objects

    def loops(self) -> Ids:
        """O(nodes): no set is compared."""
        found = self.whole.loops()
        return found[~self.part.contains((found, found))]

    def between(self, subjects: Ids, objects: Ids) -> Columns:
        """Of few ends by a look at both versions, where most sets differ and none was compared yet."""
        is_few = len(subjects) * len(objects) <= closure_tuning.FEW_BETWEEN
        if "_sets" in self.__dict__ or not is_few or not self._differs_much():
            return super().between(subjects, objects)
        found = self.whole.between(subjects, objects)
        kept = ~self.part.contains(found)
        return found[0][kept], found[1][kept]

    def _fresh(self, position: int, identifier: int) -> Ids:
        """What an id leads to, or what leads to it, in the one version and not in the other."""
        mine, theirs = (np.sort(table.image_of(position, identifier)) for table in (self.whole, self.part))
        return sorted_sets.difference(mine, theirs)

    def _image(self, position: int, identifiers: Ids, is_proper: bool) -> Ids:
        """Of few ids by a search in both versions, where most sets differ and none was compared yet."""
        if "_sets" in self.__dict__ or len(identifiers) > closure_tuning.FEW_ENDS or not self._differs_much():
            return super()._image(position, identifiers, is_proper)
        found = [NO_IDS]
        for each in identifiers.tolist():
            fresh = self._fresh(position, each)
            found.append(fresh[fresh != each] if is_proper else fresh)
        return bitmaps.distinct(np.concatenate(found))

    @property
    def is_dear(self) -> bool:
        """Whether most sets of a large closure are to be compared, all before the first pair is known."""
        if "_sets" in self.__dict__ or len(self.whole.closure.labelling) < closure_tuning.COMPARED_SETS:
            return False
        return self._differs_much()

    def _differs_much(self) -> bool:
        """Whether a good part of the sets differ, as where the edges were closed from scratch."""
        if not self.whole.shares_labels(self.part):
            return True
        labels = self.whole.closure.labelling
        return len(self._changed_labels) * closure_tuning.REMADE_SETS_SHARE > len(labels)

    @cached_property
    def _changed_labels(self) -> Labels:
        """The labels whose sets may differ."""
        return self.whole.changed_labels(self.part)

    @cached_property
    def _sets(self) -> Sets:
        if self.whole.is_subset_of(self.part):
            return NO_LABELS, NO_LABELS, []
        mine, other = self.whole.closure, self.part.closure
        has_same = self.whole.shares_labels(self.part)
        labels = self._changed_labels
        theirs = labels if has_same else other.labelling.labels(mine.labelling.nodes[labels])
        known = (theirs >= 0) & (theirs < len(other.component))
        before = np.full(len(labels), -1, dtype=np.int64)
        before[known] = other.component[theirs[known]]
        after = mine.component[labels].astype(np.int64)
        kinds, number = distinct_rows(np.stack((after, before), axis=1))
        lacking = self._without_set() if has_same else self._relabelled()
        sets = [lacking(new, old) for new, old in kinds.tolist()]
        present = np.fromiter(map(bool, sets), dtype=np.bool_, count=len(sets))
        kept = present[number] if len(number) else np.zeros(0, dtype=np.bool_)
        return labels[kept], number[kept], sets

    def _without_set(self) -> Lacking:
        """From a component of this version and one of the other, or -1, to what the one reaches and the other does not:
        for sets under the same labels."""
        mine, theirs = self.whole.closure.reached.get, self.part.closure.reached.get
        return lambda new, old: mine(new) - theirs(old) if old >= 0 else mine(new)

    @cached_property
    def _label(self) -> Labels:
        """For each label of the other version that of this one, or -1."""
        return self.whole.closure.labelling.labels(self.part.closure.labelling.nodes)

    def _are_permuted(self) -> tuple[bool, bool]:
        """Whether labels are in another order within components of this version alone, and so of the other one."""
        mine, other, label = self.whole.closure, self.part.closure, self._label
        if len(label) != len(mine.labelling) or label.min(initial=0) < 0:
            return False, False
        here, there = (np.array_equal(each.component[label], each.component) for each in (mine, other))
        return here, there

    def _relabelled(self) -> Lacking:
        """The same for sets under different labels.

        After components came apart, their members have their labels in another order (`splitting`): the sets of the
        version in which they are whole are the same under both.
        """
        mine, other, label = self.whole.closure, self.part.closure, self._label
        here, there = self._are_permuted()
        if there:
            return self._without_set()
        if here:
            lacking = self._without_set()
            return lambda new, old: labelled(lacking(new, old), label)
        get, relabelling = mine.reached.get, Relabelling(other, label)

        @lru_cache(maxsize=1)  # a component is asked for again whose members are apart by now
        def read(component: int) -> BitMap:
            return relabelling.of(other.reached.get(component))

        return lambda new, old: get(new) - read(old) if old >= 0 else get(new)


def _stars(edges: BinaryTable) -> list[tuple[Ids, Ids]] | None:
    """Edges as stars: all that have one source, or one target, of which there are few. Each edge is in the star of the
    end that has more of them. None where there are many."""
    ends = edges.columns()
    found = (np.unique(each, return_inverse=True, return_counts=True) for each in ends)
    distinct, numbers, counts = zip(*found, strict=True)
    is_of_source = counts[0][numbers[0]] > counts[1][numbers[1]]
    stars: list[tuple[Ids, Ids]] = []
    for position, mine in enumerate((is_of_source, ~is_of_source)):
        centres = sorted_sets.unique(numbers[position][mine])
        if len(stars) + len(centres) > closure_tuning.FEW_ENDS:
            return None
        for centre in centres.tolist():
            chosen = mine & (numbers[position] == centre)
            own, others = distinct[position][centre : centre + 1], sorted_sets.unique(ends[1 - position][chosen])
            stars.append((others, own) if position else (own, others))
    return stars
