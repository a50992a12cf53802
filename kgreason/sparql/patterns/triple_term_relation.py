"""The relation of triple terms with their parts: four columns of a dictionary, read by any of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kgreason.algebra.relation import Columns
from kgreason.columns import bitmaps, pairs
from kgreason.dictionary.triple_terms import TripleColumns
from kgreason.sparql.patterns.pattern_relations import PatternRelation
from kgreason.sparql.solutions import Counts, Ids, Index, Mask


class TripleTermRelation(PatternRelation):
    """Term, subject, predicate and object of each triple term that a store has, in any of its triples.

    A look-up goes by the position that has most ids, over an order that the dictionary keeps: O(k log n + output)."""

    arity = 4

    def __init__(self, triples: TripleColumns) -> None:
        self._triples = triples

    @property
    def estimate(self) -> int:
        return len(self._triples)

    def __len__(self) -> int:
        return len(self._triples)

    def __bool__(self) -> bool:
        return len(self._triples) > 0

    def distinct_estimate(self, position: int) -> int:
        return max(1, self._triples.distinct_count(position))

    def distinct(self, position: int) -> Ids:
        return bitmaps.distinct(self._triples.columns[position])

    def chunks(self) -> Iterator[Columns]:
        yield self._triples.columns

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self._triples.columns
        return self.lookup({place: np.array([wanted], dtype=np.uint32) for place, wanted in bound.items()})[1]

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        best = self._best(bound)
        index, rows = pairs.spread(*self._triples.runs(best, bound[best]))
        rows = self._triples.order(best)[rows]
        columns = self._triples.columns
        for position, wanted in bound.items():
            if position != best:
                same = columns[position][rows] == wanted[index]
                index, rows = index[same], rows[same]
        return index, tuple(column[rows] for column in columns)

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        best = self._best(bound)
        for begin, end in pairs.runs_within(self.fanout(best, bound[best]), most):
            index, columns = self.lookup({position: wanted[begin:end] for position, wanted in bound.items()})
            yield index + begin, columns

    def contains(self, columns: Columns) -> Mask:
        found = np.zeros(len(columns[0]), dtype=np.bool_)
        found[self.lookup(dict(enumerate(columns)))[0]] = True
        return found

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return self.fanout(position, identifiers) > 0

    def fanout(self, position: int, identifiers: Ids) -> Counts:
        begin, end = self._triples.runs(position, identifiers)
        return end - begin

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        return float(self.fanout(position, identifiers).mean())

    def _best(self, bound: dict[int, Ids]) -> int:
        return max(bound, key=self._triples.distinct_count)
