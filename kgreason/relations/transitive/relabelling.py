"""The sets of a closure under the labels of another one.

A set has all members of a component, or none of them. So those of a large component get their labels once, and what is
left for each set are its other members.
"""

from __future__ import annotations

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels


class Relabelling:
    """The sets of a closure under other labels: for each label of it the other one, or -1 for none."""

    def __init__(self, closure: Closure, label: Labels) -> None:
        self._label = label
        groups = closure.groups.items()
        self._large = {number: members for number, members in groups if len(members) >= closure_tuning.LABELLED_ONCE}
        self._numbers = BitMap(self._large)
        self._members = bitmaps.union([_set_of(members) for members in self._large.values()])
        self._known: dict[int, BitMap] = {}

    def of(self, members: BitMap) -> BitMap:
        """One of its sets: O(members that are not in large components), and a microsecond or two for each component
        that is large."""
        found = labelled(members - self._members, self._label)
        for number in members & self._numbers:
            found |= self._component(number)
        return found

    def _component(self, number: int) -> BitMap:
        found = self._known.get(number)
        if found is None:
            found = self._known[number] = labelled(_set_of(self._large[number]), self._label)
        return found


def labelled(members: BitMap, label: Labels) -> BitMap:
    """A set under other labels; -1 is none."""
    found = label[bitmaps.to_ids(members)]
    return bitmaps.from_ids(np.sort(found[found >= 0].astype(np.uint32)))


def _set_of(labels: Labels) -> BitMap:
    return bitmaps.from_ids(labels.astype(np.uint32))
