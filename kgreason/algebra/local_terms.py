"""The terms of one evaluation: those of the dictionary, and those that the evaluation itself makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.algebra import algebra_tuning
from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint, passes
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import row_column
from kgreason.dictionary.decimal_texts import integer_keys, quotient_keys
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.double_segments import DoubleSegment, are_usual
from kgreason.dictionary.folded_keys import FoldedKeys
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.dictionary.key_runs import rows_within
from kgreason.dictionary.literal_suffixes import split_keys
from kgreason.dictionary.number_segments import (
    LARGEST_INTEGER,
    LARGEST_TERMS,
    IntegerSegment,
    NumberSegment,
    QuotientSegment,
)
from kgreason.errors import QueryLimitError, TermError
from kgreason.rdf.hashing import joined_texts
from kgreason.rdf.keys import LITERAL_KIND, TRIPLE_KIND, held_key, key_of
from kgreason.rdf.model import Term
from kgreason.rdf.numbers import number_literal
from kgreason.rdf.vocabulary import XSD_DOUBLE

# The values of literals are imported by what asks for them: most evaluations do not.
if TYPE_CHECKING:
    from kgreason.dictionary.value_columns import ValueColumn

UNBOUND: Final = 0xFFFFFFFF
"""Stands in a column where a row has no value; no term has this id."""

NO_KIND: Final = 0xFF
"""The kind of UNBOUND."""

MOST_CHARACTERS: Final = 1 << 30
"""So many characters at most have all texts together that one evaluation makes."""

_TOP: Final = UNBOUND - 1


Ids: TypeAlias = NDArray[np.uint32]
Kinds: TypeAlias = NDArray[np.uint8]


class LocalTerms:
    """Ids for terms. A term that the dictionary does not have gets an id from the top, for the time of one query or of
    one evaluation of a rule: nothing is added to the dictionary before `stored` is called."""

    def __init__(self, dictionary: Dictionary) -> None:
        self.dictionary = dictionary
        # The terms made here: the id of one is `_TOP` less its number among them. Most evaluations make none.
        self._own: Dictionary | None = None
        self._characters = 0
        self.stored_characters = 0
        """So many have the keys of the terms that `stored` has added to the dictionary."""

    @property
    def _made(self) -> Dictionary:
        if self._own is None:
            self._own = Dictionary()
        return self._own

    @property
    def highest(self) -> int:
        """No id of the dictionary is higher, and all ids of terms made here are."""
        return _TOP if self._own is None else _TOP - len(self._own)

    # -- from terms to ids -----------------------------------------------------------------------------------------

    def lookup(self, term: Term) -> int | None:
        """The id of a term that the dictionary or the evaluation has, None also for one that is not valid."""
        try:
            key = held_key(term)
        except TermError:
            return None
        known = self.dictionary.lookup_key(key)
        if known is None and self._own is not None:
            made = self._own.lookup_key(key)
            return None if made is None else _TOP - made
        return known

    def encode(self, term: Term) -> int:
        """The id of a term; TermError for one that is not valid."""
        known = self.lookup(term)
        return self._learn(key_of(term)) if known is None else known

    def encode_keys(self, keys: Sequence[str]) -> Ids:
        """The ids of many keys, some of which may be the same: about a microsecond for each different one, less where
        they are so many that they are looked for as a column."""
        distinct = [*dict.fromkeys(keys)]
        found = np.concatenate([self._encode_distinct(piece) for piece in passes(_pieces(distinct), 1)])
        if len(distinct) == len(keys):
            return found.astype(np.uint32)
        known_ids = dict(zip(distinct, found.tolist(), strict=True))
        return np.fromiter(map(known_ids.__getitem__, keys), np.uint32, len(keys))

    def _encode_distinct(self, distinct: Sequence[str]) -> NDArray[np.int64]:
        column = KeyColumn.of_listed(distinct) if len(distinct) >= term_tuning.SEGMENT_LEAST else None
        if column is None:
            found = self.dictionary.lookup_keys(distinct)
            new = np.flatnonzero(found < 0)
            if len(new):
                found[new] = self._learned([distinct[row] for row in passes(new.tolist(), 4096)])
            return found
        return self._encode(column)

    def encode_column(self, folded: pa.Array) -> Ids:
        """The ids of a string column of keys in their folded form, without nulls: as `encode_keys`."""
        if len(folded) < term_tuning.SEGMENT_LEAST:
            return self.encode_keys(folded.to_pylist())
        return self._encode(KeyColumn.of_folded(FoldedKeys(folded))).astype(np.uint32)

    def encode_integers(self, numbers: NDArray[np.int64]) -> Ids:
        """The ids of literals of xsd:integer, some of which may be the same: of many no text is made, and each takes
        some tens of nanoseconds."""
        if bool(((numbers > LARGEST_INTEGER) | (numbers < -LARGEST_INTEGER)).any()):
            distinct, places = np.unique(numbers, return_inverse=True)
            return self.encode_column(integer_keys(distinct))[places.reshape(-1)]
        wanted, rows = IntegerSegment.of(numbers)
        return self.encode_numbers(wanted)[rows]

    def encode_quotients(self, dividends: NDArray[np.int64], divisors: NDArray[np.int64]) -> Ids:
        """The ids of literals of xsd:decimal, quotients with 28 digits by positive divisors up to `LARGEST_DIVISOR`: of
        many no text is made unless their terms are large, and each takes some tens of nanoseconds."""
        largest = max(int(dividends.max(initial=0)), -int(dividends.min(initial=0)))
        if largest * int(divisors.max(initial=1)) >= LARGEST_TERMS:
            return self.encode_column(quotient_keys(dividends, divisors))
        wanted, rows = QuotientSegment.of(dividends, divisors)
        return self.encode_numbers(wanted)[rows]

    def encode_doubles(self, numbers: NDArray[np.float64]) -> Ids:
        """The ids of literals of xsd:double in their canonical form: of many no text is made, and each takes some tens
        of nanoseconds."""
        usual = are_usual(numbers)
        wanted, rows = DoubleSegment.of(numbers[usual])
        found = np.empty(len(numbers), dtype=np.uint32)
        found[usual] = self.encode_numbers(wanted)[rows]
        if not usual.all():
            others = [key_of(number_literal(number, XSD_DOUBLE)) for number in numbers[~usual].tolist()]
            found[~usual] = self.encode_keys(others)
        return found

    def encode_numbers(self, wanted: NumberSegment) -> Ids:
        """The ids of the literals of a segment."""
        if len(wanted) < term_tuning.NUMBERS_LEAST:
            return self.encode_keys(wanted.listed())
        found = self.dictionary.lookup_numbers(wanted)
        new = np.flatnonzero(found < 0)
        if len(new):
            found[new] = _TOP - self._made.encode_numbers(wanted.taken(0, new)).astype(np.int64)
        return found.astype(np.uint32)

    def _encode(self, column: KeyColumn) -> NDArray[np.int64]:
        """The ids of a column of keys: some tenths of a microsecond each."""
        found = self.dictionary.lookup_column(column)
        new = found < 0
        if new.any():
            fresh, before = column if new.all() else column.where(new), len(self._made)
            made = self._made.encode_columns([fresh], with_parts=False)[0]
            learned, rows = np.unique(made, return_index=True)
            texts = fresh.keys.texts.take(row_column(rows[learned >= before]))
            self._count_characters(int(pc.sum(pc.utf8_length(texts)).as_py() or 0))
            found[new] = _TOP - made.astype(np.int64)
        return found

    def _learn(self, key: str) -> int:
        """The id of a key that the dictionary does not have."""
        before, made = len(self._made), self._made.encode_key(key, with_parts=False)
        if made == before:
            self._count_characters(len(key))
        return _TOP - made

    def _learned(self, keys: list[str]) -> NDArray[np.int64]:
        """The ids of different keys that the dictionary does not have, of which there are some."""
        before = len(self._made)
        made = self._made.encode_keys(keys, with_parts=False)
        learned = keys if int(made.min()) >= before else [keys[row] for row in np.flatnonzero(made >= before).tolist()]
        self._count_characters(sum(map(len, learned)))
        return _TOP - made.astype(np.int64)

    def _count_characters(self, more: int) -> None:
        self._characters += more
        if self._characters > MOST_CHARACTERS:
            raise QueryLimitError(f"the query makes texts of more than {MOST_CHARACTERS:,} characters")

    def stored(self, identifiers: Ids) -> Ids:
        """The same terms by ids of the dictionary, to which those that were made here are added; UNBOUND stays."""
        made = (identifiers > self.highest) & (identifiers != UNBOUND)
        if not made.any():
            return identifiers
        distinct, numbers = np.unique(identifiers[made], return_inverse=True)
        found = identifiers.copy()
        keys = self._made.keys(_TOP - distinct)
        self.stored_characters += sum(map(len, keys))
        found[made] = _stored(keys, self.dictionary)[numbers.reshape(-1)]
        return found

    # -- from ids to terms -----------------------------------------------------------------------------------------

    def decode(self, identifier: int) -> Term:
        """The term of an id."""
        if identifier > self.highest:
            return self._made.decode(_TOP - identifier)
        return self.dictionary.decode(identifier)

    def key(self, identifier: int) -> str:
        """The key of an id."""
        made = identifier > self.highest
        return self._made.key(_TOP - identifier) if made else self.dictionary.key(identifier)

    def keys(self, identifiers: Ids) -> Sequence[str]:
        """The keys of many ids."""
        made = identifiers > self.highest
        if not made.any():
            return self.dictionary.keys(identifiers)
        if made.all():
            return self._made.keys(_TOP - identifiers)
        keys = np.empty(len(identifiers), dtype=np.object_)
        keys[~made] = self.dictionary.keys(identifiers[~made])
        keys[made] = self._made.keys(_TOP - identifiers[made])
        found: list[str] = keys.tolist()
        return found

    def literals(self, identifiers: Ids) -> tuple[list[str], list[str]]:
        """The lexical forms of literals, and the suffixes of their keys: 0.1 to 0.2 microseconds each."""
        if not len(identifiers) or int(identifiers.max()) <= self.highest:
            return self.dictionary.literals(identifiers)
        if int(identifiers.min()) > self.highest:
            return self._made.literals(_TOP - identifiers)
        return split_keys(self.keys(identifiers))

    def text_passes(self, identifiers: Ids) -> Iterator[slice]:
        """The rows of a column of ids whose texts may be read between two looks at the clock, with one before each;
        mostly all of them."""
        each = tuning.TEXT_BYTES // tuning.TEXT_ROWS
        most = tuning.TEXT_BYTES - each * len(identifiers)
        if len(identifiers) <= algebra_tuning.FEW_READ_TEXTS or self._are_short(identifiers, most):
            checkpoint()
            yield slice(0, len(identifiers))
            return
        for rows in rows_within(self._sizes(identifiers) + each, tuning.TEXT_BYTES):
            checkpoint()
            yield rows

    def _are_short(self, identifiers: Ids, most: int) -> bool:
        """Whether the keys of ids, at least one, are known to have so many bytes at most together: to look at the size
        of each takes some per cent of the time of a test of short texts."""
        first, last = int(identifiers[0]), int(identifiers[-1])
        if most < 0 or last > self.highest or not (identifiers[1:] > identifiers[:-1]).all():
            return False
        size = self.dictionary.size_between(first, last)
        return size is not None and size <= most

    def _sizes(self, identifiers: Ids) -> NDArray[np.int64]:
        """About how many bytes the keys of ids, at least one, have."""
        if int(identifiers.max()) <= self.highest:
            return self.dictionary.sizes(identifiers)
        made = identifiers > self.highest
        sizes = np.zeros(len(identifiers), dtype=np.int64)
        if not made.all():
            sizes[~made] = self.dictionary.sizes(identifiers[~made])
        made &= identifiers != UNBOUND
        if made.any():
            sizes[made] = self._made.sizes(_TOP - identifiers[made])
        return sizes

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ascending ids as a string column; UnicodeEncodeError for what is not Unicode."""
        end = int(np.searchsorted(identifiers, self.highest, side="right"))
        known = self.dictionary.key_column(identifiers[:end])
        if end == len(identifiers):
            return known
        made = self._made.key_column(_TOP - identifiers[end:][::-1])
        made = made.take(row_column(np.arange(len(made))[::-1]))
        return joined_texts([known, made]) if end else made

    # -- what is known of ids --------------------------------------------------------------------------------------

    def kinds(self, identifiers: Ids) -> Kinds:
        """For each id its kind, NO_KIND for UNBOUND."""
        made = identifiers > self.highest
        if not made.any():
            return self.dictionary.kinds(identifiers)
        kinds = np.full(len(identifiers), NO_KIND, dtype=np.uint8)
        kinds[~made] = self.dictionary.kinds(identifiers[~made])
        made &= identifiers != UNBOUND
        kinds[made] = self._made.kinds(_TOP - identifiers[made])
        return kinds

    def have_values(self, identifiers: Ids) -> NDArray[np.bool_]:
        """For each id whether = may hold of it and another one: a literal or a triple term; UNBOUND is neither."""
        mask = self.dictionary.object_only_mask()
        if not len(identifiers) or int(identifiers.max()) < len(mask):
            return mask[identifiers]
        kinds = self.kinds(identifiers)
        return np.asarray((kinds == LITERAL_KIND) | (kinds == TRIPLE_KIND))

    def values_of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids as operators look at them, NOTHING for UNBOUND: O(n) once they were looked at."""
        known = self.dictionary.values
        highest = int(identifiers.max()) if len(identifiers) else 0
        if highest < len(self.dictionary):
            return known.of(identifiers)
        from kgreason.dictionary.value_columns import ValueColumn
        from kgreason.rdf.value_classes import ValueClass

        found = ValueColumn.empty(len(identifiers))
        made = identifiers > self.highest
        inside = np.flatnonzero(~made)
        found.put(inside, known.of(identifiers[inside]))
        unbound = identifiers == UNBOUND
        found.classes[unbound] = ValueClass.NOTHING
        own = np.flatnonzero(made & ~unbound)
        if len(own):
            found.put(own, self._made.values.of(_TOP - identifiers[own]))
        return found

    def are_in_order(self, identifiers: Ids) -> bool:
        """Whether ids, at least one, are known to be of numbers, a lower id always of a smaller one: two passes."""
        return bool(len(identifiers)) and self.dictionary.segment_of(identifiers) is not None

    def integers_of(self, identifiers: Ids) -> NDArray[np.float64] | None:
        """The numbers of ids that all are integers which floats hold exactly; None otherwise, or where the evaluation
        has made some. A pass once they were looked at."""
        if not len(identifiers) or int(identifiers.max()) >= len(self.dictionary):
            return None
        return self.dictionary.integers(identifiers)


class StoredTerms(LocalTerms):
    """The terms of an evaluation all of whose results are kept: those that it makes are put into the dictionary at
    once, many of them as a column."""

    def encode_keys(self, keys: Sequence[str]) -> Ids:
        return _stored(keys, self.dictionary)

    def encode_numbers(self, wanted: NumberSegment) -> Ids:
        return self.dictionary.encode_numbers(wanted)

    def encode_column(self, folded: pa.Array) -> Ids:
        return self.dictionary.encode_columns([KeyColumn.of_folded(FoldedKeys(folded))], with_parts=False)[0]


def _stored(keys: Sequence[str], dictionary: Dictionary) -> Ids:
    """The ids of keys in the dictionary, of many as a column, where none has a lone surrogate."""
    found: list[Ids] = []
    for piece in passes(_pieces(keys), 1):
        column = KeyColumn.of_listed(piece) if len(piece) >= term_tuning.SEGMENT_LEAST else None
        found.append(dictionary.encode_keys(piece) if column is None else dictionary.encode_columns([column])[0])
    return np.concatenate(found)


def _pieces(keys: Sequence[str]) -> list[Sequence[str]]:
    """Keys in pieces, one at least, of as many characters as are learned between two looks at the clock."""
    if len(keys) <= algebra_tuning.FEW_READ_TEXTS or sum(map(len, keys)) <= tuning.TEXT_BYTES:
        return [keys]
    sizes = np.fromiter(map(len, keys), np.int64, len(keys))
    return [keys[rows] for rows in rows_within(sizes, tuning.TEXT_BYTES)]
