"""Would catch a checker that refuses what follows in real data, or accepts a proof that was spoilt.

The proofs are those of closures of ontologies, thesauri and LUBM; each spoilt one differs from a right one in one step.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice
from random import Random

import pytest

from kgreason.proof_checking.fact_index import TRIPLE, Fact, FactIndex
from kgreason.proof_checking.proof_checker import Checker
from kgreason.proof_checking.proof_steps import read_steps
from kgreason.proof_checking.terms import folded, read_triples
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.proof_lines import rows_of
from tests import oracle
from tests.conformance.test_explanations import SETS, loaded
from tests.facade import Triple, triples
from tests.profiles import IS_THOROUGH, examples
from tests.proof_checking.mutations import MUTATIONS, Spoiler, refusal

STEPS = examples(1_500)
"""Of inferred triples whose proofs are checked together."""
SPOILT = examples(60)
"""Of proofs that are spoilt in each way."""

pytestmark = pytest.mark.slow
NAMES = ["relations", *(pytest.param(name, marks=pytest.mark.thorough) for name in ("lubm", "ykl"))]


class Case:
    """A closure, and a checker of proofs over what was asserted."""

    def __init__(self, base: KnowledgeBase) -> None:
        self.base = base
        self.asserted = {folded(triple) for triple in triples(base, base.explicit())}
        self.inferred = list(rows_of(base.inferred()))
        self.checker = Checker(base.program, FactIndex(Fact(TRIPLE, triple) for triple in self.asserted))

    def steps_of(self, goals: list[tuple[int, int, int]]):
        return read_steps(read_triples("".join(self.base.proof_lines(goals)).encode(), "nt"))

    def terms(self, goal: tuple[int, int, int]) -> Triple:
        return folded(tuple(map(self.base.dictionary.decode, goal)))


@cache
def case(name: str) -> Case:
    rules, find = SETS[name]
    return Case(loaded(rules, find(), "auto"))


@pytest.mark.parametrize("name", NAMES)
def test_proofs_of_a_closure_are_accepted(name: str) -> None:
    given = case(name)
    goals = given.inferred if IS_THOROUGH else Random(5).sample(given.inferred, min(STEPS, len(given.inferred)))

    checked = given.checker.check(given.steps_of(goals))

    assert {given.terms(goal) for goal in goals} <= checked.triples
    assert checked.derived >= len(goals)


@pytest.mark.parametrize("name", NAMES)
def test_spoilt_proofs_of_a_closure_are_refused(name: str) -> None:
    given, random, refused = case(name), Random(7), Counter()
    facts = oracle._Facts(("triple", *folded(triple)) for triple in triples(given.base, given.base.all()))
    goals = random.sample(given.inferred, len(given.inferred))

    for goal in islice(goals, SPOILT):
        steps = given.steps_of([goal])
        for kind, spoilt in Spoiler(given.base.program, steps, facts, random).each():
            error = refusal(given.checker, spoilt)
            assert error, f"{kind} was accepted: {given.terms(goal)}"
            assert error.step in map(str, spoilt)
            refused[kind] += 1

    assert refused.keys() == MUTATIONS.keys()
    assert refused.total() > SPOILT * 3
    print(f"{name}: {refused.total()} refused: {dict(refused)}")
