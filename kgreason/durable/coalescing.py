"""Many small steps as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.durable.records import Step
from kgreason.loading.quads import Quads


def coalesced(steps: Sequence[Step]) -> list[Step]:
    """One step with the same effect, whatever was there before: the last word on each quad counts. One sort."""
    if len(steps) < 2:
        return list(steps)
    parts = [(quads, is_added) for added, removed in steps for quads, is_added in ((removed, False), (added, True))]
    every = Quads.concatenated([quads for quads, _ in parts])
    is_added = np.repeat(np.array([flag for _, flag in parts]), [len(quads) for quads, _ in parts])
    order = np.lexsort((every.object, every.subject, every.predicate, every.graph))
    is_last = np.ones(len(order), dtype=np.bool_)
    is_last[:-1] = False
    for column in (every.graph, every.subject, every.predicate, every.object):
        ordered = column[order]
        is_last[:-1] |= ordered[1:] != ordered[:-1]
    chosen = np.zeros(len(order), dtype=np.bool_)
    chosen[order[is_last]] = True
    return [(every.where(chosen & is_added), every.where(chosen & ~is_added))]
