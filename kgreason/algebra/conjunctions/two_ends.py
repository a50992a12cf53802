"""Rows of which some atoms only test two ends: whether a path connects them, or whether they have a common neighbour.

Such atoms go without a row for each fact that is found, where bits or a search are cheaper than to follow each row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kgreason.algebra.bindings import Bindings, Mask, V
from kgreason.algebra.common_neighbours import have_common_neighbours, two_sides
from kgreason.algebra.conjunctions.remainder import Join, Remainder
from kgreason.algebra.path_tests import PathTest, path_between

Search: TypeAlias = Callable[[Bindings[V], list[Join[V]]], Mask | None]
"""For each row whether it satisfies some joins, by a search from one end; None where that does not pay."""


def with_two_ends(left: Remainder[V], rows: Bindings[V], search: Search[V]) -> Bindings[V] | None:
    """The rows that pass atoms which only test two of their ends, and go; None where none do, or a join is as cheap."""
    found = with_path(left, rows, are_followed=True)
    wanted = left.wanted
    if wanted is None or found is not None or not left.is_tested(rows):
        return found
    sides = two_sides([atom for atom, _ in left.joins], rows.columns, wanted)
    if sides is None:
        return None
    one, other = (left.joins[number] for number in sides)
    passing = have_common_neighbours(rows, one, other)
    if passing is None:
        passing = search(rows, [one, other])
    return None if passing is None else left.without(sides, rows, passing)


def with_path(left: Remainder[V], rows: Bindings[V], are_followed: bool) -> Bindings[V] | None:
    """The rows that pass atoms which only test whether a path connects their ends, and go; None where there is none,
    and where something else is as cheap: to follow each row, if they `are_followed` otherwise."""
    wanted = left.wanted
    if wanted is None or not left.is_tested(rows):
        return None
    path = path_between([atom for atom, _ in left.joins], rows.columns, wanted)
    test = None if path is None else PathTest.of(rows, path, left.joins, are_followed)
    return None if path is None or test is None else left.without(path.numbers, rows, test.passing())
