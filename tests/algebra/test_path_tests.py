"""Rows by paths of atoms that only test them, beside a search from each. Catches an end that takes the bits of another,
a path that is followed against its facts, and a variable on it that something else asks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.path_tests import Path, PathTest, path_between
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.plain import table_of
from kgreason.relations.table import Table
from tests.profiles import examples
from tests.thresholds import replaced_constants

Pairs = set[tuple[int, int]]


def random_pairs(seed: int, count: int, ids: int) -> Table:
    generator = np.random.default_rng(seed)
    return table_of(tuple(generator.integers(3, 3 + ids, (2, count)).astype(np.uint32)))


def random_rows(seed: int, length: int, ids: int) -> Bindings[str]:
    generator = np.random.default_rng(seed)
    return Bindings({name: generator.integers(0, ids, length).astype(np.uint32) for name in "xz"}, length)


def pairs_of(table: Table) -> Pairs:
    left, right = (column.tolist() for column in table.columns())
    return {*zip(left, right, strict=True)}


def reached(start: int, steps: Sequence[Pairs]) -> set[int]:
    found = {start}
    for step in steps:
        found = {right for left, right in step if left in found}
    return found


@given(
    st.integers(0, 1 << 20), st.integers(2, 4), st.integers(1, 200), st.lists(st.booleans(), min_size=4, max_size=4),
    st.booleans(), st.booleans(), st.sampled_from([2, 1 << 16]),
)  # fmt: skip
@settings(max_examples=examples(100), deadline=None)
def test_rows_pass_whose_ends_a_path_connects(
    seed: int, length: int, ids: int, turned: list[bool], is_loop: bool, is_closed: bool, words: int
) -> None:
    tables = [random_pairs(seed + place, 2 * ids, ids) for place in range(length)]
    if is_closed:
        tables[-1] = transitive_closure([random_pairs(seed, ids // 2 + 1, ids)])
    names = ["x", *"abc"[: length - 1], "x" if is_loop else "z"]
    ends = [*pairwise(names)]
    atoms = [Atom.of(pair[::-1] if back else pair) for pair, back in zip(ends, turned, strict=False)]
    joins = [(a, t.inverse() if back else t) for a, t, back in zip(atoms, tables, turned, strict=False)]
    rows = random_rows(seed, 150, ids + 5)

    path = path_between(atoms, rows.columns, {"x", "z"})
    assert path is not None
    with replaced_constants(PATH_WORDS=1 << 40, PRODUCT_WORDS=words, JOIN_ROWS=64):
        test = PathTest.of(rows, path, joins, are_followed=False)

        assert test is not None
        steps = [pairs_of(table) for table in tables]
        columns = rows.columns["x"].tolist(), rows.columns[names[-1]].tolist()
        assert test.passing().tolist() == [end in reached(start, steps) for start, end in zip(*columns, strict=True)]


@pytest.mark.parametrize(
    ("atoms", "bound", "needed", "numbers", "variables"),
    [
        ("xa az", "xz", "", (0, 1), "xaz"),
        ("za ax", "xz", "", (0, 1), "zax"),
        ("xv ax ba bz", "xz", "", (1, 2, 3), "xabz"),
        ("xa ab bx", "xz", "", (0, 1, 2), "xabx"),
        ("xa az", "xz", "a", None, ""),
        ("xa az ab", "xz", "", None, ""),
        ("xa ab", "xz", "", None, ""),
        ("xa ab bza", "xz", "", None, ""),
        ("xz", "xz", "", None, ""),
        ("xa aa az", "xz", "", None, ""),
    ],
)
def test_paths_go_over_variables_that_nothing_else_needs(
    atoms: str, bound: str, needed: str, numbers: tuple[int, ...] | None, variables: str
) -> None:
    found = path_between([*map(Atom.of, atoms.split())], bound, {*needed})

    assert found == (None if numbers is None else Path(numbers, (*variables,)))


def test_no_bits_are_made_where_they_would_be_dearer() -> None:
    atoms = [Atom.of("xa"), Atom.of("az")]
    joins = [(atom, random_pairs(1, 3_000, 60)) for atom in atoms]
    rows, path = random_rows(1, 200, 60), Path((0, 1), ("x", "a", "z"))

    with replaced_constants(PATH_WORDS=10):
        assert PathTest.of(rows, path, joins, are_followed=False) is None
        assert PathTest.of(rows, path, joins, are_followed=True) is not None
    for dearer in ({"PRODUCT_FACTS": 100}, {"PRODUCT_BYTES": 100}, {"PRODUCT_GAIN": 0}):
        with replaced_constants(PATH_WORDS=0, **dearer):
            assert PathTest.of(rows, path, joins, are_followed=True) is None
