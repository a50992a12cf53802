"""A step with several atoms that leave the same variable free, against one step for each. Catches a row that takes the
neighbours of another, an id that only some of the atoms have, a row that is lost where rows are united, and one that
comes out twice."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pytest

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.extend import extend
from kgreason.algebra.intersections import intersection
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.thresholds import replaced_constants


def random_pairs(seed: int, count: int, ids: tuple[int, int] = (0, 150)) -> Table:
    generator = np.random.default_rng(seed)
    columns = (generator.integers(0, 60, count), generator.integers(*ids, count))
    return table_of(tuple(column.astype(np.uint32) for column in columns))


def random_rows(length: int, names: str) -> Bindings[str]:
    generator = np.random.default_rng(length)
    return Bindings({name: generator.integers(0, 60, length).astype(np.uint32) for name in names}, length)


def rows_of(found: Bindings[str], names: str) -> list[tuple[int, ...]]:
    return [*zip(*(found.columns[name].tolist() for name in names), strict=True)]


@pytest.mark.parametrize("kept", ["vz", "xz", "vxz", "uvxyz"])
@pytest.mark.parametrize("atoms", ["xz yz", "xz zy", "zx yz vz", "xz xz"])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("limits", [(1, 7), (1 << 16, 1 << 16)])
def test_the_rows_are_those_of_one_step_after_the_other(
    kept: str, atoms: str, closed: bool, limits: tuple[int, int]
) -> None:
    tables = [random_pairs(1, 900), random_pairs(2, 700), random_pairs(3, 800)]
    if closed:
        tables[1] = TransitiveTable.of(random_pairs(2, 60, (40, 90)))
    joins = [(Atom.of(tuple(names)), table) for names, table in zip(atoms.split(), tables, strict=False)]
    joins = [(atom, table if atom.arguments[1] == "z" else table.inverse()) for atom, table in joins]
    rows = random_rows(1_500, "uvxy")

    with replaced_constants(PRODUCT_WORDS=limits[0], JOIN_ROWS=limits[1], PRODUCT_GAIN=1 << 20):
        step = intersection(rows, joins, {*kept})
        assert step is not None
        found = [row for piece in step.pieces() for row in rows_of(piece, kept)]

    each = reduce(lambda some, join: extend(some, *join), joins, rows)
    assert {*found} == {*rows_of(each, kept)}
    assert len(found) == len({*found})


def test_no_bits_are_made_where_each_row_has_few_facts_or_nothing_needs_them() -> None:
    joins = [(Atom.of((name, "z")), random_pairs(1, 300, (0, 1_000_000))) for name in "xy"]
    rows = random_rows(2_000, "xy")

    with replaced_constants(PRODUCT_GAIN=1):
        assert intersection(rows, joins, {"x", "z"}) is None
    with replaced_constants(PRODUCT_GAIN=1 << 20):
        assert intersection(rows, joins, {"x", "y"}) is None
        assert intersection(rows, joins, {"z"}) is None
        assert intersection(rows, joins, None) is None
        assert intersection(random_rows(10, "xy"), joins, {"x", "z"}) is None
        assert intersection(rows, joins, {"x", "z"}) is not None
