"""One triple of many goes, or comes back: of schemas and facts under the shipped rule sets, against the oracle.

They show a triple that stays because the relations around it are kept otherwise from then on, or because what it owed
itself to was copied from it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, SKOS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import resolve_rules
from tests.engine.test_oracle import assert_equal
from tests.facade import Triple, add, ex, toggle
from tests.profiles import examples

THINGS = st.sampled_from([ex(f"n{number}") for number in range(4)])
PROPERTIES = st.sampled_from([ex(f"p{number}") for number in range(3)])
CLASSES = st.sampled_from([ex(f"C{number}") for number in range(3)])
KINDS = ["TransitiveProperty", "SymmetricProperty", "FunctionalProperty", "InverseFunctionalProperty"]
RELATIONS = [
    *("broader", "narrower", "related", "broaderTransitive", "exactMatch", "closeMatch", "broadMatch", "narrowMatch"),
    *("relatedMatch", "mappingRelation", "semanticRelation"),
]


def names(prefix: str, *local: str) -> st.SearchStrategy[IRI]:
    return st.sampled_from([IRI(prefix + each) for each in local])


properties = st.one_of(
    st.tuples(PROPERTIES, names(RDFS, "subPropertyOf"), PROPERTIES),
    st.tuples(PROPERTIES, names(RDFS, "subPropertyOf"), PROPERTIES),
    st.tuples(PROPERTIES, names(OWL, "inverseOf", "equivalentProperty"), PROPERTIES),
    st.tuples(PROPERTIES, names(RDF, "type"), names(OWL, *KINDS)),
    st.tuples(PROPERTIES, names(RDFS, "domain", "range"), CLASSES),
)
classes = st.tuples(CLASSES, st.one_of(names(RDFS, "subClassOf"), names(OWL, "equivalentClass")), CLASSES)
facts = st.one_of(
    st.tuples(THINGS, PROPERTIES, THINGS),
    st.tuples(THINGS, PROPERTIES, THINGS),
    st.tuples(THINGS, names(RDF, "type"), CLASSES),
    st.tuples(THINGS, names(OWL, "sameAs"), THINGS),
)
concepts = st.one_of(
    st.tuples(THINGS, names(SKOS, *RELATIONS), THINGS),
    st.tuples(THINGS, names(SKOS, *RELATIONS), THINGS),
    st.tuples(THINGS, names(OWL, "sameAs"), THINGS),
    st.tuples(
        names(SKOS, *RELATIONS),
        st.one_of(names(RDFS, "subPropertyOf"), names(OWL, "inverseOf", "equivalentProperty")),
        names(SKOS, *RELATIONS),
    ),
)
TRIPLES = {
    "rdfs": st.one_of(properties, classes, facts),
    "rdfs-plus": st.one_of(properties, properties, classes, facts),
    "owl-rl": st.one_of(properties, properties, classes, facts),
    "skos, owl-rl": concepts,
}


@pytest.mark.parametrize("rules", TRIPLES)
def test_a_triple_that_goes_takes_what_follows_from_it_alone(rules: str) -> None:
    program = resolve_rules(rules.split(", "))

    @given(
        triples=st.lists(TRIPLES[rules], min_size=5, max_size=14, unique=True),
        changed=st.lists(st.integers(0, 13), min_size=1, max_size=5),
    )
    @settings(max_examples=examples(50))
    def check(triples: list[Triple], changed: list[int]) -> None:
        base, explicit = KnowledgeBase(program), {*triples}
        add(base, *triples)
        base.flush()
        for number in changed:
            triple = triples[number % len(triples)]
            toggle(base, explicit, triple)
            assert_equal(base, program, explicit)

    check()
