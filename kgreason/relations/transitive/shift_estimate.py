"""How much of a closure a few edges shift as they come or go, by a look at some of its sets.

A set loses something with an edge between components unless it reaches the edge's target by another of its sources, and
gains something unless it reaches the target already: what the sets of the version before tell. So a change that has
most sets made anew is seen before they are made, and one that few sets reach before all of them are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, sorted_sets
from kgreason.relations.binary import BinaryTable
from kgreason.relations.transitive import closure_tuning
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import NO_LABELS, Labels


@dataclass(frozen=True, slots=True)
class Shift:
    """How many sets there are, and the shares of those that a change may concern, and that it changes; `is_large` says
    that to close from scratch costs less."""

    sets: int
    reaching: float
    changing: float
    is_large: bool


def going(closure: Closure, removed: BinaryTable, left: BinaryTable) -> Shift | None:
    """What some edges of a closure shift as they go, given those that are left; else as `coming`."""

    def leading(component: int) -> Labels:
        """The components that have an edge to one, itself left out."""
        nodes = closure.labelling.nodes[closure.members(component)]
        _, (subjects, _) = left.lookup({1: nodes})
        found = closure.component[closure.labelling.labels(subjects)].astype(np.int64)
        others: Labels = found[found != component]
        return others

    return _estimated(closure, removed, leading, closure_tuning.SHRUNK_PERCENT)


def coming(closure: Closure, added: BinaryTable) -> Shift | None:
    """What some edges shift as they come to a closure: a look at `closure_tuning.SHIFT_SAMPLE` sets. None for many
    edges, for one within a component, and where all begin at new nodes, which nothing reaches."""
    known = added.filter(closure.labelling.labels(added.columns()[0]) >= 0)
    return _estimated(closure, known, lambda component: np.array([component]), closure_tuning.GROWN_PERCENT)


def exchanging(closure: Closure, removed: BinaryTable, added: BinaryTable, left: BinaryTable) -> Shift | None:
    """What edges that go and edges that come shift together; None where that of either is not known."""
    gone, come = going(closure, removed, left), coming(closure, added)
    if gone is None or come is None:
        return None
    shares = max(gone.reaching, come.reaching), max(gone.changing, come.changing)
    return Shift(gone.sets, *shares, gone.is_large or come.is_large)


def parting(closure: Closure, whole: int, leading: Labels) -> Shift:
    """What a component shifts as it comes apart: the sets that reach it lose its first part, to which none of its
    others lead, unless they reach one of the components beside it that do."""
    keeping = bitmaps.from_ids(sorted_sets.unique(leading).astype(np.uint32))
    return _sampled(closure, [whole], [keeping], closure_tuning.SHRUNK_PERCENT)


def _estimated(
    closure: Closure, changed: BinaryTable, others: Callable[[int], Labels], percent: int
) -> Shift | None:
    """A set that reaches an edge's source changes unless it reaches one of the `others` of the edge's target. All are
    components, by their least labels, and a new target is -1, which nothing reaches yet."""
    if not 0 < len(changed) <= closure_tuning.SHIFT_EDGES:
        return None
    begin, end = (closure.labelling.labels(column) for column in changed.columns())
    sources, targets = closure.component[begin], np.where(end < 0, -1, closure.component[end])
    if (sources == targets).any():
        return None
    known = [others(target) if target >= 0 else NO_LABELS for target in targets.tolist()]
    keeping = [bitmaps.from_ids(sorted_sets.unique(labels).astype(np.uint32)) for labels in known]
    return _sampled(closure, sources.tolist(), keeping, percent)


def _sampled(closure: Closure, sources: Sequence[int], keeping: Sequence[BitMap], percent: int) -> Shift:
    """How many sets reach one of some components, and none of those that keep what is behind it."""
    numbers = np.flatnonzero(closure.component == np.arange(len(closure.component)))
    sample = numbers[:: max(1, len(numbers) // closure_tuning.SHIFT_SAMPLE)].tolist()
    reaching = changing = 0
    for number in sample:
        reached = closure.reached.get(number) | BitMap([number])
        met = [each for source, each in zip(sources, keeping, strict=True) if source in reached]
        reaching += bool(met)
        changing += any(not reached.intersect(each) for each in met)
    return Shift(len(numbers), reaching / len(sample), changing / len(sample), changing * 100 > percent * len(sample))
