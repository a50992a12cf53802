"""Checks of hierarchies of classes and properties, and of classes that cannot have members."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from kgreason.columns import sorted_sets
from kgreason.io.quads import Ids
from kgreason.quality.check import ERROR, NOTE, WARNING, Check, Row
from kgreason.quality.graph_columns import GraphColumns, Pairs
from kgreason.quality.vocabularies import owl
from kgreason.rdf.vocabulary import OWL, RDF, RDF_FIRST, RDFS

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
    classes = graph.iris(sorted_sets.unique(np.concatenate([np.empty(0, np.uint32), *found])))
    return np.setdiff1d(classes, np.array([nothing], dtype=np.uint32))


def _nothing(graph: GraphColumns) -> Iterator[Row]:
    yield from zip(unsatisfiable(graph).tolist())


def _below_disjoint(graph: GraphColumns) -> Iterator[Row]:
    """Classes below two that are disjoint: by a join over all classes that disjointness is said of."""
    pairs, groups = _disjoint_pairs(graph), _disjoint_groups(graph)
    below = _below(graph, sorted_sets.unique(np.concatenate([pairs.left, pairs.right, groups.left])))
    one, term, other = below.inverse.joined(below)
    is_once = one < other
    one, term, other = one[is_once], term[is_once], other[is_once]
    both = _in_one_group(Pairs.of(one, other), groups)
    is_disjoint = Pairs(one, other).within(pairs) | Pairs(one, other).within(both)
    nothing, named = graph.id(OWL + "Nothing"), is_disjoint & graph.is_iri(term)
    rows = zip(term[named].tolist(), one[named].tolist(), other[named].tolist(), strict=True)
    yield from (row for row in rows if row[0] != nothing)


def _in_one_group(pairs: Pairs, groups: Pairs) -> Pairs:
    """The pairs whose terms are of one group."""
    other, one, group = pairs.inverse.joined(groups)
    shared = Pairs(other, group).within(groups)
    return Pairs.of(one[shared], other[shared])


def _below(graph: GraphColumns, classes: Ids) -> Pairs:
    """Each class with some classes that it is below, or is itself."""
    left, right = [classes], [classes]
    subclass = graph.id(_SUBCLASS)
    for above in classes.tolist() if subclass is not None else ():
        for subjects, _, objects in graph.all.match(None, subclass, above):
            left.append(subjects)
            right.append(objects)
    return Pairs.of(np.concatenate(left), np.concatenate(right))


def _disjoint_pairs(graph: GraphColumns) -> Pairs:
    return graph.pairs(*owl("disjointWith", "complementOf")).unordered()


def _disjoint_groups(graph: GraphColumns) -> Pairs:
    """Classes with the list of classes that are disjoint from each other."""
    heads = graph.pairs(*owl("members"), explicit=True)
    heads = heads.where(np.isin(heads.left, graph.members(*owl("AllDisjointClasses"), explicit=True)))
    lists = np.union1d(heads.right, graph.pairs(*owl("disjointUnionOf"), explicit=True).right)
    if not len(lists):
        return Pairs(lists, lists)
    firsts = dict(graph.pairs(RDF_FIRST, explicit=True).rows())
    rests = dict(graph.pairs(RDF + "rest", explicit=True).rows())
    members: list[tuple[int, int]] = []
    for head in lists.tolist():
        cell: int | None = head
        seen: set[int] = set()
        while cell in firsts and cell not in seen:
            seen.add(cell)
            members.append((firsts[cell], head))
            cell = rests.get(cell)
    columns = np.array(members, dtype=np.uint32).reshape(-1, 2)
    return Pairs.of(columns[:, 0], columns[:, 1])


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
