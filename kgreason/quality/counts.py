"""How many triples, terms and axioms a graph has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.io.quads import DEFAULT_GRAPH, Ids
from kgreason.quality.concepts import concepts, schemes
from kgreason.quality.graph_columns import GraphColumns
from kgreason.quality.term_checks import (
    CLASS_TYPES,
    PROPERTY_TYPES,
    declared_classes,
    declared_properties,
    namespace_of,
)
from kgreason.quality.vocabularies import LABELS, STANDARD, skos
from kgreason.rdf.vocabulary import OWL, RDFS
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of

_INDIVIDUALS: Final = (OWL + "Thing", OWL + "NamedIndividual")
_NO_INDIVIDUALS: Final = frozenset((*CLASS_TYPES, *PROPERTY_TYPES))


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a graph; terms by their ids, tables with the largest number first.

    Args:
        explicit, inferred: triples.
        graphs: explicit triples of each graph, None for the default one.
        terms: how many classes, properties, individuals, concepts, ... there are, by what they are.
        namespaces: of IRIs in explicit triples, with how many different ones.
        languages: of labels, with how many.
        axioms: triples and members in the vocabularies of RDF, RDFS, OWL and SKOS, by property or class.
        classes: members, explicit and inferred, by class.
        properties: triples, explicit and inferred, by property.
    """

    explicit: int
    inferred: int
    graphs: tuple[tuple[int | None, int], ...]
    terms: tuple[tuple[str, int], ...]
    namespaces: tuple[tuple[str, int], ...]
    languages: tuple[tuple[str, int], ...]
    axioms: tuple[tuple[int, int], ...]
    classes: tuple[tuple[int, int, int], ...]
    properties: tuple[tuple[int, int, int], ...]


def counts_of(graph: GraphColumns) -> Counts:
    """Count everything: O(explicit triples), and of what follows the sizes of the relations."""
    knowledge = graph.knowledge
    sizes = [(name, len(knowledge.graph(name))) for name in knowledge.graphs()]
    graphs = sorted(((None if name == DEFAULT_GRAPH else name, count) for name, count in sizes), key=lambda g: -g[1])
    types, relations = _sizes(graph, CLASS), _sizes(graph, PROPERTY)
    keys = dict(zip([*types, *relations], graph.texts(np.array([*types, *relations], dtype=np.uint32)), strict=True))
    standard = {term for term, key in keys.items() if key.startswith(STANDARD)}
    axioms = {term: explicit for term, (explicit, _) in (types | relations).items() if explicit and term in standard}
    return Counts(
        len(graph.explicit),
        len(knowledge.inferred()),
        tuple(graphs),
        tuple((name, count) for name, count in _terms(graph, types, keys) if count),
        tuple(_namespaces(graph)),
        tuple(_languages(graph)),
        tuple(sorted(axioms.items(), key=lambda item: -item[1])),
        _largest({term: sizes for term, sizes in types.items() if keys[term][:2] != "_:" and term not in standard}),
        _largest({term: sizes for term, sizes in relations.items() if term not in standard}),
    )


def _sizes(graph: GraphColumns, kind: int) -> dict[int, tuple[int, int]]:
    """Explicit and inferred facts of each class or property."""
    explicit = {identifier_of(code): graph.explicit.table(code) for code in graph.explicit.codes(kind)}
    found = {}
    for code in graph.all.codes(kind):
        term, table = identifier_of(code), graph.all.table(code)
        own = explicit.get(term)
        asserted = 0 if own is None else len(own)
        found[term] = (asserted, (0 if table is None else len(table)) - asserted)
    return found


def _largest(sizes: dict[int, tuple[int, int]]) -> tuple[tuple[int, int, int], ...]:
    rows = ((term, explicit, inferred) for term, (explicit, inferred) in sizes.items())
    return tuple(sorted(rows, key=lambda row: -row[1] - row[2]))


def _terms(graph: GraphColumns, types: dict[int, tuple[int, int]], keys: dict[int, str]) -> list[tuple[str, int]]:
    return [
        ("classes", len(declared_classes(graph))),
        ("properties", len(declared_properties(graph))),
        ("individuals", len(_individuals(graph, types, keys))),
        ("concepts", len(concepts(graph))),
        ("concept schemes", len(schemes(graph))),
        ("collections", len(graph.members(*skos("Collection", "OrderedCollection")))),
        ("ontologies", len(graph.members(OWL + "Ontology"))),
        ("blank nodes", len(graph.subjects) - len(graph.iris(graph.subjects))),
    ]


def _individuals(graph: GraphColumns, types: dict[int, tuple[int, int]], keys: dict[int, str]) -> Ids:
    """Members of the classes of the data, and what is an individual for OWL."""
    wanted = [key for key in map(keys.__getitem__, types) if not key.startswith((*STANDARD, "_:"))]
    found = graph.members(*wanted, *_INDIVIDUALS)
    return np.setdiff1d(found, graph.members(*_NO_INDIVIDUALS))


def _namespaces(graph: GraphColumns) -> list[tuple[str, int]]:
    found = [graph.subjects, graph.predicates]
    for _, predicates, objects in graph.explicit.match(None, None, None):
        found += [predicates[:1], objects]
    terms = graph.iris(sorted_sets.unique(np.concatenate(found)))
    return Counter(map(namespace_of, graph.texts(terms))).most_common()


def _languages(graph: GraphColumns) -> list[tuple[str, int]]:
    labels = graph.pairs(RDFS + "label", *LABELS, explicit=True).right
    labels = labels[graph.is_literal(labels)]
    suffixes = (key.rpartition('"')[2] for key in graph.texts(labels))
    return Counter(suffix[1:].lower() if suffix.startswith("@") else "" for suffix in suffixes).most_common()


