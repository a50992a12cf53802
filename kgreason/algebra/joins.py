"""Joins of rows that are there already: on equal ids, with care for variables that a row leaves unbound.

Two rows are compatible when they agree in the variables that both bind (SPARQL 1.1, section 18.3). Rows are
parted by which of the shared variables they bind, mostly one part on each side, and parts are joined on what both bind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from kgreason import memory, tuning
from kgreason.algebra import algebra_tuning
from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Index, Keys, joint_keys
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs, sorted_sets
from kgreason.sorting import argsort


def join(left: Bindings[V], right: Bindings[V]) -> Bindings[V]:
    """All compatible pairs of rows: two sorts of the smaller side and what comes out."""
    found: list[Bindings[V]] = []
    rows = 0
    for piece in join_pieces(left, right):
        rows += piece.length
        checkpoint(rows)
        found.append(piece)
    return Bindings.concatenated(found) if found else Bindings.none([*left.columns, *right.columns])


def join_pieces(left: Bindings[V], right: Bindings[V]) -> Iterator[Bindings[V]]:
    """The same, about so many rows as a step makes at once."""
    shared = [name for name in left.columns if name in right.columns]
    if not left.length or not right.length:
        return
    if len(left) < len(right):
        left, right = right, left
    for rows, others, both, optional in _parts(left, right, shared):
        for matched, index in _matches(left, right, rows, others, both):
            yield _merged(left, right, rows[matched], others[index], optional)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Runs(Generic[V]):
    """Rows, each to be joined with a run of others: from `begin` up to `end`. No variable is on both sides.

    `best_last` says that those at the end of a run are the most likely to go with the row.
    """

    rows: Bindings[V]
    others: Bindings[V]
    begin: Index
    end: Index
    best_last: bool = False

    @classmethod
    def of_all(cls, rows: Bindings[V], others: Bindings[V]) -> Runs[V]:
        """Each row with all others."""
        begin = np.zeros(rows.length, dtype=np.int64)
        return cls(rows, others, begin, begin + others.length)

    def joined(self) -> Iterator[Bindings[V]]:
        """All pairs, about so many at once as a step makes."""
        for first, last in pairs.runs_within(self.end - self.begin, tuning.JOIN_ROWS):
            begin, end = self.begin[first:last], self.end[first:last]
            # The run of one row may be longer.
            for start in range(0, int(end[0] - begin[0]) if last == first + 1 else 1, tuning.JOIN_ROWS):
                checkpoint()
                some = begin + start
                matched, positions = pairs.spread(some, np.minimum(end, some + tuning.JOIN_ROWS))
                yield _merged(self.rows, self.others, matched + first, positions, ())

    def numbered(self, row: V) -> Runs[V]:
        """The same, of which the rows have a column of their numbers."""
        return replace(self, rows=self.rows.with_columns({row: np.arange(self.rows.length, dtype=np.uint32)}))

    def with_numbered_others(self, row: V) -> Runs[V]:
        """The same, of which the others have such a column."""
        return replace(self, others=self.others.with_columns({row: np.arange(self.others.length, dtype=np.uint32)}))

    def among(self, mask: Mask) -> Runs[V]:
        """The same with those of the others alone for which a mask is true: O(n)."""
        before = np.concatenate(([0], np.cumsum(mask)))
        return replace(self, others=self.others.where(mask), begin=before[self.begin], end=before[self.end])

    def farthest(self) -> Bindings[V]:
        """For each of the others that is in some run one pair: of the runs that begin before it that which ends last. A
        sort of the rows."""
        order = argsort(self.begin)
        begin, end = self.begin[order], np.maximum.accumulate(self.end[order])
        is_last = self.end[order] == end
        last = np.maximum.accumulate(np.where(is_last, np.arange(len(order)), 0))
        found = begin.searchsorted(np.arange(self.others.length), side="right") - 1
        positions = np.flatnonzero(found >= 0)
        positions = positions[end[found[positions]] > positions]
        return _merged(self.rows, self.others, order[last[found[positions]]], positions, ())

    def witnesses_of_others(self, row: V, passing: Callable[[Bindings[V]], Bindings[V]]) -> Iterator[Bindings[V]]:
        """The pairs that pass a test, at least one of each of the others that has any: that of the run that ends last
        is tested first, then all, if it did not pass. `row` is the column of the numbers of the others."""
        passed = passing(self.farthest())
        yield passed
        left = np.ones(self.others.length, dtype=np.bool_)
        left[passed.columns[row]] = False
        for some in self.among(left).joined():
            yield passing(some)

    def witnesses(self, row: V, passing: Callable[[Bindings[V]], Bindings[V]]) -> Iterator[Bindings[V]]:
        """The pairs that pass a test, at least one of each row that has any: few are tested first, then more of the
        rows of which none has passed. `row` is the column of the numbers of the rows (`numbered`)."""
        found = np.zeros(self.rows.length, dtype=np.bool_)
        begin, end, size = self.begin.copy(), self.end.copy(), 1
        left = np.flatnonzero(begin < end)
        while len(left):
            first, last = begin[left], end[left]
            if self.best_last:
                first = end[left] = np.maximum(first, last - size)
            else:
                last = begin[left] = np.minimum(last, first + size)
            for some in Runs(self.rows.take(left), self.others, first, last).joined():
                passed = passing(some)
                found[passed.columns[row]] = True
                yield passed
            left = left[(begin[left] < end[left]) & ~found[left]]
            size *= algebra_tuning.TESTED_GROWTH


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeyedRows(Generic[V]):
    """Rows in the order of keys that say which of others they go with."""

    rows: Bindings[V]
    keys: Keys

    @classmethod
    def of(cls, rows: Bindings[V], keys: Keys) -> KeyedRows[V]:
        """Rows in any order, with the key of each: a sort."""
        order = argsort(keys)
        return cls(rows.take(order), keys[order])

    def beside(self, rows: Bindings[V], keys: Keys) -> Runs[V]:
        """Others, of which no variable is here, each with the run of those with the same key: O(k log n)."""
        memory.check(16 * rows.length, "a join")
        return Runs(rows, self.rows, self.keys.searchsorted(keys), self.keys.searchsorted(keys, side="right"))


def compatible(left: Bindings[V], right: Bindings[V], *, sharing: bool = False) -> Mask:
    """For each row on the left whether there is a compatible one on the right.

    With `sharing` (MINUS) only those count that bind some variable in common.
    """
    shared = [name for name in left.columns if name in right.columns]
    found = np.zeros(left.length, dtype=np.bool_)
    if not right.length:
        return found
    for rows, others, both, _ in _parts(left, right, shared):
        if not both:
            found[rows] |= not sharing
            continue
        mine, theirs = _keys(left, right, rows, others, both)
        found[rows] |= sorted_sets.among(mine, theirs)
    return found


def parted(rows: Bindings[V], names: Sequence[V]) -> Iterator[tuple[Index | slice, list[V]]]:
    """Rows, parted by which of some variables they bind."""
    states = {name: rows.columns[name] != UNBOUND for name in names}
    doubtful = [name for name, bound in states.items() if not bound.all()]
    if not doubtful:
        yield slice(None), list(names)
        return
    sure = [name for name in names if name not in doubtful]
    codes = np.zeros(rows.length, dtype=np.int64)
    for number, name in enumerate(doubtful):
        codes |= states[name].astype(np.int64) << number
    for code in sorted_sets.unique(codes).tolist():
        yield np.flatnonzero(codes == code), sure + [name for n, name in enumerate(doubtful) if code >> n & 1]


def _parts(
    left: Bindings[V], right: Bindings[V], shared: Sequence[V]
) -> Iterator[tuple[Index, Index, list[V], list[V]]]:
    """The rows of parts that are to be joined, the variables that both parts bind, and those that one part binds."""
    theirs = list(parted(right, shared))
    every = np.arange(left.length), np.arange(right.length)
    for rows, mine in parted(left, shared):
        for others, known in theirs:
            both = [name for name in mine if name in known]
            optional = [name for name in shared if name not in both]
            yield every[0][rows], every[1][others], both, optional


def _keys(left: Bindings[V], right: Bindings[V], rows: Index, others: Index, names: Sequence[V]) -> tuple[Keys, Keys]:
    mine = [_taken(left.columns[name], rows) for name in names]
    return joint_keys(mine, [_taken(right.columns[name], others) for name in names])


def _taken(column: Keys, rows: Index) -> Keys:
    return column if len(rows) == len(column) else column[rows]


def _matches(
    left: Bindings[V], right: Bindings[V], rows: Index, others: Index, names: Sequence[V]
) -> Iterator[tuple[Index, Index]]:
    """For each matching pair the positions in `rows` and in `others`, in pieces."""
    memory.check(24 * len(rows) + 40 * len(others), "a join")
    if names:
        mine, theirs = _keys(left, right, rows, others, names)
        order = argsort(theirs)
        ascending = theirs[order]
        begin, end = ascending.searchsorted(mine), ascending.searchsorted(mine, side="right")
    else:
        order = np.arange(len(others))
        begin, end = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), len(others), dtype=np.int64)
    for first, last in pairs.runs_within(end - begin, tuning.JOIN_ROWS):
        checkpoint()
        matched, positions = pairs.spread(begin[first:last], end[first:last])
        yield matched + first, order[positions]


def _merged(left: Bindings[V], right: Bindings[V], rows: Index, others: Index, optional: Sequence[V]) -> Bindings[V]:
    """The rows side by side; of a variable that only one side binds, what that side has."""
    memory.check(4 * (len(left.columns) + len(right.columns)) * len(rows), "a join")
    columns = {name: column[rows] for name, column in left.columns.items()}
    for name, column in right.columns.items():
        if name not in columns:
            columns[name] = column[others]
        elif name in optional:
            columns[name] = np.minimum(columns[name], column[others])
    weights = None
    if left.weights is not None or right.weights is not None:
        weights = left.counts()[rows] * right.counts()[others]
    return Bindings(columns, len(rows), weights)
