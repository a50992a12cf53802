"""A budget of seconds holds within one step of a storage scheme: catches closures that are made in one go."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from numpy.typing import NDArray
from rdflib import OWL, RDF, Graph, Namespace

from kgreason import ReasoningStore
from kgreason.checkpoints import heeding
from kgreason.columns.graphs import Nodes
from kgreason.engine import budget
from kgreason.engine.budget import Budget
from kgreason.engine.strata import copy_circles
from kgreason.engine.strata.definitions import Stratum
from kgreason.errors import BudgetError

EX = Namespace("http://example.org/")


def chain(length: int) -> Graph:
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.addN((EX[f"x{i}"], EX.next, EX[f"x{i + 1}"], graph) for i in range(length))
    len(graph)
    return graph


def limit(graph: Graph, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, the clock of maintenance advances by a second with each look."""
    ticks = count()
    monkeypatch.setattr(budget, "monotonic", lambda: next(ticks))
    graph.store.budget = Budget(seconds=seconds)


def test_long_closure_is_stopped_within_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    for length in (100, 20_000):
        graph = chain(length)
        size = len(graph)
        limit(graph, 10**9, monkeypatch)
        ticks = iter(count())
        monkeypatch.setattr(budget, "monotonic", lambda ticks=ticks: next(ticks))
        graph.add((EX.next, RDF.type, OWL.TransitiveProperty))
        assert (EX.x0, EX.next, EX[f"x{length}"]) in graph
        looks.append(next(ticks))
        assert len(graph) > size

    assert looks[1] > looks[0] + 20, "no look at the clock while a long chain is closed"


def test_change_that_is_stopped_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = chain(20_000)
    before = set(graph.triples((EX.x5, None, None)))
    limit(graph, 60, monkeypatch)

    graph.add((EX.next, RDF.type, OWL.TransitiveProperty))
    with pytest.raises(BudgetError, match="60 seconds"):
        len(graph)

    graph.store.budget = None
    assert set(graph.triples((EX.x5, None, None))) == before
    graph.store.knowledge_base._check()


RULES = """
@prefix ex: <http://example.org/> .
[?x, ?q, ?y] :- [?p, ex:sub, ?q], [?x, ?p, ?y] .
[?y, ?q, ?x] :- [?x, ?p, ?y], [?p, ex:up, ?q], [?y, ?q, ?z] .
"""


def test_circles_of_copies_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many properties of one stratum copy each other in a row, and other rules lead back."""
    searches: list[int] = []
    search = copy_circles.topological_components

    def counted(count: int, sources: Nodes, targets: Nodes) -> NDArray[np.int64]:
        searches.append(count)
        return search(count, sources, targets)

    monkeypatch.setattr(copy_circles, "topological_components", counted)
    length = 300
    graph = Graph(store=ReasoningStore(rules=RULES))
    for step in range(length):
        here, there = EX[f"p{step}"], EX[f"p{step + 1}"]
        graph.addN([(here, EX.sub, there, graph), (there, EX.up, here, graph)])
    graph.add((EX.a, EX.p0, EX.b))
    assert (EX.a, EX[f"p{length}"], EX.b) in graph
    assert max(searches) > length
    assert len(searches) < 10


def test_search_for_parts_looks_at_the_clock_between_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = Graph(store=ReasoningStore(rules="[?y, ?q, ?x] :- [?x, ?p, ?y], [?x, ?q, ?z] ."))
    for number in range(80):
        graph.add((EX[f"x{number}"], EX[f"p{number}"], EX.y))
    strata: list[Stratum] = []
    with monkeypatch.context() as patched:
        patched.setattr(Stratum, "parts", lambda stratum, _: iter(strata.append(stratum) or ()))
        len(graph)

    looks: list[int] = []
    [stratum] = strata
    with heeding(looks.append):
        assert not [*stratum.parts(set())]
    assert len(looks) >= 80 * 80 // 256
