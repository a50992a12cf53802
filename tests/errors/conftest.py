"""The graph that hostile input is given to."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time

import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from tests.errors.hostile import IRI, MOST_SECONDS


@pytest.fixture
def graph() -> Iterator[Graph]:
    """A graph with one triple."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.add((URIRef(f"{IRI}s"), URIRef(f"{IRI}p"), URIRef(f"{IRI}o")))
    begin = process_time()
    yield graph
    assert process_time() - begin < MOST_SECONDS
