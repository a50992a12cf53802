"""Arithmetic over whole columns of numbers: exact, or left to be computed term by term.

Integers are exact as floats up to 2**53. Decimals of up to 15 significant digits are counted in units of a common
power of ten.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.decimal_units import SHORT, Floats, scaled
from kgreason.algebra.expressions.column_comparison import is_between_singles
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Ids
from kgreason.columns.id_columns import repeated
from kgreason.dictionary import term_tuning
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.keys import key_of
from kgreason.rdf.numbers import number_literal
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.vocabulary import XSD_DECIMAL, XSD_DOUBLE, XSD_FLOAT, XSD_INTEGER

_OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "u-": np.negative, "u+": np.positive, "abs": np.abs, "ceil": np.ceil, "floor": np.floor,
    "round": lambda numbers: np.copysign(np.floor(numbers) + (numbers - np.floor(numbers) >= 0.5), numbers),
}  # fmt: skip
_EXACT = float(1 << 53)
"""Integers below this are exact as floating-point numbers."""
_LARGE = float(1 << 63)
"""Integers below this fit in 64 bits."""
_DATATYPES = {
    ValueClass.INTEGER: XSD_INTEGER, ValueClass.DECIMAL: XSD_DECIMAL,
    ValueClass.FLOAT: XSD_FLOAT, ValueClass.DOUBLE: XSD_DOUBLE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Computed:
    """Results as columns, but for the rows `apart`, which were computed on terms and have `ids`."""

    values: ValueColumn
    apart: NDArray[np.int64]
    ids: Ids

    def completed(self, evaluator: Evaluator) -> ValueColumn:
        """The values of all rows."""
        if len(self.apart):
            self.values.put(self.apart, evaluator.terms.values_of(self.ids))
        return self.values


def numbers(symbol: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> ValueColumn:
    """The results of +, -, * and /, and of what takes one number: u-, u+, abs, ceil, floor and round; no term is made
    of those that floats hold exactly."""
    return _results(symbol, evaluator, arguments, batch).completed(evaluator)


def ids_of_numbers(symbol: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Ids:
    """The same as terms, UNBOUND for errors: each distinct number is made once."""
    return _encoded(_results(symbol, evaluator, arguments, batch), evaluator.terms)


def _results(symbol: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> _Computed:
    operands = [evaluator.operand(argument, batch) for argument in arguments]
    columns = [operand.values for operand in operands]
    if symbol in _UNARY:
        found, open_rows = _changed(symbol, columns[0])
    else:
        found, open_rows = _computed(symbol, columns[0], columns[1])
    rest = where(open_rows)
    if not len(rest):
        return _Computed(found, rest, np.empty(0, dtype=np.uint32))
    sides = zip(arguments, operands, strict=True)
    ids = evaluator.applied(symbol, [evaluator.ids_at(*side, batch, rest) for side in sides], len(rest))
    return _Computed(found, rest, ids)


def _changed(symbol: str, column: ValueColumn) -> tuple[ValueColumn, NDArray[np.bool_]]:
    numeric = _numeric(column)
    with np.errstate(invalid="ignore"):
        numbers = _UNARY[symbol](column.numbers)
    # Zero has a sign among floats only.
    # Of decimals of up to 15 digits none is so near to a whole number that the float of it is that number.
    numbers = np.where((numbers == 0) & (column.classes <= ValueClass.DECIMAL), 0.0, numbers)
    known = numeric & (column.exact | (column.classes >= ValueClass.FLOAT))
    classes = np.where(numeric, column.classes, ValueClass.NOTHING).astype(np.uint8)
    return ValueColumn(classes, numbers, known.copy()), numeric & ~known


def _computed(symbol: str, left: ValueColumn, right: ValueColumn) -> tuple[ValueColumn, NDArray[np.bool_]]:
    """The results, and the rows that need exact arithmetic."""
    numeric = _numeric(left) & _numeric(right)
    top = np.where(numeric, np.maximum(left.classes, right.classes), ValueClass.NOTHING).astype(np.uint8)
    a, b = left.numbers, right.numbers
    with np.errstate(all="ignore"):
        numbers = _OPERATORS[symbol](a, b)
        single = top == ValueClass.FLOAT
        if single.any():
            rounded = _OPERATORS[symbol](a.astype(np.float32), b.astype(np.float32))
            numbers = np.where(single, rounded.astype(np.float64), numbers)
    open_single = single & (is_between_singles(left) | is_between_singles(right))
    floating = (single & ~open_single) | (top == ValueClass.DOUBLE)
    both = left.exact & right.exact
    integral = (top == ValueClass.INTEGER) & both & (np.abs(numbers) < _EXACT) & (symbol != "/")
    known = floating | integral
    decimal = numeric & ~floating & both & ~integral & (top == ValueClass.DECIMAL)
    if symbol != "/" and decimal.any():
        rows = where(decimal)
        exact, results = _decimals(symbol, a[rows], b[rows])
        known[rows[exact]] = True
        numbers[rows[exact]] = results[exact]
    numbers = np.where(numeric & ~floating & ~single & (numbers == 0), 0.0, numbers)
    open_rows = numeric & ~known
    if symbol in ("+", "-"):
        open_rows |= _moments(left) | _moments(right)
    if symbol == "/":
        # By zero is an error for exact numbers.
        impossible = open_rows & both & (b == 0) & ~single
        top[impossible] = ValueClass.NOTHING
        open_rows &= ~impossible
    return ValueColumn(top, numbers, known), open_rows


def _numeric(column: ValueColumn) -> NDArray[np.bool_]:
    return np.asarray((column.classes >= ValueClass.INTEGER) & (column.classes <= ValueClass.DOUBLE))


def _moments(column: ValueColumn) -> NDArray[np.bool_]:
    return np.asarray((column.classes >= ValueClass.DATETIME) & (column.classes <= ValueClass.TIME_ZONED))


def _decimals(symbol: str, a: Floats, b: Floats) -> tuple[NDArray[np.bool_], Floats]:
    """Where short decimals have a short result, and what it is."""
    mine, theirs = scaled(a), scaled(b)
    if mine is None or theirs is None:
        return np.zeros(len(a), dtype=np.bool_), a
    (counts, places), (others, more) = mine, theirs
    if symbol == "*":
        result, scale = counts * others, places + more
    else:
        scale = max(places, more)
        result = _OPERATORS[symbol](counts * 10.0 ** (scale - places), others * 10.0 ** (scale - more))
    unit = 10.0**scale
    return np.abs(result) < SHORT, result / unit


def _encoded(results: _Computed, terms: LocalTerms) -> Ids:
    classes, values = results.values.classes.copy(), results.values.numbers
    found = repeated(UNBOUND, len(values))
    found[results.apart] = results.ids
    classes[results.apart] = ValueClass.NOTHING
    for value_class, datatype in _DATATYPES.items():
        rows = where(classes == value_class)
        if len(rows):
            bits, numbers = np.unique(values[rows].view(np.int64), return_inverse=True)
            found[rows] = _made(bits.view(np.float64), datatype, terms)[numbers.reshape(-1)]
    return found


def _made(numbers: Floats, datatype: str, terms: LocalTerms) -> Ids:
    """The ids of numbers in a datatype: of many integers and short decimals as a column."""
    if len(numbers) >= term_tuning.NUMBERS_LEAST:
        units = scaled(numbers) if datatype == XSD_DECIMAL else None
        if units is not None:
            return terms.encode_quotients(units[0].astype(np.int64), np.full(len(numbers), 10 ** units[1]))
        if datatype == XSD_INTEGER and bool((np.abs(numbers) < _LARGE).all()):
            return terms.encode_integers(numbers.astype(np.int64))
        if datatype == XSD_DOUBLE:
            return terms.encode_doubles(numbers)
    return terms.encode_keys([_key(number, datatype) for number in numbers.tolist()])


def _key(number: float, datatype: str) -> str:
    if datatype == XSD_INTEGER:
        return f'"{int(number)}"^^{XSD_INTEGER}'
    if datatype == XSD_DECIMAL:
        # A whole number may have more digits than the shortest text of its float.
        return key_of(number_literal(Decimal(int(number) if number.is_integer() else repr(number)), datatype))
    return key_of(number_literal(number, datatype))
