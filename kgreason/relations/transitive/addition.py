"""Edges come: components merge, and the sets above gain what they did not reach before.

An edge whose pair is in the closure already changes nothing. A new cycle goes through a new edge, so all of it
reaches that edge's source: condensing the components that do finds every merger.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.label_sets import LabelSets
from kgreason.relations.set_writers import SetEditor
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labelling, Labels
from kgreason.relations.transitive.region import Change, Region


def with_fresh_labels(closure: Closure, added: BinaryTable) -> tuple[Labelling, NDArray[np.int32]]:
    """The labelling and the components with fresh labels for ends of edges that have none yet."""
    labelling = closure.labelling.extended(np.concatenate(added.columns()))
    fresh = np.arange(len(closure.component), len(labelling), dtype=np.int32)
    return labelling, np.concatenate((closure.component, fresh))


class Addition(Change):
    """One change that adds edges."""

    def run(self, added: BinaryTable) -> Closure:
        """The closure with edges that it does not have."""
        self.labelling, self.component = with_fresh_labels(self.before, added)
        sources, targets = self.ends(added)
        effective = ~self.before.contains(self._known(sources), self._known(targets))
        if effective.any():
            self._grow(self.component[sources[effective]], self.component[targets[effective]])
        return self.finish()

    def _known(self, labels: Labels) -> Labels:
        """Labels with -1 for those that are fresh."""
        return np.where(labels < len(self.before.labelling), labels, -1)

    def _grow(self, sources: NDArray[np.int32], targets: NDArray[np.int32]) -> None:
        """Bring the sets above new edges up to date."""
        region = Region(self, self.ancestors(sorted_sets.unique(sources).astype(np.int64)))
        fresh: dict[int, set[int]] = {}
        for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
            fresh.setdefault(source, set()).add(target)
        order, merged = region.order, region.merged[region.order]
        bounds = np.flatnonzero(np.diff(merged, prepend=-1, append=-1)).tolist()
        self._gained = SetEditor(LabelSets.empty())
        self._become: dict[int, int] = {}
        component = self.component.copy()
        for first, last in passes(pairwise(bounds)):
            gained = BitMap()
            positions = order[first:last].tolist()
            for position in positions:
                self._gain(region.components[position], region.targets(position), fresh, gained)
            numbers = [region.components[position] for position in positions]
            self.count_sets(len(numbers) if len(numbers) > 1 or gained else 0)
            if len(numbers) > 1:
                self._merge(numbers, gained, component)
            elif gained:
                self._put(numbers[0], gained)
        self.component = component
        sources, targets = component[sources], component[targets]
        self.is_ordered &= bool((sources >= targets).all())

    def _gain(self, number: int, targets: list[int], fresh: dict[int, set[int]], gained: BitMap) -> None:
        """Collect what a component may gain: what changed below it gained, and what its new edges lead to."""
        for target in targets:
            if target in self._gained:
                gained |= self._gained.get(target)
        gained |= self.reach([self._become.get(target, target) for target in fresh.get(number, ())])

    def _put(self, number: int, gained: BitMap) -> None:
        before = self.sets.get(number)
        gained -= before
        if gained:
            self.sets.put(number, before | gained)
            self._gained.put(number, gained)
            self.pairs += self.size(number) * len(gained)

    def _merge(self, numbers: list[int], gained: BitMap, component: NDArray[np.int32]) -> None:
        """Several components become one, numbered by their least label, that reaches all that they did."""
        olds = {number: self.sets.get(number) for number in numbers}
        self.pairs -= sum(self.size(number) * len(old) for number, old in olds.items())
        labels: Labels = np.sort(self.labels_of(np.array(numbers)))
        whole = min(numbers)
        for number in numbers:
            self.groups.pop(number, None)
            self._become[number] = whole
        self.groups[whole] = labels
        # What leads to a run of labels, or is reached from there, is above all of them, or below.
        self.is_ordered &= int(labels[-1]) - whole == len(labels) - 1
        component[labels] = whole
        members = BitMap.union(gained, self.own(whole), *olds.values())
        for number, old in olds.items():
            self.sets.put(number, members if number == whole else BitMap())
            self._gained.put(number, members - old)
        self.pairs += len(labels) * len(members)
