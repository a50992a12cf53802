"""How much of a closure a few edges shift as they come or go, by a look at some of its sets.

Without cycles a set loses something with an edge unless it reaches the edge's target by another of its sources, and
gains something unless it reaches the target already: what the sets of the version before tell. So a change that has
most sets made anew is seen before they are made, and one that few sets reach before all of them are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from kgreason import tuning
from kgreason.columns import bitmaps
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Ids
from kgreason.relations.transitive.label_closure import Closure


@dataclass(frozen=True, slots=True)
class Shift:
    """The shares of the sets that a change may concern, and of those that it changes; `is_large` says that to close
    from scratch costs less."""

    reaching: float
    changing: float
    is_large: bool


def going(closure: Closure, removed: BinaryTable, left: BinaryTable) -> Shift | None:
    """What some edges of a closure shift as they go, given those that are left; else as `coming`."""
    return _estimated(closure, removed, lambda node: left.image_of(1, node), tuning.SHRUNK_PERCENT)


def coming(closure: Closure, added: BinaryTable) -> Shift | None:
    """What some edges shift as they come to a closure: a look at `tuning.SHIFT_SAMPLE` sets. None for many edges, for
    a graph with cycles, and where an end is new."""
    return _estimated(closure, added, lambda node: np.array([node], dtype=np.uint32), tuning.GROWN_PERCENT)


def _estimated(
    closure: Closure, changed: BinaryTable, others: Callable[[int], Ids], percent: int
) -> Shift | None:
    """A set that reaches an edge's source changes unless it reaches one of the `others` of the edge's target."""
    sources, targets = (closure.labelling.labels(column) for column in changed.columns())
    is_known = bool((sources >= 0).all() and (targets >= 0).all())
    if closure.groups or not is_known or not 0 < len(sources) <= tuning.SHIFT_EDGES:
        return None
    kept = [closure.labelling.labels(others(node)) for node in changed.columns()[1].tolist()]
    keeping = [bitmaps.from_ids(labels.astype(np.uint32)) for labels in kept]
    sample = range(0, len(closure.labelling), max(1, len(closure.labelling) // tuning.SHIFT_SAMPLE))
    reaching = changing = 0
    for label in sample:
        reached = closure.reached.get(label) | BitMap([label])
        met = [each for source, each in zip(sources.tolist(), keeping, strict=True) if source in reached]
        reaching += bool(met)
        changing += any(not reached.intersect(each) for each in met)
    return Shift(reaching / len(sample), changing / len(sample), changing * 100 > percent * len(sample))
