"""Would catch: a model of a building that brickschema cannot load, expand or query over the store, or of which it finds
something else than over rdflib's memory store."""

from __future__ import annotations

import pytest
from rdflib import RDF, RDFS, Graph, Literal, Namespace, URIRef

from kgreason import ReasoningStore

brickschema = pytest.importorskip("brickschema", reason="brickschema is not installed")
pytestmark = [pytest.mark.filterwarnings("ignore")]
BLDG, BRICK = Namespace("urn:building/"), Namespace("https://brickschema.org/schema/Brick#")
ONTOLOGY = """@prefix brick: <https://brickschema.org/schema/Brick#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix tag: <https://brickschema.org/schema/BrickTag#> .
brick:Sensor a owl:Class ; rdfs:subClassOf brick:Point .
brick:Temperature_Sensor a owl:Class ; rdfs:subClassOf brick:Sensor .
brick:Air_Temperature_Sensor a owl:Class ; rdfs:subClassOf brick:Temperature_Sensor ; rdfs:label "Air" .
brick:isPointOf a owl:ObjectProperty ; owl:inverseOf brick:hasPoint . brick:hasPart a owl:TransitiveProperty .
brick:hasPoint a owl:ObjectProperty ; rdfs:range brick:Point .
"""
MODEL = """@prefix brick: <https://brickschema.org/schema/Brick#> . @prefix : <urn:building/> .
:t1 a brick:Air_Temperature_Sensor ; brick:isPointOf :vav . :ahu brick:hasPart :vav . :site brick:hasPart :ahu .
:t1 brick:hasUnit "degC" .
"""


def brick_graph(store: object = "default") -> Graph:
    graph = brickschema.Graph(store=store)
    graph.parse(data=ONTOLOGY, format="turtle")
    return graph.parse(data=MODEL, format="turtle")


def facts(graph: Graph) -> set:
    """The triples about the building, but for equality and the class of all things. A string is one term with its
    datatype and without, which reasonable writes out."""
    names = {str(RDFS.Resource), "http://www.w3.org/2002/07/owl#Thing", "http://www.w3.org/2002/07/owl#sameAs"}
    return {
        (s, p, Literal(str(o)) if isinstance(o, Literal) else o) for s, p, o in graph
        if isinstance(s, URIRef) and s.startswith(BLDG) and not names & {str(p), str(o)}
    }  # fmt: skip


@pytest.mark.parametrize("backend", ["owlrl", "reasonable"])
@pytest.mark.parametrize("rules", ["none", "owl-rl"])
def test_expansion_is_that_of_the_memory_store(backend: str, rules: str) -> None:
    expected = facts(brick_graph().expand("owlrl", backend=backend))

    graph = brick_graph(ReasoningStore(rules=rules)).expand("owlrl", backend=backend)

    assert facts(graph) == expected
    assert (BLDG.vav, BRICK.hasPoint, BLDG.t1) in graph
    assert (BLDG.site, BRICK.hasPart, BLDG.vav) in graph
    assert (BLDG.t1, RDF.type, BRICK.Point) in graph


def test_store_with_rules_needs_no_expansion() -> None:
    expected = facts(brick_graph().expand("owlrl", backend="owlrl"))
    assert facts(brick_graph(ReasoningStore())) == expected


def test_rdfs_expansion_ends() -> None:
    graph = brick_graph(ReasoningStore(rules="none")).expand("rdfs")
    assert (BLDG.t1, RDF.type, BRICK.Point) in graph


def test_helpers_of_the_graph_work_on_the_store() -> None:
    graph = brick_graph(ReasoningStore())

    rows = list(graph.query("SELECT ?x WHERE { ?x a brick:Sensor ; brick:isPointOf/^brick:hasPart+ ?whole }"))
    assert {row.x for row in rows} == {BLDG.t1}
    classes = list(graph.objects(BLDG.t1, RDF.type))
    assert graph.get_most_specific_class([c for c in classes if c in BRICK]) == [BRICK.Air_Temperature_Sensor]
    assert len(graph.to_networkx()) == len({t for s, _, o in graph for t in (s, o)})
    graph.add((BLDG.t2, RDF.type, BRICK.Air_Temperature_Sensor), (BLDG.t2, BRICK.hasUnit, Literal("degF")))
    assert (BLDG.t2, RDF.type, BRICK.Sensor) in graph


@pytest.mark.slow
def test_shipped_ontology_loads_and_validates() -> None:
    pytest.importorskip("pyshacl", reason="pySHACL is not installed")
    graph = brickschema.Graph(load_brick=True, store=ReasoningStore())
    graph.parse(data=MODEL, format="turtle")

    assert (BLDG.vav, BRICK.hasPoint, BLDG.t1) in graph
    assert len(list(graph.query("SELECT ?c { ?c rdfs:subClassOf+ brick:Temperature_Sensor }"))) > 20
