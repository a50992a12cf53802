"""The quads of a knowledge base as columns."""

from __future__ import annotations

from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import TripleView


def explicit_quads(knowledge: KnowledgeBase) -> Quads:
    """All explicit quads, by id."""
    return Quads.concatenated([quads_of(knowledge.graph(graph), graph) for graph in knowledge.graphs()])


def all_quads(knowledge: KnowledgeBase) -> Quads:
    """All explicit quads, and what only follows as quads of the default graph, by id."""
    return Quads.concatenated([explicit_quads(knowledge), quads_of(knowledge.inferred(), DEFAULT_GRAPH)])


def quads_of(view: TripleView, graph: int) -> Quads:
    """The triples of a view as quads of a graph."""
    return Quads.of_chunks(graph, view.match(None, None, None))
