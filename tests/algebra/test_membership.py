"""Would catch hashes of one table that answer for another one, or for one that has changed since they were made."""

import numpy as np
import pytest

from kgreason.algebra.conjunctions.membership import Membership
from kgreason.relations.plain import table_of
from kgreason.relations.table import Columns, Table
from tests.thresholds import replaced_constants

PEOPLE = 40


def _random(seed: int, arity: int, rows: int) -> Columns:
    columns = np.random.default_rng(seed).integers(0, PEOPLE, (arity, rows), dtype=np.uint32)
    return tuple(columns)


def _tables(arity: int) -> list[Table]:
    whole = table_of(_random(1, arity, 300))
    return [whole, whole.union(table_of(_random(2, arity, 3))), whole.difference(table_of(_random(3, arity, 60)))]


@pytest.mark.parametrize("near_cells", [0, 1 << 7])
@pytest.mark.parametrize("arity", [1, 2, 3])
def test_rows_that_are_asked_for_in_batches_are_found_as_by_the_table(arity: int, near_cells: int) -> None:
    tables, membership = _tables(arity), Membership()
    with replaced_constants(HASHED_VALUES=8, HASH_ROWS=10, NEAR_CELLS=near_cells):
        for batch in range(12):
            columns = _random(10 + batch, arity, 4 + 10 * (batch % 5))
            for table in tables:
                expected = [table.has(row) for row in zip(*(column.tolist() for column in columns), strict=True)]
                assert membership.contains(table, columns).tolist() == expected
