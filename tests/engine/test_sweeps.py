"""The relations of a stratum take in what was derived in the order in which rules lead from one to the next.

Would catch a chain of relations whose rules are evaluated for each fact that passes by, a relation that is left out of
the sweeps, and facts that are not given on because those who derived other facts of theirs had no use for them.
"""

from __future__ import annotations

import random

import pytest

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.evaluated_rules import rules_evaluated
from tests.engine.random_changes import assert_rules_hold_throughout
from tests.facade import EX, Triple, add, ex, triples
from tests.thresholds import Tuned

TYPE = IRI(RDF + "type")
CLASSES = 120


CIRCLE = [(n, (n + 1) % CLASSES) for n in range(CLASSES)]
CHAIN = [(n, n + 1) for n in range(CLASSES - 1)] + [(n + 1, n) for n in range(CLASSES - 1)]


@pytest.mark.parametrize("edges", [CIRCLE, CHAIN], ids=["circle", "chain"])
def test_few_sweeps_go_past_all_classes(edges: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules that are no copies lead each thing all the way round, twice past the class where a sweep begins, or along
    a chain both ways."""
    rules = " ".join(f"e:C{head}(?x) :- e:C{body}(?x), e:Marked(?x) ." for body, head in edges)
    base = KnowledgeBase(f"@prefix e: <{EX}> . {rules}")
    for number in range(CLASSES):
        add(base, (ex(f"x{number}"), TYPE, ex(f"C{number}")), (ex(f"x{number}"), TYPE, ex("Marked")))
    evaluated = rules_evaluated(monkeypatch)

    found = triples(base, base.all())

    assert len(found) == CLASSES * (CLASSES + 1)
    assert len(evaluated) < 6 * len(edges)
    base._check()


@pytest.mark.parametrize("swept", [1, 3])
@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@pytest.mark.parametrize("seed", range(12))
def test_sweeps_derive_what_the_rules_say(seed: int, schemes: str, swept: int, tuned: Tuned) -> None:
    """Copies, inverse copies, joins and chains that lead from any relation to any other, as facts come and go."""
    chance, names = random.Random(seed), [f"p{n}" for n in range(6)]
    forms = (
        "[?x, e:{0}, ?y] :- [?x, e:{1}, ?y] .",
        "[?y, e:{0}, ?x] :- [?x, e:{1}, ?y] .",
        "[?x, e:{0}, ?z] :- [?x, e:{1}, ?y], [?y, e:{2}, ?z] .",
        "[?x, e:{0}, ?y] :- [?x, e:{1}, ?y], [?y, e:{2}, ?x] .",
        "[?x, e:{0}, e:n1] :- [?x, e:{1}, e:n2], [?x, e:{2}, ?y] .",
    )
    rules = [chance.choice(forms).format(*(chance.choice(names) for _ in range(3))) for _ in range(14)]
    text = f"@prefix e: <{EX}> . {' '.join(rules)}"
    nodes = [ex(f"n{n}") for n in range(5)]

    def draw() -> Triple:
        return chance.choice(nodes), ex(chance.choice(names)), chance.choice(nodes)

    tuned(SWEPT_KEYS=swept)
    assert_rules_hold_throughout(text, schemes, chance, draw, changes=10)
