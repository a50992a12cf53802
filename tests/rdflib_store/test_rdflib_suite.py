"""What rdflib's own tests ask of every registered store, for the registered name ``kgreason``.

After rdflib 7.6 (BSD-3-Clause): test_graph/test_graph.py, test_graph/test_graph_context.py and
test_dataset/test_dataset.py, with their data, for the store alone. Reasoning is on, as the name gives it.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from rdflib import BNode, Dataset, Graph, Namespace, URIRef
from rdflib.exceptions import ParserError
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID

EG = Namespace("http://example.org/#")
TAREK, MICHEL, BOB = EG.tarek, EG.michel, EG.bob
LIKES, HATES = EG.likes, EG.hates
PIZZA, CHEESE = EG.pizza, EG.cheese
C1, C2 = URIRef("urn:context-1"), URIRef("urn:context-2")
STUFF = [
    (TAREK, LIKES, PIZZA),
    (TAREK, LIKES, CHEESE),
    (MICHEL, LIKES, PIZZA),
    (MICHEL, LIKES, CHEESE),
    (BOB, LIKES, CHEESE),
    (BOB, HATES, PIZZA),
    (BOB, HATES, MICHEL),
]
REVENGE = (PIZZA, HATES, TAREK)


def new_graph(path: Path) -> Graph:
    graph = Graph(store="kgreason")
    path.mkdir(exist_ok=True)
    graph.open(str(path), create=True)
    return graph


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    return new_graph(tmp_path / "one")


@pytest.fixture
def other(tmp_path: Path) -> Graph:
    return new_graph(tmp_path / "two")


def fill(graph: Graph) -> None:
    for triple in STUFF:
        graph.add(triple)


def empty(graph: Graph) -> None:
    for triple in STUFF:
        graph.remove(triple)


def assert_patterns(graph: Graph) -> None:
    for wanted in product((TAREK, MICHEL, BOB, None), (LIKES, HATES, None), (PIZZA, CHEESE, MICHEL, None)):
        expected = {t for t in STUFF if all(w is None or w == x for w, x in zip(wanted, t, strict=True))}
        found = [triple[:3] for triple in graph.triples(wanted)]
        assert len(found) == len(expected)
        assert set(found) == expected


class TestGraph:
    def test_add_and_remove(self, graph: Graph) -> None:
        fill(graph)
        assert len(graph) == 7
        empty(graph)
        assert len(graph) == 0

    def test_triples(self, graph: Graph) -> None:
        fill(graph)
        assert_patterns(graph)
        empty(graph)
        assert list(graph.triples((None, None, None))) == []

    def test_connected(self, graph: Graph) -> None:
        fill(graph)
        assert graph.connected()
        graph.add((EG.jeroen, LIKES, EG.unconnected))
        assert not graph.connected()

    def test_sub(self, graph: Graph, other: Graph) -> None:
        graph.add((TAREK, LIKES, PIZZA))
        graph.add((BOB, LIKES, CHEESE))
        other.add((BOB, LIKES, CHEESE))
        assert set(graph - other) == {(TAREK, LIKES, PIZZA)}
        graph -= other
        assert set(graph) == {(TAREK, LIKES, PIZZA)}

    def test_add_graphs(self, graph: Graph, other: Graph) -> None:
        graph.add((TAREK, LIKES, PIZZA))
        other.add((BOB, LIKES, CHEESE))
        both = {(TAREK, LIKES, PIZZA), (BOB, LIKES, CHEESE)}
        assert set(graph + other) == both
        graph += other
        assert set(graph) == both

    def test_intersection(self, graph: Graph, other: Graph) -> None:
        graph.add((TAREK, LIKES, PIZZA))
        graph.add((MICHEL, LIKES, CHEESE))
        other.add((BOB, LIKES, CHEESE))
        other.add((MICHEL, LIKES, CHEESE))
        assert set(graph * other) == {(MICHEL, LIKES, CHEESE)}
        graph *= other
        assert set(graph) == {(MICHEL, LIKES, CHEESE)}

    def test_parse(self, graph: Graph, tmp_path: Path) -> None:
        file = tmp_path / "simple.nt"
        file.write_text("".join(f"<{EG.s}> <{EG.p}> <{EG[name]}> .\n" for name in "abc"))
        graph.parse(file.absolute().as_uri())
        assert set(graph) == {(EG.s, EG.p, EG[name]) for name in "abc"}
        graph.parse(data=f"<{EG.s}> <{EG.p}> <{EG.d}> .", format="turtle")
        graph.parse(data=f"<{EG.s}> <{EG.p}> <{EG.d}> .")
        assert len(graph) == 4

    @pytest.mark.filterwarnings("ignore::kgreason.TermWarning")  # "?xml version" is taken for an IRI
    def test_what_is_no_turtle_is_reported_as_rdflib_does(self, graph: Graph, tmp_path: Path) -> None:
        file = tmp_path / "data.unknown"
        file.write_text(
            '<?xml version="1.0" encoding="utf-8"?>\n'
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
            '  <rdf:Description rdf:about="http://e/s"><p xmlns="http://e/">x</p></rdf:Description>\n</rdf:RDF>\n'
        )
        memory = Graph()
        for each in (graph, memory):
            with pytest.raises(ParserError, match="Could not guess RDF format"):
                each.parse(file)
        assert len(graph) == len(memory)  # rdflib's parser leaves what it read

    def test_transitive(self, graph: Graph) -> None:
        for parent, child in ((EG.a, EG.b), (EG.b, EG.c), (EG.c, EG.d)):
            graph.add((parent, EG.child, child))
        assert set(graph.transitive_objects(EG.a, EG.child)) == {EG.a, EG.b, EG.c, EG.d}
        assert set(graph.transitive_subjects(EG.child, EG.d)) == {EG.a, EG.b, EG.c, EG.d}


@pytest.fixture
def union(tmp_path: Path) -> Dataset:
    dataset = Dataset(store="kgreason", default_union=True)
    dataset.open(str(tmp_path), create=True)
    dataset.remove((None, None, None))
    return dataset


def in_contexts(dataset: Dataset) -> None:
    dataset.add(REVENGE)
    Graph(dataset.store, C1).add(REVENGE)
    Graph(dataset.store, C2).add(REVENGE)


class TestContexts:
    def test_conjunction(self, union: Dataset) -> None:
        in_contexts(union)
        first = Graph(union.store, C1)
        first.add((PIZZA, LIKES, PIZZA))
        assert len(union) == len(first) == 2

    def test_add_and_remove(self, union: Dataset) -> None:
        fill(Graph(union.store, C1))
        assert len(union) == 7
        empty(Graph(union.store, C1))
        assert len(union) == 0

    def test_len_in_one_context(self, union: Dataset) -> None:
        union.remove_context(union.get_context(C1))
        first = Graph(union.store, C1)
        before = len(union)
        for _ in range(10):
            first.add((BNode(), HATES, HATES))
        assert len(first) == len(union.get_context(C1)) == before + 10
        union.remove_context(union.get_context(C1))
        assert len(union) == before
        assert len(first) == 0

    def test_len_in_multiple_contexts(self, union: Dataset) -> None:
        before = len(union)
        in_contexts(union)
        assert len(union) == len(Graph(union.store, C1)) == before + 1

    def test_remove_in_multiple_contexts(self, union: Dataset) -> None:
        in_contexts(union)
        for name in (C1, C2):
            assert REVENGE in union
            Graph(union.store, name).remove(REVENGE)
        assert REVENGE in union
        union.remove(REVENGE)
        assert REVENGE not in union
        in_contexts(union)
        union.remove(REVENGE)
        assert REVENGE not in union

    def test_contexts(self, union: Dataset) -> None:
        in_contexts(union)
        assert {C1, C2} <= {context.identifier for context in union.graphs()}
        assert {C1, C2} <= {context.identifier for context in union.graphs(REVENGE)}

    def test_remove_context(self, union: Dataset) -> None:
        in_contexts(union)
        assert len(Graph(union.store, C1)) == len(union.get_context(C1)) == 1
        union.remove_context(union.get_context(C1))
        assert C1 not in {context.identifier for context in union.graphs()}

    def test_remove_any(self, union: Dataset) -> None:
        in_contexts(union)
        union.remove((None, None, None))
        assert len(union) == 0

    def test_triples(self, union: Dataset) -> None:
        fill(Graph(union.store, C1))
        assert_patterns(Graph(union.store, C1))
        assert_patterns(union)
        for graph in (union, union.get_context(C1)):
            assert set(graph.subjects(LIKES, PIZZA)) == {MICHEL, TAREK}
            assert set(graph.objects(BOB, HATES)) == {MICHEL, PIZZA}
            assert set(graph.predicates(BOB, PIZZA)) == {HATES}
            assert set(graph.subject_objects(HATES)) == {(BOB, PIZZA), (BOB, MICHEL)}
            assert set(graph.predicate_objects(MICHEL)) == {(LIKES, CHEESE), (LIKES, PIZZA)}
            assert set(graph.subject_predicates(MICHEL)) == {(BOB, HATES)}
            assert {row[:3] for row in graph} == set(STUFF)
        empty(Graph(union.store, C1))
        assert list(union.triples((None, None, None))) == []


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    dataset = Dataset(store="kgreason")
    dataset.open(str(tmp_path), create=True)
    return dataset


def names(dataset: Dataset) -> set:
    return {graph.identifier for graph in dataset.graphs()}


class TestDataset:
    def test_graph_aware(self, dataset: Dataset) -> None:
        graph = dataset.graph(C1)
        assert names(dataset) == {C1, DATASET_DEFAULT_GRAPH_ID}
        assert len(graph) == 0
        graph.add((TAREK, LIKES, PIZZA))
        assert names(dataset) == {C1, DATASET_DEFAULT_GRAPH_ID}
        assert len(graph) == 1
        graph.remove((TAREK, LIKES, PIZZA))
        assert len(graph) == 0
        assert names(dataset) == {C1, DATASET_DEFAULT_GRAPH_ID}
        dataset.remove_graph(C1)
        assert names(dataset) == {DATASET_DEFAULT_GRAPH_ID}

    def test_default_graph(self, dataset: Dataset) -> None:
        dataset.add((TAREK, LIKES, PIZZA))
        assert len(dataset) == 1
        assert list(dataset.graphs()) == [dataset.default_graph]
        dataset.remove_graph(DATASET_DEFAULT_GRAPH_ID)
        assert len(dataset) == 0
        assert set(dataset.graphs()) == {dataset.default_graph}

    def test_not_union(self, dataset: Dataset) -> None:
        graph = dataset.graph(C1)
        graph.add((TAREK, LIKES, PIZZA))
        assert list(dataset.objects(TAREK, None)) == []
        assert list(graph.objects(TAREK, None)) == [PIZZA]

    def test_iter(self, dataset: Dataset) -> None:
        for triple, name in (("abc", "g1"), ("abc", "g1"), ("abc", "g2"), ("abd", "g1")):
            dataset.graph(EG[name])
            dataset.add((*(EG[part] for part in triple), EG[name]))
        assert len(list(dataset)) == len(list(dataset.quads((None, None, None)))) == 3
