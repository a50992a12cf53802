"""What rdflib evaluates for us: SERVICE, functions that users registered, evaluators that users extended."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

import pytest
from rdflib import BNode, Graph, Literal, Namespace, URIRef, Variable
from rdflib.plugins.sparql import CUSTOM_EVALS
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function

from kgreason import ReasoningStore
from kgreason.access import EVERYTHING
from kgreason.errors import QueryError

EX = Namespace("http://example.org/")


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none", access=EVERYTHING))
    graph.bind("ex", EX)
    for i in range(5):
        graph.add((EX[f"x{i}"], EX.p, Literal(i)))
    return graph


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An endpoint that knows the names of x1 and x2, and an IRI and a blank node."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(urlparse(self.path).query)

        def do_POST(self) -> None:
            self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def answer(self, parameters: str) -> None:
            assert "ex:name" in parse_qs(parameters)["query"][0]
            rows = [
                {"x": {"type": "uri", "value": EX.x1}, "n": {"type": "literal", "value": "one", "xml:lang": "en"}},
                {"x": {"type": "uri", "value": EX.x2}, "n": {"type": "bnode", "value": "b"}},
            ]
            body = json.dumps({"head": {"vars": ["x", "n"]}, "results": {"bindings": rows}}).encode()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))  # seconds until it sees its end
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/sparql"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("keyword", ["SERVICE", "SERVICE SILENT", "service  silent"])
def test_a_service_is_one_part_of_a_query(graph: Graph, endpoint: str, keyword: str) -> None:
    query = f"SELECT ?x ?v ?n {{ ?x ex:p ?v {keyword} <{endpoint}> {{ ?x ex:name ?n }} FILTER(?v > 0) }}"
    rows = {tuple(row) for row in graph.query(query)}
    assert {row[:2] for row in rows} == {(EX.x1, Literal(1)), (EX.x2, Literal(2))}
    assert {type(row[2]) for row in rows} == {Literal, BNode}
    plan = graph.store.explain_query(query)
    assert f"evaluated by rdflib: SERVICE <{endpoint}>" in plan


def test_a_service_that_fails(graph: Graph) -> None:
    query = "SELECT ?x ?n {{ ?x ex:p 1 SERVICE {0} <http://127.0.0.1:9/nobody> {{ ?x ex:name ?n }} }}"
    result = graph.query(query.format(""))
    for read in (list, len, list):
        with pytest.raises(QueryError, match=r"/nobody: SERVICE: cannot be read: Connection refused"):
            read(result)
    assert [tuple(row) for row in graph.query(query.format("SILENT"))] == [(EX.x1, None)]


@pytest.fixture
def functions() -> Iterator[None]:
    register_custom_function(EX.twice, lambda x: Literal(2 * x.toPython()))
    register_custom_function(EX.same, lambda x: x)
    register_custom_function(EX.raw, lambda e, ctx: Literal(len(e.expr)), raw=True)
    yield
    for name in (EX.twice, EX.same, EX.raw):
        unregister_custom_function(name)


@pytest.mark.usefixtures("functions")
def test_functions_that_users_registered(graph: Graph) -> None:
    def values(expression: str) -> list[object]:
        query = f"SELECT ({expression} AS ?y) {{ ?x ex:p ?v }} ORDER BY ?v"
        return [binding.get(Variable("y")) for binding in graph.query(query).bindings]

    assert values("ex:twice(?v)") == [Literal(2 * i) for i in range(5)]
    assert values("ex:twice(?v) + 1") == [Literal(2 * i + 1) for i in range(5)]
    assert values("ex:same(?x)") == [EX[f"x{i}"] for i in range(5)]
    assert values("ex:raw(?v, ?x)") == [Literal(2)] * 5
    assert values("ex:nobody(?v)") == [None] * 5
    assert values("ex:twice(?unbound)") == [None] * 5
    assert values("ex:twice(?v, ?v)") == [None] * 5
    assert len(graph.query("SELECT ?x { ?x ex:p ?v FILTER(ex:twice(?v) = 4) }")) == 1
    assert graph.query("ASK { BIND(ex:same(BNODE()) AS ?b) FILTER(ISBLANK(?b)) }").askAnswer
    plan = graph.store.explain_query("SELECT ?x { ?x ex:p ?v FILTER(ex:twice(?v) = 4) }")
    assert f"evaluated by rdflib: function <{EX.twice}>" in plan


def test_a_function_may_be_registered_after_its_query_was_asked(graph: Graph) -> None:
    query = "SELECT ?y { ex:x1 ex:p ?v BIND(ex:later(?v) AS ?y) }"
    assert graph.query(query).bindings == [{}]
    register_custom_function(EX.later, lambda x: Literal("now"))
    try:
        assert [tuple(row) for row in graph.query(query)] == [(Literal("now"),)]
    finally:
        unregister_custom_function(EX.later)


def test_an_evaluator_that_users_extended_answers_itself(graph: Graph) -> None:
    seen = []

    def extended(context: object, part: object) -> object:
        seen.append(part)
        raise NotImplementedError

    CUSTOM_EVALS["test"] = extended
    try:
        assert len(graph.query("SELECT ?x { ?x ex:p ?v }")) == 5
        assert seen
        with pytest.raises(QueryError, match="extended"):
            graph.query("SELECT ?x { ?x ex:p ?v }", timeout=10)
        graph.update("INSERT { ?x ex:q ?v } WHERE { ?x ex:p ?v }")
        assert len(list(graph.subjects(EX.q))) == 5
    finally:
        del CUSTOM_EVALS["test"]


def test_iris_in_the_results_are_terms(graph: Graph) -> None:
    assert all(isinstance(row[0], URIRef) for row in graph.query("SELECT ?x { ?x ex:p ?v }"))


def test_what_was_read_before_an_interruption_is_not_taken_for_everything(graph: Graph) -> None:
    def interrupt(value: Literal) -> Literal:
        raise KeyboardInterrupt

    register_custom_function(EX.interrupt, interrupt)
    try:
        found = graph.query("SELECT ?x ?y { { ?x ex:p 1 } UNION { ?x ex:p 2 BIND(ex:interrupt(2) AS ?y) } }")
        with pytest.raises(KeyboardInterrupt):
            list(found)
    finally:
        unregister_custom_function(EX.interrupt, interrupt)
    with pytest.raises(QueryError, match="interrupted"):
        len(found)
