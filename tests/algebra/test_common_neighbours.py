"""Rows whose ends have a neighbour in common, against a look at all facts. Catches an end that takes the neighbours of
another, a neighbour of one side alone that counts, and a variable that something else asks for."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.common_neighbours import have_common_neighbours, two_sides
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from kgreason.relations.transitive.closure_table import TransitiveTable
from tests.thresholds import replaced_constants


def random_pairs(seed: int, count: int, ends: tuple[int, int], others: tuple[int, int]) -> Table:
    generator = np.random.default_rng(seed)
    columns = (generator.integers(*ends, count), generator.integers(*others, count))
    return table_of(tuple(column.astype(np.uint32) for column in columns))


def random_rows(length: int, names: str) -> Bindings[str]:
    generator = np.random.default_rng(length)
    return Bindings({name: generator.integers(0, 60, length).astype(np.uint32) for name in names}, length)


def pairs_of(table: Table) -> set[tuple[int, ...]]:
    return {*zip(*(column.tolist() for column in table.columns()), strict=True)}


@pytest.mark.parametrize("names", ["xz", "xx", "zx"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("others", [(40, 90), (1_000, 1_300)])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("words", [1, 1 << 16])
def test_rows_are_those_of_a_look_at_all_facts(
    names: str, turned: bool, others: tuple[int, int], closed: bool, words: int
) -> None:
    first = random_pairs(1, 400, (0, 50), others)
    second = random_pairs(2, 300, (10, 55), (others[0] + 5, others[1] + 90))
    second = TransitiveTable.of(second) if closed else second
    rows = random_rows(2_000, "xz")
    one = Atom.of(("y", names[0]) if turned else (names[0], "y"))
    sides = (one, first.inverse() if turned else first), (Atom.of((names[1], "y")), second)

    with replaced_constants(PRODUCT_WORDS=words, PRODUCT_GAIN=1 << 20):
        found = have_common_neighbours(rows, *sides)

    assert found is not None
    neighbours = [{}, {}]
    for side, table in zip(neighbours, (first, second), strict=True):
        for end, neighbour in pairs_of(table):
            side.setdefault(end, set()).add(neighbour)
    left, right = (rows.columns[name].tolist() for name in names)
    ends = zip(left, right, strict=True)
    expected = [bool(neighbours[0].get(x, set()) & neighbours[1].get(z, set())) for x, z in ends]
    assert found.tolist() == expected
    assert {*expected} == {True, False}


def test_rows_of_bits_are_not_made_where_they_would_be_dearer() -> None:
    sides = [(Atom.of((name, "y")), random_pairs(1, 300, (0, 60), (0, 1_000_000))) for name in "xz"]

    with replaced_constants(PRODUCT_GAIN=1):
        assert have_common_neighbours(random_rows(2_000, "xz"), *sides) is None
    with replaced_constants(PRODUCT_BYTES=1, PRODUCT_GAIN=1 << 20):
        assert have_common_neighbours(random_rows(2_000, "xz"), *sides) is None
    with replaced_constants(PRODUCT_GAIN=1 << 20):
        assert have_common_neighbours(random_rows(10, "xz"), *sides) is None
        assert have_common_neighbours(random_rows(2_000, "xz"), *sides) is not None


@pytest.mark.parametrize(
    ("atoms", "wanted", "sides"),
    [
        ("xy yz", "xz", (0, 1)),
        ("xz yx yz", "xz", (1, 2)),
        ("xy yx", "xz", (0, 1)),
        ("xy yz", "xyz", None),
        ("xy yz yv", "xz", None),
        ("xy yz xv vz yv", "xz", None),
        ("xy yz xy", "xz", None),
        ("xy yv vz", "xz", None),
        ("xy yy", "xz", None),
        ("xu xy yz", "xz", (1, 2)),
    ],
)
def test_only_two_atoms_may_ask_for_what_is_between_them(
    atoms: str, wanted: str, sides: tuple[int, int] | None
) -> None:
    assert two_sides([Atom.of(tuple(each)) for each in atoms.split()], {"x", "z"}, {*wanted}) == sides
