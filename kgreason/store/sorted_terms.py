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
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.columns import bitmaps
from kgreason.rdf.model import IRI, BlankNode, Term
from kgreason.relations.table import Ids
from kgreason.store.blank_order import BlankOrder, blank_order
from kgreason.store.open_terms import OpenTerms, Places, renamed, text_without_labels

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

    def __init__(self, columns: Sequence[Ids], dictionary: Terms) -> None:
        """`columns` are the subjects, predicates and objects of all triples, and perhaps more terms.

        Cost: O(n log n) in the triples, but for unusual blank nodes, and one look at each distinct term.
        """
        self.ids = bitmaps.distinct(np.concatenate([bitmaps.distinct(column) for column in columns]))
        memory.check(_ONE_TERM * len(self.ids), "sorting terms")
        terms = [dictionary.decode(identifier) for identifier in self.ids.tolist()]
        nodes = OpenTerms(terms)
        places = [np.searchsorted(self.ids, column) for column in columns]
        keys = _keys(nodes, places[:3])
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._ranks = np.empty(len(order), np.int64)
        self._ranks[order] = np.arange(len(order))
        blank = [nodes.terms[place] for place in order if isinstance(nodes.terms[place], BlankNode)]
        names = {node: BlankNode(f"b{number}") for number, node in enumerate(blank)}
        self.terms = [renamed(term, names) for term in terms] if names else terms

    def ranks(self, identifiers: Ids) -> NDArray[np.int64]:
        """The place of each of some terms in the order."""
        return self._ranks[np.searchsorted(self.ids, identifiers)]


def _keys(nodes: OpenTerms, places: Sequence[Places]) -> list[tuple[int, str, int, int]]:
    """What terms are ordered by: the kind, the text but for labels, the signature and the part of blank nodes."""
    if not nodes.is_open.any():
        return [(0 if isinstance(term, IRI) else 2, str(term), 0, 0) for term in nodes.terms]
    order = _order(nodes, places)
    numbers = zip(order.signatures.tolist(), order.parts.tolist(), nodes.is_open.tolist(), strict=True)
    found = []
    for term, (signature, part, is_open) in zip(nodes.terms, numbers, strict=True):
        kind = 0 if isinstance(term, IRI) else 1 if isinstance(term, BlankNode) else 2
        text = text_without_labels(term) if is_open else str(term)
        found.append((kind, text, signature, part) if is_open else (kind, text, 0, 0))
    return found


def _order(nodes: OpenTerms, places: Sequence[Places]) -> BlankOrder:
    """The order of open terms by their triples and by what is in them, or what they are in: a triple term has each
    blank node as if by a triple, whose predicate is the position."""
    count = len(nodes.terms)
    hashes = [0 if isinstance(term, BlankNode) else _hash(text_without_labels(term)) for term in nodes.terms]
    hashes += [_hash(f"position {number}") for number in range(int(nodes.positions.max(initial=-1)) + 1)]
    within = nodes.outer, nodes.positions + count, nodes.inner
    joined = [np.concatenate(both) for both in zip(places, within, strict=True)]
    is_open = np.append(nodes.is_open, np.zeros(len(hashes) - count, dtype=np.bool_))
    order = blank_order(np.array(hashes, dtype=np.uint64), is_open, joined)
    return BlankOrder(order.signatures[:count], order.parts[:count])


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
