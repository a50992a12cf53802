"""owl-rl is owl-rl-full without its noise: on 91 real ontologies, and on random ones.

The random ones have few classes and properties, so that axioms meet, and owl:Thing among the classes: what holds
only by way of a triple that owl-rl leaves out must hold all the same. No property has both literals and resources as
values, which makes them equal: what follows from that is the other thing that owl-rl leaves out.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from tests.conformance.test_ore import CASES, folder
from tests.conformance.test_owl_rl_rules import knowledge
from tests.facade import Triple, add, ex, show, triples
from tests.profiles import examples
from tests.shared_data import shared_root

EXAMPLES = examples(20)
TYPE, FIRST, REST, NIL = (IRI(RDF + name) for name in ("type", "first", "rest", "nil"))
THING, NOTHING, CLASS = IRI(OWL + "Thing"), IRI(OWL + "Nothing"), IRI(OWL + "Class")
SUB_CLASS, EQUIVALENT_CLASS = IRI(RDFS + "subClassOf"), IRI(OWL + "equivalentClass")
REFLEXIVE = {
    SUB_CLASS,
    EQUIVALENT_CLASS,
    IRI(RDFS + "subPropertyOf"),
    IRI(OWL + "equivalentProperty"),
    IRI(OWL + "sameAs"),
}


@cache
def axiomatic() -> set[Triple]:
    """What owl-rl-full derives from nothing."""
    base = KnowledgeBase("owl-rl-full")
    return triples(base, base.all())


def is_noise(triple: Triple) -> bool:
    """Whether a triple is of a kind that owl-rl does not derive."""
    subject, predicate, object_ = triple
    if predicate in REFLEXIVE and subject == object_:
        return True
    if predicate == SUB_CLASS:
        return subject == NOTHING or object_ == THING
    if predicate == EQUIVALENT_CLASS:
        return {subject, object_} == {THING, NOTHING}
    of_thing = {TYPE, IRI(RDFS + "domain"), IRI(RDFS + "range")}
    return (predicate in of_thing and object_ == THING) or triple in axiomatic()


def follows_from_noise(triple: Triple, empty: set[Term]) -> bool:
    """Whether it says that one of the classes below owl:Nothing is below some class, or equivalent to another one of
    them, which owl-rl derives for other reasons only."""
    subject, predicate, object_ = triple
    if predicate == EQUIVALENT_CLASS:
        return {subject, object_} <= empty
    return predicate == SUB_CLASS and subject in empty and object_ != NOTHING


def closures(explicit: set[Triple]) -> tuple[set[Triple], set[Triple], bool, bool]:
    """The closures under owl-rl and owl-rl-full, and whether either finds an inconsistency."""
    useful, full = KnowledgeBase("owl-rl"), KnowledgeBase("owl-rl-full")
    for base in (useful, full):
        add(base, *explicit)
    found = [triples(base, base.all()) for base in (useful, full)]
    return found[0], found[1], bool(useful.inconsistencies()), bool(full.inconsistencies())


def compare(explicit: set[Triple]) -> set[Triple]:
    """Check that the closures differ by noise alone, and return what owl-rl infers."""
    useful, full, useful_clash, full_clash = closures(explicit)
    empty = {subject for subject, *of in full if of == [SUB_CLASS, NOTHING]} - {NOTHING}
    wanted = {triple for triple in full if not is_noise(triple) and not follows_from_noise(triple, empty)}
    lost, wrong = wanted - useful, useful - full
    assert not lost, show(lost)[:2000]
    assert not wrong, show(wrong)[:2000]
    assert useful_clash == full_clash
    return useful - explicit


@pytest.mark.skipif(shared_root() is None, reason="no shared data")
@pytest.mark.parametrize("number", CASES)
def test_real_ontologies(number: int) -> None:
    (path,) = folder().rglob(f"data/**/{number}.nt")
    base = knowledge("none", path.read_text())
    noise = {triple for triple in compare(triples(base, base.all())) if is_noise(triple)}
    assert not noise, f"noise:\n{show(noise)[:2000]}"


CLASSES = st.sampled_from([ex("C"), ex("D"), ex("E"), THING])
RESTRICTIONS = st.sampled_from([ex("R"), ex("S")])
PROPERTIES = st.sampled_from([ex("p"), ex("q"), ex("r")])
INDIVIDUALS = st.sampled_from([ex("a"), ex("b"), ex("c")])
KINDS = ("Functional", "InverseFunctional", "Symmetric", "Transitive", "Object", "Asymmetric")
DATA_PROPERTIES = st.sampled_from([ex("s"), ex("t")])
DATA_RESTRICTIONS = st.sampled_from([ex("U"), ex("V")])
ANY_CLASS = st.one_of(CLASSES, RESTRICTIONS, DATA_RESTRICTIONS)
DATATYPES = st.sampled_from([IRI(XSD + "integer"), IRI(XSD + "string"), IRI(RDFS + "Literal")])
VALUES = st.sampled_from([Literal("v"), Literal("w"), Literal("5", XSD + "integer")])
DATA_KINDS = ("Functional", "InverseFunctional", "Datatype")


def axiom(subjects: st.SearchStrategy, name: str, objects: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(subjects, st.just(IRI(name)), objects).map(lambda triple: [triple])


@st.composite
def list_axioms(draw: st.DrawFn) -> list[Triple]:
    """An axiom over a list of its own."""
    subjects, name, members = draw(
        st.sampled_from(
            [
                (CLASSES, "intersectionOf", ANY_CLASS),
                (CLASSES, "unionOf", ANY_CLASS),
                (CLASSES, "oneOf", INDIVIDUALS),
                (CLASSES, "hasKey", PROPERTIES),
                (PROPERTIES, "propertyChainAxiom", PROPERTIES),
            ]
        )
    )
    chosen = draw(st.lists(members, min_size=1, max_size=3))
    cells = [BlankNode(f"list{draw(st.integers(0, 10**9))}x{i}") for i in range(len(chosen))]
    found: list[Triple] = [(draw(subjects), IRI(OWL + name), cells[0])]
    for cell, member, following in zip(cells, chosen, [*cells[1:], NIL], strict=True):
        found += [(cell, FIRST, member), (cell, REST, following)]
    return found


ONE = st.just(Literal("1", XSD + "nonNegativeInteger"))
AXIOMS = st.one_of(
    axiom(ANY_CLASS, RDF + "type", st.just(CLASS)),
    axiom(ANY_CLASS, RDFS + "subClassOf", ANY_CLASS),
    axiom(ANY_CLASS, OWL + "equivalentClass", ANY_CLASS),
    axiom(CLASSES, OWL + "disjointWith", CLASSES),
    axiom(CLASSES, OWL + "complementOf", CLASSES),
    axiom(PROPERTIES, RDF + "type", st.sampled_from([IRI(f"{OWL}{kind}Property") for kind in KINDS])),
    axiom(PROPERTIES, RDFS + "subPropertyOf", PROPERTIES),
    axiom(PROPERTIES, RDFS + "subPropertyOf", st.just(IRI(OWL + "sameAs"))),
    axiom(PROPERTIES, OWL + "equivalentProperty", PROPERTIES),
    axiom(PROPERTIES, OWL + "inverseOf", PROPERTIES),
    axiom(PROPERTIES, RDFS + "domain", ANY_CLASS),
    axiom(PROPERTIES, RDFS + "range", ANY_CLASS),
    axiom(RESTRICTIONS, OWL + "onProperty", PROPERTIES),
    axiom(RESTRICTIONS, OWL + "someValuesFrom", ANY_CLASS),
    axiom(RESTRICTIONS, OWL + "allValuesFrom", ANY_CLASS),
    axiom(RESTRICTIONS, OWL + "hasValue", INDIVIDUALS),
    axiom(RESTRICTIONS, OWL + "maxCardinality", ONE),
    list_axioms(),
)
DATA_AXIOMS = st.one_of(
    axiom(DATA_PROPERTIES, RDF + "type", st.sampled_from([IRI(f"{OWL}{kind}Property") for kind in DATA_KINDS])),
    axiom(DATA_PROPERTIES, RDFS + "subPropertyOf", DATA_PROPERTIES),
    axiom(DATA_PROPERTIES, OWL + "equivalentProperty", DATA_PROPERTIES),
    axiom(DATA_PROPERTIES, RDFS + "domain", ANY_CLASS),
    axiom(DATA_PROPERTIES, RDFS + "range", DATATYPES),
    axiom(DATA_RESTRICTIONS, OWL + "onProperty", DATA_PROPERTIES),
    axiom(DATA_RESTRICTIONS, OWL + "someValuesFrom", st.one_of(DATATYPES, st.just(THING))),
    axiom(DATA_RESTRICTIONS, OWL + "allValuesFrom", DATATYPES),
    axiom(DATA_RESTRICTIONS, OWL + "hasValue", VALUES),
    axiom(DATA_RESTRICTIONS, OWL + "maxCardinality", ONE),
)
FACTS = st.one_of(
    axiom(INDIVIDUALS, RDF + "type", ANY_CLASS),
    st.tuples(INDIVIDUALS, PROPERTIES, INDIVIDUALS).map(lambda triple: [triple]),
    st.tuples(INDIVIDUALS, DATA_PROPERTIES, VALUES).map(lambda triple: [triple]),
    axiom(INDIVIDUALS, OWL + "sameAs", INDIVIDUALS),
    axiom(INDIVIDUALS, OWL + "differentFrom", INDIVIDUALS),
)
ONTOLOGIES = st.lists(st.one_of(AXIOMS, DATA_AXIOMS, FACTS), min_size=1, max_size=25).map(
    lambda parts: {triple for part in parts for triple in part}
)


@given(explicit=ONTOLOGIES)
@settings(max_examples=EXAMPLES)
def test_random_ontologies(explicit: set[Triple]) -> None:
    compare(explicit)


WITH_NOTHING = st.sampled_from([ex("C"), ex("D"), ex("E"), ex("F"), THING, NOTHING])
CLASS_AXIOMS = st.one_of(
    axiom(WITH_NOTHING, RDF + "type", st.just(CLASS)),
    axiom(WITH_NOTHING, RDFS + "subClassOf", WITH_NOTHING),
    axiom(WITH_NOTHING, OWL + "equivalentClass", WITH_NOTHING),
)


@given(parts=st.lists(CLASS_AXIOMS, min_size=1, max_size=10))
@settings(max_examples=EXAMPLES)
def test_classes_that_are_everything_or_nothing(parts: list[list[Triple]]) -> None:
    compare({triple for part in parts for triple in part})


def test_a_class_is_equivalent_to_thing_or_nothing_where_one_direction_was_said() -> None:
    """The other direction is noise for classes, and unknown for what is not said to be one."""
    said = {(ex("A"), SUB_CLASS, ex("B")), (ex("B"), SUB_CLASS, NOTHING), (THING, SUB_CLASS, ex("T"))}
    same = {(ex("A"), NOTHING), (ex("B"), NOTHING), (ex("T"), THING)}
    for classes, expected in ((("A", "T"), same), ((), set())):
        inferred = compare(said | {(ex(name), TYPE, CLASS) for name in classes})
        found = {(subject, object_) for subject, predicate, object_ in inferred if predicate == EQUIVALENT_CLASS}
        assert found == expected | {(b, a) for a, b in expected}
