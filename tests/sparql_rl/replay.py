"""Changes one triple at a time, beside stores that are made anew."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.program.rules import Program
from tests.sparql_rl.stores import ids_of, inferred_of, store_with


def replayed(program: Program, data: Sequence[ox.Triple]) -> None:
    """Add the triples one by one, and remove them in another order; after each step, the store shows what one that is
    made of the same triples does."""
    knowledge = store_with(program)
    present: list[ox.Triple] = []
    for triple in data:
        present.append(triple)
        knowledge.add(DEFAULT_GRAPH, *ids_of(triple, knowledge))
        assert inferred_of(knowledge) == inferred_of(store_with(program, present)), f"after adding {triple}"
    for triple in (*data[::2], *data[1::2]):
        present.remove(triple)
        knowledge.remove(DEFAULT_GRAPH, *ids_of(triple, knowledge))
        assert inferred_of(knowledge) == inferred_of(store_with(program, present)), f"after removing {triple}"
        knowledge._check()
