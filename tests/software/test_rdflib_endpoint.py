"""Would catch: an endpoint of rdflib-endpoint over the store that answers with an error, in the wrong format, or
without what follows."""

from __future__ import annotations

import json

import pytest
from rdflib import RDF, Dataset, Graph, Namespace

from kgreason import ReasoningStore
from tests.software.conftest import PETS

rdflib_endpoint = pytest.importorskip("rdflib_endpoint", reason="rdflib-endpoint is not installed")
testclient = pytest.importorskip("starlette.testclient", reason="starlette's test client is not installed")
pytestmark = [pytest.mark.filterwarnings("ignore")]
EX = Namespace("http://e/")
ANIMALS = "SELECT ?x { ?x a <http://e/Animal> } ORDER BY ?x"


@pytest.fixture
def dataset() -> Dataset:
    dataset = Dataset(store=ReasoningStore(), default_union=True)
    return dataset.parse(data=PETS, format="turtle")


@pytest.fixture
def client(dataset: Dataset) -> object:
    return testclient.TestClient(rdflib_endpoint.SparqlEndpoint(graph=dataset, enable_update=True))


def asked(client: object, query: str, accept: str = "application/json") -> object:
    answer = client.get("/", params={"query": query}, headers={"accept": accept})
    assert answer.status_code == 200, answer.text
    return answer


def test_select_answers_in_each_format(client: object) -> None:
    rows = json.loads(asked(client, ANIMALS).text)["results"]["bindings"]
    assert [row["x"]["value"] for row in rows] == ["http://e/rex", "http://e/sam"]
    assert asked(client, ANIMALS, "text/csv").text.split() == ["x", "http://e/rex", "http://e/sam"]
    assert "<uri>http://e/sam</uri>" in asked(client, ANIMALS, "application/sparql-results+xml").text


def test_construct_and_ask(client: object) -> None:
    text = asked(client, "CONSTRUCT { ?x a <http://e/Pet> } WHERE { ?x a <http://e/Animal> }", "text/turtle").text
    assert set(Graph().parse(data=text, format="turtle").subjects(RDF.type, EX.Pet)) == {EX.rex, EX.sam}
    assert json.loads(asked(client, "ASK { <http://e/rex> <http://e/ancestor> <http://e/d> }").text)["boolean"]


def test_update_changes_what_follows(client: object, dataset: Dataset) -> None:
    assert client.post("/", data={"update": "INSERT DATA { <http://e/fido> a <http://e/Dog> }"}).is_success
    assert (EX.fido, RDF.type, EX.Animal) in dataset
    assert client.post("/", data={"update": "DELETE DATA { <http://e/fido> a <http://e/Dog> }"}).is_success
    assert (EX.fido, RDF.type, EX.Animal) not in dataset


def test_malformed_query_is_a_bad_request(client: object) -> None:
    assert client.get("/", params={"query": "SELECT nonsense"}).status_code == 400


def test_extension_functions_are_called() -> None:
    dataset = rdflib_endpoint.DatasetExt(store=ReasoningStore(), default_union=True)

    @dataset.extension_function()
    def split(text: str, separator: str) -> list[str]:
        return text.split(separator)

    client = testclient.TestClient(rdflib_endpoint.SparqlEndpoint(graph=dataset))
    query = 'PREFIX f: <urn:sparql-function:> SELECT ?x { BIND(f:split("a,b", ",") AS ?x) }'
    rows = json.loads(asked(client, query).text)["results"]["bindings"]
    assert {row["x"]["value"] for row in rows} == {"a", "b"}
