"""Would catch a kind of rule whose proofs the checker does not understand: random programs with negation, aggregates,
lists, auxiliary relations, functions and open predicates, over random facts."""

from __future__ import annotations

from random import Random

import pytest

from kgreason.errors import StratificationError
from kgreason.program.rules import Program
from kgreason.proof_checking.fact_index import TRIPLE, Fact, FactIndex
from kgreason.proof_checking.proof_checker import Checker
from kgreason.proof_checking.proof_steps import read_steps
from kgreason.proof_checking.terms import folded, read_triples
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_histories import PROGRAMS
from tests.facade import Triple, add, triples
from tests.profiles import examples
from tests.proof_checking.mutations import Spoiler, refusal
from tests.proofs.test_seeded_proofs import facts

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")
SEEDS = examples(60)


def made(random: Random) -> tuple[KnowledgeBase, list[Triple]] | None:
    asserted = facts(random)
    chosen = random.sample(PROGRAMS, random.randint(1, 6))
    try:
        base = KnowledgeBase(Program(tuple(dict.fromkeys(rule for part in chosen for rule in part.rules))))
        add(base, *asserted)
        base.flush()
    except StratificationError:
        return None
    return base, asserted


@pytest.mark.parametrize("seed", range(0, SEEDS, 10))
def test_everything_that_follows_is_accepted_and_nothing_spoilt(seed: int) -> None:
    for number in range(seed, seed + 10):
        random = Random(number)
        case = made(random)
        if case is None:
            continue
        base, asserted = case
        checker = Checker(base.program, FactIndex(Fact(TRIPLE, folded(triple)) for triple in asserted))

        steps = read_steps(read_triples("".join(base.proof_lines()).encode(), "nt"))

        proved = checker.check(steps).triples
        assert {folded(triple) for triple in triples(base, base.inferred())} <= proved
        if proved - set(asserted):
            holding = oracle._Facts(map(folded, oracle.facts(base.program, asserted)))
            for kind, spoilt in Spoiler(base.program, steps, holding, random).each():
                assert refusal(checker, spoilt), f"{kind} was accepted: {number}"
