"""Would catch a document that changes when its blank nodes get other labels, because nodes that are alike were written
in an order in which they are not connected."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from rdflib import BNode, Dataset, Graph, URIRef

from kgreason import ReasoningStore

Edge = tuple[int, str, int]
TO, OF = "http://example.org/to", "http://example.org/of"


def circle(count: int) -> list[Edge]:
    return [(number, TO, (number + 1) % count) for number in range(count)]


def copies(*parts: list[Edge]) -> list[Edge]:
    """Graphs beside each other."""
    found: list[Edge] = []
    for part in parts:
        first = 1 + max((max(source, target) for source, _, target in found), default=-1)
        found += [(first + source, name, first + target) for source, name, target in part]
    return found


def written(edges: Iterable[Edge], seed: int) -> str:
    """A document of the edges between blank nodes whose labels, and whose order, are random."""
    chosen = random.Random(seed)
    labels = chosen.sample(range(10_000), 1000)
    triples = [(BNode(f"x{labels[a]}"), URIRef(name), BNode(f"x{labels[b]}")) for a, name, b in edges]
    graph = Graph(ReasoningStore(rules="none"))
    for triple in chosen.sample(triples, len(triples)):
        graph.add(triple)
    return graph.serialize(format="kg-turtle")


TREE = [(0, TO, 1), (0, TO, 2), (1, OF, 3), (1, OF, 4), (2, OF, 5), (2, OF, 6), (3, TO, 7), (4, TO, 8)]
GRID = [(4 * x + y, name, z) for x in range(4) for y in range(4)
        for name, z in ((TO, 4 * ((x + 1) % 4) + y), (OF, 4 * x + (y + 1) % 4))]  # fmt: skip
COMPLETE = [(a, TO, b) for a in range(5) for b in range(5) if a != b]
SHAPES = {
    "circles of two lengths": copies(circle(3), circle(6), circle(3)),
    "circles with tails": copies(*[[*circle(4), (0, OF, 4), (2, OF, 5)]] * 3),
    "trees that are alike": copies(TREE, TREE, TREE),
    "a torus, twice": copies(GRID, GRID),
    "complete graphs": copies(COMPLETE, COMPLETE),
    "a long circle": circle(300),
    "many pairs": copies(*[[(0, TO, 1)]] * 200),
    "pairs below one node": [(0, OF, 1 + number) for number in range(100)] + [(1 + n, TO, 101 + n) for n in range(100)],
}


@pytest.mark.parametrize("name", SHAPES)
def test_document_is_the_same_with_other_labels(name: str) -> None:
    edges = SHAPES[name]

    assert len({written(edges, seed) for seed in range(4)}) == 1


@pytest.mark.parametrize("seed", range(60))
def test_random_parts_are_written_the_same_with_other_labels(seed: int) -> None:
    chosen = random.Random(seed)
    parts = [
        [(chosen.randrange(5), chosen.choice((TO, OF)), chosen.randrange(5)) for _ in range(chosen.randint(2, 7))]
        for _ in range(3)
    ]
    edges = copies(*chosen.choices(parts, k=6))

    assert len({written(edges, seed) for seed in range(3)}) == 1


GRAPHS = {
    "alike in two graphs": [(0, TO, 1, "g"), (2, TO, 3, "h")],
    "in both graphs, and in one": [(0, TO, 1, "g"), (0, TO, 2, "h"), (3, TO, 4, "g"), (3, TO, 4, "h")],
    "graphs named by blank nodes": [("a", TO, 1, 5), ("a", TO, 2, 6), ("b", TO, 1, 6)],
    "no blank nodes but names": [("a", TO, "b", 5), ("a", OF, "c", 5), ("a", TO, "c", 6), ("a", OF, "b", 6)],
    "names that are alike": [(0, TO, 1, 5), (2, TO, 3, 6), (4, TO, 3, 5)],
    "names in triples": [(0, TO, 1, 0), (1, TO, 0, 1), (2, TO, 3, 2), (3, TO, 2, 2)],
}


def written_graphs(quads: list[tuple[object, str, object, object]], format: str, seed: int) -> str:
    """A document of quads; numbers are blank nodes, whose labels, and their order, are random."""
    chosen = random.Random(seed)
    labels = chosen.sample(range(10_000), 100)
    dataset = Dataset(store=ReasoningStore(rules="none"))
    for quad in chosen.sample(quads, len(quads)):
        terms = (BNode(f"x{labels[t]}") if isinstance(t, int) else URIRef(f"http://example.org/{t}") for t in quad)
        dataset.add(tuple(terms))  # type: ignore[arg-type]  # a quad
    return dataset.serialize(format=format)


@pytest.mark.parametrize("format", ["kg-trig", "kg-jsonld"])
@pytest.mark.parametrize("name", GRAPHS)
def test_named_graphs_are_the_same_with_other_labels(name: str, format: str) -> None:
    assert len({written_graphs(GRAPHS[name], format, seed) for seed in range(8)}) == 1
