"""Places of numbers among all of some columns, beside a dictionary: numbers at the border of the table, or beyond it,
that get the place of another one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns.numbering import Numbering
from tests.thresholds import replaced_constants

NUMBERS = st.lists(st.one_of(st.integers(0, 40), st.integers(0, 1 << 40)), max_size=12)


@given(st.lists(NUMBERS, min_size=1, max_size=3), st.sampled_from([0, 1, 8]))
def test_places_of_columns_are_those_among_all_numbers(columns: list[list[int]], span: int) -> None:
    with replaced_constants(NUMBERED_SPAN=span):
        numbering = Numbering.of([np.array(each, dtype=np.int64) for each in columns])
    expected = sorted({number for each in columns for number in each})
    place = {number: at for at, number in enumerate(expected)}

    assert numbering.numbers.tolist() == expected
    for each in columns:
        assert numbering.places(np.array(each, dtype=np.int64)).tolist() == [place[number] for number in each]
