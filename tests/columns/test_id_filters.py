"""Filters of ids. A bug that this would catch: an id of the column that its filter denies, or a wrong count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason import tuning
from kgreason.columns.id_filters import IdFilter

IDS = st.one_of(st.integers(0, 300), st.integers(2**32 - 300, 2**32 - 1), st.integers(0, 2**32 - 1))


@given(st.lists(IDS, max_size=20), st.sampled_from([1, 5]), st.lists(IDS, max_size=20))
def test_a_filter_has_all_ids_and_where_it_has_bits_no_others(ids: list[int], times: int, others: list[int]) -> None:
    column = np.array(ids * times, dtype=np.uint32)

    found = IdFilter.of(column)

    assert found.count == len(set(ids))
    assert all(found.may_have(each) for each in ids)
    near = [each + step for each in ids for step in (-1, 1)]
    denied = [each for each in (*others, *near) if not found.may_have(each)]
    assert not set(denied) & set(ids)
    if found.bits is not None:
        assert {each for each in (*others, *near) if found.may_have(each)} <= set(ids)


@pytest.mark.parametrize(("step", "has_bits"), [(1, True), (tuning.FILTERED_IDS + 1, False)])
def test_only_dense_ids_have_bits(step: int, has_bits: bool) -> None:
    column = np.arange(7, 7 + step * 1000, step, dtype=np.uint32)

    found = IdFilter.of(column)

    assert (found.bits is not None) is has_bits
    assert (found.low, found.high, found.count) == (7, 7 + step * 999, 1000)
    assert found.nbytes <= 2 * column.nbytes
