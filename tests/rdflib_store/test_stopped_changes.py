"""Ctrl-C at any moment of a change by way of rdflib: would catch one that is left half made, or that takes terms away
which are in use."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from rdflib import RDFS, Graph, Literal, URIRef

from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError
from kgreason_rdflib import ReasoningStore
from tests.interrupts import Interruption
from tests.profiles import IS_THOROUGH

SOME, LAST = (1000, 300) if IS_THOROUGH else (20, 40)
EX = "http://example.org/"
PREFIX = f"PREFIX e: <{EX}> "
STEPS = "INSERT DATA { e:y e:p e:new1 } ; DELETE DATA { e:a e:q e:b } ; INSERT DATA { GRAPH e:g { e:z e:p e:new2 } }"


def ex(name: str) -> URIRef:
    return URIRef(EX + name)


def removed(graph: Graph, _: ReasoningStore) -> None:
    graph.remove((None, ex("q"), None))


def updated(graph: Graph, _: ReasoningStore) -> None:
    graph.update(PREFIX + STEPS)


def replaced(graph: Graph, _: ReasoningStore) -> None:
    graph.update(PREFIX + "DELETE { ?a e:q ?b } INSERT { ?b e:new ?a } WHERE { ?a e:q ?b }")


def committed(graph: Graph, store: ReasoningStore) -> None:
    graph.add((ex("new1"), ex("q"), ex("new2")))
    store.commit()


Change = Callable[[Graph, ReasoningStore], None]
CHANGES: dict[str, Change] = {"removed": removed, "updated": updated, "replaced": replaced}


def begun(path: Path | None = None) -> tuple[Graph, ReasoningStore]:
    """A store with a commit where it has a path, and with a change after it that an overlay shows."""
    store = ReasoningStore(rules="rdfs")
    if path is not None:
        store.open(str(path), create=True)
    graph = Graph(store=store)
    graph.add((ex("q"), RDFS.subPropertyOf, ex("r")))
    for number, name in enumerate("abcde"):
        graph.add((ex(name), ex("q"), ex("b")))
        graph.add((ex(name), ex("v"), Literal(number)))
    store.commit()
    graph.add((ex("a"), ex("q"), ex("later")))
    assert (ex("a"), ex("q"), ex("later")) in graph
    list(graph.namespaces())  # which takes a lock that a profiler may stop from being given back
    return graph, store


def moments(change: Change, graph: Graph, store: ReasoningStore) -> list[int]:
    """Moments of a change: the last ones, when it is taken over, and some before."""
    counted = Interruption(KeyboardInterrupt)
    with counted.while_running():
        change(graph, store)
    return [*range(0, counted.moments, counted.moments // SOME or 1), *range(counted.moments - LAST, counted.moments)]


def stop(change: Change, moment: int, graph: Graph, store: ReasoningStore) -> None:
    """Stop a change at a moment, unless it has ended by then."""
    with suppress(KeyboardInterrupt), Interruption(KeyboardInterrupt, moment).while_running():
        change(graph, store)


def held(graph: Graph, store: ReasoningStore) -> tuple[frozenset[object], frozenset[object]]:
    """What is explicit, and all that is shown."""
    return frozenset(store.explicit), frozenset(graph)


@pytest.mark.parametrize("name", CHANGES)
def test_change_that_is_stopped_is_made_or_not(name: str) -> None:
    change, first = CHANGES[name], begun()
    before = held(*first)
    change(*first)
    after = held(*first)
    assert before != after

    for moment in moments(change, *begun()):
        graph, store = begun()

        stop(change, moment, graph, store)

        assert held(graph, store) in (before, after), moment
        store.knowledge_base._check()
        change(graph, store)
        assert held(graph, store) == after, moment


def test_terms_of_a_commit_that_is_stopped_outlive_changes_that_fail(tmp_path: Path) -> None:
    committed(*begun(tmp_path / "first"))

    for moment in moments(committed, *begun(tmp_path / "counted")):
        graph, store = begun(tmp_path / f"{moment}")

        stop(committed, moment, graph, store)

        store.budget = Budget(seconds=0.0)
        graph.add((ex("another"), ex("q"), ex("other")))
        with pytest.raises(BudgetError):
            len(graph)
        store.knowledge_base._check()
        assert len(held(graph, store)[0]) in (11, 12, 13), moment
        store.rollback()
        store.knowledge_base._check()
        shown = held(graph, store)[0]
        store.close()
        with ReasoningStore() as again:
            again.open(str(tmp_path / f"{moment}"))
            assert frozenset(again.explicit) == shown, moment
