"""Joins against every assignment tried: in any order, in any pieces, with what is needed alone, over any scheme.

Would catch a look-up of a constant or a repeated variable that reads another position, a weight that is lost or counted
twice, a row that is lost where a step is cut into pieces, and a piece that is larger than it may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings, Multiplicity
from kgreason.algebra.extend import extend, outer_extend
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.next_steps import next_atom
from kgreason.algebra.pieces import extend_in_pieces
from kgreason.algebra.planner import Estimate
from kgreason.relations.table import Table
from tests.algebra.conjunctions import Joined, bound_joins, conjunctions, counted, joins, meaning, seeds, table
from tests.profiles import examples
from tests.thresholds import Tuned


def pieces(seed: Bindings[str], conjunction: Sequence[Joined], most: int) -> Iterator[Bindings[str]]:
    if not conjunction:
        yield seed
        return
    first, *rest = conjunction
    for piece in extend_in_pieces(seed, first.atom, first.relation, most=most, first=1):
        assert piece.length <= max(most, seed.length)
        yield from pieces(piece, rest, most)


def needed_after(conjunction: Sequence[Joined], names: frozenset[str]) -> frozenset[str]:
    return names.union(*(each.atom.variables for each in conjunction))


@given(conjunctions(), seeds())
@settings(max_examples=examples(60))
def test_atoms_joined_in_any_order_give_every_row_as_often(conjunction: list[Joined], seed: Bindings[str]) -> None:
    names = sorted({*seed.columns}.union(*(each.atom.variables for each in conjunction)))
    expected = meaning(conjunction, seed, names)

    for ordered in permutations(conjunction):
        rows = seed
        for each in ordered:
            rows = extend(rows, each.atom, each.relation)

        assert counted(rows, names if rows.length else []) == expected


@given(conjunctions(), seeds(), st.sampled_from([1, 2, 5, 100]))
@settings(max_examples=examples(60))
def test_pieces_are_bounded_and_give_the_same_rows(conjunction: list[Joined], seed: Bindings[str], most: int) -> None:
    names = sorted({*seed.columns}.union(*(each.atom.variables for each in conjunction)))

    found: Counter[tuple[int, ...]] = Counter()
    for piece in pieces(seed, conjunction, most):
        if piece.length:
            found += counted(piece, names)

    assert found == meaning(conjunction, seed, names)


@given(conjunctions(), seeds(), st.frozensets(st.sampled_from("xyz")), st.sampled_from(Multiplicity), st.booleans())
@settings(max_examples=examples(120))
def test_columns_that_are_not_needed_are_counted_or_only_there(
    conjunction: list[Joined], seed: Bindings[str], wanted: frozenset[str], multiplicity: Multiplicity, cut: bool
) -> None:
    names = sorted(wanted & frozenset(seed.columns).union(*(each.atom.variables for each in conjunction)))
    expected = meaning(conjunction, seed, names)

    parts = [seed]
    for number, each in enumerate(conjunction):
        kept = needed_after(conjunction[number + 1 :], wanted)
        if cut:
            parts = [
                piece
                for part in parts
                for piece in extend_in_pieces(part, each.atom, each.relation, kept, multiplicity, 2, 1)
            ]
        else:
            parts = [extend(part, each.atom, each.relation, kept, multiplicity) for part in parts]
    found: Counter[tuple[int, ...]] = Counter()
    for part in parts:
        if part.length:
            assert part.columns.keys() <= wanted
            found += counted(part, names)

    if multiplicity is Multiplicity.ANY:
        assert found.keys() == expected.keys()
    else:
        assert found == expected


@given(bound_joins(), seeds([("x",), ("x", "y")]), st.sampled_from([1, 2, 100]))
@settings(max_examples=examples(100))
def test_rows_without_a_fact_are_kept_by_themselves(joined: Joined, seed: Bindings[str], most: int) -> None:
    names = [*seed.columns, *sorted(joined.atom.variables - seed.columns.keys())]
    matched = meaning([joined], seed, names)
    extended = {row[: len(seed.columns)] for row in matched}
    nothing = (UNBOUND,) * (len(names) - len(seed.columns))
    given = counted(seed, [*seed.columns])
    alone = Counter({row + nothing: count for row, count in given.items() if row not in extended})

    found = outer_extend(seed, joined.atom, joined.relation, most)

    found._check()
    assert counted(found, names) == matched + alone


@given(conjunctions(), seeds())
@settings(max_examples=examples(50))
def test_planned_order_gives_the_same_rows(conjunction: list[Joined], seed: Bindings[str]) -> None:
    names = sorted({*seed.columns}.union(*(each.atom.variables for each in conjunction)))
    left = [(each.atom, each.relation) for each in conjunction]
    rows = seed
    while left and rows.length:
        atom, relation = left.pop(next_atom(left, rows))
        rows = extend(rows, atom, relation)

    assert counted(rows, names if rows.length else []) == meaning(conjunction, seed, names)


@given(joins(), seeds())
@settings(max_examples=examples(50))
def test_expectation_is_a_number_for_each_variable(joined: Joined, seed: Bindings[str]) -> None:
    before = {name: float(max(1, seed.length)) for name in seed.columns}

    estimate = Estimate.of(joined.atom, joined.relation)
    made, work = estimate.growth(before)
    after = estimate.domains_after(before, made * seed.length)

    assert made >= 0
    assert work >= 0
    assert after.keys() == before.keys() | joined.atom.variables
    assert all(domain >= 1 for domain in after.values())


def star(leaves: int) -> Table:
    """A hub with many neighbours, in both directions."""
    return table({(0, leaf) for leaf in range(1, leaves)} | {(leaf, 0) for leaf in range(1, leaves)}, 2)


def test_rows_of_a_hub_come_in_bounded_pieces() -> None:
    hub = star(200)
    rows = Bindings({"x": np.zeros(50, dtype=np.uint32)}, 50)

    sizes = [piece.length for piece in extend_in_pieces(rows, Atom.of(("x", "y")), hub, most=64)]

    assert max(sizes) <= 64
    assert sum(sizes) == 50 * 199


def test_smallest_connected_atom_goes_first() -> None:
    hub, few = star(50), table({(1, 2), (2, 3)}, 2)
    rows = Bindings({"x": np.array([0, 1], dtype=np.uint32)}, 2)
    joined = [(Atom.of(("x", "y")), hub), (Atom.of(("x", "z")), few), (Atom.of(("u", "v")), few)]

    assert next_atom(joined, rows) == 1
    assert next_atom([*joined, (Atom.of(("x",)), table({(1,)}, 1))], rows) == 3


def test_of_equal_atoms_one_of_what_is_wanted_goes_first_in_a_cycle_and_last_in_a_path() -> None:
    edges = table({(1, 2), (2, 3), (3, 1)}, 2)
    cycle = [(Atom.of(ends), edges) for ends in ("xy", "yz", "zw", "wx")]
    path = [(Atom.of(ends), edges) for ends in ("xy", "yz", "zw")]

    assert next_atom(cycle, Bindings.unit(), frozenset("zw")) == 2
    assert next_atom(cycle, Bindings.unit(), None) == 0
    assert next_atom(path, Bindings.unit(), frozenset("x")) != 0
    assert next_atom(path, Bindings.unit(), frozenset("w")) != 2


@pytest.mark.parametrize("count", [1, 40])
def test_filter_by_a_constant_selects_its_facts_or_looks_up_rows(count: int, tuned: Tuned) -> None:
    tuned(FAR_FACTS=count)
    members = table({(leaf, 0) for leaf in range(1, 100, 2)}, 2)
    rows = Bindings({"x": np.arange(40, dtype=np.uint32)}, 40)

    found = extend(rows, Atom.of(("x", None), {1: 0}), members)

    assert found.columns["x"].tolist() == list(range(1, 40, 2))
