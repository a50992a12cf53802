"""rdflib's own tests of a Dataset over a store.

Adapted from test/test_dataset/test_dataset.py of rdflib 7.6.0, Copyright (c) 2002-2026, RDFLib Team, BSD 3-Clause
License (LICENSE-rdflib.txt beside this file). The stores are ours.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from rdflib import BNode, Namespace, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Dataset, Graph

from tests.rdflib_store.conftest import MakeStore

EX = Namespace("http://example.org/")
TAREK, LIKES, PIZZA = EX.tarek, EX.likes, EX.pizza
CONTEXT1 = URIRef("urn:example:context-1")


@pytest.fixture
def dataset(make_store: MakeStore, tmp_path: Path) -> Iterator[Dataset]:
    dataset = Dataset(store=make_store())
    dataset.open(str(tmp_path), create=True)
    yield dataset
    dataset.close()
    dataset.destroy(str(tmp_path))


def names(dataset: Dataset) -> set[URIRef | BNode]:
    return {graph.identifier for graph in dataset.graphs()}


def test_graph_aware(dataset: Dataset) -> None:
    g1 = dataset.graph(CONTEXT1)
    # added graph exists, and is empty
    assert names(dataset) == {CONTEXT1, DATASET_DEFAULT_GRAPH_ID}
    assert len(g1) == 0

    g1.add((TAREK, LIKES, PIZZA))
    # added graph still exists, and contains one triple
    assert names(dataset) == {CONTEXT1, DATASET_DEFAULT_GRAPH_ID}
    assert len(g1) == 1

    g1.remove((TAREK, LIKES, PIZZA))
    # added graph is empty, but still exists
    assert len(g1) == 0
    assert names(dataset) == {CONTEXT1, DATASET_DEFAULT_GRAPH_ID}

    dataset.remove_graph(CONTEXT1)
    # graph is gone
    assert names(dataset) == {DATASET_DEFAULT_GRAPH_ID}


def test_default_graph(dataset: Dataset) -> None:
    dataset.add((TAREK, LIKES, PIZZA))
    assert len(dataset) == 1
    # only default exists
    assert list(dataset.graphs()) == [dataset.default_graph]

    # removing default graph removes triples but not actual graph
    dataset.remove_graph(DATASET_DEFAULT_GRAPH_ID)
    assert len(dataset) == 0
    # default still exists
    assert list(dataset.graphs()) == [dataset.default_graph]


def test_not_union(dataset: Dataset) -> None:
    g1 = dataset.graph(CONTEXT1)
    g1.add((TAREK, LIKES, PIZZA))
    assert list(dataset.objects(TAREK, None)) == []
    assert list(g1.objects(TAREK, None)) == [PIZZA]


def test_iter(dataset: Dataset) -> None:
    """PR 1382: adds __iter__ to Dataset"""
    dataset.graph(EX.g1)
    dataset.add((EX.a, EX.b, EX.c, EX.g1))
    dataset.add((EX.a, EX.b, EX.c, EX.g1))  # pointless addition: duplicates above
    dataset.graph(EX.g2)
    dataset.add((EX.a, EX.b, EX.c, EX.g2))
    dataset.add((EX.a, EX.b, EX.d, EX.g1))

    expected = {(EX.a, EX.b, EX.c, EX.g1), (EX.a, EX.b, EX.c, EX.g2), (EX.a, EX.b, EX.d, EX.g1)}
    traditional = list(dataset.quads((None, None, None)))
    assert len(traditional) == len(list(dataset)) == 3
    assert set(traditional) == set(dataset) == expected


def test_graph_without_identifier(make_store: MakeStore) -> None:
    """Graphs with no identifiers assigned are identified by Skolem IRIs with a prefix that is bound to `genid`."""
    dataset = Dataset(store=make_store())
    manager = dataset.namespace_manager
    genid_prefix = URIRef("https://rdflib.github.io/.well-known/genid/rdflib/")
    assert "genid" not in dict(manager.namespaces())

    g1 = dataset.graph()
    g1.add((EX.subject, EX.predicate, EX.object))
    assert dict(manager.namespaces())["genid"] == genid_prefix
    assert f"{g1.identifier}".startswith(genid_prefix)

    # now add a preexisting graph with no identifier, i.e. not one created within this Dataset object
    g2 = Graph()
    g2.add((EX.subject, EX.predicate, EX.object))
    dataset.add_graph(g2)
    kinds = sorted(type(graph.identifier).__name__ for graph in dataset.graphs())
    assert kinds == ["BNode", "URIRef", "URIRef"]
    assert list(dataset.get_context(g2.identifier)) == list(g2)


def test_not_deprecated(make_store: MakeStore) -> None:
    """Ensure Dataset does not trigger the deprecation warning from the ConjunctiveGraph superclass."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Dataset(store=make_store())
