"""Several atoms that leave one variable free: each row is extended by the one that has fewest facts for it.

A step of a worst-case-optimal join (Ngo, Re and Rudra, "Skew strikes back", SIGMOD Record 2013; over columns: "Free
Join", Wang, Willsey and Suciu, SIGMOD 2023): what one atom enumerates the others only have to confirm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.planner import Joined


def rivals(joins: Sequence[Joined[Any]], chosen: Joined[Any], rows: Bindings[Any]) -> list[int]:
    """The positions of the joins that leave the same variable free as a chosen one, if looking at each row pays."""
    if rows.length < tuning.RIVAL_ROWS:
        return []
    free = _free(chosen, rows)
    return [] if free is None else [number for number, each in enumerate(joins) if _free(each, rows) == free]


def parts(joins: Sequence[Joined[Any]], rows: Bindings[Any]) -> Iterator[tuple[int, Bindings[Any]]]:
    """For each of some joins, all of pairs with one end bound, the rows for which it has fewest facts, or few.

    Rows for which one has none may be in no part. Cost: a look at the fanout of each row in the last join, and of those
    that it leaves with many facts in the others.
    """
    last = len(joins) - 1
    counts, fewest = _fanout(joins[last], rows), np.full(rows.length, last)
    for number in range(last):
        many = np.flatnonzero(counts > tuning.RIVAL_FACTS)
        if len(many):
            found = _fanout(joins[number], rows.take(many))
            fewer = found < counts[many]
            counts[many[fewer]], fewest[many[fewer]] = found[fewer], number
    for number in range(len(joins)):
        mine = np.flatnonzero((fewest == number) & (counts > 0))
        if len(mine):
            yield number, rows.take(mine)


def _free(join: Joined[Any], rows: Bindings[Any]) -> Any:
    """The variable that an atom of pairs leaves free beside a bound one, None for another form."""
    atom, _ = join
    bound = atom.bound_end(rows.columns)
    return None if bound is None else atom.arguments[1 - bound]


def _fanout(join: Joined[Any], rows: Bindings[Any]) -> np.ndarray[Any, Any]:
    atom, relation = join
    bound = atom.bound_end(rows.columns)
    assert bound is not None
    return relation.fanout(bound, rows.columns[atom.arguments[bound]])
