"""Pickles and copies of stores, graphs and datasets: the explicit quads travel, what follows follows again."""

from __future__ import annotations

import copy
import pickle

from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace
from rdflib.store import TripleAddedEvent

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")
RULE = f"<{EX.near}>(?y, ?x) :- <{EX.near}>(?x, ?y) ."


def filled() -> ReasoningStore:
    store = ReasoningStore()
    store.add_rules(RULE)
    dataset = Dataset(store=store)
    dataset.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    dataset.add((EX.tom, RDF.type, EX.Cat, EX.facts))
    dataset.add((EX.tom, EX.near, BNode("here"), EX.facts))
    dataset.add((EX.tom, RDFS.label, Literal("Tom", lang="en-GB"), EX.facts))
    dataset.add((EX.tom, EX.age, Literal(7), BNode("graph")))
    dataset.graph(EX.empty)
    dataset.bind("ex", EX)
    return store


def test_rule_that_was_added_twice_is_still_there_twice() -> None:
    store = filled()
    store.add_rules(RULE)
    again = pickle.loads(pickle.dumps(store))
    assert again.knowledge_base.rules == store.knowledge_base.rules
    again.remove_rules(RULE)
    assert set(again.inferred) == set(store.inferred)


def test_store_comes_back_whole() -> None:
    store = filled()
    again = pickle.loads(pickle.dumps(store))
    assert set(Dataset(store=again)) == set(Dataset(store=store))
    assert set(again.inferred) == set(store.inferred) != set()
    assert {g.identifier for g in again.contexts()} == {g.identifier for g in store.contexts()}
    assert dict(again.namespaces()) == dict(store.namespaces())
    [label] = Graph(store=again, identifier=EX.facts).objects(EX.tom, RDFS.label)
    assert label.language == "en-GB"


def test_store_that_came_back_goes_on_reasoning() -> None:
    again = pickle.loads(pickle.dumps(filled()))
    graph = Graph(store=again)
    graph.add((EX.felix, RDF.type, EX.Cat))
    assert (EX.felix, RDF.type, EX.Animal) in graph
    again.remove_rules(RULE)
    assert (BNode("here"), EX.near, EX.tom) not in graph
    assert (EX.felix, RDF.type, EX.Animal) in graph


def test_graph_and_dataset() -> None:
    graph = Graph(store=ReasoningStore())
    graph.add((EX.Cat, RDFS.subClassOf, EX.Animal))
    graph.add((EX.tom, RDF.type, EX.Cat))
    again = pickle.loads(pickle.dumps(graph))
    assert again.identifier == graph.identifier
    assert set(again) == set(graph)
    assert len(again) == 3
    dataset = Dataset(store=filled())
    other = pickle.loads(pickle.dumps(dataset))
    assert set(other) == set(dataset)


def test_pickle_leaves_subscribers_and_inferred_triples_out() -> None:
    store = filled()
    store.dispatcher.subscribe(TripleAddedEvent, lambda event: None)
    text = pickle.dumps(store)
    again = pickle.loads(text)
    assert not again.dispatcher.get_map()
    assert len(again.explicit) == len(store.explicit) == 5


def test_deep_copy_is_independent() -> None:
    store = filled()
    twin = copy.deepcopy(store)
    Graph(store=twin).remove((EX.Cat, None, None))
    assert (EX.tom, RDF.type, EX.Animal) in Graph(store=store)
    assert (EX.tom, RDF.type, EX.Animal) not in Graph(store=twin)


def test_empty_store() -> None:
    again = pickle.loads(pickle.dumps(ReasoningStore(rules="none")))
    assert len(again) == 0
    assert list(again.contexts()) == []
    Graph(store=again).add((EX.Cat, RDFS.subClassOf, EX.Animal))
    assert len(again) == 1
