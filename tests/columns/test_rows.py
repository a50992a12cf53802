"""Would catch rows that are lost, doubled or out of order where they are sorted as numbers in place of byte strings."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgreason.columns import row_layouts, rows, sorted_sets
from kgreason.columns.narrow_rows import Layout
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


@given(
    st.integers(3, 4).flatmap(
        lambda width: st.lists(st.lists(st.tuples(*[_IDS] * width), min_size=1, max_size=6), min_size=2, max_size=3)
    )
)
def test_rows_as_numbers_are_the_rows_and_sort_like_them(sets: list[list[tuple[int, ...]]]) -> None:
    columns = [[np.array(column, dtype=np.uint32) for column in zip(*some, strict=True)] for some in sets]
    layouts = [Layout.of(some) for some in columns]
    known = [layout for layout in layouts if layout is not None]
    joint = Layout.joint(known) if known else None

    for layout, some, given_rows in zip(layouts, columns, sets, strict=True):
        if layout is None:
            continue
        keys = layout.keys(some)
        assert [*zip(*(column.tolist() for column in layout.columns(keys)), strict=True)] == given_rows
        assert np.array_equal(np.argsort(keys, kind="stable"), np.lexsort(some[::-1]))
        if joint is not None:
            assert np.array_equal(row_layouts.moved(keys, layout, joint), joint.keys(some))
        for position, column in enumerate(some):
            assert row_layouts.distinct_ids(keys, layout, position).tolist() == sorted({*column.tolist()})
        other_keys, fits = layout.fitting_keys(columns[0])
        assert np.array_equal(layout.columns(other_keys[fits]), [column[fits] for column in columns[0]])
        room = [
            all(low <= each < low + (1 << size) for each, low, size in zip(row, layout.lows, layout.bits, strict=True))
            for row in sets[0]
        ]
        assert fits.tolist() == room
