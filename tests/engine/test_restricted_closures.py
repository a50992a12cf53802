"""Class hierarchies that their own restrictions feed, kept as closures: histories against the oracle.

They show a class that stays below another on account of a pair which only that pair holds up, an equivalence of classes
that outlives its cycle, and owl:Thing above a class that nothing puts below it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.program.parser import parse_program
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import PLAIN, TRANSITIVE, Restriction
from kgreason.relations.codes import property_code
from kgreason.store.knowledge_base import KnowledgeBase
from tests.engine.test_equalities import batches, run
from tests.engine.test_oracle import PREFIX, assert_equal
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import examples
from tests.proofs.test_random_proofs import explain_everything
from tests.thresholds import Tuned, shrink

TYPE, BELOW = IRI(RDF + "type"), IRI(RDFS + "subClassOf")
THING, NOTHING = IRI(OWL + "Thing"), IRI(OWL + "Nothing")
NAMED = [ex(f"C{i}") for i in range(5)]
RESTRICTIONS = [ex(f"R{i}") for i in range(4)]
PROPERTIES = [ex(f"p{i}") for i in range(2)]
classes = st.sampled_from([*NAMED, *NAMED, *RESTRICTIONS, THING, NOTHING])
named, restrictions = st.sampled_from(NAMED), st.sampled_from(RESTRICTIONS)
properties, nodes = st.sampled_from(PROPERTIES), st.sampled_from([ex("a"), ex("b"), *NAMED[:1]])
axioms = st.one_of(
    st.tuples(classes, st.just(BELOW), classes),
    st.tuples(classes, st.just(BELOW), classes),
    st.tuples(classes, st.just(IRI(OWL + "equivalentClass")), classes),
    st.tuples(classes, st.just(TYPE), st.just(IRI(OWL + "Class"))),
    st.tuples(restrictions, st.just(IRI(OWL + "someValuesFrom")), st.one_of(named, restrictions)),
    st.tuples(restrictions, st.just(IRI(OWL + "allValuesFrom")), named),
    st.tuples(restrictions, st.just(IRI(OWL + "onProperty")), properties),
    st.tuples(properties, st.just(IRI(RDFS + "subPropertyOf")), properties),
    st.tuples(properties, st.just(IRI(OWL + "equivalentProperty")), properties),
    st.tuples(properties, st.just(IRI(RDFS + "domain")), classes),
)
facts = st.one_of(st.tuples(nodes, st.just(TYPE), classes), st.tuples(nodes, properties, nodes))


WAYS = {"doubtful edges": {"DOUBTFUL_LEAST": 1 << 40}, "passing pairs": {"DOUBTFUL_LEAST": 0, "PASSING_EACH": 1 << 40}}
"""How a closure that rules feed finds what it overdeletes."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rules", ["owl-rl", "rdfs-plus"])
def test_histories_of_class_hierarchies(rules: str, way: str, tuned: Tuned) -> None:
    shrink(tuned)
    tuned(REMADE_LEAST=1 << 40, **WAYS[way])

    @given(changes=batches(st.one_of(axioms, axioms, facts)))
    @settings(max_examples=examples(20))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(rules), changes)

    check()


RULES = """
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z), ?x != ?z, ?z != e:n1 .
e:p0(?x, ?y) :- e:p1(?x, ?y) .
e:p1(?x, ?y) :- e:p0(?y, ?x), e:p2(?x, ?y) .
e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?z, ?y), e:p2(?z, ?z) .
e:p3(?x, ?y) :- e:p0(?x, ?y), e:p0(?y, ?x) .
[?x, a, e:C0] :- e:p0(?x, ?y), [?y, a, e:C0] .
[?x, a, e:C1] :- e:p0(?x, ?x) .
[?x, a, e:C2] :- e:p2(?x, ?y), ~e:p0(?x, ?y) .
"""
"""A closure that leaves pairs out and is fed by rules that read it."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("schemes", ["auto", PLAIN])
def test_histories_of_a_closure_without_some_pairs(schemes: str, way: str, tuned: Tuned) -> None:
    tuned(**WAYS[way])
    program = parse_program(PREFIX + RULES)
    things = st.sampled_from([ex(f"n{i}") for i in range(5)])
    edges = st.tuples(things, st.sampled_from([ex("p0"), ex("p0"), ex("p1"), ex("p2")]), things)
    members = st.tuples(things, st.just(TYPE), st.just(ex("C0")))

    @given(changes=batches(st.one_of(edges, edges, members)))
    @settings(max_examples=examples(25))
    def check(changes: list[list[tuple[bool, Triple]]]) -> None:
        run(KnowledgeBase(program, schemes=schemes), changes)

    check()


@pytest.mark.parametrize("hops", range(4))
def test_an_edge_that_goes_while_the_axiom_of_its_closure_is_away_stays_away(hops: int) -> None:
    """The axiom follows from pairs in two ways, of which one goes, and an edge goes that many rounds later."""
    steps = "".join(f"e:h{each + 1}(?x, ?y) :- e:h{each}(?x, ?y), e:p0(?w, ?x) .\n" for each in range(hops))
    program = parse_program(f"""{PREFIX}
        [?x, ?p, ?z] :- [?p, a, e:Closed], [?x, ?p, ?y], [?y, ?p, ?z] .
        [?p, a, e:Closed] :- e:p0(?x, ?y), e:p2(?x, ?p) .
        {steps}
        e:p0(?x, ?y) :- e:h{hops}(?x, ?y) .
    """)
    asks, edge = (ex("n0"), ex("p2"), ex("p0")), (ex("n1"), ex("h0"), ex("n2"))
    left = [(ex("n5"), ex("p2"), ex("p0")), (ex("n0"), ex("p0"), ex("n1")), (ex("n5"), ex("p0"), ex("n6"))]
    base = KnowledgeBase(program)
    add(base, asks, edge, *left)
    assert (ex("n0"), ex("p0"), ex("n2")) in triples(base, base.all())

    remove(base, asks, edge)

    assert_equal(base, program, {*left})


def test_classes_fed_by_their_restrictions_are_kept_as_a_closure() -> None:
    base = KnowledgeBase("owl-rl")
    for one, two in pairwise(NAMED):
        add(base, (one, BELOW, two))
    for number, filler in enumerate(NAMED[:3]):
        add(base, (RESTRICTIONS[number], IRI(OWL + "someValuesFrom"), filler))
        add(base, (RESTRICTIONS[number], IRI(OWL + "onProperty"), PROPERTIES[0]))

    base.flush()
    definitions = base.state.engine.definitions
    kept = definitions[property_code(base.dictionary.lookup(BELOW))]

    assert kept.closure == TRANSITIVE
    assert kept.is_part
    assert kept.restriction == Restriction(True, (base.dictionary.lookup(THING),))


OVER_CLOSURES = {
    "with itself": "e:p1(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z), ?x != ?z .",
    "to some things": "e:p1(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z), ?z != e:n3 .",
    "both": "e:p1(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z), ?x != ?z, ?z != e:n2 .",
    "equality": "e:p1(?y, ?x) :- e:p1(?x, ?y) . e:p1(?x, ?z) :- e:p1(?x, ?y), e:p1(?y, ?z), ?x != ?z .",
}


@pytest.mark.parametrize("copies", ["e:p1(?x, ?y) :- e:p0(?x, ?y) .", "e:p1(?y, ?x) :- e:p0(?x, ?y) ."])
@pytest.mark.parametrize("leaves_out", OVER_CLOSURES)
def test_a_closure_has_what_another_one_gives_it_though_it_would_leave_it_out(leaves_out: str, copies: str) -> None:
    closed = "e:p0(?x, ?z) :- e:p0(?x, ?y), e:p0(?y, ?z) ."
    base = KnowledgeBase(parse_program(f"{PREFIX} {closed} {copies} {OVER_CLOSURES[leaves_out]}"))
    edges = [(ex(f"n{number}"), ex("p0"), ex(f"n{(number + 1) % 4}")) for number in range(4)]
    explicit: set[Triple] = set()
    for edge in edges:
        add(base, edge)
        explicit.add(edge)
        assert_equal(base, base.program, explicit)
    remove(base, edges[1])
    assert_equal(base, base.program, explicit - {edges[1]})


@given(changes=batches(axioms))
@settings(max_examples=examples(10))
def test_everything_in_a_hierarchy_has_a_proof(changes: list[list[tuple[bool, Triple]]]) -> None:
    base = KnowledgeBase("owl-rl")
    for change in changes:
        for is_added, triple in change:
            (add if is_added else remove)(base, triple)
    base.flush()
    explain_everything(base, base.program, [*triples(base, base.explicit())])
