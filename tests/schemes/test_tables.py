"""Every table equals a Python set of tuples, through random unions and differences, in all ways of reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.schemes import binary
from kgreason.schemes.relations import empty_table, table_of, union_of
from kgreason.schemes.scheme import Table

# Few ids, so that facts meet, and ids at the ends of the range, so that packing and overflow are seen.
IDS = st.one_of(st.integers(0, 6), st.sampled_from([2**32 - 1, 2**32 - 2, 2**16, 2**31]))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binary, "MERGE_LEAST", 3)


def make(facts: list | set, arity: int) -> Table:
    rows = np.array(sorted(facts), dtype=np.uint32).reshape(-1, arity)
    return table_of(tuple(rows.T))


def facts_of(table: Table) -> set:
    rows = [*zip(*(column.tolist() for column in table.columns()), strict=True)]
    assert rows == sorted(set(rows)), "columns are not sorted or repeat a fact"
    assert len(rows) == len(table)
    return set(rows)


def assert_reads(table: Table, facts: set, arity: int) -> None:
    table._check()
    assert facts_of(table) == facts
    some = [*sorted(facts)[:3], (5,) * arity, (2**32 - 1,) * arity]
    columns = tuple(np.array(column, dtype=np.uint32) for column in zip(*some, strict=True))
    assert table.contains(columns).tolist() == [row in facts for row in some]
    assert [table.has(row) for row in some] == [row in facts for row in some]
    for position in range(arity):
        wanted = np.array([row[position] for row in some], dtype=np.uint32)
        assert table.distinct(position).tolist() == sorted({row[position] for row in facts})
        selected = zip(*(c.tolist() for c in table.select({position: int(wanted[0])})), strict=True)
        assert sorted(selected) == sorted(row for row in facts if row[position] == wanted[0])
        if arity > 1 or position == 0:
            index, found = table.expand({position: wanted})
            rows = sorted(zip(index.tolist(), *(c.tolist() for c in found), strict=True))
            assert rows == sorted((i, *f) for i, w in enumerate(wanted.tolist()) for f in facts if f[position] == w)
    assert facts_of(table.inverse()) == {row[::-1] for row in facts}
    kept = np.arange(len(table)) % 2 == 0
    assert facts_of(table.where(kept)) == set(sorted(facts)[::2])


@pytest.mark.parametrize("arity", [1, 2, 3, 4])
def test_tables_equal_sets(arity: int) -> None:
    fact = st.tuples(*[IDS] * arity)
    steps = st.lists(st.tuples(st.sampled_from("+-&"), st.lists(fact, max_size=8)), min_size=1, max_size=10)

    @given(steps=steps)
    @settings(deadline=None, max_examples=60)
    def check(steps: list) -> None:
        table, facts = empty_table(arity), set()
        for operation, rows in steps:
            before, kept = table, set(facts)
            other = make(rows, arity)
            if operation == "+":
                table, facts = table.union(other), facts | set(rows)
            elif operation == "-":
                table, facts = table.difference(other), facts - set(rows)
            else:
                assert facts_of(table.intersection(other)) == facts & set(rows)
            assert_reads(table, facts, arity)
            assert facts_of(before) == kept, "an earlier version has changed"
            assert facts_of(union_of([before, other, table])) == kept | set(rows) | facts

    check()


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_many_facts_take_the_bulk_paths(arity: int) -> None:
    generator = np.random.default_rng(7)
    columns = tuple(generator.integers(0, 3000, 20_000).astype(np.uint32) for _ in range(arity))
    facts = set(zip(*(c.tolist() for c in columns), strict=True))
    table = table_of(columns)
    assert facts_of(table) == facts
    wanted = generator.integers(0, 4000, 5000).astype(np.uint32)
    index, found = table.expand({0: wanted})
    by_first: dict[int, int] = {}
    for row in facts:
        by_first[row[0]] = by_first.get(row[0], 0) + 1
    assert len(index) == sum(by_first.get(w, 0) for w in wanted.tolist())
    assert (wanted[index] == found[0]).all()
    half = tuple(column[:10_000] for column in columns)
    rest = table.difference(table_of(half))
    assert facts_of(rest) == facts - set(zip(*(c.tolist() for c in half), strict=True))
    assert facts_of(rest.union(table_of(half))) == facts


def test_a_small_change_shares_the_large_block() -> None:
    table = table_of((np.arange(100_000, dtype=np.uint32), np.arange(100_000, dtype=np.uint32)))
    table.inverse()
    changed = table.union(make({(1, 2)}, 2)).difference(make({(5, 5)}, 2))
    assert isinstance(changed, binary.BinaryTable)
    assert isinstance(table, binary.BinaryTable)
    assert changed._blocks[0] is table._blocks[0]
    assert facts_of(changed) == (facts_of(table) | {(1, 2)}) - {(5, 5)}
