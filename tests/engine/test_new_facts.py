"""Derived facts without those that are known. A bug that this would catch: a fact that is taken for known before it is
a fact, or that is left out once bits are given up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.engine.rules.new_facts import NewFacts
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table
from tests.thresholds import Tuned, replaced_constants

IDS = st.integers(0, 400)
KEY = 7


def columns_of(rows: list[tuple[int, ...]], arity: int = 2) -> Columns:
    return tuple(np.array(rows, dtype=np.uint32).reshape(-1, arity).T.copy())


def facts_of(table: Table | None) -> set[tuple[int, ...]]:
    return set() if table is None else {*zip(*(column.tolist() for column in table.columns()), strict=True)}


@pytest.mark.parametrize("least", [0, 1 << 11, 1 << 14, 1 << 20])
@given(
    known=st.sets(st.tuples(IDS, IDS), max_size=60),
    batches=st.lists(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=60), max_size=8),
)
def test_facts_that_are_not_known_are_given(
    least: int, known: set[tuple[int, int]], batches: list[list[tuple[int, int]]]
) -> None:
    table = table_of(columns_of([*known])) if known else None
    make = NewFacts(lambda key: table if key == KEY else None).maker(KEY)
    given: set[tuple[int, ...]] = {*known}

    for rows in batches:
        with replaced_constants(COMPARED_HEADS=3, PAIR_BITS_LEAST=least, PAIR_BITS_BYTES=8):
            found = facts_of(make(columns_of([*rows])))

        assert {*rows} - given <= found <= {*rows}
        if least == 1 << 20 and len(rows) >= 3:
            assert not found & known
        given |= found


def test_facts_of_other_arities_are_given_as_they_are(tuned: Tuned) -> None:
    tuned(COMPARED_HEADS=1)
    known = table_of(columns_of([(1, 2, 3)], 3))
    make = NewFacts(lambda _: known).maker(KEY)

    assert facts_of(make(columns_of([(1, 2, 3), (4, 5, 6)], 3))) == {(1, 2, 3), (4, 5, 6)}
