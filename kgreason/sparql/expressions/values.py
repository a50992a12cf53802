"""The values of the terms of one query: those of the dictionary are kept there, those that the query made here."""

from __future__ import annotations

import numpy as np

from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn


class QueryValues:
    """Values by id."""

    def __init__(self, terms: QueryTerms) -> None:
        self._terms = terms
        # By the number from the top, in the order in which the query made them.
        self._made = ValueColumn.empty(0)

    def of(self, ids: Ids) -> ValueColumn:
        """The values of ids; NOTHING for UNBOUND."""
        known = self._terms.dictionary.values
        highest = int(ids.max()) if len(ids) else 0
        if highest < len(self._terms.dictionary):
            return known.of(ids)
        found = ValueColumn.empty(len(ids))
        made = ids > self._terms.highest
        inside = np.flatnonzero(~made)
        found.put(inside, known.of(ids[inside]))
        unbound = ids == UNBOUND
        found.classes[unbound] = ValueClass.NOTHING
        own = np.flatnonzero(made & ~unbound)
        found.put(own, self._of_made(np.uint32(UNBOUND - 1) - ids[own]))
        return found

    def _of_made(self, numbers: Ids) -> ValueColumn:
        if len(numbers) and int(numbers.max()) >= len(self._made):
            self._made = self._made.extended(max(2 * len(self._made), int(numbers.max()) + 1))
        unseen = self._made.classes[numbers] == ValueClass.UNSEEN
        if unseen.any():
            missing = np.unique(numbers[unseen])
            terms = [self._terms.decode(UNBOUND - 1 - number) for number in missing.tolist()]
            self._made.put(missing, ValueColumn.of_terms(terms))
        return self._made.take(numbers)
