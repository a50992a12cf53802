"""What a mask says of its rows, against Python's own `all` and `any`."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.columns.masks import all_of, any_of


@pytest.mark.parametrize("rows", [[], [True], [False], [True, False], [False, True], [True] * 3, [False] * 3])
def test_masks_equal_lists(rows: list[bool]) -> None:
    mask = np.array(rows, dtype=np.bool_)

    assert all_of(mask) is all(rows)
    assert any_of(mask) is any(rows)
    assert all_of(mask[::2]) is all(rows[::2])
