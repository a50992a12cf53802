"""Rows and the garbage collector. A bug that this would catch: garbage that stays since rows were read, a collector
that a program had stopped and that runs again, or frozen objects that thaw."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from rdflib import Graph

from kgreason import ReasoningStore

SIZE = 3000
QUERY = "SELECT ?x ?y { ?x <urn:number> ?y }"


class Node:
    """One that refers to itself: only the collector finds it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(scope="module")
def graph() -> Graph:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(data="".join(f"<urn:x{i}> <urn:number> {i} .\n" for i in range(SIZE)), format="turtle")
    return graph


@pytest.fixture
def thawed() -> Iterator[None]:
    """Nothing is frozen, as in a program of a user."""
    gc.unfreeze()
    yield
    gc.freeze()


@pytest.mark.usefixtures("thawed")
def test_garbage_that_is_young_when_rows_are_read_goes(graph: Graph) -> None:
    kept = []
    for _ in range(20):
        garbage = weakref.ref(Node())
        kept.append(list(graph.query(QUERY)))

        assert garbage() is None
    assert {len(rows) for rows in kept} == {SIZE}


@pytest.mark.usefixtures("thawed")
def test_garbage_that_holds_rows_goes_with_the_next_collection(graph: Graph) -> None:
    holder = Node()
    holder.rows = list(graph.query(QUERY))  # type: ignore[attr-defined]
    seen = weakref.ref(holder)

    del holder
    gc.collect()

    assert seen() is None


def test_what_a_program_has_frozen_stays_frozen(graph: Graph) -> None:
    gc.freeze()
    before = gc.get_freeze_count()

    rows = list(graph.query(QUERY))

    assert len(rows) == SIZE
    # Objects that are frozen go as others do, when nothing refers to them any more.
    assert before - 100 < gc.get_freeze_count() <= before


@pytest.mark.usefixtures("thawed")
def test_a_collector_that_is_stopped_stays_stopped(graph: Graph) -> None:
    gc.disable()
    try:
        list(graph.query(QUERY))
        assert not gc.isenabled()
    finally:
        gc.enable()
