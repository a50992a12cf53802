"""The pairs of a closure that some of its edges connect: those with a path along one of them.

When these edges go, no other pair is concerned: each has paths along other edges alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from pyroaring import BitMap

from kgreason.checkpoints import passes
from kgreason.columns import sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Columns, Ids, Mask
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.labelled_pairs import LabelledPairs, Sets
from kgreason.relations.transitive.region import Change, Region
from kgreason.relations.virtual import VirtualTable

if TYPE_CHECKING:
    from kgreason.relations.transitive.closure_table import TransitiveTable


class PassingPairs(LabelledPairs, VirtualTable):
    """The pairs of a closure with a path along some edges; found when something first reads them.

    Cost: one union of sets for each edge that leaves a component which reaches one of these edges.
    """

    scheme = "passing"

    def __init__(self, whole: TransitiveTable, edges: BinaryTable) -> None:
        """Edges of the closure."""
        self.whole = whole
        self._edges = edges
        self._inverse: PassingPairs | None = None

    @cached_property
    def _sets(self) -> Sets:
        closure = self._closure
        found = _passing_sets(closure, self._edges)
        numbers = np.array(sorted(found), dtype=np.int64)
        labels = np.flatnonzero(np.isin(closure.component, numbers))
        return labels, np.searchsorted(numbers, closure.component[labels]), [found[n] for n in numbers.tolist()]

    def contains(self, columns: Columns) -> Mask:
        known, numbers = self._numbers(columns[0])
        targets = self._closure.labelling.labels(columns[1])
        found = np.zeros(len(columns[0]), dtype=np.bool_)
        order = np.argsort(numbers, kind="stable")
        bounds = np.flatnonzero(np.diff(numbers[order], prepend=-1, append=-1))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            rows = known[order[first:last]]
            members = self._sets[2][int(numbers[order[first]])]
            found[rows] = [target >= 0 and target in members for target in targets[rows].tolist()]
        return found

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        """That of the closure at a position that it has no index of, since none is to be made for that."""
        if position == 0 or self._inverse is not None:
            return super().expected_fanout(position, identifiers)
        return self.whole.expected_fanout(position, identifiers)

    def is_indexed(self, position: int) -> bool:
        return self.whole.is_indexed(position)

    def inverse(self) -> VirtualTable:
        if self._inverse is None:
            self._inverse = PassingPairs(self.whole.inverse(), self._edges.inverse())
            self._inverse._inverse = self
        return self._inverse


def least_passing(closure: Closure, edges: BinaryTable) -> int:
    """How many pairs have a path along some edges at least: of each component that one of them leaves what is reached
    along the one that leads to most. Those of the components above are not counted. O(edges)."""
    sources, targets = (closure.component[closure.labelling.labels(column)] for column in edges.columns())
    if not len(sources):
        return 0
    sizes = np.bincount(closure.component, minlength=len(closure.component))
    ends, of = np.unique(targets.astype(np.int64), return_inverse=True)
    reached = closure.reached.sizes(ends)
    # What has a cycle reaches itself, and is counted already.
    reached += (sizes[ends] == 1) & ~closure.reached.contains(ends, ends.astype(np.uint32))
    most = np.zeros(len(closure.component), dtype=np.int64)
    np.maximum.at(most, sources, reached[of])
    return int((most * sizes).sum())


def _passing_sets(closure: Closure, edges: BinaryTable) -> dict[int, BitMap]:
    """For each component that reaches an edge the labels that it reaches along one, successors first."""
    change = Change(closure, closure.edges)
    sources, targets = (closure.component[labels].astype(np.int64) for labels in change.ends(edges))
    found: dict[int, BitMap] = {}
    for source, target in zip(sources.tolist(), targets.tolist(), strict=True):
        reached = closure.reached.get(source) if source == target else change.reach([target])
        found[source] = found[source] | reached if source in found else reached
    region = Region(change, change.ancestors(sorted_sets.unique(sources)))
    for position in passes(region.order.tolist()):
        number = region.components[position]
        below = [found[target] for target in region.targets(position) if target in found]
        own = [found[number]] if number in found else []
        if below:
            found[number] = BitMap.union(*own, *below)
    return found
