"""Would catch: a search for the relations of a term, before there is an index, that misses one or that a change leaves
as it was."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Namespace, URIRef

from kgreason import ReasoningStore
from tests.thresholds import replaced_constants

EX = Namespace("http://example.org/")
RULES = ["none", "rdfs", "owl-rl"]


@pytest.fixture(autouse=True)
def _searching() -> Iterator[None]:
    with replaced_constants(SEARCHED_FACTS=0, SEARCHED_SHARE=0, SEARCHES=3):
        yield


def filled(rules: str) -> Graph:
    graph = Graph(store=ReasoningStore(rules=rules))
    for number in range(20):
        thing, next_one = EX[f"x{number}"], EX[f"x{number + 1}"]
        graph.add((thing, EX[f"p{number % 3}"], next_one)).add((thing, RDF.type, EX[f"C{number % 4}"]))
    graph.add((EX.C0, RDFS.subClassOf, EX.D)).add((EX.p0, RDFS.subPropertyOf, EX.q))
    graph.add((EX.p1, OWL.inverseOf, EX.r)).add((EX.p2, RDF.type, OWL.TransitiveProperty))
    return graph


@pytest.mark.parametrize("rules", RULES)
def test_patterns_of_a_term_show_what_a_scan_shows(rules: str) -> None:
    graph = filled(rules)
    everything = set(graph)
    for number in range(8):  # the last ones by the index
        term = EX[f"x{number}"]
        assert set(graph.triples((term, None, None))) == {t for t in everything if t[0] == term}
        assert set(graph.triples((None, None, term))) == {t for t in everything if t[2] == term}
        assert set(graph.objects(term, RDF.type)) == {o for s, p, o in everything if (s, p) == (term, RDF.type)}


@pytest.mark.parametrize("rules", RULES)
def test_changes_between_searches_are_seen(rules: str) -> None:
    graph = filled(rules)
    for number in range(8):
        assert set(graph.triples((EX.x1, None, None))) == {t for t in set(graph) if t[0] == EX.x1}
        graph.add((EX.x1, EX[f"new{number}"], EX.o)).remove((EX.x1, EX[f"new{number - 2}"], EX.o))
        graph.add((EX.x1, RDF.type, EX[f"New{number}"]))
    assert set(graph.predicates(EX.x1, EX.o)) == {EX.new6, EX.new7}


@pytest.mark.parametrize("term", [EX.y, EX.x1, EX.x0, EX.x5, EX.s, EX.p2, EX.E, EX.C2])
def test_terms_are_found_where_some_are_equal(term: URIRef) -> None:
    graph = filled("owl-rl")
    graph.add((EX.x1, OWL.sameAs, EX.y)).add((EX.p0, OWL.sameAs, EX.s)).add((EX.C1, OWL.sameAs, EX.E))
    everything = set(graph)

    assert set(graph.triples((term, None, None))) == {t for t in everything if t[0] == term}
    assert set(graph.triples((None, None, term))) == {t for t in everything if t[2] == term}
