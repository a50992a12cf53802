"""The parts of a store that are kept in a pickle or a directory: explicit quads, named graphs, prefixes.

Inferred triples are not kept: they follow again. Terms are kept by their keys, character by character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rdflib.term import IdentifiedNode, URIRef

from kgreason.dictionary.dictionary import Dictionary
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.quad_export import explicit_quads


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class State:
    """Inert data; the four columns of quads hold positions in `keys`, or DEFAULT_GRAPH."""

    keys: Sequence[str]
    quads: Quads
    named: tuple[IdentifiedNode, ...]
    prefixes: tuple[tuple[str, URIRef], ...]


def pack(knowledge: KnowledgeBase) -> tuple[Sequence[str], Quads]:
    """The explicit quads with the keys of their own terms only: O(n log n)."""
    # An empty one need not derive what follows from its rules alone, to be asked for its quads.
    quads = Quads.empty() if knowledge.is_empty else explicit_quads(knowledge)
    columns = (quads.graph, quads.subject, quads.predicate, quads.object)
    used, inverse = np.unique(np.concatenate(columns), return_inverse=True)
    # The default graph has no term: DEFAULT_GRAPH is the largest id and so stays last.
    terms = used[used != DEFAULT_GRAPH]
    positions = inverse.astype(np.uint32).reshape(4, -1)
    positions[0][quads.graph == DEFAULT_GRAPH] = DEFAULT_GRAPH
    return knowledge.dictionary.keys(terms), Quads(*positions)


def unpack(dictionary: Dictionary, keys: Sequence[str], quads: Quads) -> Quads:
    """Packed quads with the ids of a dictionary."""
    identifiers = dictionary.encode_keys(list(keys))
    graph = quads.graph.copy()
    named = graph != DEFAULT_GRAPH
    graph[named] = identifiers[graph[named]]
    return Quads(graph, identifiers[quads.subject], identifiers[quads.predicate], identifiers[quads.object])
