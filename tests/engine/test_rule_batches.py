"""Rules of one template are evaluated together, and derive what the oracle derives from each of them.

Would catch a solution that is given to another rule, a constant that is not compared, and rules with facts of their own
that get those of others.
"""

from __future__ import annotations

import random

import pytest

from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

TYPE = IRI(RDF + "type")
RULES = f"@prefix e: <{EX}> . " + " ".join(
    f"""e:d{n % 3}(?y, e:n{n % 4}) :- e:r{m}(?x, e:n{n}), e:link(?x, ?y), e:kind(e:n{m}, ?y) .
    e:r{n % 3}(?y, ?x) :- e:r{m}(?x, e:n{n}), e:link(?x, ?y) .
    e:loop{n}(?x, ?y) :- e:r{m}(?x, ?x), e:link(?x, ?y) .
    e:d{m}(?v, ?x) :- e:r{n % 3}(?x, ?v), e:kind(?x, e:n{n}) .
    e:d{n % 3}(e:n{m}, ?x) :- [?x, a, e:C{n}], e:r{m}(?x, ?y) .
    [?x, a, e:C{m}] :- e:r{n % 3}(?x, ?y), [?y, a, e:C{n}] ."""
    for n in range(4)
    for m in range(3)
)


def random_fact(chance: random.Random) -> Triple:
    nodes = [ex(f"n{n}") for n in range(5)]
    relation = chance.choice(["r0", "r1", "r2", "link", "kind", "a"])
    if relation == "a":
        return chance.choice(nodes), TYPE, ex(f"C{chance.randrange(4)}")
    value = Literal("five") if chance.random() < 0.1 else chance.choice(nodes)
    return chance.choice(nodes), ex(relation), value


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("least", "few"), [(1, 0), (1, 1), (2, 64), (1 << 30, 64)])
def test_rules_that_are_evaluated_together_derive_what_each_derives(
    tuned: Tuned, seed: int, least: int, few: int
) -> None:
    tuned(BATCHED_RULES=least, FEW_ROWS=few)
    chance, base = random.Random(seed), KnowledgeBase(RULES)
    rules, explicit = resolve_rules(RULES), set[Triple]()
    for size in (12, 1, 3, 6):
        come = {random_fact(chance) for _ in range(size)} - explicit
        explicit |= come
        add(base, *come)
        assert triples(base, base.all()) == oracle.closure(rules, list(explicit))
        gone = {fact for fact in explicit if chance.random() < 0.2}
        explicit -= gone
        remove(base, *gone)
        assert triples(base, base.all()) == oracle.closure(rules, list(explicit))
    base._check()


@pytest.mark.parametrize("least", [1, 1 << 30])
def test_restrictions_by_values_say_the_same_together_and_alone(tuned: Tuned, least: int) -> None:
    tuned(BATCHED_RULES=least)
    base, explicit = KnowledgeBase("owl-rl"), set[Triple]()
    for n in range(12):
        one, value = ex(f"R{n}"), Literal("five") if n == 5 else ex(f"v{n % 7}")
        explicit |= {(one, IRI(OWL + "onProperty"), ex(f"p{n % 3}")), (one, IRI(OWL + "hasValue"), value)}
        explicit |= {(ex(f"y{n}"), TYPE, one), (one, IRI(RDFS + "subClassOf"), ex(f"R{n * 5 % 12}"))}
        explicit.add((ex(f"x{n}"), ex(f"p{n % 3}"), value))
    add(base, *explicit)

    assert triples(base, base.all()) == oracle.closure(resolve_rules("owl-rl"), list(explicit))
    base._check()
