"""Would catch: a triple listed with a graph that does not have it, or without one that has, after any change."""

from __future__ import annotations

import random

import pytest
from rdflib import Dataset, Namespace

from kgreason import ReasoningStore
from kgreason.io.quads import Quads
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.knowledge_base import KnowledgeBase

EX = Namespace("http://example.org/")


def holders(quads: set[tuple[int, int, int, int]], triple: tuple[int, ...]) -> list[int]:
    return sorted(graph for graph, *rest in quads if (*rest,) == triple)


@pytest.mark.parametrize("graphs", [1, 3, 12])
def test_holdings_follow_random_changes(graphs: int) -> None:
    chosen, knowledge = random.Random(graphs), KnowledgeBase("none")
    encode = knowledge.dictionary.encode
    subjects = [encode(IRI(f"http://e/s{number}")) for number in range(6)]
    predicates = [encode(IRI(RDF_TYPE)), encode(IRI("http://e/p")), encode(IRI("http://e/q"))]
    objects = [*subjects[:3], encode(Literal("a"))]
    quads: set[tuple[int, int, int, int]] = set()
    everything = [(s, p, o) for s in subjects for p in predicates for o in objects]

    for step in range(30):
        for _ in range(chosen.randint(1, 12)):
            quad = (chosen.randrange(graphs), *chosen.choice(everything))
            (quads.add if chosen.random() < 0.6 else quads.discard)(quad)
        old = [quad for graph in range(graphs) for quad in rows(knowledge, graph)]
        knowledge.remove_quads(Quads.of_rows([quad for quad in old if quad not in quads]))
        knowledge.add_quads(Quads.of_rows(sorted(quads)))
        holdings = knowledge.flushed().views.holdings

        for triple in chosen.sample(everything, 40) if step % 3 else ():
            assert sorted(holdings.graphs_of(*triple)) == holders(quads, triple)
        for run in knowledge.all().runs(None, None, None) if step % 2 else ():
            found = holdings.graphs_of_run(run)
            columns = [[part] * len(found) if isinstance(part, int) else part.tolist() for part in run]
            expected = [holders(quads, triple) for triple in zip(*columns, strict=True)]
            assert [sorted(each) for each in found] == expected


def rows(knowledge: KnowledgeBase, graph: int) -> list[tuple[int, int, int, int]]:
    chunks = [
        zip(*(part.tolist() for part in chunk), strict=True) for chunk in knowledge.graph(graph).match(*[None] * 3)
    ]
    return [(graph, *triple) for chunk in chunks for triple in chunk]


@pytest.mark.parametrize("rules", ["none", "owl-rl"])
def test_quads_of_many_graphs_are_those_of_the_memory_store(rules: str) -> None:
    chosen, own, memory = random.Random(2), Dataset(store=ReasoningStore(rules=rules)), Dataset()
    for dataset in (own, memory):
        chosen.seed(2)
        for _ in range(600):
            triple = (EX[f"s{chosen.randrange(40)}"], EX[f"p{chosen.randrange(2)}"], EX[f"o{chosen.randrange(3)}"])
            dataset.add((*triple, EX[f"g{chosen.randrange(9)}"]))

    assert set(own.quads()) == set(memory.quads())
    for pattern in [(EX.s3, None, None), (None, EX.p1, None), (None, None, EX.o2), (EX.s3, EX.p0, EX.o1)]:
        assert set(own.quads((*pattern, None))) == set(memory.quads((*pattern, None)))
    for triple in own.triples((EX.s5, None, None)):
        names = {graph.identifier for graph in memory.graphs(triple)}
        assert {graph.identifier for graph in own.graphs(triple)} == names
