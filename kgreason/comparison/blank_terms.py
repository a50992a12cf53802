"""Blank nodes and triple terms with some in them, both as nodes: statements about their parts tell the terms apart."""

from __future__ import annotations

from functools import cached_property
from typing import Final
from uuid import uuid4

import numpy as np

from kgreason.columns.id_columns import repeated
from kgreason.comparison.colours import Mask
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.triple_terms import TripleColumns
from kgreason.io.quads import DEFAULT_GRAPH, Ids, Quads
from kgreason.rdf.keys import BLANK_KIND, TRIPLE_KIND
from kgreason.rdf.triple_keys import triple_key

_PARTS: Final = (0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFE)
"""In the place of predicates, numbers that are no ids: has as subject, as predicate, as object."""


class BlankTerms:
    """The terms of a dictionary with blank nodes in them, as it is when this is first asked."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def fresh(self, count: int) -> Ids:
        """The ids of so many new blank nodes."""
        return self._dictionary.encode_keys(f"_:b{uuid4().hex}" for _ in range(count))

    def are_triples(self, ids: Ids) -> Mask:
        """Which ids are of triple terms."""
        return np.asarray(self._dictionary.kinds(ids) == TRIPLE_KIND)

    def are_nodes(self, ids: Ids) -> Mask:
        """Which ids are of blank nodes, or of triple terms with some in them."""
        kinds = self._dictionary.kinds(ids)
        found = np.asarray(kinds == BLANK_KIND)
        triples = np.flatnonzero(kinds == TRIPLE_KIND)
        if len(triples):
            found[triples] = np.isin(ids[triples], self._open.ids)
        return found

    def parts_of(self, nodes: Ids) -> Quads:
        """Statements of the parts of the triple terms among some nodes, and of the terms with blank nodes in these."""
        if not self.are_triples(nodes).any():
            return Quads.empty()
        chosen = np.isin(self._open.ids, nodes)
        while (inner := ~chosen & np.isin(self._open.ids, self._open.objects[chosen])).any():
            chosen |= inner
        terms = self._open.where(chosen)
        predicates = np.repeat(np.array(_PARTS, dtype=np.uint32), len(terms))
        graphs = repeated(DEFAULT_GRAPH, len(predicates))
        return Quads(graphs, np.tile(terms.ids, len(_PARTS)), predicates, np.concatenate(terms.columns[1:]))

    def renamed(self, nodes: Ids, names: Ids) -> Ids:
        """The names of sorted nodes; those of triple terms are made of the names of the blank nodes in them."""
        if not self.are_triples(nodes).any():
            return names
        names = names.copy()
        waiting = self._open.where(np.isin(self._open.ids, nodes))
        while len(waiting):
            is_next = ~np.isin(waiting.objects, waiting.ids)
            terms, waiting = waiting.where(is_next), waiting.where(~is_next)
            subjects, objects = (with_names(column, nodes, names) for column in (terms.subjects, terms.objects))
            names[nodes.searchsorted(terms.ids)] = self._triples(subjects, terms.predicates, objects)
        return names

    @cached_property
    def _open(self) -> TripleColumns:
        """The triple terms with blank nodes in them: O(triple terms) for each level of nesting."""
        triples = self._dictionary.triple_terms()
        is_open = np.zeros(len(triples), dtype=np.bool_)
        for column in (triples.subjects, triples.objects):
            is_open |= self._dictionary.kinds(column) == BLANK_KIND
        while (outer := ~is_open & np.isin(triples.objects, triples.ids[is_open])).any():
            is_open |= outer
        return triples.where(is_open)

    def _triples(self, *parts: Ids) -> Ids:
        """The ids of triple terms by their parts; the dictionary learns those that it lacks."""
        found = self._dictionary.triple_terms().with_parts(*parts)
        rows = np.flatnonzero(found < 0)
        if len(rows):
            keys = (self._dictionary.keys(column[rows]) for column in parts)
            found[rows] = self._dictionary.encode_keys(map(triple_key, *keys))
        return found.astype(np.uint32)


def with_names(column: Ids, nodes: Ids, names: Ids) -> Ids:
    """A column with the names of sorted nodes in their places."""
    places = np.minimum(np.searchsorted(nodes, column), len(nodes) - 1)
    return np.where(nodes[places] == column, names[places], column)
