"""The order of terms in files that are the same however often they are written.

IRIs come first, then blank nodes, then literals, each by text. The labels of blank nodes are new whenever a file is
read, so blank nodes are ordered, and named, by a signature: a hash of what is said of them and with them, refined
until it tells no more of them apart (`blank_order`). Nodes that it does not tell apart are alike, or nearly always
so, and written in any order, but each with those that it is connected with. A triple term with blank nodes in it has a
signature, too, and has them under the same names.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.columns import bitmaps
from kgreason.rdf.model import IRI, BlankNode, Term
from kgreason.relations.table import Ids
from kgreason.sorting import distinct_rows
from kgreason.store.blank_order import BlankOrder, blank_order
from kgreason.store.open_terms import OpenTerms, Places, renamed, text_without_labels
from kgreason.store.triple_view import Chunk

Quads: TypeAlias = tuple[Places, Places, Places, Places]
"""The places of subjects, predicates, objects and names of graphs among all terms, -1 for the default graph."""

_ONE_TERM = 400
"""About what a distinct term takes, in bytes."""


class Terms(Protocol):
    """The terms of ids: a dictionary, or the terms of one query."""

    def decode(self, identifier: int, /) -> Term:
        """The term of an id."""


class SortedTerms:
    """The distinct terms of triples, in order.

    Raises:
        MemoryError: there is not enough for them, some 400 bytes each.
    """

    def __init__(self, graphs: Sequence[tuple[int | None, Chunk]], dictionary: Terms) -> None:
        """`graphs` are the names of graphs, by id, None for the default one, each with its triples.

        Cost: O(n log n) in the triples, but for unusual blank nodes, and one look at each distinct term.
        """
        columns = [np.concatenate(parts) for parts in zip(*(chunk for _, chunk in graphs), strict=True)]
        names = np.array([name for name, _ in graphs if name is not None], dtype=np.uint32)
        self.ids = bitmaps.distinct(np.concatenate([*map(bitmaps.distinct, columns), names]))
        memory.check(_ONE_TERM * len(self.ids), "sorting terms")
        terms = [dictionary.decode(identifier) for identifier in self.ids.tolist()]
        nodes = OpenTerms(terms)
        subjects, predicates, objects = (np.searchsorted(self.ids, column) for column in columns)
        named = [-1 if name is None else int(np.searchsorted(self.ids, name)) for name, _ in graphs]
        within = np.repeat(np.array(named, dtype=np.intp), [len(chunk[0]) for _, chunk in graphs])
        keys = _keys(nodes, (subjects, predicates, objects, within))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._ranks = np.empty(len(order), np.int64)
        self._ranks[order] = np.arange(len(order))
        blank = [nodes.terms[place] for place in order if isinstance(nodes.terms[place], BlankNode)]
        labels = {node: BlankNode(f"b{number}") for number, node in enumerate(blank)}
        self.terms = [renamed(term, labels) for term in terms] if labels else terms

    def rank(self, identifier: int) -> int:
        """The place of a term in the order."""
        return int(self._ranks[np.searchsorted(self.ids, identifier)])

    def ranks(self, identifiers: Ids) -> NDArray[np.int64]:
        """The place of each of some terms in the order."""
        return self._ranks[np.searchsorted(self.ids, identifiers)]


def _keys(nodes: OpenTerms, quads: Quads) -> list[tuple[int, str, int, int]]:
    """What terms are ordered by: the kind, the text but for labels, the signature and the part of blank nodes."""
    if not nodes.is_open.any():
        return [(0 if isinstance(term, IRI) else 2, str(term), 0, 0) for term in nodes.terms]
    order = _order(nodes, quads)
    numbers = zip(order.signatures.tolist(), order.parts.tolist(), nodes.is_open.tolist(), strict=True)
    found = []
    for term, (signature, part, is_open) in zip(nodes.terms, numbers, strict=True):
        kind = 0 if isinstance(term, IRI) else 1 if isinstance(term, BlankNode) else 2
        text = text_without_labels(term) if is_open else str(term)
        found.append((kind, text, signature, part) if is_open else (kind, text, 0, 0))
    return found


def _order(nodes: OpenTerms, quads: Quads) -> BlankOrder:
    """The order of open terms by what is said of them, and by what is in them, or what they are in.

    A triple term has each blank node as if by a triple, whose predicate is the position. The predicate of a triple in a
    named graph is another one in each; and where the name is a blank node, the triple is a node of its own, which has
    the name, the subject and the object.
    """
    subjects, predicates, objects, graphs = quads
    hashes = [0 if isinstance(term, BlankNode) else _hash(text_without_labels(term)) for term in nodes.terms]
    positions = len(hashes)
    hashes += [_hash(f"position {number}") for number in range(max(3, 1 + int(nodes.positions.max(initial=-1))))]
    rows = [(nodes.outer, nodes.positions + positions, nodes.inner)]
    count, inside = len(hashes), np.flatnonzero(graphs >= 0)
    if len(inside):
        pairs = np.stack((predicates[inside], graphs[inside]), axis=1)
        distinct, numbers = distinct_rows(pairs)
        hashes += [_hash(f"{hashes[predicate]} in {hashes[graph]}") for predicate, graph in distinct.tolist()]
        predicates = predicates.copy()
        predicates[inside] = count + numbers
    rows.append((subjects, predicates, objects))
    of_its_own = inside[nodes.is_open[graphs[inside]]]
    own = len(hashes) + np.arange(len(of_its_own))
    hashes += [hashes[place] for place in predicates[of_its_own].tolist()]
    for number, column in enumerate((subjects, objects, graphs)):
        rows.append((own, np.full(len(own), positions + number), column[of_its_own]))
    is_open = np.zeros(len(hashes), dtype=np.bool_)
    is_open[: len(nodes.terms)], is_open[own] = nodes.is_open, True
    columns = [np.concatenate(column) for column in zip(*rows, strict=True)]
    order = blank_order(np.array(hashes, dtype=np.uint64), is_open, columns)
    return BlankOrder(order.signatures[: len(nodes.terms)], order.parts[: len(nodes.terms)])


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
