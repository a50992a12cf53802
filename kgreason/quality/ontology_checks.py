"""Checks of hierarchies of classes and properties, and of classes that cannot have members."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from kgreason.io.quads import Ids
from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import owl
from kgreason.rdf.vocabulary import OWL, RDF, RDF_FIRST, RDF_NIL, RDFS

_SUBCLASS: Final = RDFS + "subClassOf"
_SUBPROPERTY: Final = RDFS + "subPropertyOf"


def _cycles(graph: GraphColumns) -> Iterator[Row]:
    for property in (_SUBCLASS, _SUBPROPERTY):
        for cycle in graph.pairs(property, explicit=True).components(directed=True):
            yield property.rpartition("#")[2], cycle


def _loops(graph: GraphColumns) -> Iterator[Row]:
    for property in (_SUBCLASS, _SUBPROPERTY):
        found = graph.pairs(property, explicit=True)
        yield from ((term, property.rpartition("#")[2]) for term in found.left[found.left == found.right].tolist())


def _redundant(graph: GraphColumns) -> Iterator[Row]:
    """Superclasses and superproperties of names that another one leads to; in cycles everything would be."""
    for property in (_SUBCLASS, _SUBPROPERTY):
        edges = graph.pairs(property, explicit=True)
        edges = edges.where((edges.left != edges.right) & graph.is_iri(edges.left) & graph.is_iri(edges.right))
        reaches = graph.reaches(property, edges)
        edges = edges.where(~reaches(Pairs(edges.right, edges.left)))
        parent, child, other = edges.inverse.joined(edges)
        is_longer = (parent != other) & reaches(Pairs(other, parent))
        rows, firsts = np.unique(np.stack([child, parent])[:, is_longer], axis=1, return_index=True)
        yield from zip(*rows.tolist(), other[is_longer][firsts].tolist(), strict=True)


def unsatisfiable(graph: GraphColumns) -> Ids:
    """The IRIs of classes that follow as subclasses of owl:Nothing."""
    nothing = graph.id(OWL + "Nothing")
    subclass = graph.id(_SUBCLASS)
    if nothing is None or subclass is None:
        return np.empty(0, dtype=np.uint32)
    found = [subjects for subjects, _, _ in graph.all.match(None, subclass, nothing)]
    classes = graph.iris(np.unique(np.concatenate([np.empty(0, np.uint32), *found])))
    return np.setdiff1d(classes, np.array([nothing], dtype=np.uint32))


def _nothing(graph: GraphColumns) -> Iterator[Row]:
    yield from zip(unsatisfiable(graph).tolist())


def _below_disjoint(graph: GraphColumns) -> Iterator[Row]:
    """Classes below two that are disjoint."""
    subclass, nothing = graph.id(_SUBCLASS), graph.id(OWL + "Nothing")
    for one, other in _disjoint(graph).rows():
        below: list[Ids] = []
        for above in (one, other):
            chunks = () if subclass is None else graph.all.match(None, subclass, above)
            parts = [subjects for subjects, _, _ in chunks]
            below.append(np.unique(np.concatenate([np.array([above], np.uint32), *parts])))
        shared = graph.iris(np.intersect1d(below[0], below[1]))
        yield from ((term, one, other) for term in shared.tolist() if term != nothing)


def _disjoint(graph: GraphColumns) -> Pairs:
    """Classes that are disjoint, by axioms of two or of several."""
    found = graph.pairs(*owl("disjointWith", "complementOf"))
    first, rest = graph.pairs(RDF_FIRST, explicit=True), graph.pairs(RDF + "rest", explicit=True)
    firsts, rests = dict(first.rows()), dict(rest.rows())
    nil = graph.id(RDF_NIL)
    heads = graph.pairs(*owl("members"), explicit=True)
    heads = heads.where(np.isin(heads.left, graph.members(*owl("AllDisjointClasses"), explicit=True)))
    pairs: list[tuple[int, int]] = []
    for head in (*heads.right.tolist(), *graph.pairs(*owl("disjointUnionOf"), explicit=True).right.tolist()):
        members: list[int] = []
        cell: int | None = head
        seen: set[int] = set()
        while cell is not None and cell != nil and cell not in seen:
            seen.add(cell)
            if cell in firsts:
                members.append(firsts[cell])
            cell = rests.get(cell)
        pairs += combinations(members, 2)
    columns = np.array(pairs, dtype=np.uint32).reshape(-1, 2)
    return found.union(Pairs.of(columns[:, 0], columns[:, 1])).unordered()


ONTOLOGY_CHECKS: Final = (
    Check(
        "unsatisfiable-class",
        ERROR,
        "A class follows as a subclass of owl:Nothing, so that it cannot have members.",
        ("class",),
        _nothing,
    ),
    Check(
        "below-disjoint-classes",
        ERROR,
        "A class is below two classes that are disjoint, so that it cannot have members.",
        ("class", "below", "and"),
        _below_disjoint,
    ),
    Check(
        "cycle",
        WARNING,
        "Classes or properties are asserted below each other in a circle, so that all of them are the same.",
        ("relation", "terms"),
        _cycles,
    ),
    Check("reflexive-axiom", NOTE, "A class or property is asserted below itself.", ("term", "relation"), _loops),
    Check(
        "redundant-axiom",
        NOTE,
        "A class or property is asserted below one that another assertion leads to.",
        ("term", "below", "already reached by"),
        _redundant,
    ),
)
