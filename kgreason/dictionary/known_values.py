"""The values of a dictionary's terms, by id: computed when they are first asked for, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pa
from kgreason.checkpoints import checkpoint
from kgreason.dictionary import term_tuning
from kgreason.dictionary.key_runs import rows_within
from kgreason.dictionary.number_segments import NumberSegment
from kgreason.dictionary.value_columns import Ids, ValueColumn, usual_value, value_of
from kgreason.dictionary.value_forms import values_of_keys
from kgreason.rdf.keys import term_of
from kgreason.rdf.value_classes import ValueClass
from kgreason.sorting import distinct

Floats: TypeAlias = NDArray[np.float64]


class Keyed(Protocol):
    """What gives keys for ids: a dictionary."""

    def __len__(self) -> int: ...

    def keys(self, identifiers: Ids) -> list[str]:
        """The keys of ids."""

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ascending ids as a column."""

    def sizes(self, identifiers: Ids) -> NDArray[np.int64]:
        """About how many bytes the keys of ids have."""

    def number_segments(self) -> Iterator[NumberSegment]:
        """The terms that are known as numbers."""


class KnownValues:
    """The values of a dictionary's terms; 10 bytes for each id up to the highest that was asked for."""

    def __init__(self, dictionary: Keyed) -> None:
        self._dictionary = dictionary
        self._known = ValueColumn.empty(0)
        self._told = 0

    def of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids: O(n) once they were looked at; a microsecond or less each for the first time. The first
        few are not kept: a query that asks for a hundred makes no room for all."""
        known = self._known
        if not len(known):
            if len(identifiers) <= term_tuning.TOLD_FEW:
                return self._looked_at(identifiers)
            self._told += len(identifiers)
            if self._told * term_tuning.TOLD_SHARE <= len(self._dictionary):
                some, rows = np.unique(identifiers, return_inverse=True)
                return self._looked_at(some).take(rows)
        if len(identifiers) and int(identifiers.max()) >= len(known):
            known = self._known = known.extended(max(2 * len(known), len(self._dictionary)))
        rows = identifiers.astype(np.intp)  # once, and not for each column
        classes = known.classes[rows]
        if not classes.all():
            missing = _with_near_ones(distinct(identifiers[classes == ValueClass.UNSEEN]))
            for some in self._passes(missing):
                checkpoint()
                first, last = int(some[0]), int(some[-1])
                is_run = last - first == len(some) - 1
                known.put(slice(first, last + 1) if is_run else some, self._looked_at(some))
            classes = known.classes[rows]
        return ValueColumn(classes, known.numbers[rows], known.exact[rows])

    def integers(self, identifiers: Ids) -> Floats | None:
        """The numbers of ids, at least one, if all are integers that floats hold exactly, otherwise None: O(n)."""
        lowest, highest = int(identifiers.min()), int(identifiers.max())
        if highest >= len(self._known):
            self.of(identifiers)
        known = self._known
        if highest >= len(known):
            return None  # too few to be kept
        if known.classes[identifiers[0]] not in (ValueClass.UNSEEN, ValueClass.INTEGER):
            return None
        are_near = highest - lowest <= term_tuning.NEAR_IDS * len(identifiers)
        if are_near and known.are_integers(slice(lowest, highest + 1)):
            return known.numbers.take(identifiers)
        if not known.classes.take(identifiers).all():
            self.of(identifiers)
        return known.numbers.take(identifiers) if known.are_integers(identifiers) else None

    def _passes(self, ascending: Ids) -> Iterator[Ids]:
        """The ids of so many terms, and of texts with so many bytes, as are looked at at once."""
        each = tuning.TEXT_BYTES // tuning.TEXT_ROWS
        for rows in rows_within(self._dictionary.sizes(ascending) + each, tuning.TEXT_BYTES):
            yield ascending[rows]

    def prefix(self, dictionary: Keyed, count: int) -> KnownValues:
        """What is known of the first `count` terms, which another dictionary has under the same ids."""
        values = KnownValues(dictionary)
        values._known = self._known.prefix(count)
        return values

    def fork(self, dictionary: Keyed, count: int) -> KnownValues:
        """What is known of the first `count` terms, which another dictionary has under the same ids, in the same
        memory: what one of them looks at later is known to both, until the other needs more of it."""
        values, known = KnownValues(dictionary), self._known
        values._known = ValueColumn(known.classes[:count], known.numbers[:count], known.exact[:count])
        return values

    def _looked_at(self, ascending: Ids) -> ValueColumn:
        """The values of ids in ascending order, or in any order of few."""
        if len(ascending) <= term_tuning.FEW_VALUES:
            return self._read(ascending)
        found, rest = ValueColumn.empty(len(ascending)), np.ones(len(ascending), dtype=np.bool_)
        for segment in self._dictionary.number_segments():
            begin, end = np.searchsorted(ascending, (segment.first, segment.first + len(segment))).tolist()
            if begin < end:
                rest[begin:end] = False
                rows = ascending[begin:end].astype(np.int64) - segment.first
                found.put(slice(begin, end), segment.values_at(rows))
        if rest.all():
            return self._read(ascending)
        if rest.any():
            found.put(rest, self._read(ascending[rest]))
        return found

    def _read(self, ascending: Ids) -> ValueColumn:
        """The same from their keys."""
        if len(ascending) <= term_tuning.FEW_USUAL_VALUES:
            keys = self._dictionary.keys(ascending)
            usual = [*map(usual_value, keys)]
            if len(keys) <= term_tuning.FEW_VALUES or all(usual):
                return ValueColumn.of_values([one or value_of(key) for one, key in zip(usual, keys, strict=True)])
        try:
            return values_of_keys(self._dictionary.key_column(ascending))
        except UnicodeEncodeError:  # a lone surrogate, which no Arrow column holds
            return ValueColumn.of_keys(self._dictionary.keys(ascending))

    def _check(self) -> None:
        seen = np.flatnonzero(self._known.classes).astype(np.uint32)
        expected = ValueColumn.of_terms([*map(term_of, self._dictionary.keys(seen))])
        known = self._known.take(seen)
        assert np.array_equal(known.classes, expected.classes), "a value has another class"
        assert np.array_equal(known.numbers, expected.numbers, equal_nan=True), "a value has another number"
        assert np.array_equal(known.exact, expected.exact), "a value is exact or not by mistake"


def _with_near_ones(ascending: Ids) -> Ids:
    """Some ids, or all between the first and the last where these are few more."""
    first, last = int(ascending[0]), int(ascending[-1])
    if last - first >= term_tuning.NEAR_IDS * len(ascending):
        return ascending
    return np.arange(first, last + 1, dtype=np.uint32)
