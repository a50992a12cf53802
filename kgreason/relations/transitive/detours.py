"""Whether a component that lost inner edges is in one piece all the same, without a look at all of it.

It is when each edge has a way around it. Two searches, onward from where the edge began and backward from where it
went, meet soon in most large components; when they do not, the whole component has to be looked at.
"""

from __future__ import annotations

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps
from kgreason.relations.binary import BinaryTable
from kgreason.relations.table import Ids
from kgreason.relations.transitive import closure_tuning


def has_detour(edges: BinaryTable, source: int, target: int, limit: int) -> bool | None:
    """Whether there is a path from one node to another, None where that takes as long as a look at more than `limit`
    nodes."""
    seen = (BitMap([source]), BitMap([target]))
    layers: list[Ids] = [np.array([source], dtype=np.uint32), np.array([target], dtype=np.uint32)]
    steps = cost = 0
    while len(seen[0]) + len(seen[1]) + cost <= limit:
        steps += 1
        if steps > closure_tuning.DETOUR_STEPS:
            cost += closure_tuning.LAYER_SETS
        side = 0 if len(layers[0]) <= len(layers[1]) else 1
        _, columns = edges.lookup({side: layers[side]})
        fresh = bitmaps.from_ids(columns[1 - side]) - seen[side]
        if not fresh:
            return False
        if not seen[1 - side].isdisjoint(fresh):
            return True
        seen[side].update(fresh)
        layers[side] = bitmaps.to_ids(fresh)
    return None
