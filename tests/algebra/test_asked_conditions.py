"""Conjunctions with conditions that two variables differ, against every assignment. Catches a variable that is dropped
before a condition has asked for it, one that multiplies rows after the last condition has, and facts that are left out
of an atom though other atoms have their ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kgreason.algebra.atoms import Atom
from kgreason.algebra.bindings import Bindings
from kgreason.algebra.conjunctions.conjunction import Conjunction
from kgreason.algebra.conjunctions.membership import Membership
from kgreason.algebra.conjunctions.reductions import Reductions
from kgreason.algebra.joins import Runs
from tests.algebra.conjunctions import Joined, counted, meaning, table, tables
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

Pair = tuple[str, str]


@dataclass(frozen=True)
class Apart:
    """Pairs of variables that differ."""

    pairs: Sequence[Pair]
    bind = False

    def __bool__(self) -> bool:
        return bool(self.pairs)

    def each(self) -> Iterator[frozenset[str]]:
        return iter([frozenset(pair) for pair in self.pairs])

    def beyond(self, variables: Set[str]) -> Apart:
        return Apart([pair for pair in self.pairs if not {*pair} <= variables])

    def within(self, variables: Set[str]) -> Apart:
        return Apart([pair for pair in self.pairs if {*pair} <= variables])

    def connect(self, bound: Set[str], variables: Set[str]) -> bool:
        return False

    compare = connect

    def beside(self, rows: Bindings[str], others: Bindings[str]) -> Iterator[Runs[str]]:
        yield Runs.of_all(rows, others)

    def asked(self, rows: Bindings[str], _membership: Membership) -> tuple[Apart, Bindings[str]]:
        bound = rows.columns.keys()
        for one, other in self.within(bound).pairs:
            rows = rows.where(rows.columns[one] != rows.columns[other])
        return self.beyond(bound), rows


@st.composite
def pairs_of_variables(draw: st.DrawFn) -> Joined:
    ends = draw(st.lists(st.sampled_from("uvwxyz"), min_size=2, max_size=2, unique=True))
    return Joined(Atom.of(ends), draw(tables(2)))


@pytest.mark.parametrize("is_shrunk", [False, True])
@pytest.mark.parametrize("has_given", [False, True])
@given(
    st.lists(pairs_of_variables(), min_size=2, max_size=6),
    st.sets(st.sampled_from("uvwxyz"), max_size=2),
    st.lists(st.tuples(*[st.sampled_from("uvwxyz")] * 2), max_size=2),
)
@settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_conditions_leave_the_assignments_that_meet_them(
    tuned: Tuned, is_shrunk: bool, has_given: bool, body: list[Joined], names: set[str], asked: list[Pair]
) -> None:
    if is_shrunk:
        shrink(tuned)
    tuned(LONG_BODY=16)
    variables = frozenset[str]().union(*(each.atom.variables for each in body))
    conditions = Apart([pair for pair in asked if {*pair} <= variables and pair[0] != pair[1]])
    wanted = frozenset(names) & variables
    joins = [(each.atom, each.relation) for each in body]
    all_names = sorted(variables)
    place = all_names.index
    expected = {
        tuple(row[place(name)] for name in sorted(wanted))
        for row in meaning(body, Bindings.unit(), all_names)
        if all(row[place(one)] != row[place(other)] for one, other in conditions.pairs)
    }

    given = wanted if has_given else None
    found = Conjunction(joins, conditions, wanted, lambda: None, given).solutions(Bindings.unit())

    assert {row for rows in found for row in counted(rows, sorted(wanted))} == expected


def test_a_variable_is_not_wanted_after_its_last_condition() -> None:
    joins = [(Atom.of("yz"), table({(1, 2), (2, 3)}, 2))]
    left = Conjunction(joins, Apart([("x", "y"), ("x", "z")]), frozenset("z"), lambda: None)

    assert left.wanted == {*"xyz"}
    left.conditions = left.conditions.within(frozenset("xy"))
    assert left.wanted == {*"xyz"}
    left.conditions = left.conditions.beyond(frozenset("xy"))
    assert left.wanted == {"z"}


def test_facts_are_left_out_whose_ends_no_other_atom_has() -> None:
    numbers = np.arange(1, 1_000)
    to_one = table({(int(number), 7) for number in numbers}, 2)
    joins = [(Atom.of("xz"), to_one), (Atom.of("zw"), to_one), (Atom.of("vw"), to_one)]
    reductions = Reductions[str]()

    assert reductions.applied(joins, frozenset("x"), 100.0) is joins
    fewer = reductions.applied(joins, frozenset("x"), 1e6)

    assert [len(facts) for _, facts in fewer] == [999, 1, 999]
    assert reductions.applied(joins, frozenset("x"), 1e6)[1][1] is fewer[1][1]
    assert reductions.applied(joins, frozenset("xz"), 1e6) is joins
