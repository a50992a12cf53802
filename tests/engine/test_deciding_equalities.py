"""Relations that decide which things are equal, and hold of equal things: histories against the oracle."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.relations.catalogue import PLAIN, REPRESENTED
from kgreason.relations.codes import property_code
from kgreason.store.knowledge_base import KnowledgeBase
from tests import oracle
from tests.engine.test_equalities import SAME, TYPE, batches, facts, links, run
from tests.engine.test_oracle import PREFIX
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.thresholds import Tuned, shrink

P0, P1, P2, P3 = (ex(f"p{number}") for number in range(4))
ONE = Literal("1", XSD + "nonNegativeInteger")
NIL = IRI(RDF + "nil")
LISTS = [
    (ex("key"), IRI(RDF + "first"), P0),
    (ex("key"), IRI(RDF + "rest"), NIL),
    (ex("way"), IRI(RDF + "first"), P0),
    (ex("way"), IRI(RDF + "rest"), ex("key")),
    (ex("one"), IRI(OWL + "maxCardinality"), ONE),
    (ex("oneOf"), IRI(OWL + "maxQualifiedCardinality"), ONE),
    (ex("oneOf"), IRI(OWL + "onClass"), ex("C1")),
    (ex("some"), IRI(OWL + "someValuesFrom"), ex("C0")),
    (ex("that"), IRI(OWL + "hasValue"), ex("n0")),
]
OWN = [P0, P1, P2]
PROPERTIES = st.sampled_from(OWN)
RESTRICTIONS = st.sampled_from([ex(name) for name in ("one", "oneOf", "some", "that")])
CLASSES = st.sampled_from([ex("C0"), ex("C1")])
deciding = st.one_of(
    st.tuples(PROPERTIES, st.just(TYPE), st.sampled_from([IRI(OWL + "FunctionalProperty")])),
    st.tuples(PROPERTIES, st.just(TYPE), st.sampled_from([IRI(OWL + "InverseFunctionalProperty")])),
    st.tuples(CLASSES, st.just(IRI(OWL + "hasKey")), st.just(ex("key"))),
    st.tuples(RESTRICTIONS, st.just(IRI(OWL + "onProperty")), PROPERTIES),
)
feeding = st.one_of(
    st.tuples(PROPERTIES, st.just(IRI(RDFS + "subPropertyOf")), PROPERTIES),
    st.tuples(PROPERTIES, st.just(IRI(OWL + "inverseOf")), PROPERTIES),
    st.tuples(PROPERTIES, st.just(IRI(RDFS + "domain")), CLASSES),
    st.tuples(PROPERTIES, st.just(TYPE), st.just(IRI(OWL + "SymmetricProperty"))),
    st.tuples(PROPERTIES, st.just(IRI(OWL + "propertyChainAxiom")), st.just(ex("way"))),
    st.tuples(CLASSES, st.just(IRI(RDFS + "subClassOf")), st.one_of(RESTRICTIONS, CLASSES)),
    st.tuples(RESTRICTIONS, st.just(IRI(RDFS + "subClassOf")), CLASSES),
)
schemas = st.lists(st.one_of(deciding, deciding, feeding), min_size=2, max_size=7)


def test_histories_of_facts(tuned: Tuned) -> None:
    tuned(REMADE_LEAST=1 << 40, PROPAGATED_LOSS=1 << 40)
    for seed in range(examples(25)):
        _history(random.Random(seed))


@pytest.mark.parametrize("is_dropped", [False, True])
def test_small_histories_of_facts(is_dropped: bool, tuned: Tuned) -> None:
    shrink(tuned)
    tuned(FEW_MEMBERS=1)
    if not is_dropped:
        tuned(REMADE_LEAST=1 << 40, PROPAGATED_LOSS=1 << 40)
    for seed in range(examples(4)):
        _history(random.Random(100 + seed))


def _history(chance: random.Random) -> None:
    """Facts come, and such as there are go; after each change the base has what tables written out anew have."""
    axioms = [*LISTS, *_schema(chance)]
    nodes = [ex(f"n{number}") for number in range(chance.randint(5, 16))]
    there = {_fact(chance, nodes): None for _ in range(chance.randint(3, 22))}
    base = KnowledgeBase("owl-rl")
    add(base, *axioms, *there)
    base.flush()
    for _ in range(chance.randint(3, 14)):
        before = dict(there)
        for _ in range(chance.choice([1, 1, 1, 2, 4])):
            if there and chance.random() < 0.55:
                del there[chance.choice([*there])]
            else:
                there[_fact(chance, nodes)] = None
        remove(base, *(before.keys() - there.keys()))
        add(base, *(there.keys() - before.keys()))

        base._check()
        anew = KnowledgeBase("owl-rl", schemes=PLAIN)
        add(anew, *axioms, *there)
        assert triples(base, base.all()) == triples(anew, anew.all())


def _schema(chance: random.Random) -> Iterator[Triple]:
    """Axioms that keep properties and classes over representatives, more often than not."""
    a, below, inverse = TYPE, IRI(RDFS + "subPropertyOf"), IRI(OWL + "inverseOf")
    functional, other, symmetric = (
        IRI(OWL + f"{kind}Property") for kind in ("Functional", "InverseFunctional", "Symmetric")
    )
    yield P0, a, chance.choice([functional, other])
    for name in ("one", "some"):
        yield ex(name), IRI(OWL + "onProperty"), chance.choice(OWN)
    for _ in range(chance.randint(1, 5)):
        one, two = chance.choice(OWN), chance.choice(OWN)
        yield chance.choice(
            [
                (one, a, functional),
                (one, a, functional),
                (one, a, other),
                (one, below, two),
                (one, below, two),
                (one, inverse, two),
                (one, a, symmetric),
                (ex("C0"), IRI(OWL + "hasKey"), ex("key")),
                (one, IRI(OWL + "propertyChainAxiom"), ex("way")),
                (ex("C0"), IRI(RDFS + "subClassOf"), ex("one")),
                (one, IRI(RDFS + "domain"), ex("C1")),
                (ex("some"), IRI(RDFS + "subClassOf"), ex("C0")),
            ]
        )


def _fact(chance: random.Random, nodes: list[IRI]) -> Triple:
    one, other, which = chance.choice(nodes), chance.choice(nodes), chance.random()
    if which < 0.08:
        return one, SAME, other
    if which < 0.2:
        return one, TYPE, chance.choice([ex("C0"), ex("C1")])
    return one, chance.choice(OWN), other


@given(schema=schemas, changes=batches(st.one_of(facts, facts, facts, links, deciding, feeding)))
@settings(max_examples=examples(20))
def test_histories_of_axioms(schema: list[Triple], changes: list[list[tuple[bool, Triple]]]) -> None:
    run(KnowledgeBase("owl-rl"), [[(True, triple) for triple in (*LISTS, *schema)], *changes])


def degrees(count: int) -> list[Triple]:
    """Each thing with two objects, so that all objects are equal, as those of a functional property."""
    things, objects = ([ex(f"{name}{number}") for number in range(count)] for name in "xy")
    found = [(thing, P0, one) for thing, one in zip(things, objects, strict=True)]
    found += [(thing, P1, other) for thing, (_, other) in zip(things, pairwise(objects), strict=False)]
    return [*found, (P0, IRI(RDFS + "subPropertyOf"), P2), (P1, IRI(RDFS + "subPropertyOf"), P2)]


def test_facts_about_what_they_make_equal_are_kept_over_representatives() -> None:
    base, count = KnowledgeBase("owl-rl"), 60
    functional = (P2, TYPE, IRI(OWL + "FunctionalProperty"))
    add(base, *degrees(count), functional, (P2, IRI(OWL + "inverseOf"), P3))

    view, lookup = base.all(), base.dictionary.lookup
    assert view.count(None, lookup(SAME), None) == count * (count - 1)
    for name, size in ((P0, count), (P1, count - 1), (P2, count), (P3, count)):
        assert view.count(None, lookup(name), None) == size * count
        definition = base.state.engine.definitions[property_code(lookup(name))]
        assert (definition.closure, definition.is_part) == (REPRESENTED, True)
        assert len(base.state.engine.external.get(property_code(lookup(name))) or ()) <= 4 * count

    remove(base, functional)
    assert base.all().count(None, lookup(SAME), None) == 0
    assert base.all().count(None, lookup(P2), None) == 2 * count - 1


def test_a_link_that_goes_parts_what_it_held_together() -> None:
    base, count = KnowledgeBase("owl-rl"), 30
    given_ = [*degrees(count), (P2, TYPE, IRI(OWL + "FunctionalProperty"))]
    add(base, *given_)
    base.flush()
    gone = (ex("x14"), P1, ex("y15"))
    remove(base, gone)
    base._check()

    anew = KnowledgeBase("owl-rl", schemes=PLAIN)
    add(anew, *(triple for triple in given_ if triple != gone))
    assert triples(base, base.all()) == triples(anew, anew.all())


FUNCTIONAL = (P2, TYPE, IRI(OWL + "FunctionalProperty"))
BELOW = [(each, IRI(RDFS + "subPropertyOf"), P2) for each in (P0, P1)]
A, B, C, D = (ex(name) for name in "abcd")


def test_what_joined_equal_things_goes_when_they_are_equal_no_more() -> None:
    base, link, chain = KnowledgeBase("owl-rl"), (B, SAME, C), (P2, IRI(OWL + "propertyChainAxiom"), ex("way"))
    add(base, FUNCTIONAL, *BELOW, *LISTS, chain, (A, P0, B), (C, P0, D), link)
    assert {(A, P2, D), (A, P2, C), (B, SAME, D)} <= triples(base, base.all())

    remove(base, link)
    assert not {(A, P2, D), (A, P2, C), (B, SAME, D), (B, SAME, C)} & triples(base, base.all())
    base._check()


def test_a_fact_stays_that_follows_from_another_one() -> None:
    base = KnowledgeBase("owl-rl")
    add(base, FUNCTIONAL, *BELOW, (A, P0, B), (A, P1, B), (C, P0, D), (C, P1, B))
    base.flush()
    remove(base, (A, P0, B))
    assert {(A, P2, B), (A, P2, D), (C, P2, B), (B, SAME, D)} <= triples(base, base.all())
    remove(base, (C, P1, B))
    assert {triple for triple in triples(base, base.all()) if triple[1] == P2} == {(A, P2, B), (C, P2, D)}


def test_rules_that_tell_equal_things_apart_have_facts_written_out() -> None:
    base = KnowledgeBase("owl-rl")
    value = [(ex("that"), IRI(OWL + "onProperty"), P0), (ex("that"), IRI(OWL + "hasValue"), ex("n1"))]
    key = [(ex("that"), IRI(OWL + "hasKey"), ex("key")), *LISTS[:2]]
    add(base, *value, *key, (ex("n0"), P0, ex("n1")), (ex("n2"), P0, ex("n1")))

    assert (ex("n0"), SAME, ex("n2")) in triples(base, base.all())
    assert property_code(base.dictionary.lookup(P0)) not in base.state.engine.definitions


EQUAL = """
e:same(?y, ?x) :- e:same(?x, ?y) .
e:same(?x, ?z) :- e:same(?x, ?y), e:same(?y, ?z), ?x != ?z .
e:p0(?y, ?z) :- e:same(?x, ?y), e:p0(?x, ?z), ?x != ?y .
e:p0(?z, ?y) :- e:same(?x, ?y), e:p0(?z, ?x), ?x != ?y .
"""


def test_what_another_equality_replaces_as_well_has_facts_written_out() -> None:
    rules = f"""{EQUAL}
        e:same(?x, ?y) :- e:p0(?z, ?x), e:p0(?z, ?y), ?x != ?y .
        e:like(?y, ?x) :- e:like(?x, ?y) .
        e:like(?x, ?z) :- e:like(?x, ?y), e:like(?y, ?z), ?x != ?z .
        e:p0(?z, ?y) :- e:like(?x, ?y), e:p0(?z, ?x), ?x != ?y .
    """
    facts = [(A, P0, B), (B, ex("same"), C), (C, ex("like"), D)]
    base = KnowledgeBase(PREFIX + rules)
    add(base, *facts)

    assert triples(base, base.all()) == oracle.closure(base.program, facts)
    assert (A, P0, D) in triples(base, base.all())


@pytest.mark.parametrize("is_part", [False, True])
def test_what_is_equal_to_a_literal_makes_it_no_subject(is_part: bool) -> None:
    deciding_rule = "same(?x, ?y) :- e:p0(?z, ?x), e:p0(?z, ?y), ?x != ?y ." if is_part else ""
    rules = f"{EQUAL.replace('e:same', 'same')} same(?x, ?y) :- e:link(?x, ?y) . {deciding_rule}"
    base, literal, link = KnowledgeBase(PREFIX + rules), Literal("a"), (B, ex("link"), Literal("a"))
    facts = {(A, P0, B), (B, P0, C), (C, ex("link"), D)}
    add(base, *facts)
    assert triples(base, base.all()) == oracle.closure(base.program, facts)
    definition = base.state.engine.definitions[property_code(base.dictionary.lookup(P0))]
    assert (definition.closure, definition.is_part) == (REPRESENTED, is_part)

    for change, expected in ((add, {*facts, link}), (remove, facts)):
        change(base, link)
        assert triples(base, base.all()) == oracle.closure(base.program, expected)
        assert ((A, P0, literal) in triples(base, base.all())) == (link in expected)
        base._check()
