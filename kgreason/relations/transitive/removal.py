"""Edges go: components split, and the sets above lose what nothing else below them reaches.

A component that lost an inner edge is condensed again by itself. The set of a component that lost an edge, or
has a successor whose set changed, is made anew from its successors.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from pyroaring import BitMap

from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.transitive import closure_tuning, detours
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.transitive.region import Change, CostlyError, Region
from kgreason.relations.transitive.shift_estimate import parting
from kgreason.relations.transitive.splitting import Split


class Removal(Change):
    """One change that takes edges away."""

    def run(self, removed: BinaryTable) -> Closure:
        """The closure without edges that it has."""
        sources, targets = self.ends(removed)
        sources, targets = self.component[sources].astype(np.int64), self.component[targets].astype(np.int64)
        inner = sources == targets
        split = self._condensed(self._doubtful(removed.filter(inner), sources[inner]))
        try:
            self._follow(split, sources[~inner])
        except CostlyError:
            raise CostlyError(split) from None
        return self.finish()

    def exchange(self, removed: BinaryTable, added: BinaryTable) -> Closure | None:
        """The closure without edges that it has between components and with others between known nodes: sets above both
        are made anew once. None where components merge."""
        ends = [self.ends(edges) for edges in (removed, added)]
        sources, targets = (self.component[np.concatenate(labels)] for labels in zip(*ends, strict=True))
        concerned = sorted_sets.unique(sources.astype(np.int64))
        region = Region(self, self.ancestors(concerned))
        if len(sorted_sets.unique(region.merged)) < len(region.merged):
            return None
        self.is_ordered &= bool((sources > targets).all())
        self._shrink(region, {*concerned.tolist()}, {})
        return self.finish()

    def _follow(self, split: Split, losing: Labels) -> None:
        """Take the parts of components for them, and bring the sets up to date, given the components that lost edges to
        others."""
        old: dict[int, BitMap] = {}
        parts = self._split(split, old) if len(split) else set()
        self.is_ordered &= self._are_in_order(split)
        concerned = parts | {source for source in losing.tolist() if source not in old}
        if concerned:
            region = Region(self, self.ancestors(np.array(sorted(concerned), dtype=np.int64)))
            self._shrink(region, concerned, old)

    def _are_in_order(self, split: Split) -> bool:
        """Whether parts of components are runs of labels, and edges between them lead to lower ones."""
        component = self.component[split.labels]
        runs = np.count_nonzero(np.diff(component, prepend=-1))
        down = component[split.sources] >= component[split.targets]
        return bool(down.all()) and runs == len(sorted_sets.unique(component))

    def _doubtful(self, removed: BinaryTable, components: Labels) -> Labels:
        """Of the components of edges that went those that may have come apart."""
        if len(components) > closure_tuning.DETOUR_EDGES:
            return sorted_sets.unique(components)
        doubtful: set[int] = set()
        sources, targets = removed.columns()
        for component, source, target in zip(components.tolist(), sources.tolist(), targets.tolist(), strict=True):
            limit = self.before_size(component) // closure_tuning.DETOUR_SHARE
            if component not in doubtful and not detours.has_detour(self.edges, source, target, limit):
                doubtful.add(component)
        return np.array(sorted(doubtful), dtype=np.int64)

    def _condensed(self, components: Labels) -> Split:
        """Components that lost an inner edge, condensed again."""
        labels = np.sort(self.labels_of(components)) if len(components) else components
        return Split.of(labels, self.component, *self.successors(labels))

    def _split(self, split: Split, old: dict[int, BitMap]) -> set[int]:
        """Take the parts of components for them; the parts, with the set of their whole in `old`."""
        self.foresee_sets(len(split))
        self._foresee_losses(split)
        labels, found, sources, targets = split.labels, split.part, split.sources, split.targets
        looped = np.zeros(len(labels), dtype=np.bool_)
        looped[sources[sources == targets]] = True
        order = np.argsort(found, kind="stable")
        bounds = np.flatnonzero(np.diff(found[order], prepend=-1, append=-1)) if len(order) else order
        component = self.component.copy()
        parts: set[int] = set()
        for first, last in passes(pairwise(bounds.tolist())):
            positions = order[first:last]
            members = np.sort(labels[positions])
            whole = int(self.component[members[0]])
            if len(members) == self.before_size(whole) and (len(members) > 1 or looped[positions[0]]):
                continue
            if whole not in old:
                old[whole] = self.before.reached.get(whole)
                self.pairs -= self.before_size(whole) * len(old[whole])
                self.groups.pop(whole, None)
            number = int(members[0])
            parts.add(number)
            component[members] = number
            old.setdefault(number, old[whole])
            if len(members) > 1:
                self.groups[number] = members
        self.component = component
        return parts

    def _foresee_losses(self, split: Split) -> None:
        """Look at some sets for how many lose the first part of a large component, to which none of its others lead."""
        wholes = self.component[split.labels]
        for whole in sorted_sets.unique(wholes).tolist():
            if self.before_size(whole) >= closure_tuning.REMADE_SETS_LEAST:
                is_member = wholes == whole
                first = split.labels[is_member & (split.part == split.part[is_member].min())]
                if len(first) < self.before_size(whole):
                    leading = self.component[self.predecessors(first)]
                    shift = parting(self.before, whole, leading[leading != whole])
                    self.foresee_sets(int(shift.changing * shift.sets))

    def before_size(self, component: int) -> int:
        labels = self.before.groups.get(component)
        return 1 if labels is None else len(labels)

    def _shrink(self, region: Region, concerned: set[int], old: dict[int, BitMap]) -> None:
        """Make the sets of a region anew, of the components that are concerned and of those above them."""
        changed: set[int] = set()
        left = len(region.order)
        for position in passes(region.order.tolist()):
            left -= 1
            number, targets = region.components[position], region.targets(position)
            if number not in concerned and changed.isdisjoint(targets):
                continue
            self.count_sets(1)
            members = self.reach(targets)
            if number in region.cyclic:
                members |= self.own(number)
            before = old.get(number)
            if before is None:
                before = self.before.reached.get(number)
                self.pairs -= self.size(number) * len(before)
            self.pairs += self.size(number) * len(members)
            if members != before:
                changed.add(number)
                if number in old and self._is_most_of_its_whole(number):
                    self.foresee_sets(left)  # what reaches it reached the whole, and lacks the same by now
            if members != before or number in old:
                self.sets.put(number, members)

    def _is_most_of_its_whole(self, number: int) -> bool:
        """Whether a component has more than half of the members of the one that it was part of."""
        return 2 * self.size(number) > self.before_size(int(self.before.component[number])) > 1
