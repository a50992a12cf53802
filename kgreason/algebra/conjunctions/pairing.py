"""Rows beside others that share no variable with them, as far as conditions for an order allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kgreason import tuning
from kgreason.algebra.bindings import Bindings, V
from kgreason.algebra.conjunctions.conditions import Conditions
from kgreason.algebra.pieces import paired


def each_beside(conditions: Conditions[V], rows: Bindings[V], others: Bindings[V]) -> Iterator[Bindings[V]]:
    """Each row beside each of some others, but for those that a condition for an order leaves out."""
    if conditions.compare(rows.columns.keys(), others.columns.keys()):
        return conditions.compared(rows, others)
    return paired(rows, others, None, tuning.JOIN_ROWS)


def with_match(
    conditions: Conditions[V], rows: Bindings[V], others: Iterator[Bindings[V]], tick: Callable[[], None]
) -> Iterator[Bindings[V]]:
    """The rows that conditions which an order decides leave with one of some others, of which nothing else is needed:
    O(n log n), where the farthest value decides."""
    for some in others:
        tick()
        found = conditions.deciding(rows, some)
        if found.any():
            yield rows.where(found)
        rows = rows.where(~found)
        if not rows.length:
            return
