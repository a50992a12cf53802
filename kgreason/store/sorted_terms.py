"""The order of terms in files that are the same however often they are written.

IRIs come first, then blank nodes, then literals, each by text. The labels of blank nodes are new whenever a file is
read, so blank nodes are ordered, and named, by a signature: a hash of what is said of them and with them, refined
until it tells no more of them apart. Nodes that it does not tell apart are alike, or nearly always so, and written in
any order. A triple term with blank nodes in it has a signature, too, and has them under the same names.

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
from kgreason.store.open_terms import OpenTerms, renamed, text_without_labels

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

        Cost: O(n log n) in the triples, but for unusual blank nodes, and one look at each distinct term.
        """
        self.ids = bitmaps.distinct(np.concatenate([bitmaps.distinct(column) for column in columns]))
        memory.check(_ONE_TERM * len(self.ids), "sorting terms")
        terms = [dictionary.decode(identifier) for identifier in self.ids.tolist()]
        nodes = OpenTerms(terms)
        places = [np.searchsorted(self.ids, column) for column in columns]
        signatures = np.zeros(len(nodes.terms), np.uint64)
        if nodes.is_open.any():
            signatures = _signatures(nodes, places[:3])
        keys = [_key(term, signature) for term, signature in zip(nodes.terms, signatures.tolist(), strict=True)]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        self._ranks = np.empty(len(order), np.int64)
        self._ranks[order] = np.arange(len(order))
        blank = [nodes.terms[place] for place in order if isinstance(nodes.terms[place], BlankNode)]
        names = {node: BlankNode(f"b{number}") for number, node in enumerate(blank)}
        self.terms = [renamed(term, names) for term in terms] if names else terms

    def ranks(self, identifiers: Ids) -> NDArray[np.int64]:
        """The place of each of some terms in the order."""
        return self._ranks[np.searchsorted(self.ids, identifiers)]


def _key(term: Term, signature: int) -> tuple[int, int, str, int]:
    match term:
        case IRI():
            return 0, 0, str(term), 0
        case BlankNode():
            return 1, signature, str(term), 0
        case _:
            return 2, 0, text_without_labels(term), signature


def _signatures(nodes: OpenTerms, places: Sequence[NDArray[np.intp]]) -> NDArray[np.uint64]:
    """A hash for each term, that of an open one by its triples and by what is in it, or what it is in: a triple term
    has each blank node as if by a triple, whose predicate is the position."""
    count = len(nodes.terms)
    hashes = [0 if isinstance(term, BlankNode) else _hash(text_without_labels(term)) for term in nodes.terms]
    hashes += [_hash(f"position {number}") for number in range(int(nodes.positions.max(initial=-1)) + 1)]
    within = nodes.outer, nodes.positions + count, nodes.inner
    joined = [np.concatenate(both) for both in zip(places, within, strict=True)]
    is_open = np.append(nodes.is_open, np.zeros(len(hashes) - count, dtype=np.bool_))
    return _Refinement(np.array(hashes, dtype=np.uint64), is_open, joined).run()[:count]


class _Refinement:
    """Splits classes of blank nodes with one signature until their triples tell no more of them apart.

    A class that splits leaves its signature to those that need not be looked at, or else to its largest part, and only
    what touches the others is looked at again (Hopcroft 1971): a chain of n alike takes n looks, not n * n.
    """

    def __init__(
        self, signatures: NDArray[np.uint64], is_blank: NDArray[np.bool_], places: Sequence[NDArray[np.intp]]
    ) -> None:
        self.signatures = signatures
        self._is_blank = is_blank
        subjects, predicates, objects = places
        out, into = is_blank[subjects], is_blank[objects]
        nodes = np.concatenate([subjects[out], objects[into]])
        order = np.argsort(nodes, kind="stable")
        self._others = np.concatenate([objects[out], subjects[into]])[order]
        self._predicates = signatures[np.concatenate([predicates[out], predicates[into]])][order]
        self._directions = np.repeat(np.array([_OUT, _IN]), [out.sum(), into.sum()])[order]
        self._starts = np.searchsorted(nodes[order], np.arange(len(is_blank) + 1))
        found, counts = np.unique(signatures[is_blank], return_counts=True)
        self._sizes = dict(zip(found.tolist(), counts.tolist(), strict=True))

    def run(self) -> NDArray[np.uint64]:
        """The signatures of all terms: O(m log n) for m triples of n blank nodes, but for unusual graphs."""
        asked = np.flatnonzero(self._is_blank)
        while len(asked):
            checkpoint()
            changed = self._split(asked)
            others = np.unique(self._others[self._rows(changed)[0]])
            others = others[self._is_blank[others]]
            alone = [self._sizes[signature] == 1 for signature in self.signatures[others].tolist()]
            asked = others[~np.array(alone, dtype=np.bool_)]
        return self.signatures

    def _split(self, asked: NDArray[np.intp]) -> NDArray[np.intp]:
        """Give those of some blank nodes new signatures whose class their triples split; which these are."""
        rows, owners = self._rows(asked)
        sums = np.zeros(len(asked), dtype=np.uint64)  # sums over triples come in no order
        others = _mixed(self.signatures[self._others[rows]] + self._directions[rows])
        np.add.at(sums, owners, _mixed(self._predicates[rows] ^ others))
        before = self.signatures[asked]
        after = _mixed(before + _mixed(sums))
        found, firsts, counts = np.unique(after, return_index=True, return_counts=True)
        parts: dict[int, list[tuple[int, int]]] = {}
        for signature, old, count in zip(found.tolist(), before[firsts].tolist(), counts.tolist(), strict=True):
            parts.setdefault(old, []).append((count, signature))
        stays = [kept for old, each in parts.items() if (kept := self._largest(old, each)) is not None]
        is_changed = ~np.isin(after, np.array(stays, dtype=np.uint64))
        self.signatures[asked[is_changed]] = after[is_changed]
        return asked[is_changed]

    def _largest(self, old: int, parts: list[tuple[int, int]]) -> int | None:
        """Count what a class becomes; the part that keeps its signature, or None where nodes keep it that stay."""
        counted = sum(count for count, _ in parts)
        stays = None
        if counted == self._sizes[old]:
            self._sizes[old], stays = max(parts)
        else:
            self._sizes[old] -= counted
        self._sizes.update((signature, count) for count, signature in parts if signature != stays)
        return stays

    def _rows(self, nodes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows of triples of some nodes, and for each row the position of its node."""
        begins, ends = self._starts[nodes], self._starts[nodes + 1]
        counts = ends - begins
        owners = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        return np.arange(len(owners)) + (begins - first)[owners], owners


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64: each bit of the result depends on each bit given."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
