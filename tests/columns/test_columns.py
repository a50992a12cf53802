"""The primitive operations on columns, against Python sets and sorted lists."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kgreason.checkpoints import heeding
from kgreason.columns import bitmaps, pairs, rows, sorted_columns, sorted_sets
from tests.thresholds import replaced_constants

KEYS = st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1)), max_size=30)
IDS = st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**32 - 1)), max_size=30)


def column(values: list[int], dtype: type = np.uint64) -> np.ndarray:
    return np.array(values, dtype=dtype)


def sorted_set(values: list[int]) -> np.ndarray:
    return column(sorted(set(values)))


@given(KEYS)
def test_unique_is_that_of_a_set(values: list[int]) -> None:
    assert sorted_sets.unique(column(values)).tolist() == sorted(set(values))
    assert sorted_sets.unique_of_sorted(column(sorted(values))).tolist() == sorted(set(values))
    assert sorted_columns.is_sorted(column(values)) == (values == sorted(values))


@given(KEYS, KEYS, KEYS)
def test_set_operations(first: list[int], second: list[int], third: list[int]) -> None:
    left, right = sorted_set(first), sorted_set(second)
    assert sorted_sets.union(left, right).tolist() == sorted({*first, *second})
    assert sorted_sets.difference(left, right).tolist() == sorted({*first} - {*second})
    assert sorted_sets.intersection(left, right).tolist() == sorted({*first} & {*second})
    assert sorted_sets.contains(left, column(second)).tolist() == [value in first for value in second]
    assert sorted_sets.joined(left, sorted_set([*({*second} - {*first})])).tolist() == sorted({*first, *second})
    union, fresh = sorted_sets.inserted(left, right)
    assert union.tolist() == sorted({*first, *second})
    assert fresh.tolist() == sorted({*second} - {*first})
    assert sorted_sets.union_of_parts([left, right, left]).tolist() == sorted({*first, *second})
    assert left.tolist() == sorted({*first})
    assert right.tolist() == sorted({*second})
    with replaced_constants(SOUGHT_BLOCK=2):
        assert sorted_sets.contains(left, column(sorted(second))).tolist() == [each in first for each in sorted(second)]
    assert sorted_sets.union_all([left, right, sorted_set(third)]).tolist() == sorted({*first, *second, *third})


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_small_side_takes_the_same_result(size: int) -> None:
    large = np.arange(0, 10_000, 3, dtype=np.uint64)
    small = np.arange(0, size * 50, 50, dtype=np.uint64)
    assert sorted_sets.union(large, small).tolist() == sorted({*large.tolist(), *small.tolist()})
    assert sorted_sets.difference(large, small).tolist() == sorted({*large.tolist()} - {*small.tolist()})
    assert sorted_sets.difference(small, large).tolist() == sorted({*small.tolist()} - {*large.tolist()})
    assert sorted_sets.difference(large, large[-1:]).tolist() == large[:-1].tolist()


@pytest.mark.parametrize("sizes", [(200_000, 90_000), (90_000, 200_000), (200_000, 3), (3, 200_000), (65_536, 65_536)])
@pytest.mark.parametrize("lows", [(0, 0), (0, 150_000), (150_000, 0), (0, 2**40), (2**40, 0)])
def test_large_sets_are_united_a_block_after_the_other(sizes: tuple[int, int], lows: tuple[int, int]) -> None:
    generator = np.random.default_rng(sizes[0])
    left, right = (
        np.unique(low + generator.integers(0, 250_000, size)).astype(np.uint64)
        for low, size in zip(lows, sizes, strict=True)
    )

    with replaced_constants(INSERTED_APART=1):
        union, fresh = sorted_sets.inserted(left, right)
        united, joined = sorted_sets.union(left, right), sorted_sets.joined(left, fresh)

    for found in (union, united, joined):
        assert np.array_equal(found, np.union1d(left, right))
    assert np.array_equal(fresh, np.setdiff1d(right, left))


def test_uniting_large_sets_can_be_stopped() -> None:
    """A query that unites hundreds of millions of pairs would run on for seconds when its time is over."""
    left, right = (np.arange(begin, 1 << 21, 2, dtype=np.uint64) for begin in (0, 1))
    looks = []

    with heeding(looks.append):
        sorted_sets.union(left, right)

    assert len(looks) >= 10


@given(st.sets(st.integers(0, 150)), st.sets(st.integers(0, 150)), st.sets(st.integers(0, 150)))
def test_sets_that_are_mostly_the_same_are_compared_in_blocks(kept: set[int], gone: set[int], come: set[int]) -> None:
    left, right = sorted_set([*(kept | gone)]), sorted_set([*(kept - gone | come)])

    with replaced_constants(COMPARED_BLOCK=3, MERGED_LEAST=1):
        found = sorted_sets.difference(left, right)

    assert found.tolist() == sorted((kept | gone) - (kept - gone | come))


def test_check_sees_disorder_and_duplicates() -> None:
    for values in ([2, 1], [1, 1]):
        with pytest.raises(AssertionError):
            sorted_sets.check(column(values))


@pytest.mark.parametrize("lowest", [0, 2**32 - 300])
@pytest.mark.parametrize("width", [20, 300])
def test_distinct_pairs_are_sorted_and_come_once(lowest: int, width: int) -> None:
    generator = np.random.default_rng(width)
    left, right = (lowest + generator.integers(0, width, (2, 5_000))).astype(np.uint32)

    found = pairs.distinct(left, right)

    expected = sorted({*zip(left.tolist(), right.tolist(), strict=True)})
    assert [*zip(pairs.subjects(found).tolist(), pairs.objects(found).tolist(), strict=True)] == expected


def test_many_distinct_pairs_that_are_far_apart_are_sorted_and_come_once() -> None:
    generator = np.random.default_rng(1)
    left, right = (generator.integers(0, 300, 200_000).astype(np.uint32) * np.uint32(10_000_000) for _ in range(2))

    keys = pairs.distinct(left, right)

    expected = np.unique(np.stack((left, right), axis=1), axis=0)
    assert np.array_equal(pairs.subjects(keys), expected[:, 0])
    assert np.array_equal(pairs.objects(keys), expected[:, 1])
    assert np.array_equal(pairs.subjects(keys[::2]), expected[::2, 0])


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), max_size=20))
def test_packed_pairs_have_the_ids_that_went_in(facts: list[tuple[int, int]]) -> None:
    subjects = column([s for s, _ in facts], np.uint32)
    objects = column([o for _, o in facts], np.uint32)
    keys = pairs.pack(subjects, objects)
    assert pairs.subjects(keys).tolist() == subjects.tolist()
    assert pairs.objects(keys).tolist() == objects.tolist()
    assert pairs.objects(pairs.swap(keys)).tolist() == subjects.tolist()
    ordered = np.sort(keys)
    assert pairs.distinct_subjects(ordered).tolist() == sorted({s for s, _ in facts})


@pytest.mark.parametrize("wanted_size", [3, 5000])
@pytest.mark.parametrize("highest", [50, 2**32 - 1])
def test_ranges_and_spread(wanted_size: int, highest: int) -> None:
    generator = np.random.default_rng(3)
    subjects = np.append(generator.integers(0, highest, 2000), highest).astype(np.uint32)
    keys = np.unique(pairs.pack(subjects, generator.integers(0, 9, 2001).astype(np.uint32)))
    wanted = np.append(generator.integers(0, highest, wanted_size), [0, highest]).astype(np.uint32)
    begin, end = pairs.ranges(keys, wanted)
    index, positions = pairs.spread(begin, end)
    counts = dict(zip(*np.unique(pairs.subjects(keys), return_counts=True), strict=True))
    assert (end - begin).tolist() == [int(counts.get(w, 0)) for w in wanted]
    assert (pairs.subjects(keys[positions]) == wanted[index]).all()


SUBJECTS = {
    "each once": lambda generator, size: np.arange(size),
    "few": lambda generator, size: generator.integers(0, 7, size),
    "one": lambda generator, size: np.zeros(size, dtype=np.int64),
    "uniform": lambda generator, size: generator.integers(0, size // 3 + 1, size),
    "a hub before many": lambda generator, size: np.maximum(np.arange(size) - size * 99 // 100, 0),
    "a hub after many": lambda generator, size: np.minimum(np.arange(size), size // 50),
    "a hub among many": lambda generator, size: np.clip(np.arange(size), size // 200, size * 199 // 200),
    "skewed": lambda generator, size: generator.zipf(1.3, size) % 2**31,
    "very skewed": lambda generator, size: generator.zipf(2.0, size) % 2**31,
}


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("size", [0, 1, 1_000, 70_000, 500_000])
def test_the_estimate_of_subjects_is_within_a_factor_of_two(size: int, name: str) -> None:
    generator = np.random.default_rng(3)
    subjects = SUBJECTS[name](generator, size).astype(np.uint32)
    keys = np.unique(pairs.pack(subjects, generator.integers(0, 2**32, size).astype(np.uint32)))
    exact = len(np.unique(subjects))
    assert exact / 2 <= pairs.estimated_subjects(keys) <= exact * 2


def test_keys_are_found_whether_they_are_near_each_other_or_far() -> None:
    generator = np.random.default_rng(3)
    near, far = generator.integers(0, 40, (400, 2)), generator.integers(0, 2**32, (40, 2))
    keys = pairs.distinct(*np.concatenate((near[:200], far[:20])).astype(np.uint32).T)
    asked = [pairs.pack(*each.astype(np.uint32).T) for each in (near, far)]
    with replaced_constants(HASHED_VALUES=8, HASH_ROWS=64):
        for wanted in (np.concatenate(asked), np.concatenate(asked[::-1])):
            assert pairs.contains(keys, wanted).tolist() == np.isin(wanted, keys).tolist()


def test_columns_that_come_in_runs_are_sorted() -> None:
    runs = np.tile(np.arange(500, dtype=np.uint64), 9)
    scattered = np.random.default_rng(1).permutation(runs)
    for values in (runs, scattered, runs[::-1]):
        assert sorted_columns.in_order(values).tolist() == sorted(values.tolist())


@pytest.mark.parametrize("wanted_size", [0, 1, 3, 2100, 50_000])
@pytest.mark.parametrize("highest", [50, 3000, 2**32 - 1])
def test_which_subjects_keys_have(wanted_size: int, highest: int) -> None:
    generator = np.random.default_rng(4)
    subjects = np.append(generator.integers(0, highest, 4000), highest).astype(np.uint32)
    keys = np.unique(pairs.pack(subjects, generator.integers(0, 2**32, 4001).astype(np.uint32)))
    wanted = generator.integers(0, highest + 1, wanted_size).astype(np.uint32)
    for ids in (wanted, np.sort(wanted), np.array([highest], dtype=np.uint32)):
        known = {*subjects.tolist()}
        assert pairs.has_subjects(keys, ids).tolist() == [identifier in known for identifier in ids.tolist()]
        begin, end = pairs.ranges(keys, ids)
        assert ((end > begin) == pairs.has_subjects(keys, ids)).all()
    assert not pairs.has_subjects(keys[:0], wanted).any()


@given(IDS, IDS)
def test_bitmaps_have_the_members_of_their_ids(members: list[int], wanted: list[int]) -> None:
    bitmap = bitmaps.from_ids(column(members, np.uint32))
    assert bitmap == BitMap(members)
    assert bitmaps.to_ids(bitmap).tolist() == sorted(set(members))
    assert bitmaps.distinct(column(members, np.uint32)).tolist() == sorted(set(members))
    assert bitmaps.contains(bitmap, column(wanted, np.uint32)).tolist() == [value in members for value in wanted]


@pytest.mark.parametrize("highest", [10_000, 2**32])
def test_bitmaps_of_many_ids(highest: int) -> None:
    generator = np.random.default_rng(5)
    members = generator.integers(0, highest, 9000).astype(np.uint32)
    bitmap = bitmaps.from_ids(members)
    assert bitmap == BitMap(members.tolist())
    few = np.append(generator.integers(0, highest, 200), members[:50]).astype(np.uint32)
    strangers = np.setdiff1d(few, members)
    for wanted in (np.append(generator.integers(0, highest, 9000).astype(np.uint32), few), few, strangers):
        assert bitmaps.contains(bitmap, wanted).tolist() == [value in bitmap for value in wanted.tolist()]


@given(st.lists(st.tuples(*[st.integers(0, 2**32 - 1)] * 3), max_size=20))
def test_packed_rows_sort_like_rows(facts: list[tuple[int, int, int]]) -> None:
    columns = [column([fact[i] for fact in facts], np.uint32) for i in range(3)]
    packed = rows.pack(columns)
    unpacked = rows.unpack(np.sort(packed), 3)
    assert [*zip(*(c.tolist() for c in unpacked), strict=True)] == sorted(facts)
