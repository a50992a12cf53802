"""What the store keeps for the next reader: the graph that was asked last, its triples, ids and terms. What is kept too
long would show a term that was taken back, or an older state."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.term import Node

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.thresholds import Tuned, shrink, tuning_context

EX = Namespace("http://example.org/")
Triple = tuple[Node, Node, Node]

SUBJECTS: list[Node] = [EX.a, EX.b, BNode("x")]
PREDICATES: list[Node] = [EX.p, EX.q, RDF.type]
OBJECTS: list[Node] = [EX.a, EX.b, Literal("v"), Literal("v", lang="en"), Literal(1)]
triples = st.tuples(*map(st.sampled_from, (SUBJECTS, PREDICATES, OBJECTS)))


def patterns(triple: Triple) -> list[tuple[Node | None, ...]]:
    return [*product(*((None, term) for term in triple))]


def check(graph: Graph, expected: set[Triple], asked: Triple) -> None:
    """All single calls of rdflib give what they should."""
    assert len(graph) == len(expected)
    assert (asked in graph) == (asked in expected)
    for pattern in patterns(asked):
        found = list(graph.triples(pattern))
        wanted = {t for t in expected if all(p is None or p == term for p, term in zip(pattern, t, strict=True))}
        assert len(found) == len(wanted)
        assert {*found} == wanted
    subject, predicate, object = asked
    values = {t[2] for t in expected if t[:2] == (subject, predicate)}
    assert graph.value(subject, predicate) in (values or {None})
    assert {*graph.subjects(predicate, object)} == {t[0] for t in expected if t[1:] == (predicate, object)}


steps = st.lists(st.tuples(st.sampled_from(("add", "remove", "ask")), st.booleans(), triples), max_size=12)


@settings(max_examples=examples(60))
@given(steps, st.booleans())
def test_single_calls_follow_changes_of_a_graph_and_its_branch(
    changes: list[tuple[str, bool, Triple]], small: bool
) -> None:
    with tuning_context() as tuned:
        if small:
            shrink(tuned)
        store = ReasoningStore(rules="none")
        first: Triple = (EX.a, EX.p, EX.b)
        graphs, sets = [Graph(store=store)], [{first}]
        graphs[0].add(first)
        branch = store.branch()
        graphs.append(Graph(store=branch))
        sets.append({first})
        for kind, on_branch, triple in changes:
            graph, expected = graphs[on_branch], sets[on_branch]
            if kind == "add":
                graph.add(triple)
                expected.add(triple)
            elif kind == "remove":
                graph.remove(triple)
                expected.discard(triple)
            else:
                check(graph, expected, triple)
        for graph, expected in zip(graphs, sets, strict=True):
            check(graph, expected, first)


def test_graphs_that_are_asked_in_turns_show_their_own_triples() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    graphs = [dataset.graph(EX[f"g{number}"]) for number in range(3)]
    for number, graph in enumerate(graphs):
        graph.add((EX.a, EX.p, Literal(number)))

    for _ in range(2):
        for number, graph in enumerate(graphs):
            assert graph.value(EX.a, EX.p) == Literal(number)
            assert len(graph) == 1
    assert len(dataset) == 3


def test_a_graph_becomes_a_named_one_when_a_dataset_has_its_name() -> None:
    store = ReasoningStore(rules="[?y, <http://example.org/q>, ?x] :- [?x, <http://example.org/p>, ?y] .")
    graph = Graph(store=store, identifier=EX.g)
    graph.add((EX.a, EX.p, EX.b))
    assert len(graph) == 2  # its own, and what follows

    Dataset(store=store).graph(EX.g)

    assert len(graph) == 1


def test_an_unknown_term_is_found_once_it_is_there() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((EX.a, EX.p, EX.b))
    triple = (EX.new, EX.p, EX.b)
    assert triple not in graph
    assert triple not in graph

    graph.add((EX.other, EX.p, EX.b))
    assert triple not in graph
    graph.add(triple)

    assert triple in graph


def test_a_term_whose_id_goes_to_another_one_is_not_shown(tmp_path: Path) -> None:
    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    graph.open(str(tmp_path / "store"), create=True)
    graph.add((EX.a, EX.p, EX.b))
    graph.commit()

    for name in ("first", "second", "third"):
        term, text = EX[name], Literal(name)
        graph.add((term, EX.p, text))
        assert graph.value(term, EX.p) == text
        assert [*graph.triples((None, None, text))] == [(term, EX.p, text)]
        graph.rollback()
        assert graph.value(term, EX.p) is None
        assert not list(graph.triples((None, None, text)))
    assert {*graph} == {(EX.a, EX.p, EX.b)}
    graph.close()


def test_terms_are_kept_up_to_a_bound(tuned: Tuned) -> None:
    tuned(KEPT_TERMS=8, KEPT_ROWS=0)  # no answers
    graph = Graph(store=ReasoningStore(rules="none"))
    for number in range(20):
        graph.add((EX.a, EX.p, Literal(number)))
    pattern = (None, None, Literal(1))

    first, second = (next(graph.triples(pattern))[0] for _ in range(2))
    assert len(list(graph)) == 20
    third = next(graph.triples(pattern))[0]

    assert first is second
    assert first == third
    assert first is not third


@pytest.mark.parametrize("bound", [4, 64])
def test_ids_that_were_looked_up_take_bounded_memory(tuned: Tuned, bound: int) -> None:
    tuned(RECENT_KEYS=bound)
    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    graph.add((EX.a, EX.p, EX.b))
    assert len(graph) == 1
    before = store.knowledge_base.dictionary.memory()

    for number in range(1000):
        assert (URIRef(f"http://example.org/{number}"), EX.p, EX.b) not in graph

    assert store.knowledge_base.dictionary.memory() < before + 1000 * bound
