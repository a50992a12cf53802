"""Unions of sets beside Python's: would catch a version of a union whose difference from another lacks a member, or has
one that is in a part which both have; and a difference that puts all parts together for one member."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.columns import bitmaps
from kgreason.relations.table import Table
from kgreason.relations.unary import UnaryTable
from kgreason.relations.unions_of_sets import UnaryUnion
from tests.profiles import examples
from tests.thresholds import replaced_constants

SETS = st.lists(st.sets(st.integers(0, 12), max_size=6), min_size=1, max_size=5)


def table_of(members: set[int]) -> UnaryTable:
    return UnaryTable(bitmaps.from_ids(np.array(sorted(members), dtype=np.uint32)))


def members_of(table: Table) -> set[int]:
    return {int(each) for each in table.columns()[0]}


@settings(max_examples=examples(300), deadline=None)
@given(shared=SETS, mine=SETS, theirs=SETS, sought=st.sampled_from([0, 2, 100]))
def test_differences_are_those_of_python(
    shared: list[set[int]], mine: list[set[int]], theirs: list[set[int]], sought: int
) -> None:
    parts = [table_of(each) for each in shared]
    one, other = (UnaryUnion([*parts, *map(table_of, own)]) for own in (mine, theirs))
    expected, others = set().union(*shared, *mine), set().union(*shared, *theirs)

    with replaced_constants(SOUGHT_MEMBERS=sought):
        assert members_of(one.difference(other)) == expected - others
        assert members_of(table_of({1, 5}).difference(one)) == {1, 5} - expected
        assert members_of(one.difference(table_of({1, 5}))) == expected - {1, 5}
        assert [bool(each) for each in one.contains((np.arange(13, dtype=np.uint32),))] == [
            number in expected for number in range(13)
        ]


def test_version_that_differs_in_one_part_is_compared_without_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [table_of({number, number + 1}) for number in range(0, 2000, 2)]
    before, after = UnaryUnion(parts), UnaryUnion([*parts[:-1], table_of({1998, 1999, 5000})])
    united = [0]
    union = bitmaps.union

    def counted(sets: list) -> object:
        united[0] += len(sets)
        return union(sets)

    monkeypatch.setattr(bitmaps, "union", counted)

    assert members_of(after.difference(before)) == {5000}
    assert members_of(before.difference(after)) == set()
    assert united[0] <= 8
