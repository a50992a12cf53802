"""Comparison of columns: by the table of `comparison` on the classes of the values, by numbers where they decide.

Where two floats differ, so do the values that they stand for, and in the same order. Where they are the same, that is
known if they determine their values; the few rows that are left are compared as terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.truth import Mask, Truth
from kgreason.dictionary.value_columns import Ids, ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.keys import term_of
from kgreason.rdf.times import UNCERTAINTY
from kgreason.rdf.value_classes import ValueClass
from kgreason.rdf.value_comparison import EQUALITY, OPERATORS, ORDER, Rule, compared

Rows: TypeAlias = NDArray[np.int64]
IdsAt: TypeAlias = Callable[[Rows], tuple[Ids, Ids]]
"""The ids of both sides in some rows."""

_RULES = np.arange(len(Rule))
# For each rule whether it goes by the ids, or by the terms. (A look into these is much faster than np.isin.)
_BY_IDS = np.isin(_RULES, (Rule.TERM, Rule.TERM_OR_ERROR))
_BY_TERMS = np.isin(_RULES, (Rule.TEXT, Rule.CONTENT))
_VALUE, _ZONE, _ERROR, _TERM_OR_ERROR = map(int, (Rule.VALUE, Rule.ZONE, Rule.ERROR, Rule.TERM_OR_ERROR))
_FLOAT, _DOUBLE = int(ValueClass.FLOAT), int(ValueClass.DOUBLE)


_LAST_BITS, _MIDDLE, _LEAST_NORMAL = (1 << 29) - 1, 1 << 28, 2.0**-126


class Terms(Protocol):
    """What gives keys and values for ids."""

    def keys(self, identifiers: Ids) -> Sequence[str]:
        """The keys of ids."""

    def values_of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids."""

    def text_passes(self, identifiers: Ids) -> Iterator[slice]:
        """The rows of ids whose texts may be read at once."""


def compared_columns(symbol: str, left: ValueColumn, right: ValueColumn, ids: IdsAt, terms: Terms) -> Truth:
    """A comparison row by row: O(n), and some microseconds for each distinct pair that floats do not decide.

    `ids` is asked only for rows where ids or terms decide.
    """
    if symbol == "!=":
        return ~compared_columns("=", left, right, ids, terms)
    rules = (EQUALITY if symbol == "=" else ORDER)[left.classes, right.classes]
    truth, open_rows = _by_values(symbol, rules, left, right)
    same = np.flatnonzero(_BY_IDS[rules])
    if len(same):
        mine, theirs = ids(same)
        truth.true[same] = mine == theirs
        truth.error[same] = (mine != theirs) & (rules[same] == _TERM_OR_ERROR)
    rest = np.flatnonzero(open_rows | _BY_TERMS[rules])
    if len(rest):
        truth.put(rest, _compared_terms(symbol, *ids(rest), terms))
    return truth


def _by_values(symbol: str, rules: NDArray[np.uint8], a: ValueColumn, b: ValueColumn) -> tuple[Truth, Mask]:
    """What classes and numbers decide, and the rows where numbers of values that are not exact leave it open."""
    mine, theirs = a.numbers, b.numbers
    by_value, zoned = rules == _VALUE, rules == _ZONE
    top = np.maximum(a.classes, b.classes)
    single = by_value & (top == _FLOAT)
    some_single = bool(single.any())
    if some_single:
        open_single = single & (is_between_singles(a) | is_between_singles(b))
        with np.errstate(over="ignore"):
            mine = np.where(single, mine.astype(np.float32), mine)
            theirs = np.where(single, theirs.astype(np.float32), theirs)
    true = OPERATORS[symbol](mine, theirs) & (by_value | zoned)
    error = rules == _ERROR
    inexact = ~(a.exact & b.exact)
    open_rows = by_value & inexact & ~single & (top != _DOUBLE)
    if open_rows.any():
        open_rows &= mine == theirs
    rows = np.flatnonzero(zoned)
    if len(rows):
        with np.errstate(invalid="ignore"):
            apart = np.abs(mine[rows] - theirs[rows])
            decided = np.abs(apart - UNCERTAINTY) > _slack(mine[rows], theirs[rows])
        near = rows[apart <= UNCERTAINTY]
        true[near] = False
        error[near] = True
        open_rows[rows] = inexact[rows] & ~decided
    return Truth(true, error), open_rows | open_single if some_single else open_rows


def _slack(mine: NDArray[np.float64], theirs: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much the difference of floats may be off from that of the microseconds that they stand for; NaN for infinite
    ones."""
    return np.asarray(2 * (np.spacing(np.abs(mine)) + np.spacing(np.abs(theirs))))


def is_between_singles(column: ValueColumn) -> Mask:
    """The exact numbers that may round to another xsd:float than their doubles do: those whose double is in the middle
    between two, or is very small."""
    bits = column.numbers.view(np.int64)
    middle = (bits & _LAST_BITS == _MIDDLE) | (np.abs(column.numbers) < _LEAST_NORMAL) & (column.numbers != 0)
    return np.asarray(middle & (column.classes <= ValueClass.DECIMAL))


def _compared_terms(symbol: str, left: Ids, right: Ids, terms: Terms) -> Truth:
    """Each distinct pair of terms compared by itself: a few microseconds each, less for strings."""
    pairs = left.astype(np.uint64) << np.uint64(32) | right
    _, first, numbers = np.unique(pairs, return_index=True, return_inverse=True)
    mine, theirs = left[first], right[first]
    true = np.zeros(len(first), dtype=np.bool_)
    error = np.zeros(len(first), dtype=np.bool_)
    texts = _are_texts(terms, mine) & _are_texts(terms, theirs)
    plain = np.flatnonzero(texts)
    if len(plain):
        test = OPERATORS[symbol]
        for some in terms.text_passes(mine[plain]):
            rows = plain[some]
            both = zip(texts_of(terms, mine[rows]), texts_of(terms, theirs[rows]), strict=True)
            true[rows] = np.fromiter((test(a, b) for a, b in both), np.bool_, len(rows))
    rest = np.flatnonzero(~texts)
    keys = zip(terms.keys(mine[rest]), terms.keys(theirs[rest]), strict=True)
    for row, (a, b) in zip(rest.tolist(), keys, strict=True):
        try:
            true[row] = compared(symbol, term_of(a), term_of(b))
        except FunctionError:
            error[row] = True
    return Truth(true, error).take(numbers.reshape(-1))


def _are_texts(terms: Terms, ids: Ids) -> Mask:
    classes = terms.values_of(ids).classes
    return np.asarray((classes >= ValueClass.STRING) & (classes <= ValueClass.DERIVED))


def texts_of(terms: Terms, ids: Ids) -> list[str]:
    """The lexical forms of literals: a part of a microsecond each."""
    return [key[1 : key.rindex('"')] for key in terms.keys(ids)]
