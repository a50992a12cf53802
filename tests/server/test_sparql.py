"""SPARQL over HTTP: would catch an answer other than the store's own, a wrong status, or a change of half a request."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import Graph
from starlette.testclient import TestClient

from tests.server.conftest import WRITES

DATA = """
PREFIX e: <http://example.org/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
INSERT DATA { e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom, \\"the\\" cat"@en . }
"""
SELECT = "SELECT ?x { ?x a <http://example.org/Animal> }"


@pytest.fixture
def filled(client: TestClient) -> TestClient:
    """A client of a server with a cat, which is an animal."""
    assert client.post("/update", data={"update": DATA}, headers=WRITES).status_code == 204
    return client


def test_query_by_get_sees_what_follows(filled: TestClient) -> None:
    answer = filled.get("/sparql", params={"query": SELECT})

    assert answer.headers["content-type"] == "application/sparql-results+json"
    assert answer.json()["results"]["bindings"] == [{"x": {"type": "uri", "value": "http://example.org/tom"}}]


def test_query_without_inferred_sees_what_was_asserted(filled: TestClient) -> None:
    answer = filled.get("/sparql", params={"query": SELECT, "inferred": "false"})

    assert answer.json()["results"]["bindings"] == []


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/csv;q=0.1, application/sparql-results+xml;q=0.9", "application/sparql-results+xml"),
        ("application/*;q=0.5, text/tab-separated-values", "text/tab-separated-values; charset=utf-8"),
        ("*/*", "application/sparql-results+json"),
        ("text/csv;q=0, */*", "application/sparql-results+json"),
        ("", "application/sparql-results+json"),
    ],
)
def test_rows_come_in_the_format_that_is_preferred(filled: TestClient, accept: str, media_type: str) -> None:
    answer = filled.get("/sparql", params={"query": SELECT}, headers={"Accept": accept})

    assert answer.headers["content-type"] == media_type
    assert "http://example.org/tom" in answer.text


def test_a_format_that_there_is_not_is_refused(filled: TestClient) -> None:
    answer = filled.get("/sparql", params={"query": SELECT}, headers={"Accept": "image/png"})

    assert answer.status_code == 406
    assert answer.headers["content-type"] == "application/problem+json"


def test_arrow_and_parquet_have_the_same_rows(filled: TestClient) -> None:
    arrow, parquet = (
        filled.get("/sparql", params={"query": SELECT}, headers={"Accept": f"application/vnd.apache.{name}"}).content
        for name in ("arrow.stream", "parquet")
    )

    assert pa.ipc.open_stream(arrow).read_all().to_pydict() == {"x": ["http://example.org/tom"]}
    assert pq.read_table(pa.BufferReader(parquet)).to_pydict() == {"x": ["http://example.org/tom"]}


@pytest.mark.parametrize("format", ["turtle", "application/n-triples", "application/rdf+xml", "application/ld+json"])
def test_triples_of_construct_are_the_same_in_each_format(filled: TestClient, format: str) -> None:
    accept = f"text/{format}" if "/" not in format else format
    answer = filled.get("/sparql", params={"query": "CONSTRUCT WHERE { ?s a ?c }"}, headers={"Accept": accept})

    names = {"application/n-triples": "nt", "application/rdf+xml": "xml", "application/ld+json": "json-ld"}
    found = Graph().parse(data=answer.text, format=names.get(format, format))
    expected = Graph().parse(data="@prefix e: <http://example.org/> . e:tom a e:Cat, e:Animal .", format="turtle")
    assert set(found) == set(expected)


def test_update_of_which_a_part_fails_changes_nothing(filled: TestClient) -> None:
    update = "INSERT DATA { <http://e/1> a <http://e/2> } ; CREATE GRAPH <http://e/g> ; CREATE GRAPH <http://e/g>"

    answer = filled.post("/update", content=update, headers=WRITES | {"Content-Type": "application/sparql-update"})

    assert answer.status_code == 400
    assert not filled.get("/sparql", params={"query": "ASK { <http://e/1> ?p ?o }"}).json()["boolean"]


def test_an_answer_is_not_sent_twice_to_one_who_has_it(filled: TestClient) -> None:
    first = filled.get("/sparql", params={"query": SELECT})
    again = filled.get("/sparql", params={"query": SELECT}, headers={"If-None-Match": first.headers["etag"]})
    filled.post("/update", data={"update": "INSERT DATA { <http://e/1> a <http://e/2> }"}, headers=WRITES)
    later = filled.get("/sparql", params={"query": SELECT}, headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert later.status_code == 200


def test_head_is_get_without_the_body(filled: TestClient) -> None:
    whole = filled.get("/sparql", params={"query": SELECT})
    head = filled.head("/sparql", params={"query": SELECT})

    assert head.content == b""
    assert head.headers["content-length"] == str(len(whole.content))


def test_long_answer_is_compressed_for_one_who_accepts_that(client: TestClient) -> None:
    query = "SELECT * { VALUES ?x { " + " ".join(map(str, range(5000))) + " } }"

    plain = client.post("/sparql", data={"query": query}, headers={"Accept-Encoding": "identity"})
    packed = client.post("/sparql", data={"query": query}, headers={"Accept-Encoding": "gzip"})

    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.json() == plain.json()
    assert len(plain.json()["results"]["bindings"]) == 5000
