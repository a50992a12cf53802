"""Unions of sets beside Python's: would catch a version of a union whose difference from another lacks a member, or has
one that is in a part which both have; a difference that puts all parts together for one member; and a version that
keeps other members than its parts have, or asks each part for one that came."""

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

SMALL_SETS = st.sets(st.integers(0, 12), max_size=4)
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


@settings(max_examples=examples(300), deadline=None)
@given(
    versions=st.lists(st.lists(SMALL_SETS, min_size=6, max_size=6), min_size=2, max_size=5),
    asked=st.sampled_from([0, 1, 3, 32]),
    sought=st.sampled_from([0, 4, 100]),
)
def test_versions_that_follow_each_other_have_the_members_of_their_parts(
    versions: list[list[set[int]]], asked: int, sought: int
) -> None:
    with replaced_constants(PARTS_ASKED=asked, SOUGHT_MEMBERS=sought):
        before: UnaryUnion | None = None
        parts = [table_of(each) for each in versions[0]]
        for sets in versions:
            parts = [old if members_of(old) == each else table_of(each) for old, each in zip(parts, sets, strict=True)]
            after = UnaryUnion([UnaryUnion([*parts[:2], UnaryUnion(parts[1:4])]), UnaryUnion(parts[1:4]), *parts[4:]])
            expected = set().union(*sets)
            if before is not None:
                known = members_of(before)
                after.continue_from(before, table_of(expected - known), table_of(known - expected))
            after._check()
            assert members_of(after) == expected
            assert [after.has((each,)) for each in range(13)] == [each in expected for each in range(13)]
            before = after


def test_change_of_one_class_below_many_asks_none_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[Table] = [table_of({number}) for number in range(2000)]
    below = [UnaryUnion(parts[start : start + 200]) for start in range(0, 2000, 200)]
    before = UnaryUnion(below)
    members_of(before)
    asked = [0]
    has = UnaryTable.has

    def counted(self: UnaryTable, fact: tuple[int, ...]) -> bool:
        asked[0] += 1
        return has(self, fact)

    monkeypatch.setattr(UnaryTable, "has", counted)
    came, gone = table_of({5000}), table_of({1999})

    parts[1999] = came
    last = UnaryUnion(parts[1800:])
    last.continue_from(below[-1], came, gone)
    after = UnaryUnion([*below[:-1], last])
    after.continue_from(before, came, gone)

    assert len(after.parts) == 10
    assert [after.has((each,)) for each in (5000, 1999, 7)] == [True, False, True]
    assert asked[0] <= 201
    assert members_of(before) == {*range(2000)}
