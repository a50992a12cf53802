"""Texts of queries mean what they say, and the same as what rdflib's own parser makes of them."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.query import Result

from kgreason import ReasoningStore
from kgreason.errors import QuerySyntaxError

EX = Namespace("http://example.org/")


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    for i in range(10):
        graph.add((EX[f"x{i}"], EX.p, EX[f"x{(i + 1) % 10}"]))
        graph.add((EX[f"x{i}"], EX.n, Literal(i)))
        graph.add((EX[f"x{i}"], RDF.type, EX[f"C{i % 2}"]))
    return graph


QUERIES = [
    "SELECT ?o { <%s> <http://example.org/p> ?o }",
    "SELECT ?o { ?o <http://example.org/p> <%s> . ?o a ?c FILTER(?o != <%s>) }",
    "SELECT ?o { <%s> <http://example.org/p>/<http://example.org/p> ?o }",
    "SELECT (COUNT(?o) AS ?n) { ?s <http://example.org/p> ?o } GROUP BY (?s = <%s>)",
    "SELECT ?o { VALUES ?s { <%s> } ?s <http://example.org/p> ?o }",
    "SELECT (IF(?o = <%s>, <http://example.org/yes>, <http://example.org/no>) AS ?y) { ?s <http://example.org/p> ?o }",
    "SELECT * { <%s> ?p ?o FILTER NOT EXISTS { ?s ?q <%s> FILTER(?p = ?q) } }",
    "ASK { <%s> <http://example.org/p> <http://example.org/other> }",
    "SELECT ?o { <%s> <http://example.org/n> ?o FILTER(<http://www.w3.org/2001/XMLSchema#integer>('3') = ?o) }",
    "SELECT ?o { <%s> <http://example.org/n> ?o } # a comment with <http://example.org/p>",
]


def solutions(result: Result) -> Counter:
    return Counter(frozenset(row.items()) for row in result.bindings or ())


def prepared(text: str) -> Query:
    """What rdflib makes of a text, without the text itself."""
    return translateQuery(parseQuery(text), None, {})


@pytest.mark.parametrize("query", QUERIES)
def test_a_prepared_query_without_its_text_has_the_same_answers(graph: Graph, query: str) -> None:
    rows = 0
    for i in range(10):
        text = query.replace("%s", EX[f"x{i}"])
        found, expected = graph.query(text), graph.query(prepared(text))
        assert solutions(found) == solutions(expected)
        assert found.askAnswer == expected.askAnswer
        rows += len(found)
    assert rows


def test_what_is_no_iri_after_all() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.add((EX.a, EX.p, Literal(1)))
    assert len(graph.query("SELECT * { ?s ?p ?o FILTER(?o<ex:one||ex:two>?o||?o=1) }")) == 1
    with pytest.raises(QuerySyntaxError, match="column 39"):
        graph.query("SELECT * { <http://a/b> ?p ?o FILTER( }")


def test_datatypes_stay(graph: Graph) -> None:
    for i in range(3):
        text = f'SELECT ?s {{ ?s <{EX.n}> "{i}"^^<{XSD.integer}> }}'
        assert [row[0] for row in graph.query(text)] == [EX[f"x{i}"]]


def test_local_name_with_a_colon_follows_the_namespace_that_is_bound() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((URIRef("http://a/x:y"), EX.p, Literal(1)))
    graph.add((URIRef("http://b/x:y"), EX.p, Literal(2)))

    found = [
        [row[0] for row in graph.query("SELECT ?o { name:x:y ?p ?o }", initNs={"name": namespace})]
        for namespace in ("http://a/", "http://b/")
    ]

    assert found == [[Literal(1)], [Literal(2)]]


@pytest.mark.parametrize("given", [None, 3, b"ASK {}", ["ASK {}"]])
def test_what_is_no_request_is_refused(graph: Graph, given: Any) -> None:
    for call in (graph.query, graph.update, cast(ReasoningStore, graph.store).query_table):
        with pytest.raises(TypeError, match=rf"the request is of type {type(given).__name__} \(expected a text, or"):
            call(given)
