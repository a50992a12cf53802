"""Sorts in parts give what one sort gives: catches equal values that are parted, and values at the borders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

from kgreason import sorting
from kgreason.checkpoints import heeding
from tests.thresholds import replaced_constants


@pytest.fixture(autouse=True)
def small_parts() -> Iterator[None]:
    with replaced_constants(SORT_ROWS=50):
        yield


@pytest.mark.parametrize("highest", [2, 30, 10**9])
@pytest.mark.parametrize("length", [0, 1, 50, 51, 1000, 5000])
def test_argsort_is_stable_whatever_the_parts(length: int, highest: int) -> None:
    values = np.random.default_rng(length + highest).integers(0, highest, length)
    for column in (values, values.astype(np.uint32), np.sort(values), values.astype(np.float64)):
        assert np.array_equal(sorting.argsort(column), np.argsort(column, kind="stable"))


def test_distinct_values_ascend() -> None:
    for values in ([], [3], [3, 1, 3, 2, 1]):
        assert sorting.distinct(np.array(values)).tolist() == sorted(set(values))


def test_lexsort_goes_by_the_last_column_first() -> None:
    columns = [np.random.default_rng(n).integers(0, 7, 1000) for n in range(3)]
    assert np.array_equal(sorting.lexsort(columns), np.lexsort(columns))


def test_dense_ranks_count_distinct_values_and_take_all_nan_as_one() -> None:
    values = np.random.default_rng(1).integers(0, 300, 1000).astype(np.float64)
    values[::7] = np.nan
    expected = np.unique(values, return_inverse=True)[1].reshape(-1)
    assert np.array_equal(sorting.dense_ranks(values), expected)


@pytest.mark.parametrize("numbers", [
    [], [7], [3, 1, 3, -2, 1], [-(1 << 63), (1 << 63) - 1, 0, 0], [1 << 60, 0, 1 << 60], [(1 << 61) - 1, 0, 5, 5, 0],
])  # fmt: skip
def test_numbered_integers_are_those_of_numpy(numbers: list[int]) -> None:
    column = np.array(numbers, dtype=np.int64)
    ascending, places = np.unique(column, return_inverse=True)

    found, rows = sorting.numbered(column)

    assert (found.tolist(), rows.tolist()) == (ascending.tolist(), places.reshape(-1).tolist())
    assert column.tolist() == numbers


@pytest.mark.parametrize("sizes", [[5], [100, 100], [1, 200, 3, 0, 50] * 4])
def test_texts_are_ranked_by_code_points(sizes: list[int]) -> None:
    random = np.random.default_rng(sum(sizes))
    pieces = [["".join(random.choice([*"aBé\U0001f600"], random.integers(0, 4))) for _ in range(n)] for n in sizes]
    texts = [text for piece in pieces for text in piece]
    places = {text: place for place, text in enumerate(sorted(set(texts)))}

    ranks = sorting.text_ranks([pa.array(piece, pa.large_string()) for piece in pieces])

    assert ranks.tolist() == [places[text] for text in texts]


def test_long_sort_looks_at_the_clock() -> None:
    looks: list[int] = []
    with heeding(looks.append):
        sorting.argsort(np.random.default_rng(1).permutation(1000))
        sorting.text_ranks([pa.array(["b", "a"], pa.large_string())] * 10)
    assert len(looks) > 40


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.int32, np.uint64, np.int64])
@pytest.mark.parametrize("share", [0, 8, 32])
def test_whole_numbers_of_any_width_are_sorted_like_the_first_of_their_equals(dtype: type, share: int) -> None:
    """`share`: the values are below so many 64ths of the bits that there are."""
    limits = np.iinfo(dtype)
    generator = np.random.default_rng(share)
    bits = max(1, share * limits.bits // 64) if share else limits.bits
    most = min(limits.max, (1 << bits) - 1)
    least = -most - 1 if limits.min and not share else 0
    column = generator.integers(least, most, 5000, dtype=dtype, endpoint=True)
    column[[7, 4000]] = least, most
    with replaced_constants(SORT_ROWS=10_000):
        assert np.array_equal(sorting.argsort(column), np.argsort(column, kind="stable"))


@pytest.mark.parametrize("width", [1, 2, 5])
@pytest.mark.parametrize("length", [0, 1, 40, 500])
def test_distinct_rows_are_those_of_numpy(length: int, width: int) -> None:
    rows = np.random.default_rng(length + width).integers(-2, 3, (length, width))

    distinct, numbers = sorting.distinct_rows(rows)

    assert distinct.tolist() == np.unique(rows, axis=0).tolist()
    assert distinct[numbers].tolist() == rows.tolist()
