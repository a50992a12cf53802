"""The change feed in rdflib terms."""

from __future__ import annotations

import pytest
from rdflib import RDF, RDFS, Graph, Namespace

from kgreason import ReasoningStore
from kgreason.errors import KGReasonError

EX = Namespace("http://example.org/")


def test_graphs_of_what_came_and_went() -> None:
    store = ReasoningStore(rules="rdfs")
    graph = Graph(store=store)
    told: list[tuple[set, set]] = []
    cancel = store.subscribe(lambda added, removed: told.append((set(added), set(removed))))
    graph.add((EX.x, RDF.type, EX.A))
    graph.add((EX.A, RDFS.subClassOf, EX.B))
    store.commit()
    inferred = (EX.x, RDF.type, EX.B)
    assert told == [({(EX.x, RDF.type, EX.A), (EX.A, RDFS.subClassOf, EX.B), inferred}, set())]
    graph.remove((EX.A, RDFS.subClassOf, EX.B))
    assert inferred not in graph
    assert told[1] == (set(), {(EX.A, RDFS.subClassOf, EX.B), inferred})
    cancel()
    graph.add((EX.y, RDF.type, EX.A))
    assert len(graph) == 2
    assert len(told) == 2


def test_callback_that_cannot_be_called_is_refused() -> None:
    store = ReasoningStore(rules="rdfs")

    with pytest.raises(TypeError, match="the callback is of type int"):
        store.subscribe(3)  # type: ignore[arg-type]  # what is refused

    assert len(Graph(store=store).add((EX.x, EX.p, EX.y))) == 1


def test_the_graphs_are_read_only_and_answer_patterns() -> None:
    store = ReasoningStore(rules="rdfs")
    graph = Graph(store=store)
    kept: list[Graph] = []
    store.subscribe(lambda added, removed: kept.extend((added, removed)))
    graph.add((EX.x, EX.p, EX.y))
    graph.add((EX.p, RDFS.subPropertyOf, EX.q))
    assert (EX.x, EX.q, EX.y) in graph
    added, removed = kept
    assert (len(added), len(removed)) == (3, 0)
    assert list(added.objects(EX.x, EX.q)) == [EX.y]
    assert (EX.unknown, None, None) not in added
    assert added.query("ASK { ?x ?p ?y . FILTER(?p = <http://example.org/q>) }").askAnswer
    for change in (added.add, added.remove):
        with pytest.raises(KGReasonError, match="read-only"):
            change((EX.x, EX.p, EX.y))
    graph.remove((EX.x, EX.p, EX.y))
    assert len(graph) == 1
    assert len(added) == 3
