"""Programs over many facts about few nodes, where nearly everything has several derivations, some of them circular."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from kgreason.errors import StratificationError
from kgreason.program.rules import Program
from kgreason.proofs.steps import IdFact
from kgreason.relations.binary import BinaryTable
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.proof_facts import EngineFacts
from tests.engine.test_histories import (
    CLASSES,
    FIRST,
    JOINED,
    NIL,
    NODES,
    PROGRAMS,
    PROPERTIES,
    REST,
    TYPE,
)
from tests.facade import Triple, add, ex, remove
from tests.profiles import examples
from tests.proofs.test_random_proofs import explain_everything

pytestmark = pytest.mark.filterwarnings("ignore::kgreason.errors.ListWarning")

SEEDS = examples(60)


def facts(random: Random) -> list[Triple]:
    """Triples about few nodes, an axiom or two, and often lists that axioms name."""
    some = random.choice
    found = [(some(NODES), some(PROPERTIES[:3]), some(NODES)) for _ in range(random.randint(3, 12))]
    found += [(some(NODES), TYPE, some(CLASSES[:3])) for _ in range(random.randint(1, 5))]
    found += [(some(PROPERTIES), TYPE, some(CLASSES[:2])) for _ in range(random.randint(0, 2))]
    found += [(some(PROPERTIES), ex(some(["under", "turn"])), some(PROPERTIES)) for _ in range(random.randint(0, 2))]
    found += [(some(CLASSES), ex("under"), some(CLASSES)) for _ in range(random.randint(0, 2))]
    if random.random() < 0.6:
        found += axiom_with_list(random, "k", CLASSES, ["all", "some", "one"], [*CLASSES[:3], NODES[0]])
        named = [*CLASSES, *PROPERTIES]
        found += axiom_with_list(random, "m", named, ["chain", "key"], PROPERTIES[:3])
    return list(dict.fromkeys(found))


def axiom_with_list(random: Random, prefix: str, named: list, axioms: list[str], members: list) -> list[Triple]:
    """A list, and two axioms that name it."""
    cells = [ex(f"{prefix}{number}") for number in range(random.randint(1, 3))]
    found = list(zip(cells, [REST] * len(cells), [*cells[1:], NIL], strict=True))
    found += [(cell, FIRST, random.choice(members)) for cell in cells]
    return found + [(random.choice(named), ex(random.choice(axioms)), cells[0]) for _ in range(2)]


def explain_case(random: Random) -> None:
    """Explain everything that some programs derive, and again when some facts are gone."""
    asserted = facts(random)
    chosen = random.sample(PROGRAMS, random.randint(1, 6))
    program = Program(tuple(dict.fromkeys(rule for part in chosen for rule in part.rules)))
    try:
        base = KnowledgeBase(program, random.choice([AUTO, JOINED, PLAIN]))
        add(base, *asserted)
        base.flush()
    except StratificationError:
        return
    explain_everything(base, program, asserted)
    gone = random.sample(asserted, min(3, len(asserted)))
    try:
        remove(base, *gone)
        base.flush()
    except StratificationError:
        return
    explain_everything(base, program, [triple for triple in asserted if triple not in gone])


@pytest.mark.parametrize("seed", range(0, SEEDS, 10))
def test_everything_has_a_proof(seed: int) -> None:
    for number in range(seed, seed + 10):
        explain_case(Random(number))


@pytest.mark.parametrize("seed", range(0, SEEDS, 20))
def test_whatever_the_edges_of_a_closure_are_taken_to_be(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The edges are where the search for a path begins; which pairs it finds there decides nothing."""
    random = Random(seed)

    def some_pairs(self: EngineFacts, fact: IdFact) -> Sequence[Table]:
        table = self.all.pairs(fact)
        assert table is not None
        columns = table.columns()
        chosen = np.array([random.random() < 0.4 for _ in columns[0]], dtype=np.bool_)
        return (BinaryTable.of((columns[0][chosen], columns[1][chosen])),) if chosen.any() else ()

    monkeypatch.setattr(EngineFacts, "edges", some_pairs)
    for number in range(seed, seed + 10):
        explain_case(Random(number))
