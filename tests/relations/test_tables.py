"""Every plain table equals a Python set of tuples, through random unions and differences, in all ways of reading."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.relations import binary
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.net_changes import net_change
from kgreason.relations.plain import empty_table, table_of, union_of
from kgreason.relations.table import Table
from kgreason.relations.wide import WideTable
from tests.profiles import examples
from tests.relations.edge_histories import edge_sets
from tests.relations.table_reads import DENSE, Pairs, assert_combines, assert_reads, edges_of, facts_of, make
from tests.thresholds import Tuned

# Few ids, so that facts meet, and ids at the ends of the range, so that packing and overflow are seen.
IDS = st.one_of(st.integers(0, 6), st.sampled_from([2**32 - 1, 2**32 - 2, 2**16, 2**31]))


@pytest.fixture(autouse=True)
def small_blocks(tuned: Tuned) -> None:
    tuned(BLOCKS_MERGE_LEAST=3, CHUNK=4)


def assert_reads_plain(table: Table, facts: set) -> None:
    assert table.materialised() is table
    assert table.compacted() is table
    assert table.estimate == len(table) == len(facts)
    assert_reads(table, facts)
    rows = sorted(facts)
    kept = np.arange(len(table)) % 2 == 0
    assert facts_of(table.filter(kept)) == {*rows[::2]}


@pytest.mark.parametrize("arity", [1, 2, 3, 4])
def test_tables_equal_sets(arity: int) -> None:
    fact = st.tuples(*[IDS] * arity)
    steps = st.lists(st.tuples(st.sampled_from("+-&"), st.lists(fact, max_size=8)), min_size=1, max_size=10)

    @given(steps=steps)
    @settings(max_examples=examples(30))
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
                assert_combines(table, facts, other, set(rows))
            if isinstance(before, binary.BinaryTable) and isinstance(other, binary.BinaryTable):
                assert [*map(facts_of, before.insert(other))] == [kept | {*rows}, {*rows} - kept]
                assert [*map(facts_of, before.delete(other))] == [kept - {*rows}, kept & {*rows}]
                gone, come = make(rows[::2], 2), make([row for row in rows if row not in rows[::2]], 2)
                exchanged = before.exchanged(as_binary(gone).keys(), as_binary(come).keys())
                exchanged._check()
                assert facts_of(exchanged) == kept - {*rows[::2]} | facts_of(come)
            assert_reads_plain(table, facts)
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
    index, found = table.lookup({0: wanted})
    by_first: dict[int, int] = {}
    for row in facts:
        by_first[row[0]] = by_first.get(row[0], 0) + 1
    assert len(index) == sum(by_first.get(w, 0) for w in wanted.tolist())
    assert (wanted[index] == found[0]).all()
    for position in range(arity):
        known = {row[position] for row in facts}
        assert table.has_key(position, wanted).tolist() == [w in known for w in wanted.tolist()]
    half = tuple(column[:10_000] for column in columns)
    rest = table.difference(table_of(half))
    assert facts_of(rest) == facts - set(zip(*(c.tolist() for c in half), strict=True))
    assert facts_of(rest.union(table_of(half))) == facts


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_small_change_shares_the_large_block(is_mirrored: bool) -> None:
    table = table_of((np.arange(100_000, dtype=np.uint32), np.arange(100_000, dtype=np.uint32)))
    if is_mirrored:
        table.inverse()
    changed = table.union(make({(1, 2)}, 2)).difference(make({(5, 5)}, 2))
    assert isinstance(changed, binary.BinaryTable)
    assert isinstance(table, binary.BinaryTable)
    mirror = changed.inverse()
    assert changed._blocks[0] is table._blocks[0]
    changed._check()
    assert facts_of(mirror) == {(right, left) for left, right in facts_of(changed)}
    assert facts_of(changed) == (facts_of(table) | {(1, 2)}) - {(5, 5)}


def test_a_few_facts_are_compared_with_a_changed_table_as_it_is() -> None:
    ids = np.arange(100_000, dtype=np.uint32)
    changed = table_of((ids, ids)).union(make({(1, 2)}, 2)).difference(make({(5, 5)}, 2))
    assert isinstance(changed, binary.BinaryTable)
    blocks = changed._blocks
    few = make({(1, 2), (5, 5), (7, 7), (7, 8)}, 2)
    assert facts_of(few.difference(changed)) == {(5, 5), (7, 8)}
    assert facts_of(few.intersection(changed)) == {(1, 2), (7, 7)}
    assert changed._blocks is blocks, "the small blocks were merged into the large one"


@pytest.mark.parametrize("arity", [1, 2, 3])
def test_chunks_of_plain_tables_come_in_order(arity: int, tuned: Tuned) -> None:
    tuned(PLAIN_CHUNK=3, MANY_IDS=11, FEW_IDS=2)
    facts = [(node,) * arity for node in range(11)]
    chunks = [[*zip(*(c.tolist() for c in columns), strict=True)] for columns in make(facts, arity).chunks()]
    assert [row for chunk in chunks for row in chunk] == facts
    if arity < 3:
        assert [*map(len, chunks)] == ([2, 9] if arity == 1 else [3, 3, 3, 2])


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_how_many_ends_there_are_is_about_right_also_after_changes(is_mirrored: bool) -> None:
    generator = np.random.default_rng(5)
    columns = (generator.zipf(1.5, 100_000) % 50_000, generator.integers(0, 9_000, 100_000))
    table = binary.BinaryTable.of(tuple(column.astype(np.uint32) for column in columns))
    for version in range(4):
        if is_mirrored:
            table.inverse()
        for position in (0, 1):
            exact = len(table.distinct(position))
            estimate = table.distinct_estimate(position)
            assert exact / 2 <= estimate <= 2 * exact, f"version {version}, position {position}"
        gone = np.arange(len(table)) % 50 == version
        fresh = (generator.integers(60_000, 61_000, 900), generator.integers(0, 9_000, 900))
        added = binary.BinaryTable.of(tuple(column.astype(np.uint32) for column in fresh))
        table = table.difference(table.filter(gone)).union(added)


def test_reads_of_single_objects_are_the_same_before_and_after_the_mirror_is_made(tuned: Tuned) -> None:
    tuned(SCANS=6, BLOCKS_MERGE_LEAST=1000)
    facts = {(subject, subject % 3) for subject in range(40)}
    table = make(facts, 2).difference(make({(3, 0), (4, 1)}, 2)).union(make({(50, 0), (51, 7)}, 2))
    expected = facts - {(3, 0), (4, 1)} | {(50, 0), (51, 7)}

    for _ in range(3):
        for object in (0, 1, 2, 7, 9):
            subjects = sorted(s for s, o in expected if o == object)
            assert table.image_of(1, object).tolist() == subjects
            wanted = np.array([object], dtype=np.uint32)
            assert table.fanout(1, wanted).tolist() == [len(subjects)]
            assert table.has_key(1, wanted).tolist() == [bool(subjects)]
            _, (found, _) = table.lookup({1: wanted})
            assert found.tolist() == subjects


def test_a_look_for_one_object_makes_no_mirror() -> None:
    """A link asks each relation for its ends; mirrors of all of them take as long as to load the data."""
    table = edges_of((node, 2 * node) for node in range(100))
    size = table.nbytes

    assert [table.has_id(1, node) for node in (20, 21, 198, 200)] == [True, False, True, False]
    assert table.nbytes < 1.5 * size

    table.inverse()
    assert [table.has_id(1, node) for node in (20, 21, 198, 200)] == [True, False, True, False]
    assert table.nbytes > 1.5 * size


@pytest.mark.parametrize("gone", [set(), {(3, 3), (4, 4), (23, 3)}])
@pytest.mark.parametrize("come", [set(), {(7, 900), (900, 25), (901, 400)}])
def test_subjects_of_many_objects_are_the_same_before_and_after_the_mirror_is_made(
    tuned: Tuned, gone: Pairs, come: Pairs
) -> None:
    """Would catch pairs that a scan leaves out or doubles, of those that changed, too, and a mirror of some of the
    pairs that is kept."""
    tuned(SCANNED_PAIRS=1, SCANS=4, MANY_OBJECTS_SCANS=1)
    before = {(subject, subject % 20) for subject in range(200)}
    facts = (before - gone) | come
    table = edges_of(before).difference(edges_of(gone)).union(edges_of(come))
    wanted = np.array([3, 25, 0, 3, 19, 400], dtype=np.uint32)
    expected = sorted((row, s, o) for row, object in enumerate(wanted.tolist()) for s, o in facts if o == object)

    for number in range(6):
        index, (subjects, objects) = table.lookup({1: wanted})
        pieces = [*table.lookups({1: wanted}, 7)]

        assert sorted(zip(index.tolist(), subjects.tolist(), objects.tolist(), strict=True)) == expected
        assert all(len(each) <= 10 for each, _ in pieces)
        in_pieces = [(each, *(column.tolist() for column in columns)) for each, columns in pieces]
        assert sorted(row for each, s, o in in_pieces for row in zip(each.tolist(), s, o, strict=True)) == expected
        assert (table._mirror is not None) == (number > 1)


@pytest.mark.parametrize("change", [set(), {(7, 900), (900, 3)}])
def test_ends_of_many_objects_are_the_same_before_and_after_the_mirror_is_made(tuned: Tuned, change: Pairs) -> None:
    tuned(SCANNED_PAIRS=1, SCANS=4, MANY_OBJECTS_SCANS=1, JOIN_ROWS=16)
    facts = {(subject, subject * step % 20) for subject in range(200) for step in (1, 3)}
    table = edges_of(facts).union(edges_of(change)) if change else edges_of(facts)
    for number in range(8):
        wanted = np.array([3, 25, 0, 3, 19, 400, 900][: 7 - number % 4], dtype=np.uint32)
        expected = sorted({subject for subject, object in facts | change if object in wanted.tolist()})

        assert table.image(1, wanted).tolist() == expected
        assert (table._mirror is not None) == (bool(change) or number > 3)


@pytest.mark.parametrize("new", [0, 1, 40])
def test_a_large_insertion_keeps_block_and_mirror_where_little_is_new(tuned: Tuned, new: int) -> None:
    tuned(MERGED_LEAST=1, BLOCKS_MERGE_LEAST=8)
    facts = {(subject, subject % 7) for subject in range(100)}
    fresh = {(1000 + number, 3) for number in range(new)}
    table = edges_of(facts)
    table.inverse()

    union, found = table.insert(edges_of(facts | fresh))

    assert (union._mirror is not None) == (new < 8)
    assert (union._blocks[0] is table._blocks[0]) == (new < 8)
    assert facts_of(union) == facts | fresh
    assert facts_of(found) == fresh
    union._check()


def test_wide_tables_of_different_layouts_and_none_combine(tuned: Tuned) -> None:
    """Would catch rows that are lost where their ids have no room in the other table's numbers, and look-ups of ids
    for which there is none."""
    tuned(MANY_KEYS=2)
    near = {(1, 2, 3), (1, 2, 4), (7, 1, 1)}
    above = {(1 << 22, 5, 3), (1 << 22, 6, 3), (1, 2, 3)}
    far = {(0, 0, 1), (1 << 31, 1 << 31, 1 << 31), (1, 2, 4)}
    sets = [near, above, far, set[tuple[int, ...]]()]

    for one in sets:
        for other in sets:
            left, right = make(one, 3), make(other, 3)
            union, fresh = left.insert(right)
            assert facts_of(union) == facts_of(left.union(right)) == facts_of(union_of([left, right])) == one | other
            assert facts_of(fresh) == other - one
            assert facts_of(left.difference(right)) == one - other
            assert facts_of(left.difference(left)) == set()
            assert facts_of(left.intersection(right)) == one & other
            columns = make(other, 3).columns()
            assert left.contains(columns).tolist() == [row in one for row in sorted(other)]
            for positions in ((0,), (0, 1), (2,), (1, 2)):
                index, found = left.difference(make(near, 3)).lookup({each: columns[each] for each in positions})
                pairs = {(row, *fact) for row, *fact in zip(index.tolist(), *map(list, found), strict=True)}
                assert pairs == {
                    (row, *fact)
                    for row, wanted in enumerate(sorted(other))
                    for fact in one - near
                    if all(fact[each] == wanted[each] for each in positions)
                }


def test_a_plan_needs_no_mirror_to_expect_how_many_subjects_an_object_has(tuned: Tuned) -> None:
    """What few pairs tell is near what all tell, also after changes, and for an id that comes several times."""
    tuned(SAMPLED_KEYS=1 << 10)
    random = np.random.default_rng(1)
    columns = random.integers(0, 5000, 40_000), np.minimum(random.geometric(0.01, 40_000), 400)
    table = BinaryTable.of(tuple(column.astype(np.uint32) for column in columns))
    objects = np.array([3, 3, 20, 20, 400, 100], dtype=np.uint32)

    expected = table.expected_fanout(1, objects)

    assert table._mirror is None
    assert expected == pytest.approx(table.fanout(1, objects).mean(), rel=0.3)
    assert table._mirror is not None
    assert table.expected_fanout(1, objects) == table.fanout(1, objects).mean()


@given(before=edge_sets(DENSE, 9), after=edge_sets(DENSE, 9))
@settings(max_examples=examples(100))
def test_the_net_change_of_plain_tables_is_found_from_the_larger_one(before: Pairs, after: Pairs) -> None:
    added, removed = net_change(edges_of(before), edges_of(after))

    assert facts_of(added or edges_of([])) == after - before
    assert facts_of(removed or edges_of([])) == before - after
    assert added is None or len(added)
    assert removed is None or len(removed)


def test_few_keys_of_wide_rows_are_found_without_a_sort_of_all() -> None:
    columns = tuple(np.random.default_rng(1).integers(0, 50, 6_000).astype(np.uint32) for _ in range(3))
    rows = {*zip(*(column.tolist() for column in columns), strict=True)}
    wide = WideTable.of(columns)
    size = wide.nbytes
    for position in (0, 1, 2):
        wanted = np.array([7, 3, 99], dtype=np.uint32)
        index, found = wide.lookup({position: wanted})

        got = sorted(zip(wanted[index].tolist(), *(column.tolist() for column in found), strict=True))
        assert got == sorted((row[position], *row) for row in rows if row[position] in (7, 3))
        assert wide.has_key(position, wanted).tolist() == [True, True, False]
        assert wide.distinct_estimate(position) == 50
    index, _ = wide.lookup({1: np.array([7], dtype=np.uint32), 2: np.array([3], dtype=np.uint32)})
    assert len(index) == sum(row[1:] == (7, 3) for row in rows)
    assert wide.nbytes == size
