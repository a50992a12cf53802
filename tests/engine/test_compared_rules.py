"""Rules over relations that a scheme keeps, of which much goes and comes, beside tables made anew. Would catch a rule
that is compared before and after with a version that is neither, or for one of its atoms alone.
"""

from __future__ import annotations

import random

import pytest

from kgreason.engine.modules.compared_rules import ComparedRules
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
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


@pytest.mark.parametrize("seed", range(8))
def test_histories_in_which_much_goes(seed: int, tuned: Tuned, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned(COMPARED_LEAST=0, COMPARED_SHARE=1 << 20, WRITTEN_CHANGES=0, REMADE_LEAST=1 << 40)
    compared = _counted(monkeypatch)
    chance, program = random.Random(seed), parse_program(RULES)
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
    assert compared


def _fact(chance: random.Random) -> Triple:
    one, other = (ex(f"n{chance.randrange(9)}") for _ in range(2))
    if chance.random() < 0.3:
        return one, TYPE, ex(chance.choice("CD"))
    return one, ex(chance.choice("tttrrd")), other


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """A list that rules which are compared are added to from now on."""
    calls: list[object] = []
    original = ComparedRules.lost

    def counting(self: ComparedRules, use: object) -> object:
        calls.append(use)
        return original(self, use)  # type: ignore[arg-type]

    monkeypatch.setattr(ComparedRules, "lost", counting)
    return calls
