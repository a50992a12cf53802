"""The values of many terms as columns, by id: computed once and cached."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import tuning
from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of, row_column
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, TRIPLE_KIND, kinds_of, term_of
from kgreason.rdf.model import Term
from kgreason.rdf.value_classes import ValueClass, approximated, classified
from kgreason.rdf.vocabulary import XSD, XSD_INTEGER
from kgreason.sorting import distinct

Ids: TypeAlias = NDArray[np.uint32]

_SHORT: Final = 15
"""An integer of so many digits is a float exactly."""
_IRI, _STRING, _TAGGED, _INTEGER, _DATE, _DATETIME = map(
    int,
    (
        *(ValueClass.IRI, ValueClass.STRING, ValueClass.TAGGED, ValueClass.INTEGER),
        *(ValueClass.DATE, ValueClass.DATETIME),
    ),
)
_XSD_DATE: Final = XSD + "date"
_XSD_DATE_TIME: Final = XSD + "dateTime"
_MOMENT: Final = re.compile(r"[1-9]\d{3}-\d\d-\d\d(T\d\d:\d\d:\d\d)?", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1)  # what has no zone is compared as if it were in UTC

Value: TypeAlias = tuple[int, float, bool]
"""The class of a term, and what `approximated` says of its value."""


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """For each row the class (uint8), a float64 for the value, and whether it determines the value (`approximated`)."""

    classes: NDArray[np.uint8]
    numbers: NDArray[np.float64]
    exact: NDArray[np.bool_]

    @classmethod
    def empty(cls, length: int) -> ValueColumn:
        """Rows that are not computed yet."""
        return cls(np.zeros(length, np.uint8), np.zeros(length), np.zeros(length, np.bool_))

    @classmethod
    def of_terms(cls, terms: list[Term]) -> ValueColumn:
        """The values of terms, one by one: some microseconds each."""
        found = cls.empty(len(terms))
        for row, term in enumerate(terms):
            value_class, value = classified(term)
            found.classes[row] = value_class
            found.numbers[row], found.exact[row] = approximated(value_class, value)
        return found

    @classmethod
    def of_keys(cls, keys: list[str]) -> ValueColumn:
        """The values of the terms of keys, one by one: a microsecond each for usual ones, and some for others."""
        return cls.of_values([_usual_value(key) or _value(key) for key in keys])

    @classmethod
    def of_values(cls, found: list[Value]) -> ValueColumn:
        """A column of rows."""
        classes, numbers, exact = zip(*found, strict=True) if found else ((), (), ())
        return cls(np.array(classes, np.uint8), np.array(numbers, np.float64), np.array(exact, np.bool_))

    def __len__(self) -> int:
        return len(self.classes)

    def take(self, index: NDArray[Any]) -> ValueColumn:
        """The rows of an index or a mask."""
        return ValueColumn(self.classes[index], self.numbers[index], self.exact[index])

    def put(self, index: NDArray[Any], other: ValueColumn) -> None:
        """Write rows; the class last, since it tells other threads that the row is there."""
        self.numbers[index] = other.numbers
        self.exact[index] = other.exact
        self.classes[index] = other.classes

    def prefix(self, count: int) -> ValueColumn:
        """A copy of the first rows; the classes first, as in `extended`."""
        classes = self.classes[:count].copy()
        return ValueColumn(classes, self.numbers[:count].copy(), self.exact[:count].copy())

    def extended(self, length: int) -> ValueColumn:
        """A longer copy."""
        longer = ValueColumn.empty(length)
        # The classes first: a row that another thread writes meanwhile is looked at again.
        longer.classes[: len(self)] = self.classes
        longer.numbers[: len(self)] = self.numbers
        longer.exact[: len(self)] = self.exact
        return longer


def _usual_value(key: str) -> Value | None:
    """What is known of a key's term, where that is told without making the term: of texts, IRIs, short integers, days
    and times. None for others."""
    if key[:1] != '"':
        return None if key[:2] in ("_:", "<<") else (_IRI, 0.0, False)
    if key[-1:] == '"':
        return _STRING, float(len(key) > len('""')), False
    end = key.rindex('"')
    if key[end + 1] == "@":
        return _TAGGED, float(end > 1), False
    digits = key[1:end]
    if len(digits) <= _SHORT and digits.isdigit() and digits.isascii() and key[end + 3 :] == XSD_INTEGER:
        return _INTEGER, float(digits), True
    return _moment(digits, key[end + 3 :])


def _moment(text: str, datatype: str) -> Value | None:
    """The same of a day or a time in its plain form, without a zone."""
    is_day = datatype == _XSD_DATE
    plain = _MOMENT.fullmatch(text) if is_day or datatype == _XSD_DATE_TIME else None
    if plain is None or (plain[1] is None) != is_day:
        return None
    try:
        since = datetime.fromisoformat(text) - _EPOCH
    except ValueError:
        return None
    microseconds = (since.days * 86400 + since.seconds) * 10**6
    return _DATE if is_day else _DATETIME, float(microseconds), float(microseconds) == microseconds


def _value(key: str) -> Value:
    value_class, value = classified(term_of(key))
    return int(value_class), *approximated(value_class, value)


class Keyed(Protocol):
    """What gives keys for ids: a dictionary."""

    def __len__(self) -> int: ...

    def keys(self, identifiers: Ids) -> list[str]:
        """The keys of ids."""

    def key_column(self, identifiers: Ids) -> pa.Array:
        """The keys of ascending ids as a column."""


class KnownValues:
    """The values of a dictionary's terms; 10 bytes for each id up to the highest that was asked for."""

    def __init__(self, dictionary: Keyed) -> None:
        self._dictionary = dictionary
        self._known = ValueColumn.empty(0)

    def of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids: O(n) once they were looked at; a microsecond or less each for the first time."""
        known = self._known
        if len(identifiers) and int(identifiers.max()) >= len(known):
            known = self._known = known.extended(max(2 * len(known), len(self._dictionary)))
        seen = known.classes[identifiers] != ValueClass.UNSEEN
        if not seen.all():
            missing = distinct(identifiers[~seen])
            for begin in range(0, len(missing), tuning.TEXT_ROWS):
                checkpoint()
                some = missing[begin : begin + tuning.TEXT_ROWS]
                known.put(some, self._looked_at(some))
        return known.take(identifiers)

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
        if len(ascending) <= tuning.FEW_USUAL_VALUES:
            keys = self._dictionary.keys(ascending)
            usual = [*map(_usual_value, keys)]
            if len(keys) <= tuning.FEW_VALUES or all(usual):
                return ValueColumn.of_values([one or _value(key) for one, key in zip(usual, keys, strict=True)])
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


@dataclass(frozen=True, slots=True)
class _Format:
    """Literals of a datatype in the plain form that most have, which Arrow reads as Python does."""

    value_class: ValueClass
    datatype: str
    lexical: str
    arrow_type: str


_DAY = "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_FORMATS: Final = (
    _Format(ValueClass.INTEGER, XSD + "integer", "-?[0-9]{1,15}", "double"),
    _Format(ValueClass.INTEGER, XSD + "int", "-?[0-9]{1,9}", "double"),
    _Format(ValueClass.INTEGER, XSD + "long", "-?[0-9]{1,15}", "double"),
    _Format(ValueClass.INTEGER, XSD + "nonNegativeInteger", "[0-9]{1,15}", "double"),
    _Format(ValueClass.DECIMAL, XSD + "decimal", r"-?[0-9]{1,9}(\.[0-9]{1,6})?", "double"),
    _Format(ValueClass.DOUBLE, XSD + "double", r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE]-?[0-9]{1,2})?", "double"),
    _Format(ValueClass.FLOAT, XSD + "float", r"-?[0-9]{1,15}(\.[0-9]{1,15})?", "float"),
    _Format(ValueClass.DATETIME, XSD + "dateTime", rf"{_DAY}T[0-9:]{{8}}(\.[0-9]{{1,6}})?", "timestamp[us]"),
    _Format(ValueClass.DATE, XSD + "date", _DAY, "date32"),
)
_MICROSECONDS_A_DAY: Final = 86400 * 10**6


def values_of_keys(keys: pa.Array) -> ValueColumn:
    """The values of a column of keys: about 0.3 microseconds each where they have a usual form."""
    found = ValueColumn.empty(len(keys))
    kinds = kinds_of(keys)
    found.classes[kinds == IRI_KIND] = ValueClass.IRI
    found.classes[kinds == BLANK_KIND] = ValueClass.BLANK
    triples = np.flatnonzero(kinds == TRIPLE_KIND)
    if len(triples):
        return _beside_triples(keys, found, triples)
    _find_strings(keys, found)
    for form in _FORMATS:
        if (found.classes == ValueClass.UNSEEN).any():
            _find_form(keys, found, form)
    rest = np.flatnonzero(found.classes == ValueClass.UNSEEN)
    found.put(rest, ValueColumn.of_keys(keys.take(row_column(rest)).to_pylist()))
    return found


def _beside_triples(keys: pa.Array, found: ValueColumn, triples: NDArray[np.int64]) -> ValueColumn:
    """Keys with triple terms among them, whose text may end like that of a literal."""
    found.classes[triples] = ValueClass.TRIPLE
    rest = np.flatnonzero(found.classes != ValueClass.TRIPLE)
    if len(rest):
        found.put(rest, values_of_keys(keys.take(row_column(rest))))
    return found


def _find_strings(keys: pa.Array, found: ValueColumn) -> None:
    rows = np.flatnonzero(mask_of(pc.ends_with(keys, '"')))
    found.classes[rows] = ValueClass.STRING
    found.numbers[rows] = numbers_of(pc.binary_length(keys.take(row_column(rows)))) > len('""')
    rows = np.flatnonzero(_matching(keys, '"@[^"]*$'))
    found.classes[rows] = ValueClass.TAGGED
    found.numbers[rows] = ~_matching(keys.take(row_column(rows)), '^""@[^"]*$')


def _find_form(keys: pa.Array, found: ValueColumn, form: _Format) -> None:
    suffix = f'"^^{form.datatype}'
    rows = np.flatnonzero(mask_of(pc.ends_with(keys, suffix)))
    if not len(rows):
        return
    texts = pc.utf8_slice_codeunits(keys.take(row_column(rows)), 1, -len(suffix))
    usual = _matching(texts, f"^({form.lexical})$")
    rows, texts = rows[usual], texts.filter(mask_column(usual))
    try:
        column = texts.cast(form.arrow_type)
    except pa.ArrowInvalid:
        return  # one of them is not a valid day or time, so each is parsed by itself
    if form.value_class >= ValueClass.DATETIME:
        is_day = form.value_class is ValueClass.DATE
        moments = numbers_of(column.cast(pa.int32() if is_day else pa.int64())).astype(np.int64)
        moments *= _MICROSECONDS_A_DAY if is_day else 1
        numbers = moments.astype(np.float64)
        found.exact[rows] = numbers.astype(np.int64) == moments
    else:
        numbers = numbers_of(column).astype(np.float64)
        found.exact[rows] = True
    # Minus zero is a number of its own among floats only.
    found.numbers[rows] = numbers if form.value_class >= ValueClass.FLOAT else numbers + 0.0
    found.classes[rows] = form.value_class


def _matching(keys: pa.Array, pattern: str) -> NDArray[np.bool_]:
    return mask_of(pc.match_substring_regex(keys, pattern))
