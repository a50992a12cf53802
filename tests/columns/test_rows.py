"""Would catch rows that are lost, doubled or out of order where they are sorted as numbers in place of byte strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns import rows, sorted_sets
from tests.thresholds import replaced_constants

_IDS = st.integers(0, 3) | st.integers(0xFFFFFFFC, 0xFFFFFFFF) | st.sampled_from([1 << 15, 1 << 16, 1 << 21, 1 << 31])


@given(st.integers(3, 5).flatmap(lambda width: st.lists(st.tuples(*[_IDS] * width), min_size=1, max_size=12)))
def test_distinct_rows_are_the_sorted_set_of_packed_ones(given_rows: list[tuple[int, ...]]) -> None:
    columns = [np.array(column, dtype=np.uint32) for column in zip(*given_rows, strict=True)]
    with replaced_constants(MANY_KEYS=1):
        found = rows.distinct(columns)
    sorted_sets.check(found)
    unpacked = [column.tolist() for column in rows.unpack(found, len(columns))]
    assert [*zip(*unpacked, strict=True)] == sorted({*given_rows})
