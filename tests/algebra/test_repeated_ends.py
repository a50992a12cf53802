"""What many rows agree in is found once: this catches a choice by repeated solutions, and ends that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from kgreason import tuning
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.repeated_ends import found_for_ends
from kgreason.algebra.row_keys import Ids

ROW, END, MIDDLE, LAST = range(4)
ENDS, KEPT = frozenset((END,)), frozenset((END, LAST))


def column(values: list[int]) -> Ids:
    return np.array(values, dtype=np.uint32)


def rows_of(ends: int, times: int) -> Bindings[int]:
    """Each end with several rows of its own."""
    found = [*product(range(times), range(ends))]
    return Bindings({ROW: column([*range(len(found))]), END: column([end for _, end in found])}, len(found))


def ways(some: Bindings[int]) -> Iterator[Bindings[int]]:
    """To one value from each end, by fifty ways, as two batches."""
    for begin in (0, 25):
        found = [(end, begin + way) for end in some.columns[END].tolist() for way in range(25)]
        ends = column([end for end, _ in found])
        yield Bindings({END: ends, MIDDLE: column([way for _, way in found]), LAST: ends + 7}, len(found))


def pairs(batches: Iterator[Bindings[int]]) -> list[tuple[int, int]]:
    columns = ((each.columns[END].tolist(), each.columns[LAST].tolist()) for each in batches)
    return sorted(pair for ends, lasts in columns for pair in zip(ends, lasts, strict=True))


@pytest.mark.parametrize("ends", [1, 2, tuning.ENDS_SAMPLE, tuning.ENDS_SAMPLE + 1, 5 * tuning.ENDS_SAMPLE])
def test_many_ways_from_an_end_to_a_value_count_as_one(ends: int) -> None:
    rows = rows_of(ends, 4)

    found = found_for_ends(rows, ENDS, KEPT, rows.length, 2 * rows.length, ways)

    assert found is not None
    assert pairs(found) == [(end, end + 7) for end in range(ends)]


def test_each_end_is_followed_once() -> None:
    asked: list[int] = []

    def followed(some: Bindings[int]) -> Iterator[Bindings[int]]:
        asked.extend(some.columns[END].tolist())
        return ways(some)

    rows = rows_of(5 * tuning.ENDS_SAMPLE, 4)
    found = found_for_ends(rows, ENDS, KEPT, rows.length, 2 * rows.length, followed)

    assert found is not None
    assert len(pairs(found)) == len(asked) == len(set(asked))


def test_ends_that_lead_to_more_than_the_next_step_makes_are_not_followed() -> None:
    rows = rows_of(100, 4)

    kept = frozenset((END, MIDDLE))
    assert found_for_ends(rows, ENDS, kept, rows.length, 2 * rows.length, ways) is None


def test_more_ends_than_pay_are_not_followed() -> None:
    rows = rows_of(100, 4)

    assert found_for_ends(rows, ENDS, KEPT, 99, 2 * rows.length, ways) is None
