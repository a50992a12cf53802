"""Would catch a row that is lost, or made up, where repeated rows are left out between two steps of a join."""

import numpy as np
import pytest

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.distinct_rows import condensed
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
