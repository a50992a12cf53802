"""Rows and the garbage collector. A bug that this would catch: garbage that stays since rows were read, a collector
that a program had stopped and that runs again, frozen objects that thaw, or that are counted for each answer."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason_rdflib.sparql import row_collection
from kgreason_rdflib.sparql.row_collection import FrozenObjects

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


@pytest.fixture(autouse=True)
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frozen objects have not been counted before."""
    monkeypatch.setattr(row_collection, "FROZEN", FrozenObjects())


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


def test_what_a_program_has_frozen_is_counted_once_for_as_many_rows(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects = [[number] for number in range(20 * SIZE)]
    gc.freeze()
    counted, count = [], gc.get_freeze_count
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counted.append(count()) or counted[-1])

    read = sum(len(list(graph.query(QUERY))) for _ in range(10))

    assert read == 10 * SIZE
    assert len(counted) == 1
    assert counted[0] >= len(objects)


def test_frozen_objects_are_counted_again_after_as_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = iter([5000, 0, 0, 10])
    monkeypatch.setattr(gc, "get_freeze_count", lambda: next(counts))
    frozen = FrozenObjects()

    assert [frozen.are_there(2500) for _ in range(7)] == [True, True, True, False, False, True, True]


@pytest.mark.usefixtures("thawed")
def test_a_collector_that_is_stopped_stays_stopped(graph: Graph) -> None:
    gc.disable()
    try:
        list(graph.query(QUERY))
        assert not gc.isenabled()
    finally:
        gc.enable()
