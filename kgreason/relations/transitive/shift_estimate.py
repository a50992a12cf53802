"""How much of a closure a few edges shift as they come or go, by a look at some of its sets.

Without cycles a set loses something with an edge unless it reaches the edge's target by another of its sources, and
gains something unless it reaches the target already: what the sets of the version before tell. So a change that has
most sets made anew is seen before they are made, and one that few sets reach before all of them are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from pyroaring import BitMap

from kgreason import tuning
from kgreason.columns import bitmaps
from kgreason.relations.binary import BinaryTable
from kgreason.relations.transitive.label_closure import Closure
from kgreason.relations.transitive.node_labels import Labels


@dataclass(frozen=True, slots=True)
class Shift:
    """The shares of the sets that a change may concern, and of those that it changes."""

    reaching: float
    changing: float


def estimate(closure: Closure, changed: BinaryTable, edges: BinaryTable | None = None) -> Shift | None:
    """What edges shift that go, if `edges` are those that are left, or that come: a look at `tuning.SHIFT_SAMPLE` sets
    for each of them. None for many edges, with cycles, and where an end is new."""
    sources, targets = (closure.labelling.labels(column) for column in changed.columns())
    is_known = bool((sources >= 0).all() and (targets >= 0).all())
    if closure.groups or not is_known or not 0 < len(sources) <= tuning.SHIFT_EDGES:
        return None
    others = [_others(closure, edges, node) for node in changed.columns()[1].tolist()]
    sample = range(0, len(closure.labelling), max(1, len(closure.labelling) // tuning.SHIFT_SAMPLE))
    reaching = changing = 0
    for label in sample:
        reached = closure.reached.get(label) | BitMap([label])
        met = [number for number, source in enumerate(sources.tolist()) if source in reached]
        reaching += bool(met)
        changing += any(not _has_other(reached, others[number], int(targets[number])) for number in met)
    return Shift(reaching / len(sample), changing / len(sample))


def _others(closure: Closure, edges: BinaryTable | None, target: int) -> BitMap | None:
    """The labels of what edges that are left lead from to a node; None where edges come."""
    if edges is None:
        return None
    labels: Labels = closure.labelling.labels(edges.image_of(1, target))
    return bitmaps.from_ids(labels.astype(np.uint32))


def _has_other(reached: BitMap, others: BitMap | None, target: int) -> bool:
    """Whether the target is reached by an edge that neither comes nor goes."""
    return target in reached if others is None else reached.intersect(others)
