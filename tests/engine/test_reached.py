"""Rules that no fact has reached yet: guard facts bring them when their relations first can have facts."""

from __future__ import annotations

from itertools import pairwise, permutations

import pytest

from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests import oracle
from tests.facade import EX, Triple, add, ex, remove, triples
from tests.thresholds import Tuned

TYPE, BELOW = IRI(RDF + "type"), IRI(RDFS + "subPropertyOf")
SUBCLASS = IRI(RDFS + "subClassOf")
RULES = f"""@prefix e: <{EX}> .
    [?x, ?q, ?y] :- e:under(?p, ?q), [?x, ?p, ?y] .
    [?x, a, ?d] :- e:joins(?p, ?c, ?d), [?x, ?p, ?y], [?y, a, ?c] .
    e:joins(?p, ?c, ?d) :- e:on(?r, ?p), e:some(?r, ?c), e:gives(?r, ?d) .
    [?x, a, e:Lonely] :- e:alone(?p, ?q), [?x, ?p, ?y], ~[?x, ?q, ?y] .
"""


def assert_like_the_oracle(base: KnowledgeBase, rules: str, explicit: set[Triple]) -> None:
    base._check()
    assert triples(base, base.all()) == oracle.closure(resolve_rules(rules), list(explicit))


def test_a_hierarchy_without_instances_has_no_rule_for_each_pair() -> None:
    base = KnowledgeBase("rdfs")
    classes = [ex(f"C{i}") for i in range(30)]
    explicit = {(one, SUBCLASS, other) for one, other in pairwise(classes)}
    add(base, *explicit)
    assert len(triples(base, base.all())) >= 435
    assert base.statistics().specialised_rules < 150
    for number in (20, 3):
        explicit.add((ex(f"i{number}"), TYPE, classes[number]))
        add(base, (ex(f"i{number}"), TYPE, classes[number]))
        assert_like_the_oracle(base, "rdfs", explicit)


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_facts_may_come_in_any_order(order: tuple[int, ...]) -> None:
    steps: list[list[Triple]] = [
        [(ex("p"), ex("under"), ex("q")), (ex("q"), ex("under"), ex("r")), (ex("r"), ex("under"), ex("s"))],
        [(ex("R"), ex("on"), ex("s")), (ex("R"), ex("some"), ex("C")), (ex("R"), ex("gives"), ex("D"))],
        [(ex("a"), ex("p"), ex("b")), (ex("b"), TYPE, ex("C")), (ex("b"), ex("q"), Literal("five"))],
        [(ex("r"), ex("alone"), ex("none")), (ex("r"), ex("alone"), ex("s")), (ex("s"), ex("alone"), Literal("x"))],
    ]
    rules = RULES.replace("e:joins(?p, ?c, ?d)", "joins(?p, ?c, ?d)")
    base = KnowledgeBase(rules)
    explicit: set[Triple] = set()
    for number in order:
        explicit.update(steps[number])
        add(base, *steps[number])
        assert_like_the_oracle(base, rules, explicit)
    for number in reversed(order):
        explicit.difference_update(steps[number][:2])
        remove(base, *steps[number][:2])
        assert_like_the_oracle(base, rules, explicit)
        if number == 0:
            explicit.update(steps[0])
            add(base, *steps[0])
            assert_like_the_oracle(base, rules, explicit)


def test_an_axiom_that_makes_a_property_of_rdf_type_before_there_are_facts() -> None:
    base = KnowledgeBase("owl-rl")
    explicit: set[Triple] = {(ex("p"), BELOW, ex("q")), (ex("q"), BELOW, TYPE)}
    add(base, *explicit)
    assert_like_the_oracle(base, "owl-rl", explicit)
    for triple in ((ex("a"), ex("p"), ex("C")), (ex("b"), ex("q"), Literal("x")), (ex("C"), SUBCLASS, ex("D"))):
        explicit.add(triple)
        add(base, triple)
        assert_like_the_oracle(base, "owl-rl", explicit)


def chain_of_restrictions() -> set[Triple]:
    """Axioms of which each gives a thing a class by way of the one before: a third of them existential."""
    found: set[Triple] = {(ex("x0"), TYPE, ex("C0")), (ex("u"), IRI(RDFS + "range"), ex("C1"))}
    for number in range(9):
        one, restriction, other = ex(f"C{number}"), ex(f"R{number}"), ex(f"C{number + 1}")
        found.add((restriction, IRI(OWL + "onProperty"), ex(f"p{number % 4}")))
        if number % 3:
            found |= {(one, SUBCLASS, restriction), (restriction, IRI(OWL + "allValuesFrom"), other)}
            found.add((ex(f"x{number}"), ex(f"p{number % 4}"), ex(f"x{number + 1}")))
        else:
            found |= {(restriction, SUBCLASS, other), (restriction, IRI(OWL + "someValuesFrom"), one)}
            found.add((ex(f"x{number + 1}"), ex(f"p{number % 4}"), ex(f"x{number}")))
    return found


def test_long_chains_of_restrictions_bring_the_same_rules_step_by_step_and_at_once(tuned: Tuned) -> None:
    more, counts = (ex("z"), ex("u"), ex("x1")), []
    for rounds in (1, 2, 1 << 30):
        tuned(REACHED_ROUNDS=rounds)
        base, explicit = KnowledgeBase("owl-rl"), chain_of_restrictions()
        add(base, *explicit)
        assert (ex("x9"), TYPE, ex("C9")) in triples(base, base.all())
        counts.append(base.statistics().specialised_rules)
        explicit.add(more)
        add(base, more)
        assert_like_the_oracle(base, "owl-rl", explicit)

    assert counts[0] == counts[1] == counts[2]
