"""Random changes through every kind of graph, against a model in plain sets under one symmetric relation.

After each step (or after several, so that batches are maintained together) every graph must show what the model
says: by iteration, patterns, len, membership, and in the lists of graphs and quads.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.term import Node

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.thresholds import replaced_constants

EX = Namespace("http://example.org/")
RULE = f"<{EX.near}>(?y, ?x) :- <{EX.near}>(?x, ?y) ."
NODES = [EX.a, EX.b, EX.c]
PREDICATES = [EX.near, EX.far]
OBJECTS = [*NODES, Literal("a")]
NAMES = [EX.g, EX.h, BNode("n")]
DEFAULT = DATASET_DEFAULT_GRAPH_ID

Triple = tuple[Node, Node, Node]

TRIPLES = st.tuples(st.sampled_from(NODES), st.sampled_from(PREDICATES), st.sampled_from(OBJECTS))
PATTERNS = st.tuples(
    st.sampled_from([None, *NODES]), st.sampled_from([None, *PREDICATES]), st.sampled_from([None, *OBJECTS])
)
Patterns = Sequence[tuple[Node | None, ...]]
ALL_PATTERNS: Patterns = list(product([None, *NODES], [None, *PREDICATES], [None, *OBJECTS]))
GRAPHS = st.sampled_from([DEFAULT, *NAMES])
CHANGES = st.one_of(
    st.tuples(st.just("add"), GRAPHS, TRIPLES),
    st.tuples(st.just("add to the unnamed graph"), st.none(), TRIPLES),
    st.tuples(st.just("add many"), st.none(), st.lists(st.tuples(TRIPLES, GRAPHS), max_size=5)),
    st.tuples(st.just("remove"), GRAPHS, PATTERNS),
    st.tuples(st.just("remove from all"), st.none(), PATTERNS),
    st.tuples(st.just("add graph"), st.sampled_from(NAMES), st.none()),
    st.tuples(st.just("remove graph"), GRAPHS, st.none()),
    st.tuples(st.just("look"), st.none(), st.none()),
)


class Model:
    """Quads and names of graphs, and what the rule makes of them."""

    def __init__(self, has_rule: bool = True) -> None:
        self.has_rule = has_rule
        self.quads: set[tuple[Triple, Node]] = set()
        self.names: set[Node] = set()

    def explicit(self, graph: Node | None = None) -> set[Triple]:
        return {triple for triple, name in self.quads if graph in (None, name)}

    def inferred(self) -> set[Triple]:
        if not self.has_rule:
            return set()
        turned = {(o, p, s) for s, p, o in self.explicit() if p == EX.near and isinstance(o, URIRef)}
        return turned - self.explicit()

    def apply(self, change: str, graph: Any, detail: Any) -> None:
        match change:
            case "add":
                self.quads.add((detail, graph))
                self.names.add(graph)
            case "add to the unnamed graph":
                self.quads.add((detail, DEFAULT))
            case "add many":
                self.quads.update(detail)
                self.names.update(name for _, name in detail)
            case "remove" | "remove from all":
                self.quads = {
                    (triple, name)
                    for triple, name in self.quads
                    if graph not in (None, name) or not matches(detail, triple)
                }
            case "add graph":
                self.names.add(graph)
            case "remove graph":
                self.quads = {(triple, name) for triple, name in self.quads if name != graph}
                self.names.discard(graph)


def apply(store: ReasoningStore, change: str, graph: Any, detail: Any) -> None:
    dataset = Dataset(store=store)
    match change:
        case "add":
            dataset.add((*detail, graph))
        case "add to the unnamed graph":
            Graph(store=store).add(detail)
        case "add many":
            dataset.addN((*triple, dataset.get_context(name)) for triple, name in detail)
        case "remove":
            dataset.remove((*detail, graph))
        case "remove from all":
            dataset.remove(detail)
        case "add graph":
            dataset.graph(graph)
        case "remove graph":
            dataset.remove_graph(graph)


def matches(pattern: tuple[Node | None, ...], triple: Triple) -> bool:
    return all(part in (None, term) for part, term in zip(pattern, triple, strict=True))


def check(store: ReasoningStore, model: Model) -> None:
    check_graphs(store, model)
    inferred, dataset = model.inferred(), Dataset(store=store)
    everything = model.explicit() | inferred
    assert sorted(Dataset(store=store, default_union=True).triples((None, None, None))) == sorted(everything)
    assert len(store) == len(everything)
    assert set(dataset.quads()) == {(*t, g) for t, g in model.quads} | {(*t, DEFAULT) for t in inferred}
    assert {g.identifier for g in dataset.graphs()} == model.names | {name for _, name in model.quads} | {DEFAULT}
    for triple in product(NODES, PREDICATES, OBJECTS):
        names = {name for known, name in model.quads if known == triple}
        expected = names or ({DEFAULT} if triple in inferred else set())
        assert {g.identifier for g in store.contexts(triple)} == expected


def check_graphs(store: ReasoningStore, model: Model, patterns: Patterns = ALL_PATTERNS) -> None:
    """Read each graph, by patterns alone: nothing is maintained for that unless a rule concerns it."""
    explicit, inferred, dataset = model.explicit(), model.inferred(), Dataset(store=store)
    default = model.explicit(DEFAULT) | inferred
    check_graph(Graph(store=store), default, patterns)
    check_graph(dataset.default_graph, default, patterns)
    check_graph(Graph(store=store, identifier=EX.of_its_own), inferred, patterns)
    check_graph(store.explicit, explicit, patterns)
    check_graph(store.inferred, inferred, patterns)
    for name in NAMES:
        check_graph(dataset.get_context(name), model.explicit(name), patterns)
    check_graph(Dataset(store=store, default_union=True), explicit | inferred, patterns)


def check_graph(graph: Graph, expected: set[Triple], patterns: Patterns) -> None:
    assert len(graph) == len(expected)
    for pattern in patterns:
        matching = sorted(triple for triple in expected if matches(pattern, triple))
        assert sorted(graph.triples(pattern)) == matching
        assert (pattern in graph) == bool(matching)


@settings(max_examples=examples(100))
@given(st.lists(CHANGES, max_size=12))
def test_every_graph_shows_what_the_model_says(changes: list[tuple[str, Any, Any]]) -> None:
    store, model = ReasoningStore(rules=RULE), Model()
    for change in changes:
        apply(store, *change)
        model.apply(*change)
        if change[0] == "look":
            check(store, model)
    check(store, model)


@pytest.mark.parametrize("rules", ["none", RULE])
@settings(max_examples=examples(50))
@given(changes=st.lists(CHANGES, max_size=12), patterns=st.lists(PATTERNS, max_size=5), most=st.integers(1, 6))
def test_reads_after_each_change_show_what_the_model_says(
    rules: str, changes: list[Any], patterns: Patterns, most: int
) -> None:
    store, model = ReasoningStore(rules=rules), Model(has_rule=rules == RULE)
    with replaced_constants(OVERLAID_CHANGES=most):
        for change in changes:
            apply(store, *change)
            model.apply(*change)
            check_graphs(store, model, patterns)
        check(store, model)


def test_changes_wait_while_programs_read_if_no_rule_concerns_them() -> None:
    graph = Graph(store=ReasoningStore(rules=RULE))
    graph.add((EX.a, EX.near, EX.b))
    graph.add((EX.a, EX.far, EX.b))
    len(graph)
    state = graph.store.knowledge_base.state

    graph.add((EX.b, EX.far, EX.c))
    graph.remove((EX.a, EX.far, EX.b))
    read = set(graph)
    rows = iter(graph)
    first = next(rows)
    graph.add((EX.c, EX.far, EX.a))

    assert read == {(EX.a, EX.near, EX.b), (EX.b, EX.near, EX.a), (EX.b, EX.far, EX.c)}
    assert {first, *rows} == read
    assert graph.store.knowledge_base.state is state
    graph.add((EX.c, EX.near, EX.b))
    assert len(graph) == 6
    assert graph.store.knowledge_base.state is not state
