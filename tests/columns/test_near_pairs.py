"""Pairs of ids near each other against Python's sets of pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns import near_pairs, pairs, sorted_sets
from tests.thresholds import replaced_constants


def column(values: list[int], dtype: type = np.uint64) -> np.ndarray:
    return np.array(values, dtype=dtype)


PAIRS = st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=60)
LOWEST = st.sampled_from([(0, 0), (2**32 - 10, 2**32 - 10), (3, 2**32 - 10), (2**32 - 10, 0), (2**31 - 5, 2**31 - 5)])


def keys_of(facts: set[tuple[int, int]], lowest: tuple[int, int]) -> pairs.Keys:
    """The sorted keys of pairs, moved."""
    moved = sorted((left + lowest[0], right + lowest[1]) for left, right in facts)
    return pairs.pack(column([left for left, _ in moved], np.uint32), column([right for _, right in moved], np.uint32))


@given(PAIRS, PAIRS, LOWEST)
def test_sets_of_near_pairs_are_compared_by_flags(
    first: set[tuple[int, int]], second: set[tuple[int, int]], lowest: tuple[int, int]
) -> None:
    left, right = keys_of(first, lowest), keys_of(second, lowest)

    with replaced_constants(FLAGS_PER_KEY=100, MERGED_LEAST=1, FEW_KEYS=100):
        apart, both = sorted_sets.difference(left, right), sorted_sets.intersection(left, right)
        assert not len(left) or near_pairs.common(left, right) is not None

    assert apart.tolist() == keys_of(first - second, lowest).tolist()
    assert both.tolist() == keys_of(first & second, lowest).tolist()


@given(PAIRS.filter(bool), PAIRS)
def test_pairs_outside_of_the_ids_of_the_others_are_not_among_them(
    first: set[tuple[int, int]], second: set[tuple[int, int]]
) -> None:
    left, right = keys_of(first, (2**20, 2**20)), keys_of(second, (2**20 + 4, 2**20 - 4))

    with replaced_constants(FLAGS_PER_KEY=400):
        found = near_pairs.common(left, right)

    assert found is not None
    assert found.tolist() == np.isin(left, right).tolist()


@pytest.mark.parametrize("far", ["subject", "object", "object of the others"])
def test_sets_of_pairs_far_apart_are_merged(far: str) -> None:
    near = {(left, right) for left in range(4, 40) for right in range(40)}
    other = {"subject": (2**31, 3), "object": (20, 2**31), "object of the others": (20, 2**31)}[far]
    left = keys_of(near | ({other} if not far.endswith("others") else set()), (0, 0))
    right = keys_of(near - {(5, 5)} | ({other} if far.endswith("others") else set()), (0, 0))

    with replaced_constants(MERGED_LEAST=1):
        assert near_pairs.common(left, right) is None
        assert sorted_sets.difference(left, right).tolist() == np.setdiff1d(left, right).tolist()


@pytest.mark.parametrize("lowest", [(0, 0), (2**32 - 70, 2**32 - 30), (7, 2**32 - 30)])
@pytest.mark.parametrize("members", [0, 1, 600])
def test_pairs_in_any_order_are_found_among_the_members(lowest: tuple[int, int], members: int) -> None:
    generator = np.random.default_rng(members)
    known, asked = (generator.integers(0, (70, 30), (count, 2)) + lowest for count in (members, 300))
    keys = pairs.distinct(*known.astype(np.uint32).T)

    found = near_pairs.contains(keys, *asked.astype(np.uint32).T)

    expected = {*map(tuple, known.tolist())}
    assert found is not None
    assert found.tolist() == [tuple(row) in expected for row in asked.tolist()]


@pytest.mark.parametrize("lowest", [(0, 0), (2**32 - 300, 2**32 - 200), (7, 2**32 - 200)])
@pytest.mark.parametrize("count", [1, 5000, 50_000])
def test_near_pairs_in_any_order_become_sorted_keys(lowest: tuple[int, int], count: int) -> None:
    some = np.random.default_rng(count).integers(0, (300, 200), (count, 2)) + lowest

    with replaced_constants(PAIR_CELLS=60_000):
        found = near_pairs.distinct(*some.astype(np.uint32).T)

    assert found is not None
    assert found.tolist() == sorted({left << 32 | right for left, right in some.tolist()})


@pytest.mark.parametrize("lowest", [(0, 0), (2**32 - 300, 2**32 - 200), (7, 2**32 - 200)])
@pytest.mark.parametrize("count", [1, 5000, 50_000])
def test_near_pairs_are_sorted_the_other_way_round(lowest: tuple[int, int], count: int) -> None:
    some = np.random.default_rng(count).integers(0, (300, 200), (count, 2)) + lowest
    keys = pairs.distinct(*some.astype(np.uint32).T)

    with replaced_constants(PAIR_CELLS=60_000):
        found = near_pairs.mirrored(keys)

    assert found is not None
    assert found.tolist() == sorted({right << 32 | left for left, right in some.tolist()})


def test_pairs_of_ids_far_apart_are_not_looked_for_in_a_table_of_bits() -> None:
    far = column([0, 2**32 - 1], np.uint32)
    assert near_pairs.contains(pairs.pack(far, far), far, far) is None
