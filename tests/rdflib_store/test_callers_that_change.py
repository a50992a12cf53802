"""Iterables and functions of the caller that change or read the store while it takes what they give."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from rdflib import OWL, RDF, BNode, Dataset, Graph, Namespace, URIRef
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function

from kgreason import ReasoningStore
from kgreason.errors import ListError, StoreError
from kgreason_rdflib import rdflib_tuning

EX = Namespace("http://example.org/")
INNER = (EX.inner, EX.p, EX.other)
LATER = [(EX.a, EX.q, EX.b), (EX.c, EX.q, EX.d), (EX.e, EX.q, EX.f)]


def opened(**options: Any) -> Graph:
    graph = Graph(store=ReasoningStore(rules="rdfs", **options))
    graph.add((EX.s, EX.p, EX.o))
    assert len(graph) == 1
    return graph


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("queued", [False, True])
def test_what_a_failing_iterable_has_added_stays_itself(queued: bool, reads: bool) -> None:
    graph = opened()
    if queued:
        graph.add((EX.queued, EX.p, EX.other))
    before = {(EX.s, EX.p, EX.o), *([(EX.queued, EX.p, EX.other)] if queued else [])}

    def quads() -> Iterator[tuple[Any, ...]]:
        yield EX.one, EX.p, EX.two, graph
        graph.add(INNER)
        if reads:
            assert INNER in graph
        yield EX.three, EX.p, EX.four, graph
        raise RuntimeError

    with pytest.raises(RuntimeError):
        graph.store.addN(quads())
    for triple in LATER:
        graph.add(triple)
    assert set(graph) == before | {INNER, *LATER}
    graph.store.knowledge_base._check()


def test_terms_of_a_failing_iterable_are_forgotten() -> None:
    graph = opened()
    known = len(graph.store.knowledge_base.dictionary)

    def quads() -> Iterator[tuple[Any, ...]]:
        for number in range(9000):
            yield EX[f"s{number}"], EX.p, EX.o, graph
        raise RuntimeError

    with pytest.raises(RuntimeError):
        graph.store.addN(quads())
    assert len(graph.store.knowledge_base.dictionary) == known


def test_what_a_failing_function_of_an_update_has_added_stays_itself() -> None:
    graph = opened()

    def failing(_: Any) -> Any:
        graph.add(INNER)
        raise RuntimeError

    register_custom_function(EX.failing, failing)
    try:
        with pytest.raises(RuntimeError):
            graph.update(f"INSERT {{ ?s <{EX.q}> ?z }} WHERE {{ ?s ?p ?o BIND(<{EX.failing}>(?s) AS ?z) }}")
    finally:
        unregister_custom_function(EX.failing, failing)
    for triple in LATER:
        graph.add(triple)
    assert set(graph) == {(EX.s, EX.p, EX.o), INNER, *LATER}


def test_threads_that_an_iterable_waits_for_may_read() -> None:
    graph = opened()

    def quad(number: int) -> tuple[Any, ...]:
        return EX[f"n{number}"], EX.p if (EX.s, EX.p, EX.o) in graph else EX.q, EX.o, graph

    def add() -> None:
        with ThreadPoolExecutor(2) as pool:
            graph.addN(pool.map(quad, range(20)))

    adding = threading.Thread(target=add, daemon=True)
    adding.start()
    adding.join(30)
    assert not adding.is_alive()
    assert len(graph) == 21


@pytest.mark.parametrize("first", [EX.one, EX.s])
def test_a_branch_that_is_adopted_while_triples_come(first: URIRef, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib_tuning, "ADDED_TRIPLES", 1)
    graph = opened()
    branch = graph.store.branch()
    branch.add((EX.x, EX.p, EX.y), graph)

    def quads() -> Iterator[tuple[Any, ...]]:
        yield first, EX.p, EX.s, graph
        graph.store.adopt(branch)
        yield EX.three, EX.p, EX.four, graph

    graph.store.addN(quads())
    assert set(graph) == {(EX.s, EX.p, EX.o), (EX.x, EX.p, EX.y), (first, EX.p, EX.s), (EX.three, EX.p, EX.four)}
    graph.store.knowledge_base._check()


def test_a_store_that_is_opened_while_triples_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdflib_tuning, "ADDED_TRIPLES", 1)
    graph = opened()

    def quads() -> Iterator[tuple[Any, ...]]:
        yield EX.one, EX.p, EX.two, graph
        graph.open(str(tmp_path / "store"), create=True)
        yield EX.three, EX.p, EX.four, graph

    with pytest.raises(StoreError, match="other contents"):
        graph.store.addN(quads())
    assert set(graph) == {(EX.s, EX.p, EX.o)}
    graph.store.knowledge_base._check()


def test_a_pattern_goes_from_all_graphs_in_one_change() -> None:
    store = ReasoningStore(rules="owl-rl", strict=True)
    dataset = Dataset(store=store)
    first, second = BNode(), BNode()
    cells, others = dataset.graph(EX.cells), dataset.graph(EX.others)
    for name in ("one", "two"):
        dataset.addN((EX[f"{name}{n}"], EX.p, EX.x, dataset.graph(EX[name])) for n in range(200))
    quads = [(first, RDF.first, EX.a, cells), (first, RDF.rest, second, cells), (EX.u, OWL.unionOf, first, others)]
    dataset.addN([*quads, (second, RDF.first, EX.b, others), (second, RDF.rest, RDF.nil, others)])
    assert len(store.explicit) == 405
    heard: list[object] = []
    store.subscribe(lambda *sides: heard.append(sides))

    dataset.remove((None, RDF.rest, RDF.nil, None))
    with pytest.raises(ListError):
        len(store)
    assert len(store.explicit) == 405
    dataset.remove((None, None, None, None))
    assert (len(store.explicit), len(heard)) == (0, 1)
