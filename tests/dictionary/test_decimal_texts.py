"""Would catch a digit of a sum or an average that is not what Python's decimals give: rounding at a boundary of chunks,
a carry into the whole part, zeros behind the point, signs."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kgreason.dictionary.decimal_texts import LARGEST_DIVISOR, integer_keys, quotient_keys

_WHOLE = st.integers(-(1 << 62), 1 << 62) | st.integers(-1000, 1000)
_DIVISORS = st.integers(1, 20) | st.sampled_from([2**30, 2**33, 5**13, 10**9]) | st.integers(1, LARGEST_DIVISOR)


def _number(key: str) -> Decimal:
    text, datatype = key[1:].split('"^^')
    assert datatype == "http://www.w3.org/2001/XMLSchema#decimal"
    before, behind = text.split(".")
    assert behind == "0" or not behind.endswith("0"), text
    assert before in ("0", "-0") or not before.lstrip("-").startswith("0"), text
    return Decimal(text)


@given(st.lists(st.tuples(_WHOLE, _DIVISORS), min_size=1, max_size=30))
@example([(10**10 - 1, 10**9), (2 * 10**18 - 1, 2), (10**17 - 1, LARGEST_DIVISOR), (1, LARGEST_DIVISOR), (-1, 3)])
def test_quotients_are_those_of_python(rows: list[tuple[int, int]]) -> None:
    dividends, divisors = (np.array(column) for column in zip(*rows, strict=True))
    found = [_number(key) for key in quotient_keys(dividends, divisors).to_pylist()]
    assert found == [Decimal(a) / b for a, b in rows]


@pytest.mark.parametrize("places", [0, 1, 3, 6, 9])
@given(units=st.lists(_WHOLE, min_size=1, max_size=20))
def test_decimals_have_all_their_digits(places: int, units: list[int]) -> None:
    keys = quotient_keys(np.array(units), np.full(len(units), 10**places))
    found = [Fraction(_number(key)) for key in keys.to_pylist()]
    assert found == [Fraction(each, 10**places) for each in units]


def test_integers_have_no_point() -> None:
    found = integer_keys(np.array([-5, 0, 1 << 62])).to_pylist()
    assert [key.partition("^^")[0] for key in found] == ['"-5"', '"0"', '"4611686018427387904"']


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-1000, 1000), min_size=1, max_size=30))
def test_ascending_integers_have_their_digits(seed: list[int]) -> None:
    edges = [sign * 10**place + each for place in range(19) for sign in (1, -1) for each in (-1, 0, 1)]
    numbers = np.sort(np.array([*seed, *edges] * 80))

    found = integer_keys(numbers).to_pylist()

    assert found == [f'"{number}"^^http://www.w3.org/2001/XMLSchema#integer' for number in numbers.tolist()]
