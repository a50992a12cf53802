"""Would catch: a table of all named graphs that has a triple of the default graph, or of a state before."""

from __future__ import annotations

import random

import pytest

from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI, Literal
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.table import Table
from kgreason.store.graph_columns import QUADS, TYPES
from kgreason.store.knowledge_base import KnowledgeBase
from tests.thresholds import Tuned


def rows(table: Table) -> set[tuple[int, ...]]:
    return set(zip(*(column.tolist() for column in table.columns()), strict=True))


@pytest.mark.parametrize("followed", [0, 3, 64])
def test_tables_of_all_graphs_follow_random_changes(tuned: Tuned, followed: int) -> None:
    tuned(CHANGED_GRAPHS=followed)
    chosen, knowledge = random.Random(followed), KnowledgeBase("rdfs")
    encode = knowledge.dictionary.encode
    kind = encode(IRI(RDF_TYPE))
    nodes = [encode(IRI(f"http://e/n{number}")) for number in range(6)]
    predicates = [kind, kind, encode(IRI("http://e/p")), encode(IRI("http://e/q"))]
    objects = [*nodes[:3], encode(Literal("a"))]
    quads: set[tuple[int, int, int, int]] = set()

    for step in range(40):
        gone, come = set(), set()
        for _ in range(chosen.choice([1, 2, 12])):
            graph = chosen.choice([*nodes[:5], DEFAULT_GRAPH])
            quad = (graph, chosen.choice(nodes), chosen.choice(predicates), chosen.choice(objects))
            (come if chosen.random() < 0.6 else gone).add(quad)
        quads = (quads - gone) | come
        knowledge.remove_quads(Quads.of_rows(sorted(gone)))
        knowledge.add_quads(Quads.of_rows(sorted(come)))
        columns = knowledge.views().columns

        named = [quad for quad in quads if quad[0] != DEFAULT_GRAPH]
        # A state may be asked for some of its tables alone, and for none.
        if step % 2:
            assert rows(columns.table(QUADS)) == {(s, g, p, o) for g, s, p, o in named}
            assert columns.size(QUADS) == len(named)
        if step % 3:
            assert rows(columns.table(TYPES)) == {(s, g, o) for g, s, p, o in named if p == kind}
            of_a_class = {(s, g) for g, s, p, o in named if p == kind and o == nodes[0]}
            assert rows(columns.table(class_code(nodes[0]))) == of_a_class
        if step % 5:
            of_a_property = {(s, g, o) for g, s, p, o in named if p == predicates[2]}
            assert columns.size(property_code(predicates[2])) == len(of_a_property)
            assert rows(columns.table(property_code(predicates[2]))) == of_a_property
        knowledge._check()
