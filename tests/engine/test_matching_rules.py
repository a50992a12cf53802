"""Of many rules that differ in their constants, facts that come and go are given to those alone that they may match.

Would catch a rule that is left out though it derives something, and a change that evaluates all rules of a property.
"""

from __future__ import annotations

import random

import pytest

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.evaluated_rules import rules_evaluated
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned, shrink

TYPE, HAS_VALUE, ON = IRI(RDF + "type"), IRI(OWL + "hasValue"), IRI(OWL + "onProperty")
BELOW, SAME = IRI(RDFS + "subClassOf"), IRI(OWL + "sameAs")
CONSTANTS = " ".join(
    f"""e:r{n % 3}(?y, e:n{n % 4}) :- e:r{m}(?x, e:n{n}), e:link(?x, ?y), e:kind(e:n{m}, ?y) .
    e:r{m}(e:n{n}, ?x) :- e:r{n % 3}(?x, ?x) ."""
    for n in range(5)
    for m in range(3)
)

INTO_A_CLOSURE = "e:b(?x, ?z) :- e:b(?x, ?y), e:b(?y, ?z), ?x != ?z . " + " ".join(
    f"""e:b(?x, e:n{(n + 3) % 9}) :- e:b(?x, ?y), e:b(e:n{n}, ?y), e:c(?y, ?x) .
    e:d(?x, e:n{n}) :- e:b(?x, ?y), e:b(e:n{n}, ?y), e:c(?y, ?x) . e:b(?x, ?y) :- e:d(?x, ?y) ."""
    for n in range(9)
)


def of_restrictions(chance: random.Random) -> Triple:
    """A triple about restrictions that say which value a property has, or about things with such values."""
    things, values, classes = ([ex(f"{letter}{n}") for n in range(5)] for letter in "xvR")
    properties = [ex("p"), ex("q")]
    return chance.choice(
        [
            (chance.choice(things), chance.choice(properties), chance.choice(values)),
            (chance.choice(things), chance.choice(properties), chance.choice(values)),
            (chance.choice(things), TYPE, chance.choice(classes)),
            (chance.choice(classes), HAS_VALUE, chance.choice(values)),
            (chance.choice(classes), ON, chance.choice(properties)),
            (chance.choice(classes), BELOW, chance.choice(classes)),
            (chance.choice(values), SAME, chance.choice(values)),
        ]
    )


def of_constants(chance: random.Random) -> Triple:
    """A fact of a relation that rules with constants read."""
    nodes = [ex(f"n{n}") for n in range(5)]
    return chance.choice(nodes), ex(chance.choice(["r0", "r1", "r2", "link", "kind"])), chance.choice(nodes)


def of_a_closure(chance: random.Random) -> Triple:
    """A fact of a relation that a scheme closes, and that rules with constants read and derive."""
    nodes = [ex(f"n{n}") for n in range(9)]
    return chance.choice(nodes), ex(chance.choice("bbbbc")), chance.choice(nodes)


@pytest.mark.parametrize("schemes", [AUTO, PLAIN])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("rules", "fact"),
    [
        ("owl-rl", of_restrictions),
        (f"@prefix e: <{EX}> . {CONSTANTS}", of_constants),
        (f"@prefix e: <{EX}> . {INTO_A_CLOSURE}", of_a_closure),
    ],
)
def test_what_is_left_out_derives_nothing(rules: str, fact: object, seed: int, schemes: str, tuned: Tuned) -> None:
    chance = random.Random(seed)
    assert callable(fact)
    shrink(tuned)
    base = KnowledgeBase(rules, schemes=schemes)
    explicit = {(ex(f"R{n}"), HAS_VALUE, ex(f"v{n}")) for n in range(5)}
    explicit |= {(ex(f"R{n}"), ON, ex("pq"[n % 2])) for n in range(5)}
    add(base, *explicit)
    for _ in range(12):
        for _ in range(chance.choice([1, 1, 2, 6])):
            gone = chance.choice(sorted(explicit, key=str)) if explicit and chance.random() < 0.4 else None
            triple = gone or fact(chance)
            (remove if gone else add)(base, triple)
            explicit = explicit - {triple} if gone else explicit | {triple}
        found = triples(base, base.all())
        with_all = KnowledgeBase(rules, schemes=PLAIN)
        add(with_all, *explicit)
        assert found == triples(with_all, with_all.all())
    base._check()


def test_a_pair_concerns_the_restrictions_with_its_value_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    base, count = KnowledgeBase("owl-rl"), 600
    for n in range(count):
        add(base, (ex(f"R{n}"), HAS_VALUE, ex(f"v{n}")), (ex(f"R{n}"), ON, ex("p")))
        add(base, (ex(f"x{n}"), ex("p"), ex(f"v{n}")))
    whole = triples(base, base.all())
    assert (ex("x7"), TYPE, ex("R7")) in whole
    evaluated = rules_evaluated(monkeypatch)
    pair = (ex("x7"), ex("p"), ex("v7"))

    remove(base, pair)
    assert whole - triples(base, base.all()) == {pair, (ex("x7"), TYPE, ex("R7"))}
    add(base, pair)
    assert triples(base, base.all()) == whole
    assert len(evaluated) < count / 10


def test_a_restriction_that_goes_or_comes_concerns_its_own_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Would catch a stratum that is remade because a class joins it, and rules that are asked about other classes."""
    base, count = KnowledgeBase("owl-rl"), 600
    for number in range(count):
        kind, value = ex(f"R{number}"), ex(f"v{number}")
        add(base, (kind, HAS_VALUE, value), (kind, ON, ex("p")), (ex(f"x{number}"), ex("p"), value))
        add(base, (kind, IRI(OWL + "equivalentClass"), ex(f"C{number}")), (ex(f"y{number}"), TYPE, ex(f"C{number}")))
    whole = triples(base, base.all())
    axiom = (ex("R7"), HAS_VALUE, ex("v7"))
    evaluated = rules_evaluated(monkeypatch)

    remove(base, axiom)
    less = triples(base, base.all())
    add(base, axiom)
    found = triples(base, base.all())

    types = {(ex("x7"), TYPE, ex(kind)) for kind in ("R7", "C7")}
    assert whole - less == {axiom, *types, (ex("y7"), ex("p"), ex("v7"))}
    assert found == whole
    assert len(evaluated) < count / 2
