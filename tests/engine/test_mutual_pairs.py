"""Relations that are what a closure has both ways: histories against the oracle, and what they take.

They show an equivalence that outlives the edge which made it, one that holds its own closure up, pairs of a thing with
itself that come or are missing, and a class whose members are written out pair by pair."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import MUTUAL, MUTUAL_OTHERS, PLAIN, SYMMETRIC, TRANSITIVE
from kgreason.relations.codes import property_code
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import batches, run
from tests.engine.test_oracle import PREFIX, assert_equal
from tests.engine.test_restricted_closures import WAYS
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.proofs.test_random_proofs import explain_everything
from tests.thresholds import Tuned, shrink

BELOW, EQUIVALENT = IRI(RDFS + "subClassOf"), IRI(OWL + "equivalentClass")
THINGS = st.sampled_from([ex(f"n{i}") for i in range(5)])
OTHERS = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z, ?z != e:n1 .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x), ?x != ?y .
e:p0(?x, ?y) :- e:p1(?x, ?y), ?x != ?y, ?x != e:n2 .
e:p0(?y, ?x) :- e:p1(?x, ?y), ?x != e:n1 .
e:p1(?x, ?y) :- e:p2(?x, ?y), e:p0(?y, ?y) .
e:p2(?x, ?y) :- e:p3(?x, ?y), e:p1(?x, e:n1) .
e:p0(?x, ?z) :- e:p1(?x, ?y), e:p3(?y, ?z) .
[?x, a, e:C0] :- e:p1(?x, ?y), [?y, a, e:C0] .
[?x, a, e:C1] :- e:p3(?x, ?y), ~e:p1(?x, ?y) .
"""
WITH_LOOPS = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
e:p0(?x, ?y), e:p0(?y, ?x) :- e:p1(?x, ?y) .
e:p1(?x, ?y) :- e:p2(?y, ?x), e:p1(?x, ?x) .
e:p0(?x, ?y) :- e:p2(?x, ?y), e:p1(?y, ?x) .
"""
TURNED = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z .
e:p2(?x, ?y) :- e:p0(?y, ?x) .
e:p0(?x, ?y) :- e:p2(?y, ?x) .
e:p1(?x, ?y) :- e:p2(?y, ?x), e:p0(?y, ?x) .
e:p2(?x, ?y) :- e:p1(?x, ?y), ?x != e:n3 .
e:p3(?x, ?y) :- e:p1(?x, ?y), e:p1(?y, ?x) .
"""
TWO_OF_ONE = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x), ?x != ?y .
e:p2(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
e:p0(?x, ?y) :- e:p1(?x, ?y) .
e:p0(?y, ?x) :- e:p2(?x, ?y), ?x != ?y .
e:p2(?x, ?y) :- e:p3(?x, ?y), e:p1(?y, ?x) .
"""
OF_TWO_CLOSURES = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) .
e:p3(?x, ?z) :- e:p3(?x, ?y), e:p3(?y, ?z), ?x != ?z .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
e:p1(?x, ?y) :- e:p3(?x, ?y), e:p3(?y, ?x) .
e:p0(?x, ?y) :- e:p1(?x, ?y) .
e:p3(?x, ?y) :- e:p1(?x, ?y), e:p2(?x, ?y) .
"""
CLOSED_ITSELF = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) .
e:p1(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z) .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
e:p0(?x, ?y) :- e:p1(?x, ?y) .
e:p1(?x, ?y) :- e:p2(?x, ?y), e:p0(?x, ?x) .
"""
BACK_BY_A_COPY = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
e:p2(?x, ?y) :- e:p1(?x, ?y), ?x != e:n3 .
e:p0(?y, ?x) :- e:p2(?x, ?y) .
e:p3(?x, ?y) :- e:p1(?x, ?y), e:p1(?x, ?x) .
e:p0(?x, ?y) :- e:p3(?x, ?y) .
e:p1(?x, ?y) :- e:p3(?x, ?y), ?y != e:n0 .
"""
TURNS_ITSELF = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z .
e:p1(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x), ?x != ?y .
e:p1(?y, ?x) :- e:p1(?x, ?y) .
e:p0(?x, ?y) :- e:p1(?x, ?y), e:p2(?x, ?x) .
"""
RULES = {
    "others": OTHERS,
    "with loops": WITH_LOOPS,
    "turned": TURNED,
    "two of one": TWO_OF_ONE,
    "of two closures": OF_TWO_CLOSURES,
    "closed itself": CLOSED_ITSELF,
    "back by a copy": BACK_BY_A_COPY,
    "turns itself": TURNS_ITSELF,
}
KINDS = {
    "others": MUTUAL_OTHERS,
    "with loops": MUTUAL,
    "turned": MUTUAL,
    "two of one": MUTUAL_OTHERS,
    "of two closures": MUTUAL,
    "closed itself": TRANSITIVE,
    "back by a copy": MUTUAL,
    "turns itself": SYMMETRIC,
}


@pytest.mark.parametrize("schemes", ["auto", PLAIN])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rules", RULES)
def test_histories(rules: str, way: str, schemes: str, tuned: Tuned) -> None:
    shrink(tuned)
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])
    program = parse_program(PREFIX + RULES[rules])
    relations = st.sampled_from([ex(f"p{i}") for i in (0, 0, 0, 1, 2, 3)])
    edges = st.tuples(THINGS, relations, st.one_of(THINGS, THINGS, THINGS, st.just(Literal("n"))))
    members = st.tuples(THINGS, st.just(IRI(RDF + "type")), st.just(ex("C0")))

    @given(changes=batches(st.one_of(edges, edges, edges, members)))
    @settings(max_examples=examples(20))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program, schemes=schemes), changes)

    check()


GUARDED = """
[?x, ?p, ?z] :- [?p, a, e:Closed], [?x, ?p, ?y], [?y, ?p, ?z], ?x != ?z .
[?x, ?q, ?y] :- [?q, e:bothWaysOf, ?p], [?x, ?p, ?y], [?y, ?p, ?x], ?x != ?y .
[?x, ?p, ?y] :- [?q, e:bothWaysOf, ?p], [?x, ?q, ?y], ?x != ?y .
[?p, a, e:Closed] :- e:p1(?x, ?y), e:p2(?x, ?p) .
[?q, e:bothWaysOf, e:p0] :- e:p1(?x, ?y), e:p3(?x, ?q) .
"""
"""A closure, and what it has both ways, that axioms ask for, and that bring such axioms themselves."""


@pytest.mark.parametrize("way", WAYS)
def test_histories_with_axioms(way: str, tuned: Tuned) -> None:
    shrink(tuned)
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])
    program = parse_program(PREFIX + GUARDED)
    relations = st.sampled_from([ex(f"p{i}") for i in range(2)])
    edges = st.tuples(THINGS, st.sampled_from([ex("p0"), ex("p0"), ex("p1")]), THINGS)
    axioms = st.one_of(
        st.tuples(st.just(ex("p0")), st.just(IRI(RDF + "type")), st.just(ex("Closed"))),
        st.tuples(st.just(ex("p1")), st.just(ex("bothWaysOf")), relations),
        st.tuples(THINGS, st.just(ex("p2")), st.just(ex("p0"))),
        st.tuples(THINGS, st.just(ex("p3")), st.just(ex("p1"))),
    )

    @given(changes=batches(st.one_of(edges, edges, edges, axioms)))
    @settings(max_examples=examples(20))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program), changes)

    check()


@pytest.mark.parametrize("way", WAYS)
def test_an_equivalence_that_brings_an_edge_of_its_own_cycle_goes(way: str, tuned: Tuned) -> None:
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])
    base = KnowledgeBase(parse_program(PREFIX + OTHERS))
    first, second, third = ex("n0"), ex("n3"), ex("n4")
    add(base, (first, ex("p0"), second), (second, ex("p0"), first))
    add(base, (second, ex("p3"), third), (third, ex("p0"), second))
    assert (first, ex("p1"), second) in triples(base, base.all())

    remove(base, (first, ex("p0"), second))
    base.flush()
    assert (first, ex("p1"), second) not in triples(base, base.all())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("asserted", ["p0", "p1", "p3"])
def test_a_pair_that_comes_back_by_a_copy_goes_with_what_was_asserted(asserted: str, way: str, tuned: Tuned) -> None:
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])
    base = KnowledgeBase(parse_program(PREFIX + BACK_BY_A_COPY))
    for edge in [(ex("n1"), ex(asserted), ex("n1")), (ex("n1"), ex(asserted), ex("n2"))]:
        add(base, edge)
        assert edge in triples(base, base.all())

        remove(base, edge)
        assert triples(base, base.all()) == set()


@pytest.mark.parametrize("way", WAYS)
def test_a_pair_that_feeds_no_edge_goes(way: str, tuned: Tuned) -> None:
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])
    base = KnowledgeBase("owl-rl")
    below, itself = (ex("C0"), BELOW, ex("C1")), (ex("C0"), EQUIVALENT, ex("C0"))
    add(base, below, itself)
    base.flush()

    remove(base, itself)
    assert_equal(base, base.program, {below})


@given(changes=batches(st.tuples(THINGS, st.sampled_from([ex("p0"), ex("p0"), ex("p1")]), THINGS)))
@settings(max_examples=examples(10))
def test_everything_has_a_proof(changes: list[list[tuple[bool, Triple]]]) -> None:
    base = KnowledgeBase(parse_program(PREFIX + OTHERS))
    for change in changes:
        for is_added, triple in change:
            (add if is_added else remove)(base, triple)
    base.flush()
    explain_everything(base, base.program, [*triples(base, base.explicit())])


@pytest.mark.parametrize("rules", RULES)
def test_what_a_closure_has_both_ways_is_kept_as_that(rules: str) -> None:
    base = KnowledgeBase(parse_program(PREFIX + RULES[rules]))
    for number in range(5):
        add(base, (ex(f"n{number}"), ex("p0"), ex(f"n{(number + 1) % 5}")))
    base.flush()

    assert base.state.engine.definitions[property_code(base.dictionary.lookup(ex("p1")))].closure == KINDS[rules]


@pytest.mark.parametrize("schema", [BELOW, EQUIVALENT])
def test_a_cycle_of_classes_takes_its_members_and_not_its_pairs(schema: IRI) -> None:
    base, count = KnowledgeBase("owl-rl"), 400
    for number in range(count):
        add(base, (ex(f"C{number}"), schema, ex(f"C{(number + 1) % count}")))
    base.flush()
    relation = property_code(base.dictionary.lookup(EQUIVALENT))
    table = base.state.engine.facts.get(relation)

    assert len(table) == count * (count - 1)
    assert table.nbytes < 100 * count
    assert len(base.state.engine.external.get(property_code(base.dictionary.lookup(BELOW))) or ()) <= count

    remove(base, (ex("C0"), schema, ex("C1")))
    base.flush()
    chain = base.state.engine.facts.get(relation)
    assert len(chain or ()) == (0 if schema == BELOW else count * (count - 1))


def test_a_store_that_is_opened_again_goes_on(tmp_path: Path) -> None:
    cycle = [(ex(f"C{number}"), BELOW, ex(f"C{(number + 1) % 4}")) for number in range(4)]
    options = OpenOptions("owl-rl")
    store = DurableKnowledge(tmp_path, options, create=True)
    add(store.knowledge, *cycle)
    store.commit({})
    store.write_snapshot()
    store.close()
    store = DurableKnowledge(tmp_path, options)
    store.knowledge._check()
    remove(store.knowledge, cycle[0])
    add(store.knowledge, (ex("C2"), EQUIVALENT, ex("C1")))
    expected = KnowledgeBase("owl-rl")
    add(expected, *cycle[1:], (ex("C2"), EQUIVALENT, ex("C1")))

    assert triples(store.knowledge, store.knowledge.all()) == triples(expected, expected.all())
    store.close()
