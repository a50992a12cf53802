"""Would catch: a tool of rdflib's own that the store breaks: drawings, networks, wrapped stores."""

from __future__ import annotations

import io
import re

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace
from rdflib.compare import graph_diff, isomorphic, to_isomorphic
from rdflib.extras.infixowl import Class
from rdflib.plugins.stores.auditable import AuditableStore
from rdflib.plugins.stores.regexmatching import REGEXMatching, REGEXTerm
from rdflib.tools.rdf2dot import rdf2dot
from rdflib.tools.rdfs2dot import rdfs2dot

from kgreason import ReasoningStore
from tests.software.conftest import PETS, MakeGraph

EX = Namespace("http://e/")
RULES = ["none", "owl-rl"]


def in_memory(graph: Graph) -> Graph:
    copy = Graph().__iadd__(graph)
    for prefix, namespace in graph.namespaces():
        copy.bind(prefix, namespace, replace=True)
    return copy


@pytest.mark.parametrize("rules", RULES)
def test_networks_have_all_triples(pets: MakeGraph, rules: str) -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    from rdflib.extras import external_graph_libs as libs

    graph = pets(rules)
    for kind in ("multidigraph", "digraph", "graph"):
        convert = getattr(libs, f"rdflib_to_networkx_{kind}")
        network, expected = convert(graph), convert(in_memory(graph))
        assert set(network.nodes) == set(expected.nodes)
        assert network.number_of_edges() == expected.number_of_edges() > 0


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("draw", [rdf2dot, rdfs2dot])
def test_drawings_are_those_over_memory(pets: MakeGraph, rules: str, draw: object) -> None:
    graph, drawings = pets(rules), []
    for each in (graph, in_memory(graph)):
        stream = io.StringIO()
        draw(each, stream)
        drawings.append(sorted(re.sub(r"node\d+", "node", stream.getvalue()).splitlines()))
    assert drawings[0] == drawings[1]
    assert any("Dog" in line for line in drawings[0])


def test_audited_store_rolls_back_and_shows_what_follows() -> None:
    graph = Graph(AuditableStore(ReasoningStore())).parse(data=PETS, format="turtle")
    graph.commit()
    before = set(graph)

    graph.add((EX.fido, RDF.type, EX.Dog))
    graph.remove((EX.rex, None, None))
    assert (EX.fido, RDF.type, EX.Animal) in graph
    assert (EX.rex, RDF.type, EX.Animal) not in graph
    graph.rollback()

    assert set(graph) == before
    assert (EX.rex, RDF.type, EX.Animal) in graph


def test_regular_expressions_match_what_follows() -> None:
    graph = Graph(REGEXMatching(ReasoningStore())).parse(data=PETS, format="turtle")
    found = {subject for subject, _, _ in graph.triples((None, RDF.type, REGEXTerm(".*Animal")))}
    assert found == {EX.rex, EX.sam}


def test_comparisons_copies_and_descriptions(pets: MakeGraph) -> None:
    graph = pets("owl-rl")
    both, first, second = graph_diff(graph, graph.store.explicit)
    assert isomorphic(to_isomorphic(graph), in_memory(graph))
    assert (len(both), len(second)) == (len(graph.store.explicit), 0)
    assert set(first) == set(graph.store.inferred)
    assert set(graph.cbd(EX.rex)) == set(in_memory(graph).cbd(EX.rex))
    assert EX.Animal in {parent.identifier for parent in Class(EX.Dog, graph=graph).subClassOf}
    assert {item.identifier for item in graph.resource(EX.sam)[RDF.type]} == {EX.Dog, EX.Animal}
    assert set(graph.transitive_objects(EX.Dog, RDFS.subClassOf)) == {EX.Dog, EX.Animal}
    assert (EX.rex, EX.name, Literal("Rex")) in graph * in_memory(graph)
