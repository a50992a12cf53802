"""Checks of how the concepts of a SKOS vocabulary are related."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.concepts import (
    MAPPINGS,
    asserted_transitive,
    broader,
    concepts,
    in_scheme,
    own_relations,
    related,
    schemes,
    top_concepts,
    undescribed_concepts,
)
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import skos

_INVERSES: Final = (
    ("broader", "narrower"),
    ("related", "related"),
    ("broadMatch", "narrowMatch"),
    ("exactMatch", "exactMatch"),
    ("closeMatch", "closeMatch"),
    ("relatedMatch", "relatedMatch"),
    ("hasTopConcept", "topConceptOf"),
)


def _orphans(graph: GraphColumns) -> Iterator[Row]:
    links = own_relations(graph).union(graph.pairs(*MAPPINGS))
    links = links.where(links.left != links.right)
    yield from zip(np.setdiff1d(concepts(graph), np.union1d(links.left, links.right)).tolist())


def _undescribed(graph: GraphColumns) -> Iterator[Row]:
    own = own_relations(graph)
    for concept in undescribed_concepts(graph).tolist():
        yield concept, tuple(np.union1d(own.left[own.right == concept], own.right[own.left == concept]).tolist())


def _literals(graph: GraphColumns) -> Iterator[Row]:
    for iri in (*skos("broader", "narrower", "related", "inScheme", "hasTopConcept", "topConceptOf"), *MAPPINGS):
        found = graph.pairs(iri, explicit=True)
        rows = found.where(graph.is_literal(found.right)).rows()
        yield from ((concept, iri.rpartition("#")[2], literal) for concept, literal in rows)


def _clusters(graph: GraphColumns) -> Iterator[Row]:
    """All clusters but the largest."""
    found = sorted(own_relations(graph).components(directed=False), key=len, reverse=True)
    yield from ((f"{len(cluster):,}", cluster) for cluster in found[1:])


def _cycles(graph: GraphColumns) -> Iterator[Row]:
    edges = broader(graph).union(asserted_transitive(graph))
    yield from ((cycle,) for cycle in edges.components(directed=True))


def _reflexive(graph: GraphColumns) -> Iterator[Row]:
    for name in ("broader", "narrower", "related", *(mapping.rpartition("#")[2] for mapping in MAPPINGS)):
        found = graph.pairs(*skos(name), explicit=True)
        yield from ((concept, name) for concept in found.left[found.left == found.right].tolist())


def _redundant(graph: GraphColumns) -> Iterator[Row]:
    """A broader concept that another broader concept leads to, too; in cycles everything would be."""
    edges = broader(graph)
    edges = edges.where(edges.left != edges.right)
    reaches = graph.reaches("broader", broader(graph))
    edges = edges.where(~reaches(Pairs(edges.right, edges.left)))
    parent, child, other = edges.inverse.joined(edges)
    between = Pairs(other, parent)
    is_longer = (parent != other) & reaches(between)
    found, firsts = np.unique(np.stack([child, parent])[:, is_longer], axis=1, return_index=True)
    yield from zip(*found.tolist(), other[is_longer][firsts].tolist(), strict=True)


def _clashes(graph: GraphColumns) -> Iterator[Row]:
    edges = broader(graph).union(asserted_transitive(graph))
    links = related(graph)
    yield from links.where(graph.reaches("hierarchy", edges)(links)).rows()


def _valueless(graph: GraphColumns) -> Iterator[Row]:
    links = related(graph).unordered()
    parents = broader(graph)
    one, other, parent = links.inverse.joined(parents)
    shared = Pairs(one, parent).within(parents)
    triples = np.unique(np.stack([other, one, parent])[:, shared], axis=1)
    yield from zip(*triples.tolist(), strict=True)


def _solely_transitive(graph: GraphColumns) -> Iterator[Row]:
    found = asserted_transitive(graph)
    yield from found.where(~graph.reaches("broader", broader(graph))(found)).rows()


def _one_way(graph: GraphColumns) -> Iterator[Row]:
    for forward, backward in _INVERSES:
        there = graph.pairs(*skos(forward), explicit=True)
        back = graph.pairs(*skos(backward), explicit=True)
        for one, other, name, missing in ((there, back, forward, backward), (back, there, backward, forward)):
            found = one.without(other.inverse)
            found = found.where(np.isin(found.right, concepts(graph)) | np.isin(found.right, schemes(graph)))
            yield from ((left, name, right, missing) for left, right in found.rows())
            if forward == backward:
                break


def _without_top(graph: GraphColumns) -> Iterator[Row]:
    yield from zip(np.setdiff1d(schemes(graph), top_concepts(graph).right).tolist())


def _top_with_broader(graph: GraphColumns) -> Iterator[Row]:
    """Top concepts with a broader concept of the same scheme."""
    tops, parents = top_concepts(graph), broader(graph)
    scheme, concept, parent = tops.inverse.joined(parents)
    # A concept that is in no scheme may well be of this one.
    has_scheme = np.isin(parent, in_scheme(graph).left)
    is_same = Pairs(parent, scheme).within(in_scheme(graph)) | ~has_scheme
    yield from zip(concept[is_same].tolist(), scheme[is_same].tolist(), parent[is_same].tolist(), strict=True)


def _unmarked_top(graph: GraphColumns) -> Iterator[Row]:
    """Concepts at the top of a hierarchy in a scheme that has top concepts, without being one."""
    with_tops = in_scheme(graph)
    with_tops = with_tops.where(np.isin(with_tops.right, top_concepts(graph).right))
    parents = broader(graph)
    heads = np.isin(with_tops.left, parents.right) & ~np.isin(with_tops.left, parents.left)
    yield from with_tops.where(heads).without(top_concepts(graph)).rows()


def _without_scheme(graph: GraphColumns) -> Iterator[Row]:
    yield from zip(np.setdiff1d(concepts(graph), in_scheme(graph).left).tolist())


HIERARCHY_CHECKS: Final = (
    Check(
        "literal-as-concept",
        ERROR,
        "A relation of SKOS has a literal where there should be a concept or a scheme.",
        ("concept", "relation", "literal"),
        _literals,
    ),
    Check(
        "undescribed-concept",
        WARNING,
        "A concept is named by relations, and nothing is said of it: perhaps it was removed or misspelt.",
        ("concept", "related to"),
        _undescribed,
    ),
    Check("orphan-concept", WARNING, "A concept has no relation to any other concept.", ("concept",), _orphans),
    Check(
        "disconnected-cluster",
        NOTE,
        "Concepts are related to each other but not to the largest group of related concepts.",
        ("size", "concepts"),
        _clusters,
    ),
    Check("hierarchical-cycle", ERROR, "Concepts are broader than each other in a circle.", ("concepts",), _cycles),
    Check("reflexive-relation", ERROR, "A concept is related to itself.", ("concept", "relation"), _reflexive),
    Check(
        "hierarchical-redundancy",
        NOTE,
        "A concept is linked to a broader one that one of its other broader concepts leads to.",
        ("concept", "broader", "already reached by"),
        _redundant,
    ),
    Check(
        "relation-clash",
        ERROR,
        "A concept is related to one that is above it in the hierarchy (SKOS S27).",
        ("concept", "related and broader"),
        _clashes,
    ),
    Check(
        "valueless-associative-relation",
        NOTE,
        "Two concepts with one broader concept are also related, which says little.",
        ("concept", "related", "broader of both"),
        _valueless,
    ),
    Check(
        "solely-transitively-related",
        WARNING,
        "skos:broaderTransitive or narrowerTransitive is asserted where no broader and narrower lead.",
        ("concept", "broader"),
        _solely_transitive,
    ),
    Check(
        "unidirectionally-related",
        NOTE,
        "A relation is asserted in one direction only, so software that does not reason misses the other.",
        ("concept", "relation", "to", "missing the other way"),
        _one_way,
    ),
    Check("scheme-without-top-concept", WARNING, "A concept scheme has no top concept.", ("scheme",), _without_top),
    Check(
        "top-concept-with-broader",
        WARNING,
        "A top concept has a broader concept in the same scheme.",
        ("concept", "top concept of", "broader"),
        _top_with_broader,
    ),
    Check(
        "unmarked-top-concept",
        WARNING,
        "A concept is at the top of a hierarchy and is not a top concept of its scheme, which has some.",
        ("concept", "scheme"),
        _unmarked_top,
    ),
    Check("concept-without-scheme", WARNING, "A concept is in no concept scheme.", ("concept",), _without_scheme),
)
