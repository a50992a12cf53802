"""Which component of a graph is its hub: a large one that much of the graph reaches, as in Wikipedia's categories.

All sets above a hub have all that it reaches in common. So that is kept once, and an edge that shifts it, or takes the
hub apart, changes one set in place of those above.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kgreason.checkpoints import passes
from kgreason.columns.graphs import Numbers
from kgreason.relations.numbered_sets import Mask
from kgreason.relations.transitive import closure_tuning

Rows = tuple[Numbers, NDArray[np.int32]]
"""The successors of each component: ``rows[1][rows[0][n]:rows[0][n + 1]]``."""


@dataclass(frozen=True, slots=True, eq=False)
class HubChoice:
    """The number of a component, which components it reaches or is itself, and which others reach it."""

    number: int
    below: Mask
    above: Mask


def chosen_hub(rows: Rows, order: Numbers, sizes: Numbers) -> HubChoice | None:
    """The hub of an acyclic graph of components, their order with successors first, and how many nodes each has; None
    where no component is large, or where few nodes reach it: O(components + edges)."""
    # Of components of one size the one that comes last, which more lead to.
    number = len(sizes) - 1 - int(np.argmax(sizes[::-1])) if len(sizes) else 0
    nodes = int(sizes.sum())
    if not nodes or sizes[number] < closure_tuning.HUB_LEAST:
        return None
    below = np.zeros(len(sizes), dtype=np.bool_)
    below[number] = True
    _spread_down(rows, order[::-1], below)
    above = below & False
    above[number] = True
    _spread_up(rows, order, above)
    above &= ~below
    if int(sizes[above].sum()) * closure_tuning.HUB_SHARE < nodes:
        return None
    return HubChoice(number, below, above)


def without_shared(rows: Rows, hub: HubChoice) -> Rows:
    """The rows without the edges that lead from above a hub to below it."""
    sources = np.repeat(np.arange(len(rows[0]) - 1), np.diff(rows[0]))
    kept = ~(hub.above[sources] & hub.below[rows[1]])
    offsets = np.zeros(len(rows[0]), dtype=np.int64)
    np.cumsum(np.bincount(sources[kept], minlength=len(rows[0]) - 1), out=offsets[1:])
    return offsets, rows[1][kept]


def reaching_below(rows: Rows, order: Numbers, hub: HubChoice) -> Mask:
    """Which components above a hub reach some of what is below it by other ways than the hub, given the rows without
    those that lead there at once."""
    found = hub.below.copy()
    if (hub.below[rows[1]] & ~hub.below[np.repeat(np.arange(len(order)), np.diff(rows[0]))]).any():
        _spread_up(rows, order, found)
    return found & hub.above


def _spread_down(rows: Rows, order: Numbers, marked: Mask) -> None:
    """Mark all that marked components lead to; components come in order before their successors."""
    marks, begin, successors = marked.view(np.uint8).data, rows[0].data, rows[1].data
    for number in passes(order.tolist()):
        if marks[number]:
            for successor in successors[begin[number] : begin[number + 1]]:
                marks[successor] = 1


def _spread_up(rows: Rows, order: Numbers, marked: Mask) -> None:
    """Mark all that lead to marked components; components come in order after their successors."""
    marks, begin, successors = marked.view(np.uint8).data, rows[0].data, rows[1].data
    for number in passes(order.tolist()):
        if marks[number]:
            continue
        for successor in successors[begin[number] : begin[number + 1]]:
            if marks[successor]:
                marks[number] = 1
                break
