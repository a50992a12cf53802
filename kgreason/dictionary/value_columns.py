"""The values of many terms as columns, made of terms or keys one by one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.memory import lazy_zeros
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import Term
from kgreason.rdf.value_classes import ValueClass, approximated, classified
from kgreason.rdf.vocabulary import XSD, XSD_INTEGER

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
        return cls(lazy_zeros(length, np.uint8), lazy_zeros(length, np.float64), lazy_zeros(length, np.bool_))

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
        return cls.of_values([usual_value(key) or value_of(key) for key in keys])

    @classmethod
    def of_values(cls, found: list[Value]) -> ValueColumn:
        """A column of rows."""
        classes, numbers, exact = zip(*found, strict=True) if found else ((), (), ())
        return cls(np.array(classes, np.uint8), np.array(numbers, np.float64), np.array(exact, np.bool_))

    @classmethod
    def concatenated(cls, parts: Sequence[ValueColumn]) -> ValueColumn:
        """The rows of several, one after the other."""
        classes = np.concatenate([part.classes for part in parts])
        numbers = np.concatenate([part.numbers for part in parts])
        return cls(classes, numbers, np.concatenate([part.exact for part in parts]))

    def __len__(self) -> int:
        return len(self.classes)

    def take(self, index: NDArray[Any]) -> ValueColumn:
        """The rows of an index or a mask."""
        return ValueColumn(self.classes[index], self.numbers[index], self.exact[index])

    def are_integers(self, index: NDArray[Any] | slice) -> bool:
        """Whether all rows of an index are integers that their numbers determine."""
        return bool((self.classes[index] == ValueClass.INTEGER).all() and self.exact[index].all())

    def put(self, index: NDArray[Any] | slice, other: ValueColumn) -> None:
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


def usual_value(key: str) -> Value | None:
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


def value_of(key: str) -> Value:
    """The same of any term: some microseconds."""
    value_class, value = classified(term_of(key))
    return int(value_class), *approximated(value_class, value)
