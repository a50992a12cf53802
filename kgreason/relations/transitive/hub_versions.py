"""The next version of a closure that has a hub, after edges come or go.

Which labels are above the hub and which below follows the edges by short searches; where some change sides, edges from
above to below come back to the rest, or leave it. So an edge that takes the hub apart changes the sets of its parts,
and of what leads to these by other ways, in place of all sets above.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Mask
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.addition import Addition, with_fresh_labels
from kgreason.relations.transitive.label_closure import Closure, Hub, with_hub
from kgreason.relations.transitive.node_labels import Labels
from kgreason.relations.transitive.region import CostlyError
from kgreason.relations.transitive.removal import Removal


def without_edges(closure: Closure, hub: Hub, edges: BinaryTable, removed: BinaryTable) -> Closure:
    """The closure with a hub after some edges went, given those that are left; CostlyError as of any change."""
    change = _HubChange(hub, edges)
    sources, targets = (closure.labelling.labels(column) for column in removed.columns())
    change.take(removed.filter(~(hub.above[sources] & hub.below[targets])))
    whole = closure.members(hub.number)
    change.follow_hub(whole)
    upper, lower = change.parts(whole)
    change.above[upper] = True
    weakened = sorted_sets.unique(closure.component[sources[hub.above[sources]]]).tolist()
    suspects = [closure.members(number) for number in weakened]
    change.drop_unsupported(np.concatenate([change.labels_before(lower), *suspects]))
    lost = np.flatnonzero(hub.below & ~change.below)
    dropped = np.flatnonzero(hub.above & ~change.above)
    change.take(change.leaving(upper, change.below))
    change.put(change.leaving(dropped, hub.below).union(change.entering(lost, hub.above)))
    return change.finish(lost, closure.is_ordered)


def with_edges(closure: Closure, hub: Hub, edges: BinaryTable, added: BinaryTable) -> Closure:
    """The closure with a hub after some edges came, given all that there are then; CostlyError as of any change."""
    hub = _with_fresh_labels(hub, added)
    change = _HubChange(hub, edges)
    sources, targets = (hub.rest.labelling.labels(column) for column in added.columns())
    gained = change.search(edges, 0, targets[hub.below[sources]], ~hub.below)
    leads = hub.above | (hub.rest.component == hub.number)
    leading = change.search(edges, 1, sources[leads[targets]], ~leads)
    change.below[gained] = True
    change.above[leading] = True
    change.above[change.below] = False
    risen = leading[change.above[leading]]
    shared = change.leaving(risen, change.below).union(change.entering(gained, change.above))
    change.take(shared.difference(added))
    is_shared = change.above[sources] & change.below[targets]
    change.put(added.filter(~is_shared).union(change.leaving(gained[hub.above[gained]], hub.below)))
    change.follow_hub(np.array([hub.number]))
    component = change.rest.component
    leads_down = component[sources[is_shared]] > component[targets[is_shared]]
    return change.finish(gained, closure.is_ordered and bool(leads_down.all()))


def with_known_edges(hub: Hub, added: BinaryTable) -> Hub:
    """The hub with edges of which the closure has the pairs: those that are not shared are of the rest."""
    sources, targets = (hub.rest.labelling.labels(column) for column in added.columns())
    apart = added.filter(~(hub.above[sources] & hub.below[targets]))
    return replace(hub, rest=replace(hub.rest, edges=hub.rest.edges.union(apart)))


def _with_fresh_labels(hub: Hub, added: BinaryTable) -> Hub:
    """With labels, neither above nor below, for ends of edges that have none yet."""
    labelling, component = with_fresh_labels(hub.rest, added)
    if labelling is hub.rest.labelling:
        return hub
    count = len(labelling)
    reached = hub.rest.reached.changed({}, count)
    rest = replace(hub.rest, labelling=labelling, component=component, reached=reached)
    nowhere = np.zeros(count - len(hub.above), dtype=np.bool_)
    above, below = (np.concatenate((side, nowhere)) for side in (hub.above, hub.below))
    return replace(hub, rest=rest, above=above, below=below)


class _HubChange:
    """The parts of the next version, as far as they are known by now."""

    def __init__(self, hub: Hub, edges: BinaryTable) -> None:
        self._before = hub
        self._edges = edges
        self._number = hub.number
        self._shared = hub.shared
        self._touched = np.zeros(len(hub.above), dtype=np.bool_)
        self.rest = hub.rest
        self.above = hub.above.copy()
        self.below = hub.below.copy()

    def take(self, edges: BinaryTable) -> None:
        """Have the rest without some of its edges."""
        if len(edges):
            self._follow(Removal(self.rest, self.rest.edges.difference(edges)), edges)

    def put(self, edges: BinaryTable) -> None:
        """Have the rest with edges that it does not have."""
        if len(edges):
            self._follow(Addition(self.rest, self.rest.edges.union(edges)), edges)

    def _follow(self, change: Removal | Addition, edges: BinaryTable) -> None:
        try:
            after = change.run(edges)
        except CostlyError as costly:  # what comes apart after a first change are not the components of before
            raise CostlyError(costly.split if self.rest is self._before.rest else None) from None
        is_made = np.zeros(len(self.above), dtype=np.bool_)
        is_made[[*change.sets.numbers]] = True
        self._touched |= is_made[self.rest.component] | is_made[after.component]
        self.rest = after

    def follow_hub(self, labels: Labels) -> None:
        """Of the components of some labels the one with most of them is the hub; see what it reaches."""
        numbers, counts = np.unique(self.rest.component[labels], return_counts=True)
        self._number = int(numbers[np.argmax(counts)])
        members = bitmaps.from_ids(self.rest.members(self._number).astype(np.uint32))
        self._shared = self.rest.reached.get(self._number) | members
        self.below[:] = False
        self.below[bitmaps.to_ids(self._shared)] = True

    def parts(self, whole: Labels) -> tuple[Labels, Labels]:
        """Of the labels that were the hub those that are parted from it: what reaches it, and what does not."""
        numbers = self.rest.component[whole]
        parted, numbers = whole[numbers != self._number], numbers[numbers != self._number]
        has = self.rest.reached.has
        upper = [number for number in sorted_sets.unique(numbers).tolist() if has(number, self._number)]
        is_upper = np.isin(numbers, upper)
        return parted[is_upper], parted[~is_upper]

    def drop_unsupported(self, suspects: Labels) -> None:
        """Of labels that may lead to the hub no more those that do not, and all that led there by them, leave what is
        above. No component supports itself in a circle, since its members leave together."""
        for _ in range(closure_tuning.LAYERS):
            checkpoint()
            numbers = sorted_sets.unique(self.rest.component[suspects[self.above[suspects]]])
            if not len(numbers):
                return
            labels = np.concatenate([self.rest.members(number) for number in numbers.tolist()])
            sources, targets = self._ends(self._edges, 0, labels)
            own, others = self.rest.component[sources], self.rest.component[targets]
            leads = (others == self._number) | (self.above[targets] & (own != others))
            gone = labels[~np.isin(self.rest.component[labels], own[leads])]
            self.above[gone] = False
            suspects = self.labels_before(gone)
        raise CostlyError

    def _ends(self, edges: BinaryTable, position: int, labels: Labels) -> tuple[Labels, Labels]:
        """The edges of which some labels are the sources, or the targets, as columns of labels."""
        labelling = self.rest.labelling
        _, (subjects, objects) = edges.lookup({position: labelling.nodes[labels]})
        return labelling.labels(subjects), labelling.labels(objects)

    def labels_before(self, labels: Labels) -> Labels:
        """The labels that an edge leads from to some others."""
        return sorted_sets.unique(self._ends(self._edges, 1, labels)[0])

    def leaving(self, labels: Labels, side: Mask) -> BinaryTable:
        """The edges that lead from some labels to a side."""
        sources, targets = self._ends(self._edges, 0, labels)
        return self._table(sources, targets, side[targets])

    def entering(self, labels: Labels, side: Mask) -> BinaryTable:
        """The edges that lead from a side to some labels."""
        sources, targets = self._ends(self._edges, 1, labels)
        return self._table(sources, targets, side[sources])

    def _table(self, sources: Labels, targets: Labels, kept: Mask) -> BinaryTable:
        nodes = self.rest.labelling.nodes
        return BinaryTable.of((nodes[sources[kept]], nodes[targets[kept]]))

    def search(self, edges: BinaryTable, position: int, starts: Labels, within: Mask) -> Labels:
        """Those of some labels that are within a side, and all that edges lead to from there within it, or from."""
        seen = np.zeros(len(within), dtype=np.bool_)
        fresh = sorted_sets.unique(starts[within[starts]])
        for _ in range(closure_tuning.LAYERS):
            checkpoint()
            if not len(fresh):
                return np.flatnonzero(seen)
            seen[fresh] = True
            ends = self._ends(edges, position, fresh)[1 - position]
            fresh = sorted_sets.unique(ends[within[ends] & ~seen[ends]])
        raise CostlyError

    def finish(self, moved: Labels, is_ordered: bool) -> Closure:
        """The next version, after some labels came below the hub or are there no more."""
        before = self._before
        hub = Hub(self._number, self.above, self.below, self._shared, self.rest, 0)
        self._touched |= before.above != self.above
        # What is above reaches a hub by nothing else than shared edges.
        beside = (self.rest.component != self._number) & (before.rest.component != before.number)
        self._touched[self.search(self.rest.edges, 1, moved, beside)] = True
        touched = np.flatnonzero(self._touched)
        overlap = before.overlap - before.counted_twice(touched) + hub.counted_twice(touched)
        return with_hub(self._edges, replace(hub, overlap=overlap), is_ordered and self.rest.is_ordered)
