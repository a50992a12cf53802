"""The terms of solutions: those of the dictionary, and those that the query made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from rdflib.term import Node

from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.literal_suffixes import split_keys
from kgreason.sparql.solutions import Ids
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.rdflib_terms import literals_of, node_of
from kgreason_rdflib.term_border import TermBorder


class Decoder:
    """From the ids of one query to rdflib terms; None for what is unbound."""

    def __init__(self, terms: LocalTerms, border: TermBorder) -> None:
        self._terms = terms
        self._border = border
        self._made: dict[int, Node | None] = {UNBOUND: None}

    def columns(self, columns: Sequence[Ids]) -> Sequence[Sequence[Node | None]]:
        """The terms of columns of the same length; those of few rows are looked up together."""
        length = len(columns[0]) if columns else 0
        if not 0 < length <= rdflib_tuning.FEW_DECODED:
            return [*map(self._many, columns)]
        found = self._few([each for column in columns for each in column.tolist()])
        return [found[begin : begin + length] for begin in range(0, len(found), length)]

    def column(self, identifiers: Ids) -> Sequence[Node | None]:
        """The terms of a column."""
        return self.columns((identifiers,))[0]

    def _many(self, identifiers: Ids) -> Sequence[Node | None]:
        """The same: what is of the dictionary as fast as a triple's, what the query made one by one."""
        made = identifiers > self._terms.highest
        if not made.any():
            return self._border.decode(identifiers)
        found = np.empty(len(identifiers), dtype=np.object_)
        found[~made] = self._border.decode(identifiers[~made])
        distinct, numbers = np.unique(identifiers[made], return_inverse=True)
        # From an iterator: numpy would take a sequence of strings apart.
        terms = np.fromiter(self._made_terms(distinct.tolist()), dtype=np.object_, count=len(distinct))
        found[made] = terms[numbers]
        decoded: list[Node | None] = found.tolist()
        return decoded

    def _few(self, identifiers: list[int]) -> Sequence[Node | None]:
        """The same for a few."""
        highest = self._terms.highest
        if max(identifiers) <= highest:
            return self._border.terms(identifiers)
        known = iter(self._border.terms([each for each in identifiers if each <= highest]))
        made = [*{each: None for each in identifiers if each > highest}]
        term_of = dict(zip(made, self._made_terms(made), strict=True))
        return [term_of[each] if each > highest else next(known) for each in identifiers]

    def _made_terms(self, identifiers: list[int]) -> Iterator[Node | None]:
        """The terms of distinct ids of the query: literals, which most are, all at once."""
        fresh = [each for each in identifiers if each not in self._made]
        keys = [*map(self._terms.key, fresh)]
        if all(key[:1] == '"' for key in keys):
            self._made.update(zip(fresh, literals_of(*split_keys(keys)), strict=True))
        else:
            self._made.update(zip(fresh, map(node_of, keys), strict=True))
        return map(self._made.__getitem__, identifiers)
