"""Rows of which many agree in what is left to be asked for, their ends: that is satisfied once for each of these.

Of ``q(x, w) :- e(x, y), e(y, z), e(z, w)`` the same y come with many x: to what they lead is found once, and looked up
by all of them. So the cost follows the distinct ends and the solutions, as in the factorised plans of Free Join (Wang,
Willsey and Suciu, SIGMOD 2023).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain

import numpy as np

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.distinct_rows import distinct_in_any_order, gathered


def found_for_ends(
    rows: Bindings[V],
    ends: frozenset[V],
    kept: frozenset[V],
    most: float,
    expected: float,
    solutions: Callable[[Bindings[V]], Iterator[Bindings[V]]],
) -> Iterator[Bindings[V]] | None:
    """What the distinct ends of rows lead to, by the variables of the ends and the others that are `kept`, each once in
    a batch. None where the ends are more than `most`, and where a sample says that all rows would find more than the
    next step is `expected` to make, which may become fewer."""
    distinct = distinct_in_any_order(rows.narrowed(ends))
    if distinct.length > most:
        return None
    chosen = np.zeros(distinct.length, dtype=np.bool_)
    chosen[:: distinct.length // tuning.ENDS_SAMPLE + 1] = True
    sample, found = distinct.where(chosen), list[Bindings[V]]()
    allowed = expected / rows.length * sample.length
    for some in gathered(solutions(sample), kept):  # different ends may lead to a variable in many ways
        allowed -= some.length
        if allowed < 0:
            return None
        found.append(some)
    if sample.length == distinct.length:
        return iter(found)
    return gathered(chain(found, solutions(distinct.where(~chosen))), kept)
