"""W3C's suites of the SPARQL Protocol, the Graph Store Protocol and Service Description: would catch a request that
other servers understand and this one does not, and the other way round."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from rdflib import Graph, Namespace, URIRef
from rdflib.compare import isomorphic
from rdflib.namespace import RDF
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import WRITES, started, wait_until_ready
from tests.server.w3c_requests import Case, Sent, cases
from tests.shared_data import unpacked

SUITES = unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz") / "sparql" / "sparql11"
SD = Namespace("http://www.w3.org/ns/sparql-service-description#")
HOST = "http://www.example"
CASES = [
    *cases(SUITES / "protocol" / "manifest.ttl", "ProtocolTest"),
    *cases(SUITES / "graph-store-protocol" / "manifest-direct.ttl", "GraphStoreProtocolTest"),
    *cases(SUITES / "graph-store-protocol" / "manifest-indirect.ttl", "GraphStoreProtocolTest"),
]
TABLES = ("application/sparql-results+json", "application/sparql-results+xml", "text/csv", "text/tab-separated-values")
DOCUMENTS = ("text/turtle", "application/n-triples", "application/rdf+xml")


def test_suites_are_all_there() -> None:
    assert len(CASES) == 34 + 5 + 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    store = ReasoningStore(rules="none")
    for name, path in case.graphs.items():
        store.bulk_load(path, graph=name)
    found: dict[str, str] = {}
    with started(store, base=HOST, union_default_graph=False) as client:
        wait_until_ready(client)
        for sent in case.requests:
            _check(client, sent, found)


def _check(client: TestClient, sent: Sent, found: dict[str, str]) -> None:
    """Send a request; `found` has what earlier answers gave."""
    path = sent.path.replace("/sparql/", "/sparql").replace("/gsp", "/data").replace("%2Fgsp", "%2Fdata")
    for name, value in found.items():
        path = path.replace(name, quote(value, safe=""))

    answer = client.request(sent.method, path, headers=sent.headers | WRITES, content=sent.body)

    status, expected = str(answer.status_code), sent.expected
    assert {status, f"{status[0]}xx"} & expected.statuses, f"{status}: {answer.text}"
    if "location" in answer.headers:
        found["$LOCATION$"] = answer.headers["location"]
    media_type = answer.headers.get("content-type", "").partition(";")[0]
    if expected.boolean is not None:
        assert answer.json()["boolean"] is expected.boolean
    if expected.format is not None:
        assert media_type in {"boolean": TABLES[:2], "tabular": TABLES, "RDF": DOCUMENTS}[expected.format]
    if expected.content_type is not None:
        assert answer.headers["content-type"] == expected.content_type
    if expected.turtle is not None and sent.method != "HEAD":
        wanted = expected.turtle.replace("/gsp/", "/data/")
        got = answer.text.replace("/gsp/", "/data/")
        assert isomorphic(Graph().parse(data=got, format="turtle"), Graph().parse(data=wanted, format="turtle"))


@pytest.mark.parametrize(
    ("accept", "format"), [("text/turtle", "turtle"), ("application/rdf+xml", "xml"), ("*/*", "turtle")]
)
def test_service_description_returns_rdf_with_a_matching_endpoint(client: TestClient, accept: str, format: str) -> None:
    answer = client.get("/sparql", headers={"Accept": accept})

    described = Graph().parse(data=answer.text, format=format)
    (service,) = described.subjects(RDF.type, SD.Service)
    assert set(described.objects(service, SD.endpoint)) == {URIRef("http://testserver/sparql")}


def test_service_description_conforms_to_the_schema(client: TestClient) -> None:
    client.put("/data?graph=http://e/g", content="<http://e/a> a <http://e/C> .",
               headers=WRITES | {"Content-Type": "text/turtle"})  # fmt: skip
    described = Graph().parse(data=client.get("/sparql").text, format="turtle")
    kinds = {
        SD.endpoint: None, SD.supportedLanguage: None, SD.feature: None, SD.resultFormat: None, SD.inputFormat: None,
        SD.defaultEntailmentRegime: None, SD.defaultSupportedEntailmentProfile: None, SD.name: None,
        SD.extensionFunction: SD.Function, SD.defaultDataset: SD.Dataset, SD.defaultGraph: SD.Graph,
        SD.namedGraph: SD.NamedGraph, SD.graph: SD.Graph,
    }  # fmt: skip
    for _, property, value in described:
        if property.startswith(str(SD)):
            assert property in kinds, property
            assert kinds[property] is None or (value, RDF.type, kinds[property]) in described
    assert set(described.objects(None, SD.name)) == {URIRef("http://e/g")}
    assert set(described.objects(None, SD.supportedLanguage)) == {SD.SPARQL11Query, SD.SPARQL11Update}


@pytest.mark.parametrize(
    ("rules", "regime"),
    [
        ("none", "Simple"),
        ("rdfs", "RDFS"),
        ("owl-rl", "OWL-RDF-Based"),
        ("<http://e/p>(?x) :- <http://e/q>(?x).", None),
    ],
)
def test_service_description_names_the_entailment_of_the_rules(rules: str, regime: str | None) -> None:
    with started(ReasoningStore(rules=rules), write_tokens=()) as client:
        described = Graph().parse(data=wait_until_ready(client).get("/sparql").text, format="turtle")

    found = {str(each).rpartition("/")[2] for each in described.objects(None, SD.defaultEntailmentRegime)}
    assert found == ({regime} if regime else set())
    assert set(described.objects(None, SD.supportedLanguage)) == {SD.SPARQL11Query}
