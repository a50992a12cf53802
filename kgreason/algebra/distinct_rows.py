"""Equal rows: each once, as one row with a weight, or only those that did not come before."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Final, Generic

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.row_keys import Ids, is_member, joint_keys, keys_of, numbered, summed
from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.columns import rows as packed_rows
from kgreason.columns.narrow_rows import Layout

_SCATTER: Final = 2654435761
"""A prime: its multiples are scattered."""


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


def distinct_in_any_order(rows: Bindings[V]) -> Bindings[V]:
    """Each row once, without weights; of many rows in the order of their ids, by a sort of keys without their places,
    which takes a fifth of the time."""
    return _condensed(rows) if rows.columns and rows.length >= tuning.CONDENSED_ROWS else distinct(rows)


def condensed(rows: Bindings[V], made: float = 0) -> Bindings[V]:
    """Each row once, in any order, where a sample says that most are repeated; the rows as they are otherwise, and
    where they are few, and few are expected to be `made` of them.

    Cost: some ten microseconds; a sort where most are repeated.
    """
    if max(rows.length, made) < tuning.CONDENSED_ROWS or not rows.columns:
        return rows
    return _condensed(rows) if seem_repeated([*rows.columns.values()], tuning.CONDENSED_GAIN) else rows


def seem_repeated(columns: Sequence[Ids], times: int) -> bool:
    """Whether there are so many times as many rows of one column or more as distinct ones; a sample of many says so.

    Cost: some ten microseconds.
    """
    length, size = len(columns[0]), tuning.CONDENSED_SAMPLE
    if length <= size:
        return length >= times * len(_distinct_columns(columns)[0])
    chosen = np.arange(size) * _SCATTER % length
    most = length / times
    # Of so many values that are equally frequent, a sample has about so many.
    expected = -most * math.expm1(-size / most)
    return len(_distinct_columns([column[chosen] for column in columns])[0]) <= expected


def gathered(batches: Iterable[Bindings[V]], names: Set[V]) -> Iterator[Bindings[V]]:
    """The rows of batches, with some of the variables alone, in few batches without equal rows: of at most about
    `tuning.GATHERED_ROWS` of two variables, and half as many for each variable more, in any order. Where no variable is
    asked for, the first row will do."""
    parts: list[Bindings[V]] = []
    waiting, most = 0, tuning.JOIN_ROWS
    for batch in batches:
        rows = batch.narrowed(names)
        if not rows.columns:
            yield Bindings({}, 1)
            return
        parts.append(rows)
        waiting += rows.length
        if waiting > most:
            whole = _condensed(Bindings.concatenated(parts))
            parts, waiting, most = [whole], whole.length, max(tuning.JOIN_ROWS, 2 * whole.length)
            if waiting > tuning.GATHERED_ROWS >> max(0, len(rows.columns) - 2):
                yield whole
                parts, waiting, most = [], 0, tuning.JOIN_ROWS
    if parts:
        yield _condensed(Bindings.concatenated(parts))


def _condensed(rows: Bindings[V]) -> Bindings[V]:
    """Each row once, in any order, without weights; of one variable or more."""
    found = _distinct_columns([*rows.columns.values()])
    return Bindings(dict(zip(rows.columns, found, strict=True)), len(found[0]))


def _distinct_columns(columns: Sequence[Ids]) -> Sequence[Ids]:
    """The set of the rows of one column or more."""
    if len(columns) == 1:
        return [bitmaps.distinct(columns[0])]
    if len(columns) == 2:
        keys = pairs.distinct(columns[0], columns[1])
        return pairs.subjects(keys), pairs.objects(keys)
    layout = Layout.of(columns) if len(columns[0]) else None
    if layout is None:
        return packed_rows.unpack(packed_rows.distinct(columns), len(columns))
    return layout.columns(sorted_sets.unique(layout.keys(columns)))


def beside(rows: Bindings[V], known: Bindings[V]) -> Bindings[V]:
    """The rows that no row of others agrees with in the variables of these, at least one."""
    mine, theirs = joint_keys(*([side.columns[name] for name in known.columns] for side in (rows, known)))
    return rows.where(~(is_member(mine, theirs) if len(known.columns) == 1 else sorted_sets.among(mine, theirs)))


class Seen(Generic[V]):
    """The distinct rows so far."""

    def __init__(self, names: Sequence[V]) -> None:
        self._names = names
        self._known: Bindings[V] | None = None

    def fresh(self, batch: Bindings[V]) -> Bindings[V]:
        """The rows of a batch that are new, each once; they are seen from now on."""
        rows = distinct(batch.only(self._names))
        if self._known is None or not self._known.length:
            self._known = rows
            return rows
        if not self._names:
            return rows.slice(0, 0)
        new = beside(rows, self._known)
        self._known = Bindings.concatenated([self._known, new])
        return new
