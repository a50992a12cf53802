"""Would catch: a call of rdflib's API that gives something else over this store than over rdflib's memory store.

There are no rules. Both get the same random calls, changes and reads in any order, so that most reads follow a change
or two.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any, Final

import pytest
from rdflib import RDF, RDFS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic
from rdflib.term import Node

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.thresholds import replaced_constants

EX = Namespace("http://example.org/")
NODES: Final[list[Node]] = [*(EX[f"n{number}"] for number in range(12)), BNode("a"), BNode("b")]
PREDICATES: Final[list[Node]] = [EX.p, EX.q, RDF.type, RDFS.label, RDF.value]
VALUES: Final[list[Node]] = [
    *NODES, Literal("a"), Literal("a", lang="en"), Literal(1), Literal("x", datatype=EX.d), Literal(True),
    Literal("2020-01-01", datatype=XSD.date),
]  # fmt: skip
NAMES: Final = [URIRef("http://g/1"), URIRef("http://g/2"), URIRef("http://g/3")]


def unlabelled(found: Any) -> Any:
    """A row or a term, with one label for all cells of lists, for which rdflib makes labels up."""
    if isinstance(found, tuple):
        return tuple(map(unlabelled, found))
    return BNode("cell") if isinstance(found, BNode) and found not in NODES else found


class Caller:
    """Makes one random call after another of both, and compares what they give."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.datasets = [Dataset(store=ReasoningStore(rules="none")), Dataset()]
        self.graphs: list[Graph] = [Graph(store=ReasoningStore(rules="none")), Graph()]

    def triple(self) -> Any:
        chosen = self.chance.choice
        return chosen(NODES), chosen(PREDICATES), chosen(VALUES)

    def pattern(self) -> Any:
        return tuple(None if self.chance.random() < 0.5 else part for part in self.triple())

    def same(self, call: Callable[[Any], Any], both: list[Any]) -> None:
        """Compare answers without their order."""
        own, other = (call(each) for each in both)
        if isinstance(own, list | set):
            own, other = Counter(map(unlabelled, own)), Counter(map(unlabelled, other))
        assert own == other

    def change_graph(self) -> None:
        triple, pattern, some = self.triple(), self.pattern(), [self.triple() for _ in range(4)]
        number = self.chance.randrange(8)
        for graph in self.graphs:
            match number:
                case 0 | 1 | 2:
                    graph.add(triple)
                case 3:
                    graph.remove(triple)
                case 4:
                    graph.remove(pattern)
                case 5:
                    graph.set(triple)
                case 6:
                    graph += some
                case 7:
                    graph -= some

    def read_graph(self) -> None:
        (s, p, o), pattern, both = self.triple(), self.pattern(), self.graphs
        calls: list[Callable[[Graph], Any]] = [
            lambda g: list(g.triples(pattern)),
            lambda g: pattern in g,
            len,
            lambda g: set(g.objects(s, p)),
            lambda g: list(g.subjects(p, o)),
            lambda g: list(g.predicates(s, None)),
            lambda g: list(g.predicate_objects(s)),
            lambda g: set(g.triples_choices((s, [p, RDF.type], None))),
            lambda g: set(g.transitive_objects(s, p)),
            lambda g: g.value(s, p) in {None, *g.objects(s, p)},
            lambda g: set(g.cbd(s)) if not isinstance(s, BNode) else None,
            lambda g: set(g.all_nodes()),
            lambda g: {*g[s:p]},
            lambda g: len(list(islice(g.triples(pattern), 2))),
            lambda g: set(map(tuple, g.query("SELECT ?o { ?s ?p ?o }", initBindings={"s": s}))),
        ]
        self.same(self.chance.choice(calls), both)

    def keep_a_list(self) -> None:
        items, head = [self.chance.choice(NODES) for _ in range(3)], EX[f"list{self.chance.randrange(3)}"]

        def change(graph: Graph) -> list[Node]:
            Collection(graph, head).clear()
            kept = Collection(graph, head, list(items))
            kept += [EX.last]
            del kept[1]
            return list(kept)

        self.same(change, self.graphs)

    def change_dataset(self) -> None:
        triple, pattern, name = self.triple(), self.pattern(), self.chance.choice(NAMES)
        number = self.chance.randrange(7)
        for dataset in self.datasets:
            match number:
                case 0 | 1:
                    dataset.graph(name).add(triple)
                case 2:
                    dataset.add((*triple, name))
                case 3:
                    dataset.graph(name).remove(pattern)
                case 4:
                    dataset.remove((*triple, None))
                case 5:
                    dataset.default_graph.add(triple)
                case 6:
                    dataset.remove_graph(name)

    def read_dataset(self) -> None:
        triple, pattern, name, both = self.triple(), self.pattern(), self.chance.choice(NAMES), self.datasets
        calls: list[Callable[[Dataset], Any]] = [
            lambda d: set(d.quads((*pattern, None))),
            lambda d: set(d.quads((*pattern, name))),
            lambda d: list(d.graph(name).triples(pattern)),
            lambda d: len(d.graph(name)),
            lambda d: triple in d.graph(name),
            lambda d: {graph.identifier for graph in d.graphs(triple)},
            lambda d: set(d.default_graph),
            lambda d: {graph.identifier: set(graph) for graph in d.graphs() if len(graph)},
            lambda d: (*triple, name) in d,
        ]
        self.same(self.chance.choice(calls), both)


@pytest.mark.parametrize("seed", range(examples(4)))
@pytest.mark.parametrize("most", [3, 512])
def test_random_calls_give_what_the_memory_store_gives(seed: int, most: int) -> None:
    caller = Caller(seed)
    steps = [caller.change_graph, caller.read_graph, caller.read_graph, caller.keep_a_list, caller.change_dataset]
    with replaced_constants(OVERLAID_CHANGES=most):
        for _ in range(200):
            caller.chance.choice([*steps, caller.read_dataset, caller.read_dataset])()

    own, memory = caller.graphs
    assert isomorphic(own, memory)
    assert set(caller.datasets[0].quads()) == set(caller.datasets[1].quads())
