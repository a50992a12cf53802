"""Triple terms and base directions at the doors of the server: would catch a format or a result that leaves one out."""

from __future__ import annotations

import pyoxigraph as ox
import pytest
from starlette.testclient import TestClient

from tests.server.conftest import WRITES

DATA = """
PREFIX e: <http://e/>
e:s e:p "a"@ar--rtl ~ e:r {| e:by e:o |} .
e:r e:of <<( e:s e:p <<( e:s e:q 1 )>> )>> .
"""
WRITTEN = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/n-quads": ox.RdfFormat.N_QUADS,
    "application/trig": ox.RdfFormat.TRIG,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
}
SELECT = "SELECT ?o { ?s ?p ?o FILTER(isTRIPLE(?o) || isLITERAL(?o)) }"
RESULTS = {
    "application/sparql-results+json": ox.QueryResultsFormat.JSON,
    "application/sparql-results+xml": ox.QueryResultsFormat.XML,
    "text/tab-separated-values": ox.QueryResultsFormat.TSV,
}


@pytest.fixture
def filled(client: TestClient) -> TestClient:
    headers = WRITES | {"Content-Type": "text/turtle"}
    assert client.put("/data?default", content=DATA.encode(), headers=headers).status_code < 300
    return client


def triples(data: bytes, form: ox.RdfFormat) -> set[ox.Triple]:
    return {quad.triple for quad in ox.parse(data, form)}


@pytest.mark.parametrize("kind", WRITTEN)
def test_a_graph_goes_in_and_comes_out_as_it_is(kind: str, filled: TestClient) -> None:
    expected = triples(DATA.encode(), ox.RdfFormat.TURTLE)

    answer = filled.get("/data?default", headers={"Accept": kind})
    assert triples(answer.content, WRITTEN[kind]) == expected

    again = filled.put("/data?default", content=answer.content, headers=WRITES | {"Content-Type": kind})
    assert again.status_code < 300
    back = filled.get("/data?default", headers={"Accept": "application/n-triples"})
    assert triples(back.content, ox.RdfFormat.N_TRIPLES) == expected


def test_json_ld_cannot_have_a_triple_term_and_says_so(filled: TestClient) -> None:
    answer = filled.get("/data?default", headers={"Accept": "application/ld+json"})

    assert answer.status_code >= 400
    assert "triple term" in answer.text


@pytest.mark.parametrize("kind", RESULTS)
def test_results_have_each_term_as_it_is(kind: str, filled: TestClient) -> None:
    answer = filled.get("/sparql", params={"query": SELECT}, headers={"Accept": kind})

    found = {str(row["o"]) for row in ox.parse_query_results(answer.content, RESULTS[kind])}
    objects = [triple.object for triple in triples(DATA.encode(), ox.RdfFormat.TURTLE)]
    assert found == {str(term) for term in objects if isinstance(term, ox.Triple | ox.Literal)}


def test_csv_has_triple_terms_as_text(filled: TestClient) -> None:
    answer = filled.get("/sparql", params={"query": SELECT}, headers={"Accept": "text/csv"})

    assert answer.text.count("<<( ") == 3
