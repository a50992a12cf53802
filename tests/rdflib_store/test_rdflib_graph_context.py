"""rdflib's own tests of the graphs of a store.

Adapted from test/test_graph/test_graph_context.py of rdflib 7.6.0, Copyright (c) 2002-2026, RDFLib Team, BSD
3-Clause License (LICENSE-rdflib.txt beside this file). The stores are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import BNode, Dataset, Graph, URIRef

from tests.rdflib_store.conftest import MakeStore

MICHEL, TAREK, BOB = URIRef("michel"), URIRef("tarek"), URIRef("bob")
LIKES, HATES = URIRef("likes"), URIRef("hates")
PIZZA, CHEESE = URIRef("pizza"), URIRef("cheese")
C1, C2 = URIRef("context-1"), URIRef("context-2")
ANY = None

REVENGE = (PIZZA, HATES, TAREK)
STUFF = [
    (TAREK, LIKES, PIZZA),
    (TAREK, LIKES, CHEESE),
    (MICHEL, LIKES, PIZZA),
    (MICHEL, LIKES, CHEESE),
    (BOB, LIKES, CHEESE),
    (BOB, HATES, PIZZA),
    (BOB, HATES, MICHEL),  # gasp!
]


@pytest.fixture
def graph(make_store: MakeStore, tmp_path: Path) -> Iterator[Dataset]:
    graph = Dataset(store=make_store(), default_union=True)
    graph.open(str(tmp_path), create=True)
    # delete the graph for each test!
    graph.remove((None, None, None))
    yield graph
    graph.close()


def add_stuff(graph: Dataset) -> None:
    context = Graph(graph.store, C1)
    for triple in STUFF:
        context.add(triple)


def remove_stuff(graph: Dataset) -> None:
    context = Graph(graph.store, C1)
    for triple in STUFF:
        context.remove(triple)


def add_stuff_in_multiple_contexts(graph: Dataset) -> None:
    graph.add(REVENGE)
    Graph(graph.store, C1).add(REVENGE)
    Graph(graph.store, C2).add(REVENGE)


def test_conjunction(graph: Dataset) -> None:
    add_stuff_in_multiple_contexts(graph)
    context = Graph(graph.store, C1)
    context.add((PIZZA, LIKES, PIZZA))
    assert len(graph) == len(context) == 2


def test_add_and_remove(graph: Dataset) -> None:
    add_stuff(graph)
    assert len(graph) == len(STUFF)
    remove_stuff(graph)
    assert len(graph) == 0


def test_len_in_one_context(graph: Dataset) -> None:
    # make sure context is empty
    graph.remove_context(graph.get_context(C1))
    context = Graph(graph.store, C1)
    old_len = len(graph)
    for _ in range(10):
        context.add((BNode(), HATES, HATES))
    assert len(context) == old_len + 10
    assert len(graph.get_context(C1)) == old_len + 10
    graph.remove_context(graph.get_context(C1))
    assert len(graph) == old_len
    assert len(context) == 0


def test_len_in_multiple_contexts(graph: Dataset) -> None:
    old_len = len(graph)
    add_stuff_in_multiple_contexts(graph)
    # the same triple is added to three different contexts. So it's only + 1
    assert len(graph) == old_len + 1
    assert len(Graph(graph.store, C1)) == old_len + 1


def test_remove_in_multiple_contexts(graph: Dataset) -> None:
    add_stuff_in_multiple_contexts(graph)
    # triple should be still in store after removing it from c1 + c2
    assert REVENGE in graph
    Graph(graph.store, C1).remove(REVENGE)
    assert REVENGE in graph
    Graph(graph.store, C2).remove(REVENGE)
    assert REVENGE in graph
    graph.remove(REVENGE)
    # now gone!
    assert REVENGE not in graph

    # add again and see if remove without context removes all triples!
    add_stuff_in_multiple_contexts(graph)
    graph.remove(REVENGE)
    assert REVENGE not in graph


def test_contexts(graph: Dataset) -> None:
    add_stuff_in_multiple_contexts(graph)
    assert {C1, C2} <= {context.identifier for context in graph.graphs()}
    assert {C1, C2} <= {context.identifier for context in graph.graphs(REVENGE)}


def test_remove_context(graph: Dataset) -> None:
    add_stuff_in_multiple_contexts(graph)
    assert len(Graph(graph.store, C1)) == 1
    assert len(graph.get_context(C1)) == 1
    graph.remove_context(graph.get_context(C1))
    assert C1 not in {context.identifier for context in graph.graphs()}


def test_remove_any(graph: Dataset) -> None:
    add_stuff_in_multiple_contexts(graph)
    graph.remove((ANY, ANY, ANY))
    assert len(graph) == 0


def test_triples(graph: Dataset) -> None:
    add_stuff(graph)
    context = Graph(graph.store, C1)
    counts = [
        # unbound subjects
        ((ANY, LIKES, PIZZA), 2),
        ((ANY, HATES, PIZZA), 1),
        ((ANY, LIKES, CHEESE), 3),
        ((ANY, HATES, CHEESE), 0),
        # unbound objects
        ((MICHEL, LIKES, ANY), 2),
        ((TAREK, LIKES, ANY), 2),
        ((BOB, HATES, ANY), 2),
        ((BOB, LIKES, ANY), 1),
        # unbound predicates
        ((MICHEL, ANY, CHEESE), 1),
        ((TAREK, ANY, CHEESE), 1),
        ((BOB, ANY, PIZZA), 1),
        ((BOB, ANY, MICHEL), 1),
        # unbound subject, objects
        ((ANY, HATES, ANY), 2),
        ((ANY, LIKES, ANY), 5),
        # unbound predicates, objects
        ((MICHEL, ANY, ANY), 2),
        ((BOB, ANY, ANY), 3),
        ((TAREK, ANY, ANY), 2),
        # unbound subjects, predicates
        ((ANY, ANY, PIZZA), 3),
        ((ANY, ANY, CHEESE), 3),
        ((ANY, ANY, MICHEL), 1),
        # all unbound
        ((ANY, ANY, ANY), 7),
    ]
    for pattern, count in counts:
        # with context, and without context, same results!
        assert len(list(context.triples(pattern))) == count, pattern
        assert len(list(graph.triples(pattern))) == count, pattern

    # remove stuff and make sure the graph is empty again
    remove_stuff(graph)
    assert list(context.triples((ANY, ANY, ANY))) == []
    assert list(graph.triples((ANY, ANY, ANY))) == []


def test_access_by_parts(graph: Dataset) -> None:
    add_stuff(graph)
    for c in (graph, graph.get_context(C1)):
        # unbound subjects
        assert set(c.subjects(LIKES, PIZZA)) == {MICHEL, TAREK}
        assert set(c.subjects(HATES, PIZZA)) == {BOB}
        assert set(c.subjects(LIKES, CHEESE)) == {TAREK, BOB, MICHEL}
        assert set(c.subjects(HATES, CHEESE)) == set()
        # unbound objects
        assert set(c.objects(MICHEL, LIKES)) == {CHEESE, PIZZA}
        assert set(c.objects(TAREK, LIKES)) == {CHEESE, PIZZA}
        assert set(c.objects(BOB, HATES)) == {MICHEL, PIZZA}
        assert set(c.objects(BOB, LIKES)) == {CHEESE}
        # unbound predicates
        assert set(c.predicates(MICHEL, CHEESE)) == {LIKES}
        assert set(c.predicates(TAREK, CHEESE)) == {LIKES}
        assert set(c.predicates(BOB, PIZZA)) == {HATES}
        assert set(c.predicates(BOB, MICHEL)) == {HATES}

        assert set(c.subject_objects(HATES)) == {(BOB, PIZZA), (BOB, MICHEL)}
        assert set(c.subject_objects(LIKES)) == {(s, o) for s, p, o in STUFF if p == LIKES}
        assert set(c.predicate_objects(MICHEL)) == {(LIKES, CHEESE), (LIKES, PIZZA)}
        assert set(c.predicate_objects(BOB)) == {(LIKES, CHEESE), (HATES, PIZZA), (HATES, MICHEL)}
        assert set(c.predicate_objects(TAREK)) == {(LIKES, CHEESE), (LIKES, PIZZA)}
        assert set(c.subject_predicates(PIZZA)) == {(BOB, HATES), (TAREK, LIKES), (MICHEL, LIKES)}
        assert set(c.subject_predicates(CHEESE)) == {(BOB, LIKES), (TAREK, LIKES), (MICHEL, LIKES)}
        assert set(c.subject_predicates(MICHEL)) == {(BOB, HATES)}

        assert {row[0:3] for row in c} == set(STUFF)
