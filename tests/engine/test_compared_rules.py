"""Rules over relations that a scheme keeps, of which much goes and comes, beside tables made anew. Would catch a rule
that is compared before and after with a version that is neither, or for one of its atoms alone; or one that is read
whole and misses what comes.
"""

from __future__ import annotations

import random

import pytest

from kgreason.engine.modules import seminaive
from kgreason.engine.modules.compared_rules import ComparedRules
from kgreason.engine.rules.occurrences import Occurrence
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.table import Table
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

TYPE = IRI(RDF_TYPE)
RULES = f"""@prefix e: <{EX}> .
    [?x, e:t, ?z] :- [?x, e:t, ?y], [?y, e:t, ?z] .
    [?x, e:s, ?y] :- [?y, e:s, ?x] .
    [?x, e:s, ?y] :- [?x, e:r, ?y] .
    [?x, a, e:H] :- [?x, e:t, ?y], [?y, a, e:C] .
    [?y, a, e:H] :- [?x, e:t, ?y], [?x, e:s, ?y], ~[?x, a, e:C] .
    [?x, a, e:K] :- [?x, e:s, ?y], [?y, a, e:D] .
    [?x, a, e:K] :- [?x, a, e:H], [?x, e:s, ?y], [?y, e:t, ?z], ?x != ?z .
    [?x, a, e:H] :- [?x, e:d, ?y] .
    [?x, e:d, ?x] :- [?x, a, e:K], [?x, e:t, ?y], [?y, a, e:D] .
"""
FED = """
    [?x, a, e:L] :- [?x, e:r, ?y], [?y, a, e:C] .
    [?x, a, e:L] :- [?x, e:t, ?y], [?y, a, e:L] .
    [?x, e:t, ?y] :- [?x, a, e:L], [?x, e:r, ?y] .
"""


@pytest.mark.parametrize("seed", range(8))
def test_histories_in_which_much_goes(seed: int, tuned: Tuned, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned(COMPARED_LEAST=0, COMPARED_SHARE=1 << 20, WRITTEN_CHANGES=0, REMADE_LEAST=1 << 40)
    compared = _counted(monkeypatch, ComparedRules, "lost")

    _follow_a_history(seed, RULES)
    assert compared


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("is_fed", [False, True])
def test_histories_in_which_what_comes_is_found_late(
    seed: int, is_fed: bool, tuned: Tuned, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules for sets are evaluated over all pairs then, in the stratum of the closure and above it."""
    tuned(COMPARED_SETS=0, REMADE_SETS_SHARE=1 << 20, WRITTEN_CHANGES=0, REMADE_LEAST=1 << 40)
    read_whole: list[object] = []
    original = seminaive.is_sooner_read_whole

    def noting(use: Occurrence, come: Table) -> bool:
        found = original(use, come)
        read_whole.extend([use] * found)
        return found

    monkeypatch.setattr(seminaive, "is_sooner_read_whole", noting)

    _follow_a_history(seed, RULES + FED * is_fed)
    assert read_whole


def _follow_a_history(seed: int, rules: str) -> None:
    """Facts go and come; after each change all facts are those of tables made anew."""
    chance, program = random.Random(seed), parse_program(rules)
    explicit = {_fact(chance) for _ in range(30)}
    base = KnowledgeBase(program)
    add(base, *explicit)
    base.flush()

    for _ in range(20):
        gone = set(chance.sample(sorted(explicit, key=str), min(len(explicit), chance.choice((1, 1, 4)))))
        come = {_fact(chance) for _ in range(chance.choice((0, 1, 4)))} - explicit
        remove(base, *gone)
        add(base, *come)
        explicit = (explicit - gone) | come

        expected = KnowledgeBase(program, schemes="plain")
        add(expected, *explicit)
        assert triples(base, base.all()) == triples(expected, expected.all())


def _fact(chance: random.Random) -> Triple:
    one, other = (ex(f"n{chance.randrange(9)}") for _ in range(2))
    if chance.random() < 0.3:
        return one, TYPE, ex(chance.choice("CD"))
    return one, ex(chance.choice("tttrrd")), other


def _counted(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list[object]:
    """A list that the rules are added to which a method is called with from now on."""
    calls: list[object] = []
    original = getattr(owner, name)

    def counting(self: object, use: object) -> object:
        calls.append(use)
        return original(self, use)

    monkeypatch.setattr(owner, name, counting)
    return calls
