"""Rows beside others that share no variable with them, as far as conditions leave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.conjunctions.conditions import Conditions
from kgreason.algebra.conjunctions.membership import Membership

_ROW: Final[Any] = ("row",)
_PLACE: Final[Any] = ("place",)
"""The columns of the numbers of rows, among all and in runs; no variable is called so."""


def each_beside(conditions: Conditions[V], rows: Bindings[V], others: Bindings[V]) -> Iterator[Bindings[V]]:
    """Each row beside each of some others, but for those that a condition for equal values or an order leaves out."""
    for runs in conditions.beside(rows, others):
        yield from runs.joined()


def with_match(
    conditions: Conditions[V], rows: Bindings[V], others: Iterable[Bindings[V]], membership: Membership
) -> Iterator[Bindings[V]]:
    """The rows that conditions leave with one of some others, of which nothing else is needed: few of the others are
    looked at for each, unless conditions hold for few pairs that neither an equation nor an order finds."""
    for some in others:
        if not rows.length:
            return
        found = _matched(conditions, rows, some, membership)
        if found.any():
            yield rows.where(found)
        rows = rows.where(~found)


def _matched(
    conditions: Conditions[V], rows: Bindings[V], others: Bindings[V], membership: Membership
) -> Mask:
    """For each row whether all conditions for it and one of the others hold."""
    found = np.zeros(rows.length, dtype=np.bool_)

    def passing(pairs: Bindings[V]) -> Bindings[V]:
        passed = conditions.asked(pairs, membership)[1]
        found[passed.columns[_ROW]] = True
        return passed

    numbered = rows.with_columns({_ROW: np.arange(rows.length, dtype=np.uint32)})
    for runs in conditions.beside(numbered, others):
        is_first = _ROW in runs.rows.columns
        pairs = runs.numbered(_PLACE) if is_first else runs.with_numbered_others(_PLACE)
        for _ in (pairs.witnesses if is_first else pairs.witnesses_of_others)(_PLACE, passing):
            pass
    return found
