"""What a dictionary is asked: terms by their ids and ids by their terms, one by one or in columns.

None of these reads makes an id for a term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from sys import getsizeof
from typing import TYPE_CHECKING
from weakref import proxy, ref

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa
from kgreason.dictionary import term_tuning
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.kinds import Kinds
from kgreason.dictionary.known_keys import KnownKeys
from kgreason.dictionary.number_segments import NumberSegment
from kgreason.dictionary.triple_terms import NO_TRIPLES, TripleColumns, TripleTerms
from kgreason.errors import TermError
from kgreason.rdf.keys import TRIPLE_KIND, held_key, term_of
from kgreason.rdf.model import Term

if TYPE_CHECKING:
    from kgreason.dictionary.known_values import KnownValues


class DictionaryReads:
    """The terms of a dictionary, and the reads of it."""

    def __init__(self) -> None:
        self._known = KnownKeys()
        self._kinds = Kinds()
        self._triples = TripleTerms()
        # The ids of keys that were looked up lately, which never change, since a dictionary only grows; of a key that
        # was not there, how many terms there were, inverted.
        self._recent: dict[str, int] = {}
        # These refer to this dictionary weakly, so that its memory comes back with its last reference.
        self._decode: Callable[[int], Term] | None = None
        self._values: KnownValues | None = None
        # What this is a prefix of, and of which length.
        self._origin: tuple[ref[DictionaryReads], int] | None = None

    def __len__(self) -> int:
        return len(self._known.runs)

    @property
    def values(self) -> KnownValues:
        """The values of literals, as far as they were asked for; imported when they first are."""
        if self._values is None:
            from kgreason.dictionary.known_values import KnownValues

            self._values = KnownValues(proxy(self))
        return self._values

    def lookup(self, term: Term) -> int | None:
        """The id of a term, None when it was never seen."""
        try:
            return self.lookup_key(held_key(term))
        except TermError:
            return None

    def decode(self, identifier: int) -> Term:
        """The term of an id; the terms decoded last are cached."""
        if self._decode is None:
            self._decode = lru_cache(term_tuning.DECODED_TERMS)(partial(_decoded, proxy(self)))
        return self._decode(identifier)

    def lookup_key(self, key: str) -> int | None:
        """The id of a key, None when it was never seen: some microseconds, less for the last ones."""
        known = self._recent.get(key)
        if known is not None and known >= 0:
            return known
        count = len(self._known.runs)
        if known == ~count:
            return None
        found = self._known.of_key(key)
        # A key that another thread is learning may still get another id.
        if found is None or found < count:
            if len(self._recent) >= term_tuning.RECENT_KEYS:
                self._recent = {}
            self._recent[key] = ~count if found is None else found
        return found

    def recall(self, identifiers: NDArray[np.uint32]) -> None:
        """Have the keys of ids found as those that were asked for lately are: a microsecond each."""
        if len(self._recent) + len(identifiers) <= term_tuning.RECENT_KEYS:
            self._recent.update(zip(self.keys(identifiers), identifiers.tolist(), strict=True))

    def lookup_keys(self, keys: Sequence[str]) -> NDArray[np.int64]:
        """The ids of many keys, -1 for what was never seen: a part of a microsecond each."""
        return self._known.of_keys(keys)

    def lookup_column(self, column: KeyColumn) -> NDArray[np.int64]:
        """The ids of a column of keys, -1 for what was never seen: a tenth of a microsecond each in a long column."""
        return self._known.of_hashed(column)

    def lookup_numbers(self, wanted: NumberSegment) -> NDArray[np.int64]:
        """The ids of the literals of a segment, -1 for what was never seen: some ten nanoseconds each of many."""
        return self._known.of_numbers(wanted)

    def key(self, identifier: int) -> str:
        """The key of an id."""
        return self._known.runs.key(identifier)

    def few_keys(self, identifiers: Iterable[int]) -> list[str]:
        """The keys of a few ids."""
        return self._known.runs.few_keys(identifiers)

    def keys(self, identifiers: NDArray[np.uint32]) -> list[str]:
        """The keys of many ids: in segments whole columns at a time."""
        return self._known.runs.keys(identifiers)

    def literals(self, identifiers: NDArray[np.uint32]) -> tuple[list[str], list[str]]:
        """The texts of literals and the suffixes of their keys: 0.2 microseconds each."""
        return self._known.runs.literals(identifiers)

    def key_column(self, identifiers: NDArray[np.uint32]) -> pa.Array:
        """The keys of ids in ascending order, as a string column; UnicodeEncodeError for a lone surrogate."""
        return self._known.runs.key_column(identifiers)

    def sizes(self, identifiers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """About how many bytes the keys of ids have, without a look at any text; 0 for numbers that are no texts."""
        return self._known.runs.sizes(identifiers)

    def size_between(self, first: int, last: int) -> int | None:
        """About how many bytes the keys of all ids from one to another have, where that is known without a look at
        each: O(1)."""
        return self._known.runs.size_between(first, last)

    def number_segments(self) -> Iterator[NumberSegment]:
        """The terms that are known as numbers."""
        return self._known.runs.numbers()

    def integers(self, identifiers: NDArray[np.uint32]) -> NDArray[np.float64] | None:
        """The numbers of ids, at least one, if all are integers that floats hold exactly, otherwise None: O(n) once
        they were looked at."""
        segment = self.segment_of(identifiers)
        if segment is not None and segment.integers is not None:
            return segment.integers.take(identifiers - np.uint32(segment.first))
        return self.values.integers(identifiers)

    def segment_of(self, identifiers: NDArray[np.uint32]) -> NumberSegment | None:
        """The segment of numbers that has all of some ids, at least one; None where there is none: two passes."""
        segments = [*self.number_segments()]
        if not segments:
            return None
        lowest, highest = int(identifiers.min()), int(identifiers.max())
        for segment in segments:
            if segment.first <= lowest and highest < segment.first + len(segment):
                return segment
        return None

    def kinds(self, identifiers: NDArray[np.uint32]) -> NDArray[np.uint8]:
        """For each id its kind (`rdf.keys`): O(n) once the terms have been looked at."""
        return self._kinds.of_all(self._known.runs).take(identifiers)

    def object_only_mask(self) -> NDArray[np.bool_]:
        """For every id whether it stands in the place of objects alone: literals and triple terms."""
        return self._kinds.objects_only(self._known.runs)

    def triple_terms(self) -> TripleColumns:
        """All triple terms with their parts: O(n) in the terms that came since this was asked last."""
        return self._triple_terms()

    def _triple_terms(self, noted: TripleColumns = NO_TRIPLES) -> TripleColumns:
        are_triples = self._kinds.of_all(self._known.runs) == TRIPLE_KIND
        return self._triples.of_all(are_triples, self.key_column, self._known.of_texts, noted)

    def triple_terms_pay(self, rows: int) -> bool:
        """Whether `triple_terms` pays for so many rows, beside taking each apart."""
        return self._triples.pay(rows, len(self))

    def memory(self) -> int:
        """Bytes held by the keys and the ways to them; those of Python's strings by a sample of a thousand."""
        recent = getsizeof(self._recent) + sum(map(getsizeof, list(self._recent)))
        return self._known.nbytes + self._kinds.nbytes + self._triples.nbytes + recent

    def shared_with(self, other: DictionaryReads) -> int:
        """How many of the first terms have the same ids in another dictionary: as far as is known without comparing
        them, which is where this one is, or is a prefix of, the other."""
        if other is self:
            return len(self)
        origin, count = self._origin or (None, 0)
        return count if origin is not None and origin() is other else 0

    def _check(self) -> None:
        self._known._check()
        for start, run in self._known.runs.spans():
            identifiers = range(start, start + len(run))
            keys = self.keys(np.arange(start, start + len(run), dtype=np.uint32))
            assert [self.lookup_key(key) for key in keys] == [*identifiers], "a key has another id"
            assert [self.key(identifier) for identifier in identifiers] == keys, "an id has another key"


def _decoded(dictionary: DictionaryReads, identifier: int) -> Term:
    return term_of(dictionary.key(identifier))
