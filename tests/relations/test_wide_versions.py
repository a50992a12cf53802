"""Wide tables through histories of changes equal sets of tuples, in all orders that reads have asked for.

Would catch blocks that lose or double a row, an order that is not kept up with the rows, rows that are lost where their
ids have no more room in the numbers of a layout, and a version that a later change has altered.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations import table_tuning
from kgreason.relations.plain import empty_table
from kgreason.relations.table import Table
from kgreason.relations.wide import WideTable, as_wide
from tests.profiles import examples
from tests.relations.table_reads import facts_of, ids, make, rows_of
from tests.thresholds import Tuned, replaced_constants

Row = tuple[int, ...]

NEAR = st.integers(0, 4)
FAR = st.one_of(NEAR, NEAR, NEAR, st.sampled_from([2**16, 2**21 - 1, 2**21, 2**31, 2**32 - 1]))
KINDS = ["insert", "insert", "delete", "union", "difference", "intersection", "read", "read", "merge"]


@st.composite
def changes(draw: st.DrawFn, arity: int) -> list[tuple[str, frozenset[Row], int]]:
    """Kinds of changes and reads, each with rows, and how many versions before the latest it goes back."""
    row = st.tuples(*[draw(st.sampled_from([NEAR, FAR]))] * arity)
    step = st.tuples(st.sampled_from(KINDS), st.frozensets(row, max_size=9), st.sampled_from([0, 0, 0, 0, 1, 3]))
    return draw(st.lists(step, min_size=1, max_size=14))


def changed(table: Table, facts: set[Row], kind: str, rows: frozenset[Row]) -> tuple[Table, set[Row]]:
    other = make(rows, table.arity)
    if kind == "insert":
        whole, fresh = table.insert(other)
        assert facts_of(fresh) == rows - facts
        return whole, facts | rows
    if kind == "delete":
        left, gone = table.delete(other)
        assert facts_of(gone) == rows & facts
        return left, facts - rows
    if kind == "union":
        return table.union(other), facts | rows
    if kind == "difference":
        assert facts_of(other.difference(table)) == rows - facts
        return table.difference(other), facts - rows
    if kind == "intersection":
        assert facts_of(table.intersection(other)) == rows & facts
    if kind == "merge":
        table.consolidated()
    return table, facts


def assert_found(table: Table, facts: set[Row], wanted: frozenset[Row]) -> None:
    """What is looked up by the arguments of some rows."""
    keys = sorted(wanted)
    columns = np.array(keys, dtype=np.uint32).reshape(-1, table.arity).T
    assert table.contains(tuple(columns)).tolist() == [row in facts for row in keys]
    for size in range(1, table.arity):
        for positions in combinations(range(table.arity), size):
            bound = {position: np.ascontiguousarray(columns[position]) for position in positions}
            expected = sorted(
                (number, *row)
                for number, key in enumerate(keys)
                for row in facts
                if all(row[position] == key[position] for position in positions)
            )
            pieces: Iterator = iter([table.lookup(bound)])
            for found in (pieces, table.lookups(bound, 2)):
                assert expected == sorted(
                    (number, *row)
                    for index, some in found
                    for number, row in zip(index.tolist(), rows_of(some), strict=True)
                )
    for position in range(table.arity):
        degrees = [sum(row[position] == key[position] for row in facts) for key in keys]
        assert table.fanout(position, columns[position]).tolist() == degrees
        assert table.has_key(position, columns[position]).tolist() == [degree > 0 for degree in degrees]


@pytest.mark.parametrize(
    "tuned_values",
    [
        {"BLOCKS_MERGE_LEAST": 2, "BLOCKS_MERGE_FRACTION": 1, "WIDE_SCANS": 0},
        {"BLOCKS_MERGE_LEAST": 1 << 20, "WIDE_SCANS": 0, "WIDE_ORDERS": 9},
        {"BLOCKS_MERGE_LEAST": 1 << 20, "WIDE_SCANS": 1 << 20, "WIDE_SHARE": 0, "CHUNK": 2, "FIRST_ROWS": 1},
        {"BLOCKS_MERGE_LEAST": 1 << 20, "WIDE_SCANS": 0, "PLAIN_CHUNK": 2},
        {"BLOCKS_MERGE_LEAST": 3, "WIDE_SCANS": 9, "WIDE_SHARE": 2, "WIDE_ORDERS": 1, "MANY_KEYS": 4},
    ],
    ids=["merged and sorted", "beside and sorted", "beside and scanned", "in pieces", "all ways"],
)
@pytest.mark.parametrize("arity", [3, 4])
def test_versions_of_wide_tables_equal_sets(arity: int, tuned_values: dict[str, int]) -> None:
    @given(history=changes(arity))
    @settings(max_examples=examples(60))
    def check(history: list[tuple[str, frozenset[Row], int]]) -> None:
        versions: list[tuple[Table, set[Row]]] = [(empty_table(arity), set())]
        for kind, rows, back in history:
            before, facts = versions[max(0, len(versions) - 1 - back)]
            after, expected = changed(before, facts, kind, rows)
            if kind == "read":
                assert_found(after, expected, rows | frozenset(sorted(expected)[::3]))
            after._check()
            before._check()
            versions.append((after, expected))
        for table, expected in versions:
            table._check()
            assert facts_of(table) == expected

    with replaced_constants(**tuned_values):
        check()


def test_a_small_change_shares_the_large_block_and_keeps_its_orders(tuned: Tuned) -> None:
    tuned(WIDE_SCANS=0)
    numbers = np.arange(100_000, dtype=np.uint32)
    table = as_wide(make([(1, 2, 3)], 3).union(WideTable.of((numbers, numbers % 7, numbers % 1000))))
    table.lookup({2: ids(5)})

    changed = as_wide(table.union(make({(5, 6, 5)}, 3)).difference(make({(7, 0, 7)}, 3)))

    assert changed._blocks[0] is table._blocks[0]
    assert {*changed._orders} == {*table._orders} == {(2, 0, 1)}
    assert changed._orders[2, 0, 1]._blocks[0] is table._orders[2, 0, 1]._blocks[0]
    changed._check()
    assert sorted(rows_of(changed.lookup({2: ids(5)})[1])) == sorted(
        [(5, 6, 5), *((row, row % 7, 5) for row in range(5, 100_000, 1000))]
    )
    assert len(changed.lookup({2: ids(7)})[0]) == 99


def test_few_keys_are_scanned_for_until_the_rows_are_sorted_once(tuned: Tuned) -> None:
    """Reads are counted over versions: a change does not begin the scans anew."""
    tuned(WIDE_SCANS=3)
    numbers = np.arange(10_000, dtype=np.uint32)
    table: Table = WideTable.of((numbers, numbers % 100, numbers % 10))

    for number in range(4):
        table = table.union(make({(20_000 + number, 5, 5)}, 3))
        assert len(table.lookup({1: ids(5)})[0]) == 101 + number
        assert len(as_wide(table)._orders) == (number == 3)


def test_rows_with_the_first_ids_are_looked_at_for_others(tuned: Tuned) -> None:
    """No order is made, and nothing is scanned, where the first argument leaves few rows."""
    tuned(WIDE_SCANS=1, SOUGHT_ROWS=1)
    numbers = np.arange(10_000, dtype=np.uint32)
    table = WideTable.of((numbers // 10, numbers % 7, numbers % 10))

    index, found = table.lookup({0: ids(3, 3, 500, 4), 2: ids(5, 6, 1, 11)})

    assert sorted(zip(index.tolist(), rows_of(found), strict=True)) == [
        (0, (3, 35 % 7, 5)),
        (1, (3, 36 % 7, 6)),
        (2, (500, 5001 % 7, 1)),
    ]
    assert not table._orders
    assert table._looked_at == 20 + 10


def test_no_more_orders_are_kept_than_asked_for(tuned: Tuned) -> None:
    tuned(WIDE_SCANS=0, WIDE_ORDERS=2)
    table = as_wide(make({(1, 2, 3), (4, 5, 6)}, 3))
    for position in (1, 2, 1, 2):
        table.lookup({position: ids(5)})
    table.inverse()

    assert len(table._orders) == table_tuning.WIDE_ORDERS
    table._check()
