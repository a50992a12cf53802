"""For which ends there is a solution, where one is as good as many: the search for witnesses.

Of ``q(x) :- e(x, y), e(y, z), e(z, x)`` no more than one triangle is wanted of each x. Rows are taken a share at a
time, from all ends alike, and after each share those go whose ends are known to have a solution: only of ends that have
none, all rows are looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from typing import Final

import numpy as np

from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.distinct_rows import gathered
from kgreason.algebra.row_keys import is_member, joint_keys
from kgreason.columns import sorted_sets

SHARES: Final = (8, 4, 2, 1)
"""Of the rows that are left each time, one of so many is taken."""


def witnessed(
    rows: Bindings[V], names: Set[V], solutions: Callable[[Bindings[V]], Iterator[Bindings[V]]]
) -> Iterator[Bindings[V]]:
    """Which values of some variables the rows have solutions for, in batches without equal rows.

    Args:
        names: variables that the rows bind.
        solutions: the solutions of some rows, each an extension of a row or what of it has these variables.
    """
    for share in SHARES:
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
            rows = _beside(rows, each)


def _beside(rows: Bindings[V], known: Bindings[V]) -> Bindings[V]:
    """The rows that no row of others agrees with in the variables of these."""
    mine, theirs = joint_keys(*([side.columns[name] for name in known.columns] for side in (rows, known)))
    return rows.where(~(is_member(mine, theirs) if len(known.columns) == 1 else sorted_sets.among(mine, theirs)))
