"""Graphs that queries make are rdflib's own in all that they can do: catches prefixes that are missing or come late."""

from __future__ import annotations

import gc
import pickle
import weakref

import pytest
from rdflib import Graph, Namespace
from rdflib.namespace import NamespaceManager

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")
QUERIES = ["DESCRIBE ex:a", "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"]


def made(query: str, graph: Graph) -> Graph:
    graph.bind("ex", EX)
    graph.add((EX.a, EX.p, EX.b))
    found = graph.query(query).graph
    assert found is not None
    return found


@pytest.mark.parametrize("query", QUERIES)
def test_prefixes_of_a_result_are_those_that_rdflib_gives_it(query: str) -> None:
    own, theirs = made(query, Graph(store=ReasoningStore(rules="none"))), made(query, Graph())

    assert {*own.namespaces()} == {*theirs.namespaces()}
    assert own.serialize(format="turtle") == theirs.serialize(format="turtle")
    assert {*pickle.loads(pickle.dumps(own))} == {*own + Graph()} == {(EX.a, EX.p, EX.b)}


def test_a_result_takes_other_prefixes() -> None:
    found = made(QUERIES[0], Graph(store=ReasoningStore(rules="none")))

    found.namespace_manager = NamespaceManager(Graph(), bind_namespaces="none")
    found.bind("other", EX)

    assert dict(found.namespaces())["other"] == EX[""]
    assert "ex" not in dict(found.namespaces())


@pytest.mark.parametrize("query", QUERIES)
def test_a_result_that_is_given_up_is_gone_at_once(query: str) -> None:
    gc.disable()
    try:
        found = weakref.ref(made(query, Graph(store=ReasoningStore(rules="none"))))
        assert found() is None
    finally:
        gc.enable()
