"""Random histories of a knowledge base and its branches, each changed beside the others, compared and adopted.

Would catch a change of one that shows in another, a difference that is not that of the two closures, and an adoption
that loses something or that should have been refused. Each equals naive evaluation after each step.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.engine.strategy import Strategy
from kgreason.errors import BranchError, StratificationError
from kgreason.relations.catalogue import AUTO, PLAIN
from tests import oracle
from tests.engine.test_histories import FACTS, JOINED, LIKELY, NUMBERS, PROGRAMS, STEPS, History, State
from tests.facade import Follower, Triple, triples
from tests.profiles import examples
from tests.stratification_reference import is_stratified
from tests.thresholds import Tuned, shrink

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

MOST = 4
MOVES = st.one_of(
    st.tuples(st.just("step"), STEPS),
    st.tuples(st.just("step"), STEPS),
    st.tuples(st.just("branch"), st.none()),
    st.tuples(st.just("adopt"), st.none()),
)


class Branch(History):
    """A branch beside its model; a history that is the first of all has no origin."""

    def __init__(self, origin: History) -> None:
        origin.check()
        self.origin = origin
        self.base = origin.base.branch()
        self.state, self.read = origin.state.copy(), origin.state.copy()
        self.began = origin.state.copy()
        self.follower = Follower(self.base)

    def compare(self) -> None:
        """The difference is that of the closures."""
        found = self.base.difference()
        before, after = (oracle.closure(state.program, state.triples) for state in (self.began, self.state))
        assert triples(self.base, found.all().added) == after - before
        assert triples(self.base, found.all().removed) == before - after
        assert triples(self.base, found.explicit().added) == self.state.triples - self.began.triples
        assert triples(self.base, found.explicit().removed) == self.began.triples - self.state.triples
        sides = found.graphs()
        for sign, states in (("added", (self.state, self.began)), ("removed", (self.began, self.state))):
            expected = {(self._graph(graph), triple) for graph, triple in states[0].quads - states[1].quads}
            held = {(graph, t) for graph, each in sides.items() for t in triples(self.base, getattr(each, sign))}
            assert held == expected

    def be_adopted(self) -> None:
        """Have the origin adopt the branch, which it refuses where it has changed."""
        if not (self.check() and self.origin.check()):
            return
        is_same = content(self.origin.state) == content(self.began)
        if is_same:
            self.origin.base.adopt(self.base)
            self.origin.state, self.origin.read = self.state.copy(), self.state.copy()
            self.began = self.state.copy()
            self.origin._assert_equal()
        else:
            with pytest.raises(BranchError, match="has changed since"):
                self.origin.base.adopt(self.base)
        self.check()


def content(state: State) -> tuple[object, object]:
    return state.quads, {*state.programs}


@pytest.fixture(autouse=True)
def small_thresholds(tuned: Tuned) -> None:
    shrink(tuned)


@given(
    schemes=st.sampled_from([AUTO, JOINED, PLAIN]),
    strategy=st.builds(Strategy, **{switch.name: LIKELY for switch in fields(Strategy)}),
    programs=NUMBERS,
    facts=st.lists(FACTS, max_size=10),
    moves=st.lists(st.tuples(st.integers(0, MOST - 1), MOVES), min_size=2, max_size=9),
)
@settings(max_examples=examples(40))
def test_branches_equal_stores_of_their_own(
    schemes: str,
    strategy: Strategy,
    programs: Iterable[int],
    facts: list[Triple],
    moves: list[tuple[int, tuple[str, object]]],
) -> None:
    try:
        first = History(programs, schemes, strategy)
    except StratificationError:
        assert not is_stratified(State(programs=tuple(programs)).program)
        return
    first._change(True, [(None, triple) for triple in facts])
    first.check()
    histories: list[History] = [first, Branch(first)]
    for number, (move, detail) in moves:
        chosen = histories[number % len(histories)]
        match move, chosen:
            case "step", _:
                chosen.apply(*detail)
            case "branch", _ if len(histories) < MOST:
                histories.append(Branch(chosen))
            case "adopt", Branch():
                chosen.be_adopted()
    for history in histories:
        history.check()
        if isinstance(history, Branch):
            history.compare()


def test_every_program_is_adopted_with_its_rules() -> None:
    for number in range(0, len(PROGRAMS), 7):
        first = History([0], AUTO, Strategy())
        branch = Branch(first)
        branch.apply("add rules", [number])
        branch.be_adopted()
        assert {*first.state.programs} == {*branch.state.programs}
