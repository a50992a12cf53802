"""The same data here and in Oxigraph, and the rows that both find."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import pyoxigraph
from rdflib import Graph

from kgreason import ReasoningStore

Row: TypeAlias = tuple[str | None, ...]
Peers: TypeAlias = tuple[Graph, pyoxigraph.Store]


def peers_with(data: str) -> Peers:
    """Turtle in a store without rules, and in Oxigraph."""
    graph, peer = Graph(store=ReasoningStore(rules="none")), pyoxigraph.Store()
    graph.parse(data=data, format="turtle")
    peer.load(data.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    return graph, peer


def rows_of(graph: Graph, query: str) -> Counter[Row]:
    """The rows of a query here, by their texts."""
    return Counter(tuple(None if term is None else term.n3() for term in row) for row in graph.query(query))


def rows_of_peer(peer: pyoxigraph.Store, query: str) -> Counter[Row]:
    """The rows of Oxigraph, but for those that bind nothing, which rdflib leaves out."""
    rows = (tuple(None if term is None else str(term) for term in row) for row in peer.query(query))
    return Counter(row for row in rows if any(row))
