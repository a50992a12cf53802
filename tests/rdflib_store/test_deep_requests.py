"""Requests nested beyond measure are answered or refused by an error of ours, and long ones that are flat are answered:
catches RecursionErrors."""

from __future__ import annotations

from contextlib import suppress

import pyoxigraph as ox
import pytest
from rdflib import Graph, Literal, URIRef, Variable
from rdflib.term import Node

from kgreason import ReasoningStore
from kgreason.errors import QueryError

DEEP = {
    "groups": "SELECT * " + "{" * 2000 + "?s ?p ?o" + "}" * 2000,
    "brackets": "SELECT * {?s ?p ?o FILTER" + "(" * 100_000 + "1" + ")" * 100_000 + "}",
    "optionals": "SELECT * {?s ?p ?o " + "OPTIONAL { ?s ?p ?o " * 300 + "}" * 300 + "}",
    "optionals in a row": "SELECT * {?s ?p ?o "
    + " ".join(f"OPTIONAL {{?s <http://e/p> ?o{i}}}" for i in range(200))
    + "}",
    "exists": "SELECT * {?s ?p ?o " + "FILTER EXISTS {?s ?p ?o " * 200 + "}" * 200 + "}",
    "blank nodes": "SELECT * {?s ?p " + "[?p " * 1000 + "1" + "]" * 1000 + "}",
    "path": "SELECT * {?s " + "(" * 500 + "<http://e/p>" + ")" * 500 + " ?o}",
    "binds": "SELECT * {BIND(1 AS ?x0) " + " ".join(f"BIND(?x{i}+1 AS ?x{i + 1})" for i in range(200)) + "}",
}

LONG = range(1200)
FLAT = {
    "OPTIONAL": "SELECT * {?s ?p ?o " + " ".join(f"OPTIONAL {{?s <http://e/q{i}> ?o{i}}}" for i in LONG) + "}",
    "FILTER": "SELECT * {?s ?p ?o " + " ".join(f"FILTER(?o != {i + 2})" for i in LONG) + "}",
    "BIND": "SELECT ?x1200 {?s ?p ?x0 " + " ".join(f"BIND(?x{i} + 1 AS ?x{i + 1})" for i in LONG) + "}",
    "BIND and FILTER": "SELECT ?s {?s ?p ?x0 "
    + " ".join(f"BIND(?x{i} + 1 AS ?x{i + 1})" for i in LONG) + " FILTER(?x1200 = 1201)}",
    "MINUS": "SELECT * {?s ?p ?o " + " ".join(f"MINUS {{?s <http://e/q{i}> ?v}}" for i in LONG) + "}",
    "all of them": "SELECT * {?s ?p ?o " + " ".join(
        f"OPTIONAL {{?s ?p ?o{i}}} BIND(?o{i} AS ?x{i}) MINUS {{?s ?p {i + 2}}} FILTER(?x{i} = 1)" for i in LONG[:300]
    ) + "}",
    "in EXISTS": "ASK {?s ?p ?o FILTER EXISTS {?s ?p ?o "
    + " ".join(f"OPTIONAL {{?s <http://e/q{i}> ?o{i}}} FILTER(?o != {i + 2})" for i in LONG) + "}}",
    "&&": "SELECT * {?s ?p ?o FILTER(" + " && ".join(f"?o != {i + 2}" for i in LONG) + ")}",
    "||": "SELECT * {?s ?p ?o FILTER(" + " || ".join(f"?o = {i + 1}" for i in LONG) + ")}",
    "+ and -": "SELECT ?x {?s ?p ?o BIND(?o" + " + 2 - 1" * 600 + " AS ?x)}",
    "*": "SELECT ?x {?s ?p ?o BIND(?o" + " * 1" * 1200 + " AS ?x)}",
    "+ in FILTER": "SELECT ?s {?s ?p ?o FILTER(?o" + " + 1" * 1200 + " = 1201)}",
    "+ beside EXISTS": "SELECT ?s {?s ?p ?o FILTER(?o" + " + 1" * 1200 + " > 1 && EXISTS {?s ?p ?v FILTER(?v = ?o)})}",
    "+ in an aggregate": "SELECT (SUM(?o" + " + 1" * 1200 + ") AS ?x) {?s ?p ?o}",
    "path": "SELECT ?a ?b {?a " + "/".join(["<http://e/p>", "^<http://e/p>"] * 600) + " ?b}",
    "selected": "SELECT " + " ".join(f"(?o + {i} AS ?o{i})" for i in LONG) + " {?s ?p ?o}",
    "aggregates": "SELECT " + " ".join(f"(SUM(?o + {i}) AS ?o{i})" for i in LONG) + " {?s ?p ?o}",
}  # fmt: skip
"""Long, and not deep; each with one solution."""
WITHOUT_PEER = ("OPTIONAL", "all of them", "in EXISTS", "path")
"""What Oxigraph does not answer within some seconds."""


@pytest.fixture(scope="module")
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((URIRef("http://e/s"), URIRef("http://e/p"), Literal(1)))
    return graph


@pytest.mark.parametrize("name", DEEP)
def test_deep_query_is_answered_or_refused(graph: Graph, name: str) -> None:
    with suppress(QueryError):
        len(graph.query(DEEP[name]))


@pytest.mark.parametrize("name", sorted(FLAT.keys() - WITHOUT_PEER))
def test_a_flat_query_of_any_length_has_the_rows_of_oxigraph(graph: Graph, name: str) -> None:
    peer = ox.Store()
    peer.add(ox.Quad(ox.NamedNode("http://e/s"), ox.NamedNode("http://e/p"), ox.Literal(1)))

    found, expected = graph.query(FLAT[name]), peer.query(FLAT[name])

    assert isinstance(expected, ox.QuerySolutions)
    names = [each.value for each in expected.variables]
    given = [[row.get(Variable(each)) for each in names] for row in found.bindings]
    rows = [[None if row[each] is None else str(row[each]) for each in names] for row in expected]
    assert [[None if term is None else _written(term) for term in row] for row in given] == rows


def _written(term: Node) -> str:
    """A term as Oxigraph writes it."""
    return str(ox.Literal(term.toPython())) if isinstance(term, Literal) else term.n3()


@pytest.mark.parametrize("name", sorted(FLAT.keys() - {"in EXISTS", "MINUS"}))
def test_a_flat_query_of_any_length_is_answered_from_each_door(graph: Graph, name: str) -> None:
    store = graph.store
    assert isinstance(store, ReasoningStore)

    found = graph.query(FLAT[name])
    given = graph.query(FLAT[name], initBindings={"s": URIRef("http://e/s")})
    plan = store.explain_query(FLAT[name])

    assert len(given) == len(found) == 1
    assert "1 solutions" in plan


def test_many_minus_with_a_given_term_are_answered_or_refused(graph: Graph) -> None:
    with suppress(QueryError):
        assert len(graph.query(FLAT["MINUS"], initBindings={"s": URIRef("http://e/s")})) == 1


def test_a_long_group_in_exists_is_answered(graph: Graph) -> None:
    assert graph.query(FLAT["in EXISTS"])


def test_a_filter_on_binds_that_double_their_variables_stays_short(graph: Graph) -> None:
    binds = " ".join(f"BIND(?x{i} + ?x{i} AS ?x{i + 1})" for i in range(60))

    assert len(graph.query(f"SELECT ?s {{?s ?p ?x0 {binds} FILTER(?x60 = {2**60})}}")) == 1


def test_deep_update_is_carried_out_or_refused(graph: Graph) -> None:
    with suppress(QueryError):
        graph.update("DELETE { ?s ?p ?o } WHERE " + "{ " * 500 + "?s ?p 2" + "}" * 500)

    assert len(graph) == 1


def test_graph_still_answers_afterwards(graph: Graph) -> None:
    with pytest.raises(QueryError, match="nested too deeply"):
        graph.query(DEEP["groups"])

    assert len(graph.query("SELECT * {?s ?p ?o FILTER((?o + 1) = 2)}")) == 1


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("SELECT ?a ?b { %s }", 300),
        ("SELECT DISTINCT ?a ?b { %s }", 300),
        ("SELECT ?a ?b { %s } LIMIT 7", 7),
        ("SELECT ?a ?b { ?a <http://e/p> ?n OPTIONAL { %s } }", 300),
    ],
)
def test_a_long_path_of_many_rows_is_walked(query: str, count: int) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    for number in range(300):
        graph.add((URIRef(f"http://e/{number}"), URIRef("http://e/p"), URIRef(f"http://e/{(number + 1) % 300}")))

    rows = [*graph.query(query % ("?a " + "/".join(["<http://e/p>"] * 1000) + " ?b"))]

    ends = [tuple(int(str(node).rpartition("/")[2]) for node in row) for row in rows]
    assert len({*ends}) == len(ends) == count
    assert all(end == (begin + 1000) % 300 for begin, end in ends)
