"""Queries that differ in their IRIs alone are parsed once, and mean what they say."""

from __future__ import annotations

from collections import Counter

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.sparql import Query
from rdflib.query import Result

from kgreason import ReasoningStore
from kgreason.errors import QuerySyntaxError
from kgreason_rdflib.sparql import parsed_requests as parsing
from kgreason_rdflib.sparql.parameters import parameterised

EX = Namespace("http://example.org/")


@pytest.fixture
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    for i in range(10):
        graph.add((EX[f"x{i}"], EX.p, EX[f"x{(i + 1) % 10}"]))
        graph.add((EX[f"x{i}"], EX.n, Literal(i)))
        graph.add((EX[f"x{i}"], RDF.type, EX[f"C{i % 2}"]))
    return graph


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that the parser was given."""
    texts: list[str] = []
    parse = parsing.parsed_query
    monkeypatch.setattr(parsing, "parsed_query", lambda text, *rest: texts.append(text) or parse(text, *rest))
    return texts


QUERIES = [
    "SELECT ?o { <%s> <http://example.org/p> ?o }",
    "SELECT ?o { ?o <http://example.org/p> <%s> . ?o a ?c FILTER(?o != <%s>) }",
    "SELECT ?o { <%s> <http://example.org/p>/<http://example.org/p> ?o }",
    "SELECT ?o { <%s> !(<http://example.org/n>|^<http://example.org/p>|<http://example.org/p>) ?o }",
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
    return translateQuery(parseQuery(parsing.marked(text)), None, {})


@pytest.mark.parametrize("query", QUERIES)
def test_one_parse_serves_them_all(graph: Graph, parsed: list[str], query: str) -> None:
    rows = 0
    for i in range(10):
        text = query.replace("%s", EX[f"x{i}"])
        found, expected = graph.query(text), graph.query(prepared(text))
        assert solutions(found) == solutions(expected)
        assert found.askAnswer == expected.askAnswer
        rows += len(found)
    assert rows
    assert len(parsed) == 1


@pytest.mark.parametrize(
    "text",
    [
        "CONSTRUCT { <http://a/b> ?p ?o } { <http://a/b> ?p ?o }",
        "DESCRIBE <http://a/b>",
        "SELECT * FROM <http://a/b> { ?s ?p ?o }",
        "SELECT * { GRAPH <http://a/b> { ?s ?p ?o } }",
        "SELECT * { SERVICE <http://a/b> { ?s ?p ?o } }",
        "PREFIX a: <http://a/b> SELECT * { a:c ?p ?o }",
        "BASE <http://a/b> SELECT * { <c> ?p ?o }",
        'SELECT * { ?s ?p "1"^^<http://a/b>, "<http://a/c>", """<http://a/c>""", \'<http://a/c>\' }',
        "SELECT * { ?s ?p ?o FILTER(<http://a/b>(?o)) FILTER(?s<?p&&?p>?o) }",
        "SELECT * { ?s ?p ?o } # <http://a/b>",
    ],
)
def test_iris_that_stay(text: str) -> None:
    assert parameterised(text) == (text, {})


def test_what_is_no_iri_after_all() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.add((EX.a, EX.p, Literal(1)))
    assert len(graph.query("SELECT * { ?s ?p ?o FILTER(?o<ex:one||ex:two>?o||?o=1) }")) == 1
    with pytest.raises(QuerySyntaxError, match="column 31"):
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


@pytest.mark.slow
def test_words_without_an_end_are_refused_in_linear_time() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))

    for text in ("z" * 1_000_000, '"""\\' * 200_000, "PREFIX" + " " * 1_000_000, "<" + "a:" * 500_000):
        with pytest.raises(QuerySyntaxError):
            graph.query(text)
