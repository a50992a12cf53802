"""Many small steps as one, or as few."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np

from kgreason.io import file_tuning
from kgreason.io.quads import Quads

Step: TypeAlias = tuple[Quads, Quads]
"""Quads to add, after quads to remove."""


_Run: TypeAlias = tuple[bool, list[Quads]]
"""Whether quads come, and which: their order means nothing."""


def condensed(steps: Sequence[Step]) -> list[Step]:
    """Fewer steps with the same effect on any set of quads. A large step is kept unchanged.

    Cost: O(n) where quads only come, or only go; one sort of what is small otherwise.
    """
    runs = list(_runs(steps))
    if len(runs) <= file_tuning.FEW_RUNS:
        return [step for run in runs for step in _steps_of(run)]
    found: list[Step] = []
    small: list[Step] = []
    for run in runs:
        for step in _steps_of(run):
            if max(map(len, step)) < file_tuning.LARGE_STEP:
                small.append(step)
            else:
                found += [*coalesced(small), step]
                small = []
    return found + coalesced(small)


def _runs(steps: Sequence[Step]) -> Iterator[_Run]:
    """What comes and what goes, in turns, in the order of the steps."""
    come, gathered = True, list[Quads]()
    for added, removed in steps:
        for is_added, quads in ((False, removed), (True, added)):
            if not len(quads):
                continue
            if gathered and is_added != come:
                yield come, gathered
                gathered = []
            come = is_added
            gathered.append(quads)
    if gathered:
        yield come, gathered


def _steps_of(run: _Run) -> Iterator[Step]:
    """Steps of a run: one for each large piece, and one for all small ones together, which is less to copy than the
    one that is left apart where that has more quads."""
    come, pieces = run
    none = Quads.empty()
    ascending = sorted(pieces, key=len)
    count = sum(len(piece) < file_tuning.LARGE_STEP for piece in pieces)
    if count > 1 and len(ascending[count - 1]) > sum(map(len, ascending[: count - 1])):
        count -= 1
    for quads in (*ascending[count:], Quads.concatenated(ascending[:count])):
        if len(quads):
            yield (quads, none) if come else (none, quads)


def coalesced(steps: Sequence[Step]) -> list[Step]:
    """One step with the same effect on any set of quads: the last change of each quad counts. Cost: one sort."""
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
