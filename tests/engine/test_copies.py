"""Rules that copy sets into each other are closed over at once where many relations wait.

Would catch a set that is not copied on, copies along a rule that has lost its axiom or does not hold, a rule that is
not given facts which were copied, and copies that stay when the fact goes that they were made of.
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
BELOW = """
    [?x, a, ?d] :- [?c, e:below, ?d], [?x, a, ?c] .
    [?c, e:below, ?d] :- [?c, e:beside, ?d], [?c, a, e:K0] .
"""


def test_a_circle_of_copies_has_one_set_without_evaluating_them(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = " ".join(f"e:C{(n + 1) % CLASSES}(?x) :- e:C{n}(?x) ." for n in range(CLASSES))
    rules += " e:C0(?x) :- e:C1(?x), e:Marked(?x) . e:Marked(?x) :- e:C2(?x), e:C3(?x) ."
    base = KnowledgeBase(f"@prefix e: <{EX}> . {rules}", schemes=PLAIN)
    for number in range(CLASSES):
        add(base, (ex(f"x{number}"), TYPE, ex(f"C{number}")))
    evaluated = rules_evaluated(monkeypatch)

    found = triples(base, base.all())

    assert len(found) == CLASSES * (CLASSES + 1)
    assert len(evaluated) < 2 * CLASSES
    base._check()


@pytest.mark.parametrize("waiting", [1, 3])
@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@pytest.mark.parametrize("seed", range(16))
def test_copies_are_what_the_rules_say(seed: int, schemes: str, waiting: int, tuned: Tuned) -> None:
    """Classes below each other by rules and by axioms, which may follow from the classes of classes, and by joins, as
    facts and axioms come and go."""
    chance, names = random.Random(seed), [f"K{n}" for n in range(6)]
    forms = (
        "e:{0}(?x) :- e:{1}(?x) .",
        "e:{0}(?x) :- e:{1}(?x), e:{2}(?x) .",
        "e:{0}(?y) :- e:{1}(?x), [?x, e:p, ?y] .",
        "[?x, e:p, e:n1] :- e:{1}(?x), e:{2}(?x) .",
    )
    chosen = (chance.choice(forms[: chance.choice((1, 4))]) for _ in range(10))
    rules = [form.format(*(chance.choice(names) for _ in range(3))) for form in chosen]
    text = f"@prefix e: <{EX}> . {' '.join(rules)} {BELOW if seed % 2 else ''}"
    nodes = [*(ex(f"n{n}") for n in range(4)), *(ex(name) for name in names[:3])]

    def draw() -> Triple:
        return chance.choice(
            [
                (chance.choice(nodes), TYPE, ex(chance.choice(names))),
                (chance.choice(nodes), ex("p"), chance.choice(nodes)),
                (ex(chance.choice(names)), ex(chance.choice(["below", "beside"])), ex(chance.choice(names))),
            ]
        )

    tuned(SWEPT_KEYS=waiting)
    assert_rules_hold_throughout(text, schemes, chance, draw, changes=12)
