"""The concepts of SKOS vocabularies and how they are related, whichever way round that is asserted."""

from __future__ import annotations

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.io.quads import Ids
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import LABELS, skos

MAPPINGS = skos("exactMatch", "closeMatch", "broadMatch", "narrowMatch", "relatedMatch", "mappingRelation")


def concepts(graph: GraphColumns) -> Ids:
    """Concepts, asserted or inferred, of which something is said; not those of other vocabularies, which only mappings
    name."""
    return graph.once("concepts", lambda: np.intersect1d(_named_concepts(graph), graph.subjects))


def undescribed_concepts(graph: GraphColumns) -> Ids:
    """Concepts that relations within the vocabulary name, and of which nothing is said."""
    return np.setdiff1d(_named_concepts(graph), graph.subjects)


def _named_concepts(graph: GraphColumns) -> Ids:
    own = own_relations(graph)
    ends = np.union1d(own.left, own.right)
    tops = top_concepts(graph).left
    others = graph.members(*skos("ConceptScheme", "Collection", "OrderedCollection"))
    typed = np.union1d(graph.members(*skos("Concept")), np.setdiff1d(graph.pairs(*skos("inScheme")).left, others))
    mapped = graph.pairs(*MAPPINGS, explicit=True)
    elsewhere = np.setdiff1d(np.union1d(mapped.left, mapped.right), graph.members(*skos("Concept"), explicit=True))
    elsewhere = np.setdiff1d(elsewhere, np.concatenate([ends, tops, graph.pairs(*LABELS, explicit=True).left]))
    found = np.setdiff1d(np.concatenate([typed, ends, tops]), elsewhere)
    return found[~graph.is_literal(found)].astype(np.uint32)


def schemes(graph: GraphColumns) -> Ids:
    """Concept schemes, asserted or named by a concept."""
    found = np.concatenate([graph.members(*skos("ConceptScheme")), in_scheme(graph).right])
    return sorted_sets.unique(found)


def broader(graph: GraphColumns) -> Pairs:
    """Narrower and broader concepts, as one step of a hierarchy."""
    return graph.once("broader", lambda: _both_ways(graph, "broader", "narrower", False))


def asserted_transitive(graph: GraphColumns) -> Pairs:
    """Narrower and broader concepts by the transitive properties, which nobody should assert."""
    return graph.once("transitive", lambda: _both_ways(graph, "broaderTransitive", "narrowerTransitive", True))


def related(graph: GraphColumns) -> Pairs:
    """Related concepts, both ways round."""
    return graph.once("related", lambda: _both_ways(graph, "related", "related", False))


def own_relations(graph: GraphColumns) -> Pairs:
    """All relations of concepts within a vocabulary."""
    found = graph.pairs(*skos("semanticRelation"), explicit=True)
    return broader(graph).union(asserted_transitive(graph), related(graph), found)


def top_concepts(graph: GraphColumns) -> Pairs:
    """Top concepts with their schemes."""
    return graph.once("top", lambda: _both_ways(graph, "topConceptOf", "hasTopConcept", False))


def in_scheme(graph: GraphColumns) -> Pairs:
    """Concepts with their schemes."""
    return graph.once("in scheme", lambda: graph.pairs(*skos("inScheme")).union(top_concepts(graph)))


def _both_ways(graph: GraphColumns, forward: str, backward: str, explicit: bool) -> Pairs:
    found = graph.pairs(*skos(forward), explicit=explicit)
    return found.union(graph.pairs(*skos(backward), explicit=explicit).inverse)
