"""Sums of integers and decimals against Python's: catches a digit that is lost where sums, or their members, are too
large for floats or for 64 bits, or have many places, and a group that takes in the members of another."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgreason.algebra.decimal_units import units_of
from kgreason.algebra.local_terms import LocalTerms, StoredTerms
from kgreason.algebra.member_groups import GroupRuns, Groups, NumberedGroups, groups_of
from kgreason.algebra.row_keys import Counts
from kgreason.algebra.sums import Totals, sums
from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.literal_values import EXACT
from kgreason.rdf.numbers import decimal_text
from kgreason.rdf.vocabulary import XSD
from tests.profiles import examples

EDGES = [1 << 52, (1 << 53) - 1, (1 << 53) + 1, 1 << 60, (1 << 61) - 1, 1 << 62, (1 << 63) - 1, 1 << 63, 1 << 90]
INTEGERS = st.integers(-20, 20) | st.sampled_from([sign * edge for edge in EDGES for sign in (1, -1)])
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**14), max_value=10**14) | (
    st.sampled_from(["0.1234567", "-0.000000000001", "123456789012.123456", "99999999999999.9"]).map(Decimal)
)
NUMBERS = INTEGERS | DECIMALS


def key_of(number: int | Decimal) -> str:
    if isinstance(number, int):
        return f'"{number}"^^{XSD}integer'
    return f'"{decimal_text(number)}"^^{XSD}decimal'


def summed(numbers: list[int | Decimal], weights: list[int]) -> Decimal:
    total = Decimal(0)
    for number, weight in zip(numbers, weights, strict=True):
        total = EXACT.add(total, EXACT.multiply(Decimal(number), Decimal(weight)))
    return total


def totals_of(terms: LocalTerms, ids: np.ndarray, groups: Groups, counts: Counts | None) -> list[Totals]:
    found = [Totals.of(terms, terms.values_of(ids), ids, groups, counts)]
    integers = Totals.of_integers(terms, ids, groups) if counts is None else None
    return found if integers is None else [*found, integers]


@settings(deadline=None, max_examples=examples(200))
@example(groups=[[(1 << 62) - 1] * 40, [-(1 << 61)] * 9, [1]], counts=None)
@example(groups=[[1 << 61, Decimal("0.25")], [Decimal("0.1234567"), 1]], counts=[1 << 40])
@given(groups=st.lists(st.lists(NUMBERS, min_size=1, max_size=5), min_size=1, max_size=4),
       counts=st.none() | st.lists(st.integers(1, 5) | st.just(1 << 40), min_size=20, max_size=20))  # fmt: skip
def test_sums_are_those_of_python(groups: list[list[int | Decimal]], counts: list[int] | None) -> None:
    terms = StoredTerms(Dictionary())
    members = [number for group in groups for number in group]
    weights = [1 if counts is None else counts[row % len(counts)] for row in range(len(members))]
    ids = terms.encode_keys([*map(key_of, members)])
    of_each = np.repeat(np.arange(len(groups)), [*map(len, groups)])
    column = None if counts is None else np.array(weights, dtype=np.int64)
    expected = []
    for number, group in enumerate(groups):
        rows = np.flatnonzero(of_each == number).tolist()
        total = summed(group, [weights[row] for row in rows])
        expected.append(key_of(int(total) if all(isinstance(each, int) for each in group) else total))

    runs = groups_of(of_each, len(groups))
    assert isinstance(runs, GroupRuns)
    for kind in (runs, NumberedGroups(of_each, len(groups))):
        for found in totals_of(terms, ids, kind, column):
            assert terms.keys(sums(found, terms)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_large_groups_of_large_integers_are_added_exactly(seed: int) -> None:
    random = np.random.default_rng(seed)
    numbers = random.integers(-(10**15), 10**15, 5000)
    of_each = np.sort(random.integers(0, 3, len(numbers)))
    terms = StoredTerms(Dictionary())
    ids = terms.encode_integers(numbers)

    found = Totals.of_integers(terms, ids, groups_of(of_each, 3))

    assert found is not None
    expected = [sum(numbers[of_each == group].tolist()) for group in range(3)]
    assert [int(found.number(group)) for group in range(3)] == expected


def test_units_are_the_numbers_where_they_are_known() -> None:
    numbers = np.array([1.5, -0.25, 3e15, 1e18, 0.1234567, np.nan, np.inf, 7.0, 123456.123456])

    units, places, known = units_of(numbers)

    assert places == 6
    assert known.tolist() == [True, True, False, False, False, False, False, True, True]
    assert (units[known] / 10.0**places).tolist() == numbers[known].tolist()
