"""What tables share whose facts are not written out: most of what is made of them is written out.

A scheme derives its table from one of these, `VirtualTable` in `virtual`. The others are views: `inverse` and
`table_difference`.
"""

from __future__ import annotations

import numpy as np

from kgreason.relations import table_tuning
from kgreason.relations.plain import table_of
from kgreason.relations.table import NO_IDS, Ids, Mask, Table


class UnwrittenTable(Table):
    """A table whose facts are not written out; immutable."""

    is_virtual = True
    _few: Table | None = None
    """The facts in a plain table, once `written_few` has made it."""

    def materialised(self) -> Table:
        """One sort of all facts."""
        return table_of(self.columns())

    def written_few(self) -> Table:
        """Few facts are written out once: O(facts)."""
        if self._few is None:
            if self.estimate > table_tuning.WRITTEN_FEW or len(self) > table_tuning.WRITTEN_FEW:
                return self
            self._few = self.materialised()
        return self._few

    def few_of(self, position: int, identifier: int, most: int) -> list[int] | None:
        """Counted before one is read, unless a scheme knows better."""
        return None if self.fanout_of(position, identifier) > most else super().few_of(position, identifier, most)

    def may_have_key(self, position: int, identifiers: Ids) -> Mask:
        """All of them, unless a scheme knows better."""
        return np.ones(len(identifiers), dtype=np.bool_)

    def filter(self, kept: Mask) -> Table:
        """A plain table: O(n)."""
        return table_of(tuple(column[kept] for column in self.columns()))

    def union(self, other: Table) -> Table:
        """A plain table, O(n), unless there is nothing to unite."""
        return self.materialised().union(other) if other else self

    def intersection(self, other: Table) -> Table:
        """A plain table: O(facts of the smaller table), by `contains` of the other."""
        small, large = (self, other) if self.estimate < other.estimate else (other, self)
        kept = [(NO_IDS,) * self.arity]
        for columns in small.chunks():
            found = large.contains(columns)
            kept.append(tuple(column[found] for column in columns))
        return table_of(tuple(map(np.concatenate, zip(*kept, strict=True))))

    def _check(self) -> None:
        facts = table_of(self.columns())
        assert len(facts) == len(self.columns()[0]) == len(self), "a fact comes twice, or the length is wrong"
        assert bool(self.contains(facts.columns()).all()), "a fact is not contained"
        for position in range(self.arity):
            assert np.array_equal(self.distinct(position), facts.distinct(position)), "ids without facts"
        swapped = table_of(self.inverse().columns()[::-1])
        assert len(swapped) == len(facts), "the inverse has another length"
        assert not swapped.difference(facts), "the inverse differs"
        few = self.written_few()
        assert few is self or (len(few) == len(facts) and not few.difference(facts)), "other facts are written out"
