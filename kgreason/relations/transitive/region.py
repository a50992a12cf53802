"""What removal and addition share: a closure in the middle of a change, and the region that the change concerns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from pyroaring import BitMap

from kgreason.checkpoints import checkpoint, passes
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns.components import topological_components
from kgreason.columns.graphs import Nodes, rows_of_keys
from kgreason.relations.binary import BinaryTable
from kgreason.relations.pair_blocks import NO_KEYS
from kgreason.relations.set_writers import SetEditor
from kgreason.relations.table import Mask
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labelling, Labels
from kgreason.relations.transitive.shift_estimate import Shift
from kgreason.relations.transitive.splitting import Split


class CostlyError(Exception):
    """To close all edges from scratch costs less than a change; `split` says into which parts the components of edges
    that went come apart, where that was found out."""

    def __init__(self, split: Split | None = None) -> None:
        super().__init__("to close from scratch costs less")
        self.split = split


class Change:
    """The parts of the next version, as far as they are known by now. What makes sets anew raises CostlyError."""

    def __init__(
        self, closure: Closure, edges: BinaryTable, shift: Callable[[], Shift | None] = lambda: None
    ) -> None:
        """The change of a closure into that of other edges; `shift` tells how many sets it concerns, where asked."""
        self.before = closure
        self.edges = edges
        self.labelling: Labelling = closure.labelling
        self.component: NDArray[np.int32] = closure.component
        self.groups: dict[int, Labels] = dict(closure.groups)
        self.sets = SetEditor(closure.reached)
        self.pairs = closure.pairs
        self.is_ordered = closure.is_ordered
        # So many sets may be made anew before to close from scratch costs less, unless a look at some tells.
        self._left = max(closure_tuning.REMADE_SETS_LEAST, len(closure.reached) // closure_tuning.REMADE_SETS_SHARE)
        self._estimate = shift
        self._unseen = max(closure_tuning.REMADE_SETS_LEAST, len(closure.reached) // closure_tuning.SHIFT_SAMPLE)

    @cached_property
    def _shift(self) -> Shift | None:
        return self._estimate()

    def foresee_sets(self, sets: int) -> None:
        """So many more sets are about to be made anew."""
        if sets > self._left:
            raise CostlyError

    def count_sets(self, sets: int) -> None:
        """So many more sets are made anew."""
        self._left -= sets
        self._unseen -= sets
        if self._unseen < 0:
            self._check_shift()
        if self._left < 0 and self._shift is None:
            raise CostlyError

    def _check_shift(self) -> None:
        if self._shift is not None and self._shift.is_large:
            raise CostlyError

    def finish(self) -> Closure:
        reached = self.sets.finish(len(self.labelling))
        return Closure(
            self.edges,
            self.labelling,
            self.component,
            self.groups,
            reached,
            self.pairs,
            self.before.fresh_bytes,
            self.is_ordered,
        )

    def labels_of(self, components: Labels) -> Labels:
        """The labels of all members of components."""
        numbers = components.tolist() if self.groups else []
        large = [self.groups[number] for number in numbers if number in self.groups]
        if not large:
            return components
        small = np.array([number for number in numbers if number not in self.groups], dtype=np.int64)
        return np.concatenate((small, *large))

    def ends(self, table: BinaryTable) -> tuple[Labels, Labels]:
        """Edges as columns of labels."""
        keys = table.keys()
        return self.labelling.labels(pairs.subjects(keys)), self.labelling.labels(pairs.objects(keys))

    def successors(self, labels: Labels) -> tuple[Labels, Labels]:
        """The edges that leave the labels, as columns of labels."""
        index, (_, objects) = self.edges.lookup({0: self.labelling.nodes[labels]})
        return labels[index], self.labelling.labels(objects)

    def successors_in_parts(self, labels: Labels) -> Iterator[tuple[Labels, Labels]]:
        """The same, a bounded number of edges at a time."""
        nodes = self.labelling.nodes[labels]
        for index, (_, objects) in self.edges.lookups({0: nodes}, closure_tuning.ASKED_PAIRS):
            yield labels[index], self.labelling.labels(objects)

    def predecessors(self, labels: Labels) -> Labels:
        """The labels that edges lead from to some others."""
        _, (subjects, _) = self.edges.lookup({1: self.labelling.nodes[labels]})
        return self.labelling.labels(subjects)

    def ancestors(self, components: Labels) -> Labels:
        """The components and all that reach them, sorted: breadth first, against the edges.

        Every edge that came must leave one of the components. So what is far above them reached the last layer before
        the change as well, and where a graph is deep the sets of the version before tell it.
        """
        seen = np.zeros(len(self.labelling), dtype=np.bool_)
        layers = 0
        while len(components):
            checkpoint()
            layers += 1
            if layers > closure_tuning.LAYERS and self._is_deep(layers, seen):
                seen[components] = True
                seen[self._reached_before(components)] = True
                break
            seen[components] = True
            nodes = self.labelling.nodes[self.labels_of(components)]
            found = self.component[self.labelling.labels(self.edges.image(1, nodes))]
            components = sorted_sets.unique(found[~seen[found]]).astype(np.int64)
        region = np.flatnonzero(seen)
        if len(region) > self._unseen:
            self._check_shift()
        return region

    def _is_deep(self, layers: int, seen: Mask) -> bool:
        """Whether the layers that are left take longer than a look at all sets, as far as that is known."""
        self._check_shift()
        if layers * closure_tuning.LAYER_SETS > len(self.before.reached):
            return True
        if self._shift is None:
            return False
        found = np.count_nonzero(seen)
        left = (self._shift.reaching * len(seen) - found) * layers / found
        return bool(left * closure_tuning.LAYER_SETS > len(self.before.reached))

    def _reached_before(self, components: Labels) -> Labels:
        """The components that reached one of some before the change: a look at each set that may have."""
        labels = self.labels_of(components)
        wanted = bitmaps.from_ids(labels.astype(np.uint32))
        before = self.before
        above = before.component[int(labels.min()) :] if before.is_ordered else before.component
        numbers = passes(sorted_sets.unique(above).tolist())
        found = [number for number in numbers if before.reached.get(number).intersect(wanted)]
        labels = np.flatnonzero(np.isin(before.component, found))
        return self.component[labels].astype(np.int64)

    def reach(self, components: Collection[int]) -> BitMap:
        """What components reach, and themselves; a component with several members reaches itself anyway."""
        if not components:
            return BitMap()
        members = bitmaps.union([self.sets.get(number) for number in components])
        for number in components:
            if number not in self.groups:
                members.add(number)
        return members

    def own(self, component: int) -> BitMap:
        """The labels of a component as a set."""
        return bitmaps.from_ids(self.labels_of(np.array([component])).astype(np.uint32))

    def size(self, component: int) -> int:
        labels = self.groups.get(component)
        return 1 if labels is None else len(labels)


class Region:
    """Some components, successors first, with the components that their edges lead to."""

    def __init__(self, change: Change, components: Labels) -> None:
        places = np.zeros(len(change.component), dtype=np.uint32)  # of a component its position and one, or none
        places[components] = np.arange(1, len(components) + 1)
        self.cyclic: set[int] = set()
        found = [NO_KEYS]
        for leaving, entering in change.successors_in_parts(change.labels_of(components)):
            sources, targets = change.component[leaving], change.component[entering]
            differ = sources != targets
            self.cyclic.update(sources[~differ].tolist())
            found.append(pairs.distinct(places[sources[differ]] - 1, targets[differ].view(np.uint32)))
        offsets, self._targets = rows_of_keys(len(components), sorted_sets.union_of_parts(found))
        self._offsets: list[int] = offsets.tolist()
        ends = places[self._targets]
        is_within = ends > 0
        owners = np.arange(len(components), dtype=np.uint32).repeat(np.diff(offsets))[is_within]
        self.components = components.tolist()
        self.merged, self.order = _condensed(len(components), owners, ends[is_within] - 1)

    def targets(self, position: int) -> list[int]:
        """The components that edges of the component at a position lead to, itself left out."""
        found: list[int] = self._targets[self._offsets[position] : self._offsets[position + 1]].tolist()
        return found


def _condensed(count: int, sources: Nodes, targets: Nodes) -> tuple[Labels, Labels]:
    """The strongly connected component of each node, and the nodes with targets first, component by component.

    As long as no edge contradicts them, labels are such an order, and the one with the best locality.
    """
    if (sources > targets).all():
        return np.arange(count), np.arange(count)
    merged = topological_components(count, sources, targets)
    return merged, np.argsort(-merged, kind="stable")
