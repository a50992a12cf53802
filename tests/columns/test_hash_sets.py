"""Sets of hashed keys, against Python sets.

Would catch a key that is lost because another took its slot, or found because it is the mark of an empty one.
"""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.columns import sorted_sets
from kgreason.columns.hash_sets import HashSet

HIGHEST = 2**64 - 1


def keys_of(kind: str, count: int) -> np.ndarray:
    generator = np.random.default_rng(count)
    if kind == "dense":
        return np.arange(count, dtype=np.uint64)
    if kind == "pairs":
        subjects, objects = generator.integers(0, 300, (2, count)).astype(np.uint64)
        return np.unique(subjects << np.uint64(32) | objects)
    if kind == "subjects":
        return np.arange(count, dtype=np.uint64) << np.uint64(32)
    return np.unique(generator.integers(0, HIGHEST, count, dtype=np.uint64))


@pytest.mark.parametrize("kind", ["dense", "pairs", "subjects", "anything"])
@pytest.mark.parametrize("count", [0, 1, 5, 40_000])
def test_members_are_found_and_others_are_not(kind: str, count: int) -> None:
    keys = keys_of(kind, count)
    wanted = np.concatenate((keys, keys + np.uint64(1), keys << np.uint64(1), np.array([0, HIGHEST], dtype=np.uint64)))

    hashed = HashSet.of(keys)

    assert hashed is not None
    members = {*keys.tolist()}
    assert hashed.contains(wanted).tolist() == [key in members for key in wanted.tolist()]


def test_keys_that_all_fall_together_are_refused() -> None:
    # Their products with the factor differ by one, so that all begin in a few slots.
    inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
    folded = [index * inverse % 2**64 for index in range(1_000)]
    keys = np.array(sorted({_unfolded(each) for each in folded}), dtype=np.uint64)

    assert HashSet.of(keys) is None
    assert sorted_sets.contains(keys, np.tile(keys[::-1], 20)).all()


def _unfolded(mixed: int) -> int:
    key = mixed
    for _ in range(3):
        key = mixed ^ (key >> 29)
    return key


def test_the_mark_of_an_empty_slot_is_no_key() -> None:
    keys = np.array([3, HIGHEST], dtype=np.uint64)

    assert HashSet.of(keys) is None
    wanted = np.array([HIGHEST, 4, 3] * 9_000, dtype=np.uint64)
    assert sorted_sets.contains(keys, wanted).tolist() == [True, False, True] * 9_000


@pytest.mark.parametrize("members", [100, 100_000])
def test_keys_in_no_order_are_found_as_sorted_ones_are(members: int) -> None:
    keys = keys_of("pairs", members)
    wanted = np.random.default_rng(3).permutation(np.concatenate((keys_of("pairs", 30_000), keys)))

    found = sorted_sets.contains(keys, wanted)

    assert found.tolist() == np.isin(wanted, keys).tolist()
