"""A change that takes much of a stratum away, or brings much to it: the stratum is remade, and what came and went is
told as before.

Would catch a fact that survives because the emptied stratum was derived from what had been overdeleted already, and a
net change that names facts which came back.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Namespace, URIRef

from kgreason import ReasoningStore
from kgreason.relations.table_difference import LossTable
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


SAME_GENERATION = """
    @prefix e: <http://example.org/> .
    e:same(?x, ?y) :- e:up(?x, ?p), e:up(?y, ?p) .
    e:same(?x, ?y) :- e:up(?x, ?a), e:same(?a, ?b), e:up(?y, ?b) .
"""
UNREAD = {"the change is read by none": "", "a rule reads it": "e:near(?x) :- e:same(?x, ?y), ?x != ?y ."}


@pytest.mark.parametrize("more", UNREAD.values(), ids=UNREAD)
def test_loss_of_a_remade_relation_is_looked_for_where_something_reads_it(
    monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    """Would catch a loss that is found though nothing reads it, and one that listeners or rules hear of wrongly."""
    up = {(node, (node - 1) // 2) for node in range(1, 11)}
    store = ReasoningStore(rules=SAME_GENERATION + more)
    graph = Graph(store=store)
    graph.addN((*triple, graph) for triple in triples({E.up: up}))
    before = {*graph}
    read: list[object] = []
    chunks = LossTable.chunks
    monkeypatch.setattr(LossTable, "chunks", lambda table: read.append(table) or chunks(table))
    removed: list[set] = []

    with replaced_constants(REMADE_LEAST=1, REMADE_SHARE=1_000, UNREAD_LOSS=1):
        graph.remove((E.n1, E.up, E.n0))
        gone = before - {*graph}
        assert (E.n1, E.same, E.n2) in gone
        assert not read
        graph.add((E.n1, E.up, E.n0))
        cancel = store.subscribe(lambda came, went: removed.append({*went}))
        graph.remove((E.n1, E.up, E.n0))
        assert {*graph} == before - gone
    cancel()
    assert removed == [gone]
    assert bool(read) == (not more)


@given(st.sets(EDGES, min_size=4, max_size=10), st.lists(EDGES, min_size=1, max_size=5), st.sampled_from([*UNREAD]))
@settings(max_examples=examples(80))
def test_listeners_hear_what_remade_relations_lose(up: set[Pair], toggled: list[Pair], more: str) -> None:
    """Would catch a relation that is taken to have lost alone, and has gained with the same change."""
    store = ReasoningStore(rules=SAME_GENERATION + UNREAD[more])
    graph = Graph(store=store)
    graph.addN((*triple, graph) for triple in triples({E.up: up}))
    told = {*graph}

    def listen(added: Graph, removed: Graph) -> None:
        nonlocal told
        assert {*removed} <= told
        assert not {*added} & told
        told = (told - {*removed}) | {*added}

    store.subscribe(listen)
    with replaced_constants(REMADE_LEAST=1, REMADE_JOINED=1, REMADE_SHARE=1_000, UNREAD_LOSS=1):
        for first, second in zip(toggled, toggled[1:] + toggled[:1], strict=True):
            for edge in {first, second}:
                (fact,) = triples({E.up: {edge}})
                (graph.remove if edge in up else graph.add)(fact)
                up = up ^ {edge}
            expected = triples({E.up: up, E.same: closure(up)[E.same]})
            assert {triple for triple in graph if triple[1] != RDF.type} == expected
            assert told == {*graph}
