"""Colour refinement over blank nodes: nodes of one colour have the same neighbourhood.

A colour is a hash of 64 bits. In each round a node takes the hash of its own colour and of the multiset of its
statements, in which blank nodes are seen by their colours and all other terms as they are. Rounds end when no class of
one colour splits any more, so nodes of two graphs that an isomorphism maps to each other have one colour.

Source: the 1-dimensional Weisfeiler-Leman algorithm; for RDF, A. Hogan, Canonical Forms for Isomorphic and Equivalent
RDF Graphs (2017).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.checkpoints import checkpoint
from kgreason.columns import sorted_sets
from kgreason.columns.mixing import Hashes, mixed

Nodes: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

POSITIONS: Final = 3
"""A statement has a blank node as its graph, its subject or its object."""
_SALTS: Final = np.array([0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, 0x8CB92BA72F3D8DD7], dtype=np.uint64)
_OWN: Final = np.array([0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3], dtype=np.uint64)


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements with blank nodes: columns of one length.

    Args:
        nodes: for graph, subject and object the number of the blank node, -1 for another term.
        terms: for graph, subject and object the id; that of a blank node says nothing.
        predicate: the id.
    """

    nodes: tuple[Nodes, Nodes, Nodes]
    terms: tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]
    predicate: NDArray[np.uint32]

    def where(self, mask: Mask) -> Statements:
        """Some of the statements."""
        nodes = tuple(column[mask] for column in self.nodes)
        terms = tuple(column[mask] for column in self.terms)
        return Statements((nodes[0], nodes[1], nodes[2]), (terms[0], terms[1], terms[2]), self.predicate[mask])

    def touching(self, wanted: Mask) -> Statements:
        """The statements with one of the nodes for which the mask is true."""
        found = np.zeros(len(self.predicate), dtype=np.bool_)
        for column in self.nodes:
            found |= wanted[column] & (column >= 0)
        return self.where(found)


@dataclass(frozen=True, slots=True)
class Incidences:
    """Each occurrence of a free node in a statement, in the order of the nodes.

    Args:
        node: the free node of each incidence.
        ground: a hash of the position and of the terms in the statement that are not free nodes.
        starts: where the incidences of each node in `present` begin.
        present: the free nodes that occur, in ascending order.
        links: for each position the incidences that see another free node there, and these nodes.
    """

    node: Nodes
    ground: Hashes
    starts: Nodes
    present: Nodes
    links: Sequence[tuple[Nodes, Nodes]]

    @classmethod
    def of(cls, statements: Statements, names: Hashes, is_free: Mask) -> Incidences:
        """Those of the free nodes; all other nodes are seen by their names."""
        seen = []
        for position in range(POSITIONS):
            node, term = statements.nodes[position], statements.terms[position].astype(np.uint64)
            values = mixed(mixed(np.where(node >= 0, names[node], term)) + _SALTS[position])
            seen.append(np.where((node >= 0) & is_free[node], np.uint64(0), values))
        predicate = mixed(statements.predicate.astype(np.uint64))
        nodes, grounds, rows, places = [], [], [], []
        for position in range(POSITIONS):
            node = statements.nodes[position]
            (chosen,) = np.nonzero((node >= 0) & is_free[node])
            others = [seen[other][chosen] for other in range(POSITIONS) if other != position]
            grounds.append(predicate[chosen] + others[0] + others[1] + _OWN[position])
            nodes.append(node[chosen])
            rows.append(chosen)
            places.append(np.full(len(chosen), position))
        node, ground, row, place = map(np.concatenate, (nodes, grounds, rows, places))
        order = np.argsort(node, kind="stable")
        node, ground, row, place = node[order], ground[order], row[order], place[order]
        present, starts = np.unique(node, return_index=True)
        links = []
        for position in range(POSITIONS):
            other = statements.nodes[position][row]
            (linked,) = np.nonzero((place != position) & (other >= 0) & is_free[other])
            links.append((linked, other[linked]))
        return cls(node, ground, starts, present, links)

    def edges(self) -> tuple[Nodes, Nodes]:
        """Pairs of free nodes that stand in one statement, both ways round."""
        here = np.concatenate([self.node[linked] for linked, _ in self.links])
        return here, np.concatenate([other for _, other in self.links])

    def hashes(self, colours: Hashes) -> Hashes:
        """A hash of each incidence under the colours of free nodes."""
        total = self.ground.copy()
        for salt, (linked, other) in zip(_SALTS, self.links, strict=True):
            total[linked] += mixed(mixed(colours[other]) + salt)
        return mixed(total)

    def rounds(self, colours: Hashes, most: int) -> Iterator[Hashes]:
        """The colours after each round that splits a class, and no more than `most`."""
        classes = len(sorted_sets.unique(colours[self.present]))
        for _ in range(most):
            checkpoint()
            if not len(self.present) or classes == len(self.present):
                return
            after = colours.copy()
            sums = np.add.reduceat(self.hashes(colours), self.starts)
            after[self.present] = mixed(colours[self.present] + mixed(sums))
            found = len(sorted_sets.unique(after[self.present]))
            yield after
            if found == classes:
                return
            classes, colours = found, after


def refined(incidences: Incidences, colours: Hashes, most: int) -> Hashes:
    """The colours after the last round."""
    for after in incidences.rounds(colours, most):
        colours = after
    return colours


def ranks(*keys: NDArray[np.generic]) -> Nodes:
    """For each row its number among the rows of the same keys, in the order of the rows: O(n log n)."""
    size = len(keys[0])
    if not size:
        return np.empty(0, dtype=np.int64)
    order = np.lexsort(keys)
    begins = np.zeros(size, dtype=np.bool_)
    begins[0] = True
    for key in keys:
        begins[1:] |= key[order][1:] != key[order][:-1]
    places = np.arange(size)
    found = np.empty(size, dtype=np.int64)
    found[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return found


def paired(left: Hashes, right: Hashes) -> tuple[Nodes, Nodes]:
    """The places of keys that stand in both columns, each once in each."""
    _, here, there = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    return here.astype(np.int64), there.astype(np.int64)
