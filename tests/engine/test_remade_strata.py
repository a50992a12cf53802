"""A change that takes much of a stratum away, or brings much to it: the stratum is remade, and what came and went is
told as before.

Would catch a fact that survives because the emptied stratum was derived from what had been overdeleted already, and a
net change that names facts which came back.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph, Namespace, URIRef

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.thresholds import replaced_constants

E = Namespace("http://example.org/")
RULES = """
    @prefix e: <http://example.org/> .
    e:same(?x, ?y) :- e:up(?x, ?p), e:up(?y, ?p) .
    e:same(?x, ?y) :- e:up(?x, ?a), e:same(?a, ?b), e:up(?y, ?b) .
    e:reach(?x, ?y) :- e:up(?x, ?y) .
    e:reach(?x, ?z) :- e:reach(?x, ?y), e:reach(?y, ?z) .
    e:reach(?x, ?y) :- e:alike(?x, ?y) .
    e:alike(?x, ?y) :- e:reach(?x, ?z), e:reach(?y, ?z), e:same(?x, ?y) .
"""
Pair = tuple[int, int]


def closure(up: set[Pair]) -> dict[URIRef, set[Pair]]:
    """The three relations by their rules, read one by one until nothing is new."""
    same, reach, alike = set[Pair](), set[Pair](), set[Pair]()
    while True:
        before = len(same), len(reach), len(alike)
        same |= {(x, y) for x, p in up for y, q in up if p == q or (p, q) in same}
        reach |= up | alike
        reach |= {(x, z) for x, y in reach for v, z in reach if v == y}
        alike |= {(x, y) for x, z in reach for y, w in reach if z == w and (x, y) in same}
        if before == (len(same), len(reach), len(alike)):
            return {E.same: same, E.reach: reach, E.alike: alike}


def triples(relations: dict[URIRef, set[Pair]]) -> set[tuple[URIRef, URIRef, URIRef]]:
    return {(E[f"n{x}"], name, E[f"n{y}"]) for name, facts in relations.items() for x, y in facts}


@pytest.mark.parametrize("share", [1, 1_000])
def test_edges_that_many_facts_rest_on_come_and_go(share: int) -> None:
    up = {(node, (node - 1) // 2) for node in range(1, 11)}
    store = ReasoningStore(rules=RULES)
    graph = Graph(store=store)
    changes: list[tuple[set, set]] = []
    graph.addN((*triple, graph) for triple in triples({E.up: up}))
    assert {*graph} == triples({E.up: up, **closure(up)})
    store.subscribe(lambda added, removed: changes.append(({*added}, {*removed})))

    with replaced_constants(REMADE_LEAST=1, REMADE_SHARE=share):
        for edge in [(1, 0), (2, 0), (4, 1)]:
            whole = triples({E.up: up, **closure(up)})
            less = triples({E.up: up - {edge}, **closure(up - {edge})})
            for change, expected in ((graph.remove, less), (graph.add, whole)):
                before = {*graph}
                change((E[f"n{edge[0]}"], E.up, E[f"n{edge[1]}"]))
                assert {*graph} == expected
                assert changes.pop() == (expected - before, before - expected)


EDGES = st.tuples(st.integers(0, 5), st.integers(0, 5))


@given(st.sets(EDGES, min_size=4, max_size=10), st.lists(EDGES, min_size=1, max_size=4), st.sampled_from([1, 1_000]))
@settings(max_examples=examples(160))
def test_any_edges_come_and_go(up: set[Pair], toggled: list[Pair], share: int) -> None:
    """Would catch a closure that the pass which was dropped had of other edges."""
    graph = Graph(store=ReasoningStore(rules=RULES))
    graph.addN((*triple, graph) for triple in triples({E.up: up}))
    assert {*graph} == triples({E.up: up, **closure(up)})
    small = {"REMADE_LEAST": 1, "REMADE_JOINED": 1, "REMADE_READ": 0, "DOUBTFUL_LEAST": 0}
    with replaced_constants(**small, REMADE_SHARE=share, REMADE_SHOWN=share):
        for edge in toggled:
            (fact,) = triples({E.up: {edge}})
            (graph.remove if edge in up else graph.add)(fact)
            up = up ^ {edge}
            assert {*graph} == triples({E.up: up, **closure(up)})
