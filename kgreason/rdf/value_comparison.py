"""The operators =, <, ... of SPARQL (1.1, section 17.3) as a table over the classes of values, and on two terms.

Numbers are promoted as XPath has it, so that 0.1 = 0.1e0 is true. Moments of which only one has a time zone are
compared where the zone cannot matter, as XML Schema has it. Literals of different value spaces are different; those of
unknown datatypes are equal where they are the same term, otherwise an error. Triple terms are equal where their parts
are (SPARQL 1.2).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import Value
from kgreason.rdf.model import Term, TripleTerm, same_term
from kgreason.rdf.moments import Duration, Moment, ends_of
from kgreason.rdf.numbers import double, single
from kgreason.rdf.times import UNCERTAINTY
from kgreason.rdf.value_classes import NUMBERS, Exact, ValueClass, classified

C = ValueClass


class Rule(IntEnum):
    """How two values of some classes are compared."""

    DIFFERENT = 0
    ERROR = 1
    VALUE = 2
    """By their numbers."""
    ZONE = 3
    """By their numbers, which one time zone may shift."""
    TERM = 4
    """Equal where the terms are the same."""
    TERM_OR_ERROR = 5
    """Equal where the terms are the same, otherwise unknown."""
    TEXT = 6
    """By the texts."""
    CONTENT = 7
    """By what they contain, term by term."""


_RULES: Final = tuple(Rule)


def _table(rest: Rule) -> NDArray[np.uint8]:
    return np.full((len(C), len(C)), rest, dtype=np.uint8)


def _set(table: NDArray[np.uint8], left: Iterable[ValueClass], right: Iterable[ValueClass], rule: Rule) -> None:
    rows, columns = [*left], [*right]
    table[np.ix_(rows, columns)] = rule
    table[np.ix_(columns, rows)] = rule


_ZONES: Final = ((C.DATETIME, C.DATETIME_ZONED), (C.DATE, C.DATE_ZONED), (C.TIME, C.TIME_ZONED))
_LITERALS: Final = tuple(c for c in C if C.INTEGER <= c <= C.OPAQUE)
_TEXTS: Final = (C.STRING, C.DERIVED)


def _equality() -> NDArray[np.uint8]:
    table = _table(Rule.DIFFERENT)
    _set(table, NUMBERS, NUMBERS, Rule.VALUE)
    _set(table, _TEXTS, _TEXTS, Rule.TEXT)
    for same in (C.IRI, C.BLANK, C.STRING, C.TAGGED):
        table[same, same] = Rule.TERM
    for ordered in (C.BOOLEAN, *(c for pair in _ZONES for c in pair)):
        table[ordered, ordered] = Rule.VALUE
    for bare, zoned in _ZONES:
        _set(table, [bare], [zoned], Rule.ZONE)
    for content in (C.OTHER, C.TRIPLE):
        table[content, content] = Rule.CONTENT
    _set(table, [C.ILL_NUMBER, C.ILL_TEXT, C.ILL, C.OPAQUE], _LITERALS, Rule.TERM_OR_ERROR)
    # A literal with another datatype has no language.
    _set(table, [C.ILL_NUMBER, C.ILL_TEXT, C.ILL, C.OPAQUE], [C.TAGGED], Rule.DIFFERENT)
    _set(table, [C.NOTHING, C.UNSEEN], C, Rule.ERROR)
    return table


def _order() -> NDArray[np.uint8]:
    table = _table(Rule.ERROR)
    _set(table, NUMBERS, NUMBERS, Rule.VALUE)
    _set(table, _TEXTS, _TEXTS, Rule.TEXT)
    for ordered in (C.BOOLEAN, *(c for pair in _ZONES for c in pair)):
        table[ordered, ordered] = Rule.VALUE
    for bare, zoned in _ZONES:
        _set(table, [bare], [zoned], Rule.ZONE)
    table[C.OTHER, C.OTHER] = Rule.CONTENT
    return table


EQUALITY: Final = _equality()
"""For = the rule by the classes of both sides."""
ORDER: Final = _order()
"""For <, >, <= and >= the rule by the classes of both sides."""

OPERATORS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "=": operator.eq, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip


def compared(symbol: str, left: Term, right: Term) -> bool:
    """The operator =, !=, <, >, <= or >= on two terms; FunctionError where it has no answer."""
    if symbol == "!=":
        return not compared("=", left, right)
    (first, a), (second, b) = classified(left), classified(right)
    test = OPERATORS[symbol]
    match _RULES[(EQUALITY if symbol == "=" else ORDER)[first, second]]:
        case Rule.DIFFERENT:
            return False
        case Rule.VALUE:
            return bool(test(*promoted(first, a, second, b)))
        case Rule.ZONE if abs(a - b) > UNCERTAINTY:
            return bool(test(a, b))
        case Rule.CONTENT if (found := _contents(symbol, a, b)) is not None:
            return found
        case Rule.TERM:
            return same_term(left, right)
        case Rule.TERM_OR_ERROR if same_term(left, right):
            return True
        case Rule.TEXT:
            return bool(test(a, b))
    raise FunctionError(f"{left} and {right} cannot be compared by {symbol}")


def _contents(symbol: str, a: Value, b: Value) -> bool | None:
    """An operator on values of the classes OTHER and TRIPLE, None for an error: parts of dates and durations have an
    order, too."""
    test = OPERATORS[symbol]
    if isinstance(a, TripleTerm) and isinstance(b, TripleTerm):
        same_ends = a.subject == b.subject and a.predicate == b.predicate
        return same_ends and compared("=", a.object, b.object)
    if isinstance(a, Moment) and isinstance(b, Moment) and a.kind == b.kind:
        apart = a.microseconds - b.microseconds
        known = (a.zone is None) == (b.zone is None) or not -UNCERTAINTY <= apart <= UNCERTAINTY
        return bool(test(a.microseconds, b.microseconds)) if known else None
    if symbol == "=":
        return a == b
    if isinstance(a, Duration) and isinstance(b, Duration):
        # A month has no length of its own: the order has to be the same from each of some months on.
        signs = {(mine > theirs) - (mine < theirs) for mine, theirs in zip(ends_of(a), ends_of(b), strict=True)}
        return bool(test(signs.pop(), 0)) if len(signs) == 1 else None
    return None


def promoted(first: ValueClass, a: Exact, second: ValueClass, b: Exact) -> tuple[Any, Any]:
    """Two numbers in their common type. Other values are returned unchanged."""
    top = max(first, second)
    if top is C.DOUBLE:
        return double(a), double(b)
    if top is C.FLOAT:
        return single(a), single(b)
    return a, b

