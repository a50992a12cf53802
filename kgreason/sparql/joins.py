"""Joins of solutions that are there already: on equal ids, with care for variables that a solution leaves unbound.

Two solutions are compatible when they agree in the variables that both bind (SPARQL 1.1, section 18.3). Rows are
parted by which of the shared variables they bind, mostly one part on each side, and parts are joined on what both bind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kgreason.columns import pairs
from kgreason.sparql.rows import Keys, joint_keys
from kgreason.sparql.solutions import UNBOUND, Index, Mask, Solutions


def join(left: Solutions, right: Solutions) -> Solutions:
    """All compatible pairs of solutions: two sorts of the smaller side and what comes out."""
    shared = [name for name in left.columns if name in right.columns]
    if not left.length or not right.length:
        return Solutions.none([*left.columns, *right.columns])
    if len(left) < len(right):
        left, right = right, left
    found = [
        _merged(left, right, rows[matched], others[index], optional)
        for rows, others, both, optional in _parts(left, right, shared)
        for matched, index in [_matches(left, right, rows, others, both)]
    ]
    return Solutions.concatenated(found)


def compatible(left: Solutions, right: Solutions, *, sharing: bool = False) -> Mask:
    """For each solution on the left whether there is a compatible one on the right.

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
        found[rows] |= is_in(mine, np.sort(theirs))
    return found


def parted(solutions: Solutions, names: Sequence[str]) -> Iterator[tuple[Index | slice, list[str]]]:
    """The rows of solutions, parted by which of some variables they bind."""
    states = {name: solutions.columns[name] != UNBOUND for name in names}
    doubtful = [name for name, bound in states.items() if not bound.all()]
    if not doubtful:
        yield slice(None), list(names)
        return
    sure = [name for name in names if name not in doubtful]
    codes = np.zeros(solutions.length, dtype=np.int64)
    for number, name in enumerate(doubtful):
        codes |= states[name].astype(np.int64) << number
    for code in np.unique(codes).tolist():
        yield np.flatnonzero(codes == code), sure + [name for n, name in enumerate(doubtful) if code >> n & 1]


def _parts(
    left: Solutions, right: Solutions, shared: Sequence[str]
) -> Iterator[tuple[Index, Index, list[str], list[str]]]:
    """The rows of parts that are to be joined, the variables that both parts bind, and those that one part binds."""
    theirs = list(parted(right, shared))
    every = np.arange(left.length), np.arange(right.length)
    for rows, mine in parted(left, shared):
        for others, known in theirs:
            both = [name for name in mine if name in known]
            optional = [name for name in shared if name not in both]
            yield every[0][rows], every[1][others], both, optional


def _keys(left: Solutions, right: Solutions, rows: Index, others: Index, names: Sequence[str]) -> tuple[Keys, Keys]:
    mine = [_taken(left.columns[name], rows) for name in names]
    return joint_keys(mine, [_taken(right.columns[name], others) for name in names])


def _taken(column: Keys, rows: Index) -> Keys:
    return column if len(rows) == len(column) else column[rows]


def _matches(
    left: Solutions, right: Solutions, rows: Index, others: Index, names: Sequence[str]
) -> tuple[Index, Index]:
    """For each matching pair the positions in `rows` and in `others`."""
    if not names:
        return np.repeat(np.arange(len(rows)), len(others)), np.tile(np.arange(len(others)), len(rows))
    mine, theirs = _keys(left, right, rows, others, names)
    order = np.argsort(theirs, kind="stable")
    ascending = theirs[order]
    begin, end = ascending.searchsorted(mine), ascending.searchsorted(mine, side="right")
    matched, positions = pairs.spread(begin, end)
    return matched, order[positions]


def _merged(left: Solutions, right: Solutions, rows: Index, others: Index, optional: Sequence[str]) -> Solutions:
    """The rows side by side; of a variable that only one side binds, what that side has."""
    columns = {name: column[rows] for name, column in left.columns.items()}
    for name, column in right.columns.items():
        if name not in columns:
            columns[name] = column[others]
        elif name in optional:
            columns[name] = np.minimum(columns[name], column[others])
    weights = None
    if left.weights is not None or right.weights is not None:
        weights = left.counts()[rows] * right.counts()[others]
    return Solutions(columns, len(rows), weights)


def is_in(values: Keys, ascending: Keys) -> Mask:
    """For each value whether it is in an ascending column."""
    if not len(ascending):
        return np.zeros(len(values), dtype=np.bool_)
    at = ascending.searchsorted(values)
    at[at == len(ascending)] = 0
    return np.asarray(ascending[at] == values)


