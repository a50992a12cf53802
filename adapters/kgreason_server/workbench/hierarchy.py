"""Classes and concepts as a tree of what is asserted: children of one node at a time, by label.

The edges are columns, sorted by parent, so that a tree of any size begins at once: nothing is made for a node that
nobody opens. A node on a cycle that no root leads to is reached from the first node of its cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_sets
from kgreason.dictionary.dictionary import Dictionary
from kgreason.lookup.best_labels import BestLabels
from kgreason.rdf.keys import IRI_KIND
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF_TYPE, RDFS, SKOS
from kgreason.store.triple_view import TripleView

Ids = NDArray[np.uint32]

KINDS: Final = {
    "classes": ((RDFS + "subClassOf",), (), (OWL + "Class", RDFS + "Class")),
    "concepts": (
        (SKOS + "broader", SKOS + "topConceptOf"),
        (SKOS + "narrower", SKOS + "hasTopConcept"),
        (SKOS + "Concept",),
    ),
    "properties": (
        (RDFS + "subPropertyOf",),
        (),
        tuple(OWL + name for name in ("ObjectProperty", "DatatypeProperty", "AnnotationProperty")),
    ),
}
"""For each kind of tree the properties from child to parent, those from parent to child, and the classes of nodes."""

_MANY: Final = 1000


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a tree: its key, what to call it, and how many children it has."""

    key: str
    label: str
    children: int


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """The edges of a tree, ascending by parent, and its roots."""

    parents: Ids
    children: Ids
    roots: Ids
    dictionary: Dictionary
    _sorted: dict[tuple[int | None, int], Ids] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: str, view: TripleView, dictionary: Dictionary) -> Hierarchy:
        """The tree of a kind, of the triples of a view; blank nodes are left out. O(n log n)."""
        upward, downward, classes = KINDS[kind]
        pairs = [np.empty(0, dtype=np.uint64)]
        for properties, is_upward in ((upward, True), (downward, False)):
            for subjects, objects in _pairs(properties, view, dictionary):
                parent, child = (objects, subjects) if is_upward else (subjects, objects)
                pairs.append(parent.astype(np.uint64) << np.uint64(32) | child)
        edges = sorted_sets.unique(np.concatenate(pairs))
        parents, children = (edges >> np.uint64(32)).astype(np.uint32), edges.astype(np.uint32)
        kept = (parents != children) & _are_named(parents, dictionary) & _are_named(children, dictionary)
        parents, children = parents[kept], children[kept]
        nodes = sorted_sets.unique(np.concatenate([parents, children, *_members(classes, view, dictionary)]))
        nodes = nodes[_are_named(nodes, dictionary)]
        roots = np.setdiff1d(nodes, children, assume_unique=False)
        return cls(parents, children, _with_cycles(nodes, parents, children, roots), dictionary)

    def page(self, parent: str | None, labels: BestLabels, offset: int, limit: int) -> tuple[list[Node], int]:
        """Some of the children of a node, or of the roots, by label; and how many there are."""
        identifier = None if parent is None else self.dictionary.lookup_key(parent)
        if parent is not None and identifier is None:
            return [], 0
        found = self._ordered(identifier, labels)
        shown = found[offset : offset + limit]
        begins, ends = (np.searchsorted(self.parents, shown, side=side) for side in ("left", "right"))
        keys = self.dictionary.keys(shown)
        names = zip(keys, labels.texts(shown), (ends - begins).tolist(), strict=True)
        return [Node(key, label or local_name(key), count) for key, label, count in names], len(found)

    def _ordered(self, parent: int | None, labels: BestLabels) -> Ids:
        """The children of a node by label; an order of many is kept."""
        known = self._sorted.get((parent, id(labels)))
        if known is not None:
            return known
        found = self.roots if parent is None else self._below(parent)
        texts = labels.texts(found)
        missing = [row for row, text in enumerate(texts) if text is None]
        for row, key in zip(missing, self.dictionary.keys(found[missing]), strict=True):
            texts[row] = local_name(key)
        order = sorted(range(len(found)), key=lambda row: (texts[row] or "").casefold())
        ordered = found[np.array(order, dtype=np.int64)]
        if len(ordered) > _MANY:
            self._sorted[parent, id(labels)] = ordered
        return ordered

    def _below(self, parent: int) -> Ids:
        begin = int(np.searchsorted(self.parents, np.uint32(parent), side="left"))
        end = int(np.searchsorted(self.parents, np.uint32(parent), side="right"))
        return self.children[begin:end]


def local_name(key: str) -> str:
    """What an IRI ends with, for readers."""
    return key.rstrip("/#").replace("#", "/").rpartition("/")[2] or key


def _pairs(properties: tuple[str, ...], view: TripleView, dictionary: Dictionary) -> list[tuple[Ids, Ids]]:
    identifiers = (dictionary.lookup(IRI(property)) for property in properties)
    known = [identifier for identifier in identifiers if identifier is not None]
    return [(s, o) for identifier in known for s, _, o in view.match(None, identifier, None)]


def _members(classes: tuple[str, ...], view: TripleView, dictionary: Dictionary) -> list[Ids]:
    type_id = dictionary.lookup(IRI(RDF_TYPE))
    identifiers = (dictionary.lookup(IRI(name)) for name in classes)
    known = [identifier for identifier in identifiers if identifier is not None]
    return [s for identifier in known for s, _, _ in view.match(None, type_id, identifier)]


def _are_named(terms: Ids, dictionary: Dictionary) -> NDArray[np.bool_]:
    return np.asarray(dictionary.kinds(terms) == IRI_KIND)


def _with_cycles(nodes: Ids, parents: Ids, children: Ids, roots: Ids) -> Ids:
    """The roots, and a node of each cycle that they do not lead to."""
    reached = np.isin(nodes, roots)
    front = nodes[reached]
    found = [roots]
    while True:
        while len(front):
            reached[np.searchsorted(nodes, front)] = True
            below = sorted_sets.unique(children[np.isin(parents, front)])
            front = below[~reached[np.searchsorted(nodes, below)]]
        if reached.all():
            return np.sort(np.concatenate(found))
        front = nodes[~reached][:1]
        found.append(front)
