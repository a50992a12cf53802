"""rdf:type where rules leave the property open: its triples are facts of classes, and an axiom may name it."""

from __future__ import annotations

import pytest

from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples

TYPE = IRI(RDF + "type")
PREFIX = f"@prefix e: <{EX}> .\n"
DATA = [
    (ex("a"), TYPE, ex("b")),
    (ex("b"), TYPE, ex("c")),
    (ex("a"), TYPE, Literal("odd")),
    (ex("a"), ex("p"), ex("b")),
    (ex("c"), ex("p"), TYPE),
    (ex("a"), ex("q"), Literal("odd")),
    (ex("b"), ex("q"), ex("p")),
    (ex("c"), ex("q"), BlankNode("p")),
    (TYPE, ex("on"), TYPE),
]
AXIOMS = [
    *((TYPE, TYPE, IRI(f"{OWL}{kind}Property")) for kind in ("Symmetric", "Transitive", "Functional")),
    (TYPE, IRI(OWL + "inverseOf"), TYPE),
    (TYPE, IRI(OWL + "inverseOf"), ex("p")),
    (TYPE, IRI(RDFS + "subPropertyOf"), ex("p")),
    (ex("p"), IRI(RDFS + "subPropertyOf"), TYPE),
    (TYPE, IRI(RDFS + "domain"), ex("D")),
]
RULES = [
    "[?y, ?p, ?x] :- [?x, ?p, ?y] .",
    "[?y, ?p, ?x] :- e:on(?p, ?p), [?x, ?p, ?y] .",
    "[?x, ?p, e:n] :- [?x, ?p, ?y] .",
    "e:C1(?x) :- [?x, ?p, ?y], ~[?y, ?p, ?x] .",
    "e:C1(?x) :- e:on(?p, ?p), [?x, ?p, ?y], ~[?y, ?p, ?x] .",
    "e:C1(?x) :- e:q(?x, ?p), ~[?x, ?p, ?x] .",
    "e:C1(?x) :- e:q(?x, ?c), ~[?x, a, ?c] .",
    '#[name("open")] false :- [?x, ?p, ?y], ~[?y, ?p, ?x] .',
    '#[name("denied")] false :- e:q(?x, ?p), ~[?x, ?p, ?x] .',
]


def assert_like_the_oracle(base: KnowledgeBase, rules: str, explicit: list[Triple]) -> None:
    program = resolve_rules(rules)
    base._check()
    assert triples(base, base.all()) == oracle.closure(program, explicit)
    assert {clash.rule for clash in base.inconsistencies()} == oracle.inconsistent(program, explicit)


@pytest.mark.parametrize("name", ["rdfs-plus", "owl-rl"])
@pytest.mark.parametrize("axiom", AXIOMS, ids=lambda axiom: str(axiom[1]))
def test_an_axiom_about_rdf_type(axiom: Triple, name: str) -> None:
    base = KnowledgeBase(name)
    add(base, *DATA[:2], axiom)
    assert_like_the_oracle(base, name, [*DATA[:2], axiom])
    remove(base, axiom)
    assert_like_the_oracle(base, name, DATA[:2])


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_leaves_the_property_open(rule: str) -> None:
    stratified = PREFIX + rule
    base = KnowledgeBase(stratified)
    known: list[Triple] = []
    for triple in DATA:
        add(base, triple)
        known.append(triple)
        assert_like_the_oracle(base, stratified, known)
    for triple in DATA[:-1]:
        remove(base, triple)
        known.remove(triple)
        assert_like_the_oracle(base, stratified, known)
