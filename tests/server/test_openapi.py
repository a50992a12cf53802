"""Requests that are made up from the OpenAPI description: would catch a request that makes the server fail, an answer
that the description does not have, and a route that it does not know.

`KGREASON_EXAMPLES=10000 pytest tests/server/test_openapi.py` tries them for an hour.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from starlette.routing import Route

from kgreason_rdflib import ReasoningStore
from kgreason_server import application
from kgreason_server.openapi import openapi_document
from tests.profiles import examples
from tests.server.conftest import WRITES, store_of
from tests.server.processes import served

CHECKS = (
    schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance,
    schemathesis.checks.response_schema_conformance,
)
DATA = b"""@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom"@en ."""
PATIENCE = 60
"""Seconds: a machine that is busy otherwise may keep a process for ten of them."""
TESTED_ELSEWHERE = ("/changes", "/mcp")
"""The answers of the one never end, and the other is a protocol of its own."""
_UPDATES = (b"INSERT DATA { <http://e/a> <http://e/p> 1 }", b"DELETE WHERE { ?s ?p ?o }", b"DROP ALL", b"INSERT {", b"")
_TRIPLES = (b"<http://e/a> <http://e/p> <http://e/b> .", b"<a> <p>", b"<http://e/a> <http://e/p> _:b .", b"")
BODIES = {
    "application/sparql-query": (b"ASK {}", b"SELECT * { ?s ?p ?o }", b"CONSTRUCT WHERE { ?s ?p ?o }", b"ASK {"),
    "application/sparql-update": _UPDATES,
    "application/n-triples": _TRIPLES,
    "text/turtle": _TRIPLES,
    "text/n3": _TRIPLES,
    "application/rdf+xml": (b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'/>", b"<a"),
    "application/ld+json": (b"[]", b'{"@id": "http://e/a", "http://e/p": 1}', b'{"@context": "http://e/"}', b"{"),
    "text/plain": (b"<http://e/p>(?x) :- <http://e/q>(?x) .", b"rdfs", b"/etc/passwd", b"p(?x) :-"),
}
for name, bodies in BODIES.items():
    schemathesis.openapi.media_type(name, st.sampled_from(bodies) | st.binary(max_size=50))
schema = schemathesis.openapi.from_dict(openapi_document())


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(store_of(DATA), timeout=2) as found:
        yield found


@schema.exclude(path=list(TESTED_ELSEWHERE)).parametrize()
@settings(
    max_examples=examples(12), deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
)  # fmt: skip
def test_requests_get_answers_that_are_described(case: schemathesis.Case, address: str) -> None:
    response = case.call(base_url=address, headers=dict(WRITES), timeout=PATIENCE)

    assert response.status_code != 500  # 503 is for those who leave no time
    case.validate_response(response, checks=CHECKS)


def test_description_has_all_routes_and_methods() -> None:
    app = application(ReasoningStore(rules="none"))
    routes = {
        (route.path.replace("{graph:path}", "{path}"), method.lower())
        for route in app.routes
        if isinstance(route, Route)
        for method in route.methods or ()
        if method != "HEAD"
    }

    described = {(path, method) for path, methods in openapi_document()["paths"].items() for method in methods}
    # The workbench is for people, and RDF4J's protocol is described elsewhere.
    own = ("/workbench", "/rdf4j")
    assert described == {each for each in routes if each[0] != "/" and not each[0].startswith(own)}
