"""Conjunctions of which only some variables are wanted, against every assignment. Catches a position of a wide atom
that is left out though something needs it, a constant or a repeated variable of one that is forgotten, and rows that a
path is said to connect and does not."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Self

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.projections import Projections, with_idle_positions
from kgreason.algebra.joins import Runs
from kgreason.relations.plain import table_of
from tests.algebra.conjunctions import NODES, Joined, counted, meaning, tables
from tests.profiles import examples
from tests.thresholds import Tuned, shrink


class Nothing:
    """No conditions."""

    bind = False

    def __bool__(self) -> bool:
        return False

    def each(self) -> Iterator[frozenset[str]]:
        return iter(())

    def beyond(self, variables: Set[str]) -> Self:
        return self

    within = beyond

    def connect(self, bound: Set[str], variables: Set[str]) -> bool:
        return False

    compare = connect

    def beside(self, rows: Bindings[str], others: Bindings[str]) -> Iterator[Runs[str]]:
        yield Runs.of_all(rows, others)

    def asked(self, rows: Bindings[str], membership: Membership) -> tuple[Self, Bindings[str]]:
        return self, rows


@st.composite
def wide_joins(draw: st.DrawFn) -> Joined:
    arity = draw(st.sampled_from([2, 2, 3, 3, 4]))
    arguments = draw(st.tuples(*[st.sampled_from([*"vwxyzvwxyz", *NODES[:2]])] * arity))
    constants = {position: part for position, part in enumerate(arguments) if isinstance(part, int)}
    atom = Atom.of([part if isinstance(part, str) else None for part in arguments]).with_constants(constants)
    return Joined(atom, draw(tables(arity)))


@pytest.mark.parametrize("is_shrunk", [False, True])
@given(
    st.lists(wide_joins(), min_size=2, max_size=5),
    st.sets(st.sampled_from("vwxyz"), max_size=3),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_wanted_variables_are_those_of_all_assignments(
    tuned: Tuned, is_shrunk: bool, body: list[Joined], names: set[str], is_begun: bool, has_first: bool
) -> None:
    if is_shrunk:
        shrink(tuned)
    tuned(LONG_BODY=16, PRODUCT_ROWS=1, PATH_WORDS=1 << 20)
    wanted = frozenset(names) & frozenset[str]().union(*(each.atom.variables for each in body))
    seed = Bindings.unit()
    if is_begun:
        seed = Bindings({"x": np.array(NODES * 4, dtype=np.uint32)}, 4 * len(NODES))
        wanted |= {"x"}
    joins = [(each.atom, each.relation) for each in body]
    order = sorted(wanted)

    first = joins.pop() if has_first else None

    found = Conjunction(joins, Nothing(), wanted, lambda: None).solutions(seed, first)

    assert {row for rows in found for row in counted(rows, order)} == {*meaning(body, seed, order)}


def test_idle_positions_are_left_out_of_wide_atoms() -> None:
    wide = table_of(tuple(np.arange(12, dtype=np.uint32).reshape(3, 4) // 4))
    pair = table_of((np.arange(3, dtype=np.uint32),) * 2)
    joins = [(Atom.of("xya"), wide), (Atom.of("yz"), pair), (Atom.of("zxb"), wide)]

    assert [*with_idle_positions(joins, frozenset("x"))] == [(0, {"x", "y"}), (2, {"x", "z"})]
    assert [*with_idle_positions(joins, frozenset("xab"))] == []
    assert [*with_idle_positions(joins[:1], frozenset("b"))] == []
    projections = Projections[str]()
    atom, table = projections.of(*joins[0], frozenset("xy"))
    assert (atom.arguments, table.arity, len(table)) == (("x", "y"), 2, 1)
    assert projections.of(*joins[0], frozenset("xy"))[1] is table
