"""Ends with a solution, beside a look at all rows. Catches an end that is left out because another one is known, one
that is looked for again when it is known, and a row that no share has."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.bindings import Bindings
from kgreason.algebra.witnesses import witnessed
from tests.profiles import examples

ROWS = st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=40)


def bindings(rows: list[tuple[int, ...]]) -> Bindings[str]:
    return Bindings(dict(zip("xyzw", np.array(rows, dtype=np.uint32).T, strict=True)), len(rows))


def shown(rows: Bindings[str], names: set[str]) -> list[tuple[int, ...]]:
    """The values of some variables in each row."""
    return [*zip(*(rows.columns[name].tolist() for name in sorted(names)), strict=True)] if names else [()]


def assert_finds_all(rows: list[tuple[int, ...]], names: set[str], least: int) -> None:
    """Solutions are the rows whose last value is large enough."""

    def solutions(some: Bindings[str]) -> Iterator[Bindings[str]]:
        found = some.where(some.columns["w"] >= least)
        if found.length:
            yield found

    found = [row for each in witnessed(bindings(rows), names, solutions) for row in shown(each, names)]

    expected = {shown_row for row in rows if row[3] >= least for shown_row in shown(bindings([row]), names)}
    assert len(found) == len(expected)
    assert {*found} == expected


@given(ROWS, st.sets(st.sampled_from("xyz")), st.integers(0, 5))
@settings(max_examples=examples(200), deadline=None)
def test_ends_are_those_of_all_rows_with_a_solution(rows: list[tuple[int, ...]], names: set[str], least: int) -> None:
    assert_finds_all(rows, names, least)


@pytest.mark.parametrize("names", [set[str](), {"x"}, {"x", "y"}])
@pytest.mark.parametrize("least", [0, 90, 99, 100])
def test_ends_of_many_rows_are_those_that_have_a_solution(names: set[str], least: int) -> None:
    """Ends with hundreds of rows each, few of which are solutions."""
    chance = random.Random(least)
    rows = [(chance.randrange(9), chance.randrange(3), 0, chance.randrange(100)) for _ in range(4_000)]
    assert_finds_all(rows, names, least)


@pytest.mark.parametrize("ends", [1, 10])
def test_what_is_known_is_not_looked_for_again(ends: int) -> None:
    asked: list[int] = []

    def solutions(some: Bindings[str]) -> Iterator[Bindings[str]]:
        asked.append(some.length)
        yield some

    rows = [(number % ends, number, 0, 0) for number in range(8_000)]
    found = [*witnessed(bindings(rows), {"x"}, solutions)]

    assert sum(each.length for each in found) == ends
    assert sum(asked) < 300
