"""Sets of labels of which many have most of their members in common.

Each is kept as what it has beside the common members, so that these can change without a look at all sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pyroaring import BitMap

from kgreason import memory
from kgreason.columns import bitmaps
from kgreason.relations.numbered_sets import Labels, Mask, NumberedSets, Numbers

if TYPE_CHECKING:
    from kgreason.relations.label_sets import LabelSets
    from kgreason.relations.serialised_sets import Written


class SharedSets(NumberedSets):
    """Set number n is ``own.get(n)``, and where ``is_sharing[n]`` all of `shared` with it."""

    def __init__(self, own: NumberedSets, shared: BitMap, is_sharing: Mask) -> None:
        self.own = own
        self.shared = shared
        self.is_sharing = is_sharing

    def __len__(self) -> int:
        return len(self.own)

    @property
    def nbytes(self) -> int:
        return self.own.nbytes + self.is_sharing.nbytes + len(self.shared.serialize())

    def get(self, number: int) -> BitMap:
        own = self.own.get(number)
        return own | self.shared if self.is_sharing[number] else own

    @cached_property
    def _is_shared(self) -> Mask:
        """For each label whether it is one of the common members."""
        found = np.zeros(len(self), dtype=np.bool_)
        found[bitmaps.to_ids(self.shared)] = True
        return found

    def sizes(self, numbers: Numbers) -> Numbers:
        counts = self.own.sizes(numbers).copy()
        sharing = self.is_sharing[numbers]
        own, members = self.own.column(numbers[sharing])
        twice = np.bincount(np.repeat(np.arange(len(own)), own), self._is_shared[members], minlength=len(own))
        counts[sharing] += len(self.shared) - twice.astype(np.int64)
        return counts

    def column(self, numbers: Numbers) -> tuple[Numbers, Labels]:
        """Nanoseconds for each label; some microseconds more for each set that has the common members."""
        if not self.is_sharing[numbers].any():
            return self.own.column(numbers)
        memory.check(24 * int(self.sizes(numbers).sum()), "a column of labels")
        columns = [bitmaps.to_ids(self.get(number)) for number in memory.watched(numbers.tolist(), "a set of labels")]
        return np.array([*map(len, columns)], dtype=np.int64), np.concatenate(columns)

    def has(self, number: int, label: int) -> bool:
        return bool(self.is_sharing[number] and label in self.shared) or self.own.has(number, label)

    def contains(self, numbers: Numbers, labels: Labels) -> Mask:
        found: Mask = self.is_sharing[numbers] & self._is_shared[labels]
        left = ~found
        found[left] = self.own.contains(numbers[left], labels[left])
        return found

    def is_empty(self, number: int) -> bool:
        return not self.is_sharing[number] and self.own.is_empty(number)

    def differing(self, other: NumberedSets) -> set[int]:
        """O(sets) where the common members differ."""
        if not isinstance(other, SharedSets):
            return {*range(len(self))}
        found = self.own.differing(other.own)
        both = min(len(self), len(other))
        mine, theirs = self.is_sharing[:both], other.is_sharing[:both]
        differ = mine != theirs
        if self.shared != other.shared:
            differ |= mine
        found.update(np.flatnonzero(differ).tolist())
        found.update((both + np.flatnonzero(self.is_sharing[both:])).tolist())  # a new set may have nothing else
        return found

    def changed(self, sets: Mapping[int, Written], count: int) -> SharedSets:
        """Those that are given share nothing any more."""
        is_sharing = np.zeros(count, dtype=np.bool_)
        is_sharing[: len(self)] = self.is_sharing
        is_sharing[[*sets]] = False
        return SharedSets(self.own.changed(sets, count), self.shared, is_sharing)

    def compacted(self) -> SharedSets:
        own = self.own.compacted()
        return self if own is self.own else SharedSets(own, self.shared, self.is_sharing)

    def stored(self) -> LabelSets:
        return self.own.stored()

    def _check(self) -> None:
        self.own._check()
        assert len(self.is_sharing) == len(self), "a set does not tell whether it shares members"
        assert not self.shared or self.shared.max() < len(self), "a common label that does not exist"
