"""Would catch flags that miss ids of a later block, of a column with a stride, or from another lowest id on."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason import tuning
from kgreason.columns import pair_scans, pairs
from kgreason.columns.id_flags import flags_of


def test_flags_of_a_column_with_a_stride_from_a_lowest_id() -> None:
    halves = np.array([7, 0, 5, 0, 7, 0, 9, 0], dtype=np.uint32)

    flags = flags_of(halves[::2], 6, 4)

    assert flags.tolist() == [False, True, False, True, False, True]


def test_flags_of_no_ids() -> None:
    assert flags_of(np.empty(0, dtype=np.uint32), 2).tolist() == [False, False]


def test_flags_of_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "JOIN_ROWS", 3)

    flags = flags_of(np.array([1, 2, 3, 5, 8, 8, 10], dtype=np.uint32), 11)

    assert np.flatnonzero(flags).tolist() == [1, 2, 3, 5, 8, 10]


def test_objects_of_many_subjects_in_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "JOIN_ROWS", 1000)
    count = tuning.MANY_KEYS + 1
    subjects = np.arange(count, dtype=np.uint32)
    keys = pairs.pack(subjects, subjects + np.uint32(7))
    wanted = subjects[subjects != 4]

    found = pair_scans.run_objects(keys, wanted)

    assert found.tolist() == (wanted + 7).tolist()


@pytest.mark.parametrize("shift", [0, 50_000, 1 << 31])  # like the subjects, higher, and too high for flags
@pytest.mark.parametrize("count", [10, 3_000])
def test_objects_of_many_pairs_are_each_found(monkeypatch: pytest.MonkeyPatch, count: int, shift: int) -> None:
    monkeypatch.setattr(tuning, "JOIN_ROWS", 1000)
    ids = np.random.default_rng(count).integers(0, 4_000, (2, 40_000)).astype(np.uint32)
    ids[1] += np.where(ids[1] % 2, np.uint32(shift), np.uint32(0))
    keys = pairs.distinct(ids[0], ids[1])
    wanted = np.unique(ids[0])[:count]

    found = pair_scans.run_objects(keys, wanted)

    assert {*found.tolist()} == {*ids[1][np.isin(ids[0], wanted)].tolist()}
