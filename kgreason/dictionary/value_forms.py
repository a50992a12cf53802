"""The values of columns of keys: literals in the plain forms that most have, whole columns of them at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.arrow import pa, pc
from kgreason.dictionary import term_tuning
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of, row_column
from kgreason.dictionary.digit_texts import numbers_of_digits
from kgreason.dictionary.literal_suffixes import Suffixes
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.hashing import text_buffers
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND, kinds_of
from kgreason.rdf.literal_values import KNOWN_TYPES
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD

Rows: TypeAlias = NDArray[np.int64]

_MINUS: Final = np.uint8(ord("-"))


@dataclass(frozen=True, slots=True)
class _Integers:
    """Integers with no more digits than a float holds exactly, and perhaps a minus sign."""

    digits: int
    is_signed: bool = True

    def find(self, keys: pa.Array, rows: Rows, end: str, found: ValueColumn) -> Rows:
        """Find the values of rows of keys with an end, where they have the form, and give the others: 10 nanoseconds
        each, so many rows at a time that all stays in the cache."""
        offsets, data = text_buffers(keys)
        others = [rows[:0]]
        is_all = len(rows) == len(keys)
        for start in range(0, len(rows), term_tuning.DIGIT_ROWS):
            some = rows[start : start + term_tuning.DIGIT_ROWS]
            places = slice(start, start + term_tuning.DIGIT_ROWS) if is_all else some
            begins, ends = offsets[:-1][places] + np.int64(1), offsets[1:][places] - np.int64(len(end))
            is_negative = (data[begins] == _MINUS) & self.is_signed
            begins += is_negative
            numbers, usual = numbers_of_digits(data, begins, ends - begins)
            usual &= ends - begins <= self.digits
            np.negative(numbers, out=numbers, where=is_negative)
            if not usual.all():
                others.append(some[~usual])
                places, numbers = some[usual], numbers[usual]
            found.numbers[places] = numbers
            found.exact[places] = True
            found.classes[places] = ValueClass.INTEGER
        return np.concatenate(others)


@dataclass(frozen=True, slots=True)
class _Format:
    """Literals in a plain form, which Arrow reads as Python does, and what follows it."""

    value_class: ValueClass
    lexical: str
    arrow_type: str
    end: str = ""
    is_exact: bool = True

    def find(self, keys: pa.Array, rows: Rows, end: str, found: ValueColumn) -> Rows:
        """The same of texts that Arrow reads: 0.2 microseconds each."""
        texts = pc.utf8_slice_codeunits(_rows_of(keys, rows), 1, -len(end))
        usual = mask_of(pc.match_substring_regex(texts, f"^({self.lexical}){self.end}$"))
        texts = texts.filter(mask_column(usual))
        try:
            column = (pc.utf8_slice_codeunits(texts, 0, -len(self.end)) if self.end else texts).cast(self.arrow_type)
        except pa.ArrowInvalid:
            return rows  # one of them is not a valid day or time, so each is parsed by itself
        rows, others = rows[usual], rows[~usual]
        if self.value_class >= ValueClass.DATETIME:
            is_day = self.value_class is ValueClass.DATE
            moments = numbers_of(column.cast(pa.int32() if is_day else pa.int64())).astype(np.int64)
            moments *= _MICROSECONDS_A_DAY if is_day else 1
            numbers = moments.astype(np.float64)
            found.exact[rows] = numbers.astype(np.int64) == moments
        else:
            numbers = numbers_of(column).astype(np.float64)
            found.exact[rows] = self.is_exact
        # Minus zero is a number of its own among floats only.
        found.numbers[rows] = numbers if self.value_class >= ValueClass.FLOAT else numbers + 0.0
        found.classes[rows] = self.value_class
        return others


_DAY = "[1-9][0-9]{3}-[0-9]{2}-[0-9]{2}"
_TIME = rf"{_DAY}T[0-9:]{{8}}(\.[0-9]{{1,6}})?"
_LONG_DECIMAL: Final = r"-?(0\.[1-9]|[1-9][0-9]{0,17}\.)[0-9]{14,40}[1-9]"
"""Decimals of 16 significant digits and more, as averages have, which no float determines."""
_FORMS: Final[Mapping[str, tuple[_Integers | _Format, ...]]] = {
    "integer": (_Integers(15),),
    "int": (_Integers(9),),
    "long": (_Integers(15),),
    "nonNegativeInteger": (_Integers(15, is_signed=False),),
    "decimal": (
        _Format(ValueClass.DECIMAL, r"-?[0-9]{1,9}(\.[0-9]{1,6})?", "double"),
        _Format(ValueClass.DECIMAL, _LONG_DECIMAL, "double", is_exact=False),
    ),
    "double": (_Format(ValueClass.DOUBLE, r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE]-?[0-9]{1,2})?", "double"),),
    "float": (_Format(ValueClass.FLOAT, r"-?[0-9]{1,15}(\.[0-9]{1,15})?", "float"),),
    "dateTime": (
        _Format(ValueClass.DATETIME, _TIME, "timestamp[us]"),
        _Format(ValueClass.DATETIME_ZONED, _TIME, "timestamp[us]", end="Z"),
    ),
    "date": (_Format(ValueClass.DATE, _DAY, "date32"),),
}
"""The forms that most literals have, by the names of their datatypes in XML Schema."""
_CLASSES: Final = {IRI_KIND: ValueClass.IRI, BLANK_KIND: ValueClass.BLANK, TRIPLE_KIND: ValueClass.TRIPLE}
_MICROSECONDS_A_DAY: Final = 86400 * 10**6


def values_of_keys(keys: pa.Array) -> ValueColumn:
    """The values of a column of keys: 0.01 to 0.3 microseconds each where they have a usual form."""
    kinds = kinds_of(keys)
    if (kinds == LITERAL_KIND).all():
        return _values_of_literals(keys)
    found = ValueColumn.empty(len(keys))
    for kind, value_class in _CLASSES.items():
        found.classes[kinds == kind] = value_class
    rows = np.flatnonzero(kinds == LITERAL_KIND)
    if len(rows):
        found.put(rows, _values_of_literals(_rows_of(keys, rows)))
    return found


def _values_of_literals(keys: pa.Array) -> ValueColumn:
    """The values of keys of literals, by their suffixes."""
    suffixes = Suffixes.of(keys)
    classes = np.array([*map(_class_of, suffixes.texts)], dtype=np.uint8)
    lengths = np.array([len(suffix.encode()) for suffix in suffixes.texts], dtype=np.int64)
    offsets, _ = text_buffers(keys)
    found = ValueColumn.empty(len(keys))
    found.classes[:] = classes[suffixes.codes]
    is_text = np.isin(classes, (ValueClass.STRING, ValueClass.TAGGED))
    if is_text.any():
        found.numbers[:] = is_text[suffixes.codes] & (np.diff(offsets) - lengths[suffixes.codes] > len('""'))
    for code in np.flatnonzero(classes == ValueClass.UNSEEN).tolist():
        suffix, rows = suffixes.texts[code], np.flatnonzero(suffixes.codes == code)
        for form in _FORMS.get(suffix.removeprefix("^^" + XSD), ()):
            rows = form.find(keys, rows, f'"{suffix}', found) if len(rows) else rows
        if len(rows):
            found.put(rows, ValueColumn.of_keys(keys.take(row_column(rows)).to_pylist()))
    return found


def _class_of(suffix: str) -> ValueClass:
    """The class of all literals with a suffix; UNSEEN where it depends on their texts."""
    if not suffix:
        return ValueClass.STRING
    if suffix.startswith("@"):
        return ValueClass.TAGGED
    return ValueClass.UNSEEN if suffix.removeprefix("^^") in KNOWN_TYPES else ValueClass.OPAQUE


def _rows_of(keys: pa.Array, rows: Rows) -> pa.Array:
    return keys if len(rows) == len(keys) else keys.take(row_column(rows))
