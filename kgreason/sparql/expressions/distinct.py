"""The distinct ids of a column."""

from __future__ import annotations

import numpy as np

from kgreason.sparql.rows import numbered
from kgreason.sparql.solutions import UNBOUND, Ids, Index

_DENSE = 8


def distinct_ids(column: Ids) -> tuple[Ids, Index]:
    """The distinct ids, ascending, and for each row the number of its id: a pass where the ids are close together,
    otherwise a sort."""
    if not len(column):
        return column, np.zeros(0, dtype=np.int64)
    bound = column[column != UNBOUND]
    lowest, highest = (int(bound.min()), int(bound.max())) if len(bound) else (0, 0)
    if highest - lowest > _DENSE * len(column):
        first, numbers = numbered(column)
        return column[first], numbers
    size = highest - lowest + 1
    places = column - np.uint32(lowest)
    places[column == UNBOUND] = size
    present = np.zeros(size + 1, dtype=np.bool_)
    present[places] = True
    distinct = np.flatnonzero(present)
    ids = (distinct + lowest).astype(np.uint32)
    if present[size]:
        ids[-1] = UNBOUND
    numbers = np.empty(size + 1, dtype=np.int64)
    numbers[distinct] = np.arange(len(distinct))
    return ids, numbers[places]
