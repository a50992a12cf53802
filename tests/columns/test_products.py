"""Products of matrices of bits, against Python sets.

Would catch a row that takes the members of its neighbour, a group of one, or very many, that loses a member, and a bit
at the edge of a word.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.columns import products
from tests.profiles import examples
from tests.thresholds import tuning_context

BITS = st.frozensets(st.tuples(st.integers(0, 11), st.sampled_from([0, 1, 62, 63, 64, 65, 127, 128, 191])), max_size=30)
GROUPS = st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=12), min_size=1, max_size=40)


def matrix(bits: frozenset[tuple[int, int]]) -> products.Bits:
    rows, columns = (np.array([bit[end] for bit in sorted(bits)], dtype=np.int64) for end in (0, 1))
    return products.bit_rows(rows, columns, 12, products.width_of(192))


@given(BITS)
@settings(max_examples=examples(50))
def test_set_bits_are_the_ones_that_were_set(bits: frozenset[tuple[int, int]]) -> None:
    rows, columns = products.set_bits(matrix(bits))

    assert [*zip(rows.tolist(), columns.tolist(), strict=True)] == sorted(bits)


@given(st.lists(BITS, max_size=4))
@settings(max_examples=examples(50))
def test_bits_that_come_in_parts_are_set_beside_each_other(parts: list[frozenset[tuple[int, int]]]) -> None:
    columns = [tuple(np.array([bit[end] for bit in part], dtype=np.int64) for end in (0, 1)) for part in parts]

    with tuning_context() as tuned:
        tuned(PRODUCT_CELLS=3 * 192)
        bits = products.rows_of_bits(columns, 12, products.width_of(192))

    rows, places = products.set_bits(bits)
    assert [*zip(rows.tolist(), places.tolist(), strict=True)] == sorted(frozenset().union(*parts))


@pytest.mark.parametrize("words", [1, 7, 1 << 20])
@given(BITS, GROUPS)
@settings(max_examples=examples(50))
def test_each_group_has_the_bits_of_its_members(
    words: int, bits: frozenset[tuple[int, int]], groups: list[list[int]]
) -> None:
    members = np.concatenate([np.array(group, dtype=np.int64) for group in groups])
    begins = np.cumsum([0, *map(len, groups)])[:-1]

    with tuning_context() as tuned:
        tuned(PRODUCT_WORDS=words, PRODUCT_CELLS=64 * words)
        found = [
            pair
            for rows, columns in products.product_rows([(matrix(bits), members)], begins)
            for pair in zip(rows.tolist(), columns.tolist(), strict=True)
        ]

    assert found == sorted(
        {(number, column) for number, group in enumerate(groups) for row, column in bits if row in group}
    )


@pytest.mark.parametrize("words", [1, 7, 1 << 20])
@given(BITS, BITS, GROUPS, st.randoms(use_true_random=False))
@settings(max_examples=examples(50))
def test_each_group_has_the_bits_that_rows_of_two_matrices_have_in_common(
    words: int,
    left: frozenset[tuple[int, int]],
    right: frozenset[tuple[int, int]],
    groups: list[list[int]],
    random: Random,
) -> None:
    others = [[random.randrange(12) for _ in group] for group in groups]
    factors = [
        (matrix(bits), np.concatenate([np.array(group, dtype=np.int64) for group in rows]))
        for bits, rows in ((left, groups), (right, others))
    ]

    with tuning_context() as tuned:
        tuned(PRODUCT_WORDS=words)
        pieces = [*products.product_rows(factors, np.cumsum([0, *map(len, groups)])[:-1])]

    found = [pair for rows, columns in pieces for pair in zip(rows.tolist(), columns.tolist(), strict=True)]
    assert found == sorted(
        {
            (number, column)
            for number, rows in enumerate(zip(groups, others, strict=True))
            for one, other in zip(*rows, strict=True)
            for row, column in left
            if row == one and (other, column) in right
        }
    )


def test_a_group_with_very_many_members_beside_small_ones_has_all_bits() -> None:
    generator = np.random.default_rng(1)
    groups = [generator.integers(0, 300, size) for size in (5_000, 1, 2, 700, *([3] * 40))]
    rows, columns = np.arange(300), generator.integers(0, 1_000, 300)
    bits = products.bit_rows(rows, columns, 300, products.width_of(1_000))

    found = products.unions([(bits, np.concatenate(groups))], np.cumsum([0, *map(len, groups)])[:-1])

    for group, row in zip(groups, found, strict=True):
        assert set(products.set_bits(row[None])[1].tolist()) == set(columns[group].tolist())
