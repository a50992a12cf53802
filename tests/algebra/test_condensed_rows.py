"""Would catch a row that is lost, or made up, where repeated rows are left out between two steps of a join, or for
DISTINCT, and different rows that get one key."""

import numpy as np
import pytest

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.distinct_rows import condensed, distinct_in_any_order
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import keys_of
from tests.thresholds import replaced_constants


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize(("values", "fewer"), [(3, True), (1 << 31, False)])
def test_rows_are_left_out_only_where_most_are_repeated(width: int, values: int, fewer: bool) -> None:
    columns = np.random.default_rng(width).integers(0, values, (width, 5_000), dtype=np.uint32)
    rows = Bindings(dict(enumerate(columns)), 5_000)
    with replaced_constants(CONDENSED_ROWS=1_000):
        found = condensed(rows)
    found._check()
    every, left = (sorted(zip(*(c.tolist() for c in each.columns.values()), strict=True)) for each in (rows, found))
    assert left == (sorted({*every}) if fewer else every)


@pytest.mark.parametrize("width", [0, 1, 2, 3, 5])
@pytest.mark.parametrize(("values", "above"), [(3, 0), (1 << 12, 7), (1 << 31, 0), (4, UNBOUND - 3)])
def test_rows_are_each_there_once_in_any_order(width: int, values: int, above: int) -> None:
    columns = np.random.default_rng(width).integers(0, values, (width, 2_000)) + above
    columns = np.concatenate((columns, columns[:, ::3]), axis=1).astype(np.uint32)
    rows = Bindings(dict(enumerate(columns)), columns.shape[1])
    with replaced_constants(CONDENSED_ROWS=1_000):
        found = distinct_in_any_order(rows)
    found._check()
    every, left = ([*zip(*(c.tolist() for c in each.columns.values()), strict=True)] for each in (rows, found))
    assert sorted(left) == sorted({*every})
    assert found.length == max(1, len(left))


@pytest.mark.parametrize("width", [3, 4, 5])
@pytest.mark.parametrize(("values", "above"), [(3, 0), (1 << 12, 7), (1 << 31, 0), (4, UNBOUND - 3)])
def test_equal_rows_alone_have_equal_keys(width: int, values: int, above: int) -> None:
    columns = (np.random.default_rng(width).integers(0, values, (width, 500)) + above).astype(np.uint32)
    columns = np.concatenate((columns, columns), axis=1)

    keys = keys_of([*columns], columns.shape[1]).tolist()

    rows = [tuple(row) for row in columns.T.tolist()]
    assert len({*keys}) == len({*rows}) == len({*zip(keys, rows, strict=True)})
