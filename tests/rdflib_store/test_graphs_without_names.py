"""Would catch: a graph with a blank node for its name that is taken for the default graph, or a default graph that a
ConjunctiveGraph lists under a name that it does not have, so that its serializers make a named graph of it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from rdflib import BNode, ConjunctiveGraph, Dataset, Graph, Namespace
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

from kgreason import ReasoningStore

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning")]  # of ConjunctiveGraph
EX = Namespace("http://example.org/")
TRIG = "@prefix : <http://example.org/> . :a :p :b . _:g { :c :p :d } _:h { :e :p :f } :i { :g :p :h }"
FACT = (EX.a, EX.p, EX.b)


def plain() -> ReasoningStore:
    return ReasoningStore(rules="none")


def sizes(dataset: ConjunctiveGraph) -> list[tuple[str, int]]:
    """The graphs that are listed, and how many triples each has."""
    kinds = {DATASET_DEFAULT_GRAPH_ID: "default", EX.i: "i", dataset._default_context.identifier: "default"}
    return sorted((kinds.get(graph.identifier, "blank"), len(graph)) for graph in dataset.contexts())


@pytest.mark.parametrize("kind", [Dataset, ConjunctiveGraph])
def test_graphs_that_trig_names_by_blank_nodes_are_graphs_of_their_own(kind: Callable[..., ConjunctiveGraph]) -> None:
    dataset = kind(store=plain()).parse(data=TRIG, format="trig")

    assert sizes(dataset) == sizes(kind().parse(data=TRIG, format="trig"))
    assert sizes(dataset) == [("blank", 1), ("blank", 1), ("default", 1), ("i", 1)]
    assert len(list(dataset.quads((None, None, None, None)))) == 4


def test_blank_node_that_was_chosen_is_a_name() -> None:
    store = plain()
    chosen, nameless = Graph(store, BNode("g")), Graph(store)
    chosen.add(FACT)

    assert len(nameless) == 0
    assert set(Graph(store, BNode("g"))) == {FACT}
    assert {g.identifier for g in Dataset(store=store).graphs()} == {DATASET_DEFAULT_GRAPH_ID, BNode("g")}
    nameless.add((EX.c, EX.p, EX.d))
    assert set(Graph(store)) == set(nameless) == {(EX.c, EX.p, EX.d)}


def test_conjunctive_graph_lists_its_own_default_graph() -> None:
    graph = ConjunctiveGraph(store=plain())
    graph.add(FACT)
    graph.get_context(EX.i).add((EX.c, EX.p, EX.d))

    default = graph.default_context
    assert {context.identifier for context in graph.contexts()} == {default.identifier, EX.i}
    assert {context.identifier for context in graph.contexts(FACT)} == {default.identifier}
    assert {context.identifier for *_, context in graph.quads((EX.a, None, None))} == {default.identifier}
    assert set(next(c for c in graph.contexts() if c.identifier == default.identifier)) == {FACT}


def test_conjunctive_graph_is_written_with_its_default_graph_unnamed() -> None:
    graph = ConjunctiveGraph(store=plain())
    graph.add(FACT)

    assert DATASET_DEFAULT_GRAPH_ID not in graph.serialize(format="trig")
    assert json.loads(graph.serialize(format="json-ld"))[0]["@id"] == str(EX.a)
