"""Clients that others wrote, unmodified: would catch an answer that they do not understand."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from rdflib import RDF, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import CSV, JSON, POST, RDFXML, TURTLE, XML, SPARQLWrapper

from tests.server.conftest import WRITER, WRITES, store_of
from tests.server.processes import served

E = Namespace("http://example.org/")
DATA = b"""@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom & \\"J\\" <3"@en ."""
ANIMALS = "SELECT ?x { ?x a <http://example.org/Animal> }"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(store_of(DATA)) as found:
        yield found


@pytest.mark.parametrize("format", [JSON, XML, CSV])
def test_sparqlwrapper_selects(address: str, format: str) -> None:
    wrapper = SPARQLWrapper(f"{address}/sparql", returnFormat=format)
    wrapper.setQuery(ANIMALS)

    result = wrapper.query()

    text = json.dumps(result.convert()) if format == JSON else result.response.read().decode()
    assert str(E.tom) in text


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")  # SPARQLWrapper makes one
@pytest.mark.parametrize(("format", "name"), [(TURTLE, "turtle"), (RDFXML, "xml")])
def test_sparqlwrapper_constructs(address: str, format: str, name: str) -> None:
    wrapper = SPARQLWrapper(f"{address}/sparql", returnFormat=format)
    wrapper.setQuery("CONSTRUCT WHERE { ?x a <http://example.org/Animal> }")

    found = wrapper.queryAndConvert()

    graph = found if isinstance(found, Graph) else Graph().parse(data=found, format=name)
    assert set(graph) == {(E.tom, RDF.type, E.Animal)}


def test_sparqlwrapper_updates_with_a_token(address: str) -> None:
    wrapper = SPARQLWrapper(f"{address}/update")
    wrapper.setMethod(POST)
    wrapper.addCustomHttpHeader("Authorization", f"Bearer {WRITER}")
    wrapper.setQuery("INSERT DATA { <http://example.org/rex> a <http://example.org/Dog> }")

    wrapper.query()

    reader = SPARQLWrapper(f"{address}/sparql", returnFormat=JSON)
    reader.setQuery("ASK { <http://example.org/rex> a <http://example.org/Dog> }")
    assert reader.queryAndConvert()["boolean"] is True


@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
@pytest.mark.parametrize("format", ["xml", "json", "csv", "tsv"])
def test_rdflib_reads_through_its_store(address: str, method: str, format: str) -> None:
    graph = Graph(SPARQLStore(f"{address}/sparql", method=method, returnFormat=format))

    assert [row.x for row in graph.query(ANIMALS)] == [E.tom]
    if format in ("xml", "json"):  # rdflib's own readers of the others know no ASK and no languages
        assert (E.tom, RDF.type, E.Animal) in graph
        assert set(graph.objects(E.tom, RDF.type)) == {E.Cat, E.Animal}
        label = URIRef("http://www.w3.org/2000/01/rdf-schema#label")
        assert graph.value(E.tom, label) == Literal('Tom & "J" <3', lang="en")


def test_rdflib_writes_through_its_store(address: str) -> None:
    store = SPARQLUpdateStore(f"{address}/sparql", f"{address}/update", headers=WRITES)
    dataset = Dataset(store)
    graph = dataset.graph(E.dogs)

    graph.add((E.lassie, RDF.type, E.Dog))
    dataset.default_graph.add((E.tom, E.age, Literal(7)))

    assert set(graph) == {(E.lassie, RDF.type, E.Dog)}
    assert (E.tom, E.age, Literal(7)) in dataset.default_graph
    graph.remove((None, None, None))
    assert len(graph) == 0


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_curl_puts_a_graph_and_gets_it_compressed(address: str) -> None:
    def curl(*arguments: str) -> str:
        line = ["curl", "-sS", "--fail-with-body", *arguments]
        return subprocess.run(line, capture_output=True, text=True, check=True, timeout=30).stdout

    graph = f"{address}/data?graph=http://example.org/curl"
    curl("-X", "PUT", graph, "-H", f"Authorization: Bearer {WRITER}", "-H", "Content-Type: text/turtle",
         "--data-binary", "<http://e/a> <http://e/p> 1 .")  # fmt: skip

    assert curl("--compressed", graph, "-H", "Accept: application/n-triples").startswith("<http://e/a> <http://e/p> ")
    assert curl(f"{address}/sparql", "-H", "Accept: text/csv", "--data-urlencode", f"query={ANIMALS}").split()[1:] == [
        str(E.tom)
    ]
