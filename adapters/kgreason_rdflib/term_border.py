"""rdflib's terms and the ids of a dictionary: terms to ids, and columns of ids to terms, each made once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from rdflib.term import BNode, IdentifiedNode, Node, URIRef

from kgreason.columns import bitmaps, sorted_sets
from kgreason.dictionary import term_tuning
from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, iri_key
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.rdflib_terms import (
    MARKS,
    blank_nodes_of,
    iris_of,
    key_to_add,
    literals_of,
    misplaced,
    node_of,
    term_key,
)

_MADE_OF: Final = {IRI_KIND: iris_of, BLANK_KIND: blank_nodes_of}
"""What makes terms of many keys of a kind."""


class TermBorder:
    """Encodes rdflib terms and decodes columns of ids; a term object is made once, when it is read.

    No more than `rdflib_tuning.KEPT_TERMS` terms are kept. Readers in several threads may decode at once: what they
    share is one pair of arrays, replaced as a pair, and a term that two of them make at the same time is the same term.
    """

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        self._cache = _arrays(1024)
        # How many terms were made for these arrays: about, where threads count at once.
        self._count = 0
        # The ids of IRIs and blank nodes that were asked for lately. Their hashes are known, and most often a program
        # asks with the objects that it was given.
        self._known: dict[Node, int] = {}
        self._single: dict[int, Node] = {}
        """Terms for which the arrays have no place yet."""
        self._unplaced = 0
        """How many ids of columns were decoded without places, since these were last made."""

    def over(self, dictionary: Dictionary) -> TermBorder:
        """A border of another dictionary, with the terms of the ids that are the same there: O(these)."""
        border, (terms, made) = TermBorder(dictionary), self._cache
        shared = min(dictionary.shared_with(self.dictionary), len(terms))
        border._cache = kept, known = _arrays(max(shared, len(border._cache[0])))
        # The mark first, as when it grows.
        known[:shared] = made[:shared]
        kept[:shared] = terms[:shared]
        border._count = self._count
        return border

    def lookup(self, node: Node) -> int | None:
        """The id of a term, None when the dictionary has never seen it: O(1), and nothing is interned."""
        if type(node) is not URIRef and type(node) is not BNode:
            return self._find(node)
        known = self._known.get(node)
        if known is None:
            known = self._find(node)
            if known is not None:
                self._remember(((node, known),))
        return known

    def _find(self, node: Node) -> int | None:
        if type(node) is URIRef:
            text = str(node)
            if not text.startswith(MARKS):
                return self.dictionary.lookup_key(text)
        key = term_key(node)
        return None if key is None else self.dictionary.lookup_key(key)

    def _remember(self, found: Iterable[tuple[Node, int]]) -> None:
        if len(self._known) >= term_tuning.RECENT_KEYS:
            self._known = {}
        self._known.update(found)

    def encode(self, node: Node) -> int:
        """The id of a term, a new one when it is new; TermError for an IRI that is not valid."""
        known = self.lookup(node)
        if known is not None:
            return known
        return self.dictionary.encode_key(key_to_add(node))

    def encode_of_document(self, node: Node) -> int:
        """The id of a term, a new one when it is new; TermError for an IRI that no document can have, such as a
        relative one, unless `encode` has taken it."""
        known = self.lookup(node)
        if known is None and isinstance(node, URIRef):
            iri_key(str(node))
        return self.encode(node) if known is None else known

    def encode_triple(self, subject: Node, predicate: Node, object: Node) -> tuple[int, int, int]:
        """The ids of a triple to be added; TermError when RDF does not allow a term where it stands. To be called while
        no other thread adds terms."""
        if type(subject) is not URIRef and not isinstance(subject, (URIRef, BNode)):
            raise misplaced(subject, "subject", "an IRI or a blank node")
        if type(predicate) is not URIRef and not isinstance(predicate, URIRef):
            raise misplaced(predicate, "predicate", "an IRI")
        s, p, o = self.lookup(subject), self.lookup(predicate), self.lookup(object)
        if s is None or p is None or o is None:
            # All are looked at before the first of them gets an id.
            first = key_to_add(subject) if s is None else s
            second = key_to_add(predicate) if p is None else p
            third = key_to_add(object) if o is None else o
            s = self._learnt(subject, first) if isinstance(first, str) else first
            p = self._learnt(predicate, second) if isinstance(second, str) else second
            o = self._learnt(object, third) if isinstance(third, str) else third
        return s, p, o

    def _learnt(self, node: Node, key: str) -> int:
        """The id of a term with a key that is new: a program that adds it may ask for it next."""
        identifier = self.dictionary.learn_key(key)
        if type(node) is URIRef or type(node) is BNode:
            if len(self._known) >= term_tuning.RECENT_KEYS:
                self._known = {}
            self._known[node] = identifier
        return identifier

    def term(self, identifier: int) -> Node:
        """The rdflib term of an id."""
        terms, made = self._cache
        if identifier >= len(terms):
            alone = self._single.get(identifier)
            if alone is not None:
                return alone
            if len(self._single) < rdflib_tuning.TERMS_ALONE:
                alone = self._single[identifier] = node_of(self.dictionary.key(identifier))
                return alone
            terms, made = self._grown()
        known: Node | None = terms[identifier]
        return self._make(identifier, terms, made) if known is None else known

    def kept(self, node: Node, identifier: int) -> Node:
        """The term of an id as it was first written, given one that is equal to it."""
        return node if type(node) is URIRef else self.term(identifier)

    def name(self, identifier: int) -> IdentifiedNode:
        """The name of a graph by its id: no literal is one."""
        return cast(IdentifiedNode, self.term(identifier))

    def decode(self, identifiers: NDArray[np.uint32], *, is_asked_next: bool = False) -> list[Node]:
        """The rdflib terms of a column of ids: about 0.02 microseconds each once they were made. With `is_asked_next`
        those that are made are found quickly when a pattern has them, for 0.1 microseconds more."""
        if len(identifiers) <= rdflib_tuning.FEW_DECODED:
            return self.terms(identifiers.tolist())
        has_places = len(self._cache[0]) >= len(self.dictionary)
        if not has_places and len(identifiers) + len(self._single) <= rdflib_tuning.TERMS_ALONE:
            self._unplaced += len(identifiers)
            if self._unplaced * rdflib_tuning.PLACES_BESIDE <= len(self.dictionary):
                return self._decoded_alone(identifiers.tolist(), is_asked_next)
        terms, made = self._cache if has_places else self._grown()
        known = made.take(identifiers)
        if not known.all():
            missing = bitmaps.distinct(identifiers[~known])
            terms[missing] = self._made(missing, is_asked_next)
            made[missing] = True
            self._counted(len(missing))
        # Not terms[identifiers]: where memory is short, numpy 2.4 reads through NULL for an index that is not int64.
        decoded: list[Node] = terms.take(identifiers).tolist()
        return decoded

    def _decoded_alone(self, identifiers: list[int], is_asked_next: bool) -> list[Node]:
        """The same, where the arrays do not have a place for each id."""
        single, size = self._single, len(self._cache[0])
        missing = sorted({each for each in identifiers if each >= size and each not in single})
        if missing:
            fresh = self._made(np.array(missing, dtype=np.uint32), is_asked_next)
            single.update(zip(missing, fresh.tolist(), strict=True))
        return [single[each] if each >= size else self.term(each) for each in identifiers]

    def _made(self, identifiers: NDArray[np.uint32], is_asked_next: bool) -> NDArray[np.object_]:
        """New terms of ids in ascending order, kind by kind."""
        kinds = self.dictionary.kinds(identifiers)
        known = sorted_sets.unique(kinds).tolist()
        if len(known) == 1:
            made = self._made_of_kind(known[0], identifiers)
        else:
            made = np.empty(len(identifiers), dtype=np.object_)
            for kind in known:
                rows = kinds == kind
                made[rows] = self._made_of_kind(kind, identifiers[rows])
        if is_asked_next:
            self._remember(zip(made.tolist(), identifiers.tolist(), strict=True))
        return made

    def _made_of_kind(self, kind: int, identifiers: NDArray[np.uint32]) -> NDArray[np.object_]:
        if kind == LITERAL_KIND:
            nodes: Iterable[Node] = literals_of(*self.dictionary.literals(identifiers))
        else:
            keys = self.dictionary.keys(identifiers)
            nodes = _MADE_OF[kind](keys) if kind in _MADE_OF else map(node_of, keys)
        return np.fromiter(nodes, dtype=np.object_, count=len(identifiers))

    def terms(self, few: Sequence[int]) -> list[Node]:
        """The rdflib terms of a few ids."""
        terms, single = self._cache[0], self._single
        size = len(terms)
        found = [terms[each] if each < size else single.get(each) for each in few]
        missing = {each for each, term in zip(few, found, strict=True) if term is None and each >= size}
        if missing and len(single) + len(missing) <= rdflib_tuning.TERMS_ALONE:
            single.update(zip(missing, map(node_of, self.dictionary.few_keys(missing)), strict=True))
        return [
            term if term is not None else single[each] if each in missing and each in single else self.term(each)
            for each, term in zip(few, found, strict=True)
        ]

    def _make(self, identifier: int, terms: NDArray[Any], made: NDArray[np.bool_]) -> Node:
        term = node_of(self.dictionary.key(identifier))
        terms[identifier] = term
        made[identifier] = True
        self._counted(1)
        # Who reads one by one asks next what there is of what was found.
        if type(term) is URIRef or type(term) is BNode:
            self._remember(((term, identifier),))
        return term

    def _counted(self, made: int) -> None:
        """Count terms that were made, and let go of all when they are too many."""
        self._count += made
        if self._count > rdflib_tuning.KEPT_TERMS:
            self._cache, self._count = _arrays(len(self._cache[0])), 0

    def _grown(self) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        old_terms, old_made = self._cache
        size = max(2 * len(old_terms), len(self.dictionary))
        terms, made = _arrays(size)
        # In this order, because another thread sets the term first and then says that it is made.
        made[: len(old_made)] = old_made
        terms[: len(old_terms)] = old_terms
        self._cache, self._single, self._unplaced = (terms, made), {}, 0
        return self._cache


def _arrays(size: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A place for the term of each id, and whether it was made."""
    return np.empty(size, dtype=np.object_), np.zeros(size, dtype=np.bool_)
