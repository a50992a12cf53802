"""Requests nested beyond measure are answered or refused by an error of ours: catches RecursionErrors."""

from __future__ import annotations

from contextlib import suppress

import pytest
from rdflib import Graph, Literal, URIRef

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


@pytest.fixture(scope="module")
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((URIRef("http://e/s"), URIRef("http://e/p"), Literal(1)))
    return graph


@pytest.mark.parametrize("name", DEEP)
def test_deep_query_is_answered_or_refused(graph: Graph, name: str) -> None:
    with suppress(QueryError):
        len(graph.query(DEEP[name]))


def test_deep_update_is_carried_out_or_refused(graph: Graph) -> None:
    with suppress(QueryError):
        graph.update("DELETE { ?s ?p ?o } WHERE " + "{ " * 500 + "?s ?p 2" + "}" * 500)

    assert len(graph) == 1


def test_graph_still_answers_afterwards(graph: Graph) -> None:
    with pytest.raises(QueryError, match="nested too deeply"):
        graph.query(DEEP["groups"])

    assert len(graph.query("SELECT * {?s ?p ?o FILTER((?o + 1) = 2)}")) == 1
