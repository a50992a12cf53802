"""For which ends there is a solution, where one is as good as many: the search for witnesses.

Of ``q(x) :- e(x, y), e(y, z), e(z, x)`` no more than one triangle is wanted of each x. Rows are taken a share at a
time, from all ends alike, and after each share those go whose ends are known to have a solution: only of ends that have
none, all rows are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

import numpy as np

from kgreason.algebra import algebra_tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.distinct_rows import beside, gathered, seem_repeated


def are_shared(rows: Bindings[V], ends: Set[V], times: int) -> bool:
    """Whether there are so many times as many rows as values of some of their variables: of many rows, a sample says
    so."""
    if rows.length < 2 or len(ends) == len(rows.columns):
        return False
    return not ends or seem_repeated([rows.columns[end] for end in ends], times)


def witnessed(
    rows: Bindings[V], names: Set[V], solutions: Callable[[Bindings[V]], Iterator[Bindings[V]]]
) -> Iterator[Bindings[V]]:
    """Which values of some variables the rows have solutions for, in batches without equal rows.

    Args:
        names: variables that the rows bind.
        solutions: the solutions of some rows, each an extension of a row or what of it has these variables.
    """
    for share in _shares(rows, names):
        if not rows.length:
            return
        chosen = np.zeros(rows.length, dtype=np.bool_)
        chosen[::share] = True
        found = [*gathered(solutions(rows.where(chosen)), names)]
        yield from found
        if found and not names:
            return
        rows = rows.where(~chosen)
        for each in found:
            rows = beside(rows, each)


def _shares(rows: Bindings[V], names: Set[V]) -> Iterator[int]:
    """One of so many rows is taken each time: first about one for each end, and in the end all."""
    ends = sum(each.length for each in gathered([rows], names)) if names else 1
    share = max(algebra_tuning.WITNESS_SHRINKING, rows.length // max(ends, algebra_tuning.WITNESS_FEWEST))
    while share > 1:
        yield share
        share //= algebra_tuning.WITNESS_SHRINKING
    yield 1
