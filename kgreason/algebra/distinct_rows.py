"""Equal rows: each once, as one row with a weight, or only those that did not come before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

import numpy as np

from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.row_keys import joint_keys, keys_of, numbered, summed
from kgreason.columns import sorted_sets


def grouped(rows: Bindings[V]) -> Bindings[V]:
    """Equal rows as one row with a weight: one sort."""
    if not rows.columns:
        return Bindings({}, 1, np.array([rows.total()], dtype=np.int64)) if rows.length else rows
    first, numbers = numbered(keys_of([*rows.columns.values()], rows.length))
    if len(first) == rows.length:
        return rows
    columns = {name: column[first] for name, column in rows.columns.items()}
    return Bindings(columns, len(first), summed(numbers, rows.counts(), len(first)))


def distinct(rows: Bindings[V]) -> Bindings[V]:
    """Each row once, without weights, in the order of first sight: one sort."""
    if not rows.columns:
        return Bindings({}, min(rows.length, 1))
    first, _ = numbered(keys_of([*rows.columns.values()], rows.length))
    bare = Bindings(rows.columns, rows.length)
    return bare if len(first) == rows.length else bare.take(np.sort(first))


class Seen(Generic[V]):
    """The distinct rows so far."""

    def __init__(self, names: Sequence[V]) -> None:
        self._names = names
        self._known: Bindings[V] | None = None

    def fresh(self, batch: Bindings[V]) -> Bindings[V]:
        """The rows of a batch that are new, each once; they are seen from now on."""
        rows = distinct(batch.only(self._names))
        if self._known is None:
            self._known = rows
            return rows
        if not self._names:
            return rows.slice(0, 0)
        mine, theirs = joint_keys(*([side.columns[n] for n in self._names] for side in (rows, self._known)))
        new = rows.where(~sorted_sets.among(mine, theirs))
        self._known = Bindings.concatenated([self._known, new])
        return new
