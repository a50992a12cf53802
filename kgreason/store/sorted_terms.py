"""The order of terms in files that are the same however often they are written.

IRIs come first, then blank nodes, then literals, each by text. The labels of blank nodes are new whenever a file is
read, so blank nodes are ordered, and named, by a signature: a hash of what is said of them and with them, refined
until it tells no more of them apart. Nodes that it does not tell apart are alike, or nearly always so, and written in
any order.

Source: Hogan, "Canonical Forms for Isomorphic and Equivalent RDF Graphs" (2017), Algorithm 1, without the search that
tells apart what remains.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps
from kgreason.rdf.model import IRI, BlankNode, Term
from kgreason.relations.table import Ids

_ONE_TERM = 400
"""About what a distinct term takes, in bytes."""
_OUT, _IN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


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

        Cost: O(n log n) in the triples, and one look at each distinct term.
        """
        self.ids = bitmaps.distinct(np.concatenate([bitmaps.distinct(column) for column in columns]))
        memory.check(_ONE_TERM * len(self.ids), "sorting terms")
        self.terms = [dictionary.decode(identifier) for identifier in self.ids.tolist()]
        is_blank = np.array([isinstance(term, BlankNode) for term in self.terms], dtype=np.bool_)
        places = [np.searchsorted(self.ids, column) for column in columns]
        signatures = np.zeros(len(self.ids), np.uint64)
        if is_blank.any():
            signatures = _signatures(self.terms, is_blank, places[:3])
        keys = [_key(term, signature) for term, signature in zip(self.terms, signatures.tolist(), strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._ranks = np.empty(len(order), np.int64)
        self._ranks[order] = np.arange(len(order))
        for number, place in enumerate(place for place in order if is_blank[place]):
            self.terms[place] = BlankNode(f"b{number}")

    def ranks(self, identifiers: Ids) -> NDArray[np.int64]:
        """The place of each of some terms in the order."""
        return self._ranks[np.searchsorted(self.ids, identifiers)]


def _key(term: Term, signature: int) -> tuple[int, int, str]:
    match term:
        case IRI():
            return 0, 0, str(term)
        case BlankNode():
            return 1, signature, str(term)
        case _:
            return 2, 0, str(term)


def _signatures(
    terms: Sequence[Term], is_blank: NDArray[np.bool_], places: Sequence[NDArray[np.intp]]
) -> NDArray[np.uint64]:
    """A hash for each term, that of a blank node by its triples; sums over triples come in no order."""
    hashes = [0 if isinstance(term, BlankNode) else _hash(str(term)) for term in terms]
    signatures = np.array(hashes, dtype=np.uint64)
    touching = is_blank[places[0]] | is_blank[places[2]]
    subjects, predicates, objects = (column[touching] for column in places)
    known = 0
    while True:
        checkpoint()
        sums = np.zeros(len(terms), dtype=np.uint64)
        np.add.at(sums, subjects, _mixed(signatures[predicates] ^ _mixed(signatures[objects] + _OUT)))
        np.add.at(sums, objects, _mixed(signatures[predicates] ^ _mixed(signatures[subjects] + _IN)))
        signatures[is_blank] = _mixed(signatures[is_blank] + _mixed(sums[is_blank]))
        distinct = len(np.unique(signatures[is_blank]))
        if distinct == known:
            return signatures
        known = distinct


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: each bit of the result depends on each bit given."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
