"""Which atom a conjunction with wide ones begins with. Catches a wide atom that waits until very many rows are there,
one that goes first where few rows come without it, and rows that are lost where what is there becomes a relation."""

from __future__ import annotations

import numpy as np
import pytest

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.first_steps import first_of_plan
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from tests.algebra.test_needed_solutions import Nothing


def random_table(arity: int, count: int, ids: int) -> Table:
    columns = np.random.default_rng(arity * count).integers(1, ids, (arity, count))
    return table_of(tuple(column.astype(np.uint32) for column in columns))


PAIRS, DENSE, WIDE = random_table(2, 2_000, 200), random_table(2, 8_000, 200), random_table(3, 10_000, 200)
TABLES = {2: DENSE, 3: WIDE}


def pairs(left: object, right: object) -> Table:
    return table_of((np.asarray(left, dtype=np.uint32), np.asarray(right, dtype=np.uint32)))


def joins_of(body: str) -> list[tuple[Atom[str], Table]]:
    return [(Atom.of(tuple(names)), TABLES[len(names)]) for names in body.split()]


@pytest.mark.parametrize(
    ("body", "wanted", "chosen", "first"),
    [
        ("xa ya dxy", "ad", 0, 2),  # all a of x and y at once
        ("ae ebf gfe gab", "ab", 0, 1),  # two atoms with two variables in common
        ("xa ayb bc", "xc", 0, 0),  # as many rows in any order
        ("xa xb ab", "xa", 0, 0),  # nothing is wide
        ("xa dxa", "ad", 0, 0),
    ],
)
def test_a_wide_atom_goes_first_where_few_rows_come_of_it(body: str, wanted: str, chosen: int, first: int) -> None:
    assert first_of_plan(joins_of(body), chosen, frozenset(wanted)) == first


def test_a_chosen_atom_of_few_facts_stays_the_first() -> None:
    few = table_of((np.arange(1, 4, dtype=np.uint32),) * 2)
    joins = [(Atom.of(("x", "a")), few), *joins_of("ya dxy")]

    assert first_of_plan(joins, 0, frozenset("ad")) == 0


def test_rows_that_become_a_relation_are_those_of_all_facts() -> None:
    joins = [(Atom.of(("c", "x")), PAIRS), *joins_of("ac ya dxy")]
    matrices = {name: np.zeros((200, 200), dtype=np.int64) for name in ("pairs", "dense")}
    for name, table in (("pairs", PAIRS), ("dense", DENSE)):
        matrices[name][table.columns()] = 1
    reached = matrices["dense"] @ matrices["pairs"] > 0  # a to x
    expected = np.zeros((200, 200), dtype=np.bool_)
    for d, x, y in zip(*WIDE.columns(), strict=True):
        expected[d] |= reached[:, x] & (matrices["dense"][y] > 0)

    found = Conjunction(joins, Nothing(), frozenset("ad"), lambda: None).solutions(Bindings.unit())

    pairs = {pair for rows in found for pair in zip(*(rows.columns[name].tolist() for name in "da"), strict=True)}
    assert pairs == {*zip(*(each.tolist() for each in expected.nonzero()), strict=True)}


def test_many_new_facts_are_not_joined_first_where_another_atom_has_few() -> None:
    people, groups, tasks = np.arange(20_000), np.arange(20_000) % 50, np.arange(3_000) + 30_000
    members = pairs(people, groups)
    given = pairs(np.repeat(np.arange(50), 3_000), np.tile(tasks, 50))
    joins = [(Atom.of("gt"), given), (Atom.of("td"), pairs([30_007], [1]))]
    steps: list[int] = []

    found = Conjunction(joins, Nothing(), frozenset("pt"), lambda: steps.append(1))
    rows = [*found.solutions(Bindings.unit(), (Atom.of("pg"), members))]

    # Joined first, they are multiplied to 60 million rows.
    assert sum(each.length for each in rows) == 20_000
    assert len(steps) <= 2
