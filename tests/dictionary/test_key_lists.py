"""Sizes of keys that come one by one: would catch limits on texts that look at the keys of before alone, or anew each
time."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.dictionary.key_lists import KeyList


@pytest.mark.parametrize("asked", [1, 30, 100])
def test_sizes_while_a_list_grows_are_those_of_its_keys(asked: int) -> None:
    keys = KeyList()
    for count in (100, 101, 300, 1000):
        keys += ["é" * (row % 7) for row in range(len(keys), count)]
        rows = np.linspace(0, count - 1, asked).astype(np.uint32)[::-1]

        assert keys.sizes(rows).tolist() == [len(keys[row]) for row in rows.tolist()]


def test_sizes_of_no_key_are_none() -> None:
    none = np.zeros(0, dtype=np.uint32)

    assert not len(KeyList().sizes(none))
    assert not len(KeyList(["a"]).sizes(none))
