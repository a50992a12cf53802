"""Rows beside runs of others, against all pairs: of either side, those of which some pair passes a test.

Would catch a row that is taken as one without a pair because the pair that is looked at first does not pass, and a side
without rows that is read from.
"""

from __future__ import annotations

from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.joins import Runs

SIDES = st.tuples(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=6),
    st.integers(0, 6),
    st.frozensets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    st.booleans(),
)


def numbers(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.uint32)


@given(SIDES)
def test_runs_have_a_pair_of_each_row_of_which_one_passes(
    sides: tuple[list[tuple[int, int]], int, frozenset[tuple[int, int]], bool],
) -> None:
    bounds, count, allowed, is_best_last = sides
    begin, end = (np.array([min(each[at], count) for each in bounds], dtype=np.int64) for at in (0, 1))
    rows, others = Bindings({"x": numbers(len(bounds))}, len(bounds)), Bindings({"y": numbers(count)}, count)
    runs = Runs(rows, others, begin, np.maximum(begin, end), is_best_last)
    expected = {(x, y) for x in range(len(bounds)) for y in range(begin[x], end[x]) if (x, y) in allowed}

    def passing(pairs: Bindings[str]) -> Bindings[str]:
        assert all(begin[x] <= y < end[x] for x, y in values(pairs))
        return pairs.where(np.array([each in allowed for each in values(pairs)], dtype=np.bool_))

    first = {*chain(*map(values, runs.numbered("row").witnesses("row", passing)))}
    second = {*chain(*map(values, runs.with_numbered_others("row").witnesses_of_others("row", passing)))}

    assert first <= expected
    assert second <= expected
    assert {x for x, _ in first} == {x for x, _ in expected}
    assert {y for _, y in second} == {y for _, y in expected}


def values(pairs: Bindings[str]) -> list[tuple[int, int]]:
    return [*zip(pairs.columns["x"].tolist(), pairs.columns["y"].tolist(), strict=True)]
