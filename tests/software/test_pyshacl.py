"""Would catch: a report of pySHACL that differs from the one on rdflib's memory store with the same closure, or a graph
that pySHACL changes although it was not told to."""

from __future__ import annotations

from itertools import product

import pytest
from rdflib import RDF, Dataset, Graph, Namespace
from rdflib.compare import isomorphic

from kgreason import ReasoningStore
from tests.software.conftest import PETS, MakeGraph

pyshacl = pytest.importorskip("pyshacl", reason="pySHACL is not installed")
pytestmark = [
    pytest.mark.filterwarnings("ignore::kgreason.TermWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
]
EX, SH = Namespace("http://e/"), Namespace("http://www.w3.org/ns/shacl#")
SHAPES = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://e/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:S a sh:NodeShape ; sh:targetClass ex:Animal ;
  sh:property [ sh:path ex:name ; sh:minCount 1 ; sh:datatype xsd:string ] ;
  sh:property [ sh:path ex:ancestor ; sh:maxCount 2 ] ;
  sh:property [ sh:path (ex:ancestor [ sh:zeroOrMorePath ex:ancestor ]) ; sh:nodeKind sh:IRI ; sh:maxCount 1 ] ;
  sh:sparql [ sh:message "no pet" ; sh:prefixes ex: ;
    sh:select "SELECT $this { $this <http://e/ancestor> <http://e/d> }" ] .
"""
RULE = """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://e/> .
ex:R a sh:NodeShape ; sh:targetClass ex:Animal ;
  sh:rule [ a sh:TripleRule ; sh:subject sh:this ; sh:predicate ex:seen ; sh:object ex:yes ] .
"""


@pytest.fixture
def shapes() -> Graph:
    return Graph().parse(data=SHAPES, format="turtle")


def results(report: Graph) -> set:
    """Which shape found which node to be wrong, and with which value."""
    return {
        tuple(report.value(node, part) for part in (SH.focusNode, SH.sourceConstraintComponent, SH.value))
        for node in report.subjects(RDF.type, SH.ValidationResult)
    }


def in_memory(graph: Graph) -> Graph:
    copy = Graph()
    for triple in graph:
        copy.add(triple)
    return copy


OPTIONS = [{}, {"inplace": True}, {"advanced": True}, {"advanced": True, "iterate_rules": True}]


@pytest.mark.parametrize(("rules", "inference"), list(product(["none", "rdfs", "owl-rl"], ["none", "owlrl"])))
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_report_is_that_on_the_same_closure_in_memory(
    pets: MakeGraph, shapes: Graph, rules: str, inference: str, options: dict
) -> None:
    graph = pets(rules)
    before = set(graph)
    conforms, expected, _ = pyshacl.validate(in_memory(graph), shacl_graph=shapes, inference=inference, **options)

    found, report, text = pyshacl.validate(graph, shacl_graph=shapes, inference=inference, **options)

    assert found == conforms
    assert results(report) == results(expected)
    assert ("Conforms: True" in text) == conforms
    assert set(graph) == before or options.get("inplace")
    if rules == "owl-rl" or inference == "owlrl":
        assert (EX.rex, SH.MaxCountConstraintComponent, None) in results(report)


def test_inference_in_place_stays_in_the_graph(pets: MakeGraph, shapes: Graph) -> None:
    graph = pets("none")
    pyshacl.validate(graph, shacl_graph=shapes, inference="owlrl", inplace=True)
    assert (EX.rex, EX.ancestor, EX.d) in graph
    assert (EX.rex, EX.ancestor, EX.d) in graph.store.explicit


def test_dataset_is_validated_over_all_graphs(shapes: Graph) -> None:
    dataset = Dataset(store=ReasoningStore(), default_union=True)
    dataset.graph(EX.g).parse(data=PETS, format="turtle")
    memory = Graph().parse(data=PETS, format="turtle")
    _, expected, _ = pyshacl.validate(in_memory(dataset_triples(dataset)), shacl_graph=shapes)

    conforms, report, _ = pyshacl.validate(dataset, shacl_graph=shapes)

    assert not conforms
    assert results(report) == results(expected)
    assert isomorphic(dataset.graph(EX.g), memory)


def dataset_triples(dataset: Dataset) -> Graph:
    graph = Graph()
    for subject, predicate, object, _ in dataset.quads():
        graph.add((subject, predicate, object))
    return graph


def test_shapes_lie_on_the_store(pets: MakeGraph, shapes: Graph) -> None:
    stored = Graph(store=ReasoningStore()).parse(data=SHAPES, format="turtle")
    _, expected, _ = pyshacl.validate(pets("owl-rl"), shacl_graph=shapes)
    _, report, _ = pyshacl.validate(pets("owl-rl"), shacl_graph=stored)
    assert results(report) == results(expected) != set()


def test_rules_of_shacl_write_into_the_store(pets: MakeGraph) -> None:
    graph = pets("owl-rl")
    pyshacl.shacl_rules(graph, shacl_graph=Graph().parse(data=RULE, format="turtle"), inplace=True)
    assert set(graph.subjects(EX.seen, EX.yes)) == set(graph.subjects(RDF.type, EX.Animal)) == {EX.rex, EX.sam}


def test_explicit_triples_alone_are_validated(pets: MakeGraph, shapes: Graph) -> None:
    _, expected, _ = pyshacl.validate(pets(None), shacl_graph=shapes)
    _, report, _ = pyshacl.validate(pets("owl-rl").store.explicit, shacl_graph=shapes)
    assert results(report) == results(expected) != set()
