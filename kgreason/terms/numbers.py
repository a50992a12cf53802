"""Comparison and arithmetic on literals: the numeric tower of SPARQL 1.1, and order among strings and times."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import ROUND_FLOOR, Decimal

from kgreason.errors import FunctionError
from kgreason.terms.model import Literal, Term
from kgreason.terms.values import Float, NoValueError, Value, value_of
from kgreason.terms.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_FLOAT, XSD_INTEGER


def boolean_literal(value: bool) -> Literal:
    """The literal of a truth value."""
    return Literal("true" if value else "false", XSD_BOOLEAN)


def required_value(term: Term) -> Value:
    """The value of a literal; FunctionError for a resource."""
    if not isinstance(term, Literal):
        raise FunctionError(f"{term} is no literal")
    return value_of(term)


def equal(left: Term, right: Term) -> bool:
    """Equality of values (``=``): numbers as numbers, other literals by value, resources by identity."""
    if left == right:
        return not (isinstance(left, Literal) and _is_nan(left))
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return False
    try:
        first, second = value_of(left), value_of(right)
    except NoValueError as error:
        raise FunctionError(f"{left} and {right} cannot be compared: {error}") from error
    if is_number(first) and is_number(second):
        return plain_number(first) == plain_number(second)
    both_times = isinstance(first, datetime) and isinstance(second, datetime)
    if both_times and (first.tzinfo is None) != (second.tzinfo is None):  # type: ignore[union-attr]
        raise FunctionError(f"{left} and {right} cannot be compared: only one has a time zone")
    return type(first) is type(second) and first == second


def _is_nan(literal: Literal) -> bool:
    return literal.lexical.strip() == "NaN" and literal.datatype in (XSD + "double", XSD + "float")


def is_number(value: Value) -> bool:
    """Whether a value is numeric."""
    return isinstance(value, int | Decimal | Float) and not isinstance(value, bool)


def plain_number(value: Value) -> int | Decimal | float:
    """A numeric value as a Python number."""
    return value.number if isinstance(value, Float) else value  # type: ignore[return-value]


def less(left: Term, right: Term) -> bool:
    """Order (``<``) among numbers, and among strings, booleans, dates and times of one type."""
    first, second = required_value(left), required_value(right)
    if is_number(first) and is_number(second):
        return plain_number(first) < plain_number(second)
    if type(first) is type(second) and isinstance(first, bool | str | datetime | date | time):
        try:
            return first < second  # type: ignore[operator]
        except TypeError as error:
            raise FunctionError(f"{left} and {right} cannot be compared: {error}") from error
    raise FunctionError(f"{left} and {right} cannot be compared")


def same_value(left: Term, right: Term) -> bool:
    """Whether two literals stand for the same data value; ill-typed literals only for themselves."""
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    try:
        first, second = value_of(left), value_of(right)
    except NoValueError:
        return left == right
    return type(first) is type(second) and (first == second or left == right)


def double(number: int | Decimal | float) -> float:
    """The nearest number of xsd:double, infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def single(number: int | Decimal | float) -> float:
    """The nearest number of xsd:float, infinite where there is none."""
    try:
        (found,) = struct.unpack("f", struct.pack("f", double(number)))
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    return float(found)


def number_literal(value: int | Decimal | float, datatype: str) -> Literal:
    """The literal of a number in a numeric datatype."""
    if datatype == XSD_INTEGER:
        return Literal(str(int(value)), XSD_INTEGER)
    if datatype == XSD_DECIMAL:
        # Plus zero, because decimals have no negative one.
        text = format(Decimal(value).normalize() + 0, "f")
        return Literal(text if "." in text else text + ".0", XSD_DECIMAL)
    number = shortest(Float(single(value), "float")) if datatype == XSD_FLOAT else double(value)
    text = "NaN" if math.isnan(number) else ("INF" if number > 0 else "-INF") if math.isinf(number) else ""
    return Literal(text or _exponent(number), datatype)


def shortest(value: Float) -> float:
    """The number with the fewest digits that is the same in the value's datatype."""
    number = value.number
    if value.datatype == "double":
        return number
    return next((n for n in (float(f"{number:.{d}g}") for d in range(6, 9)) if single(n) == number), number)


def _exponent(number: float) -> str:
    found = Decimal(repr(number))
    sign, digits, _ = found.as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    return f"{'-' * sign}{text[0]}.{text[1:] or '0'}E{found.adjusted() if found else 0}"


def _promoted(*terms: Term) -> tuple[str, list[int | Decimal | float]]:
    """The common numeric type of the arguments, and their numbers in it."""
    values = [required_value(term) for term in terms]
    if not all(map(is_number, values)):
        raise FunctionError(f"{' and '.join(map(str, terms))}: not all are numbers")
    names = {value.datatype for value in values if isinstance(value, Float)}
    if names:
        datatype = XSD + ("double" if "double" in names else "float")
        return datatype, [(double if "double" in names else single)(plain_number(value)) for value in values]
    decimal = any(isinstance(t, Literal) and t.datatype == XSD_DECIMAL for t in terms)
    numbers = [Decimal(plain_number(v)) if decimal else plain_number(v) for v in values]
    return (XSD_DECIMAL if decimal else XSD_INTEGER), numbers


def arithmetic(operator: str) -> Callable[[Term, Term], Term]:
    """The function of ``+``, ``-``, ``*`` or ``/``, in the common type of its arguments."""
    def apply(left: Term, right: Term) -> Term:
        datatype, (a, b) = _promoted(left, right)
        match operator:
            case "+":
                return number_literal(a + b, datatype)  # type: ignore[operator]
            case "-":
                return number_literal(a - b, datatype)  # type: ignore[operator]
            case "*":
                return number_literal(a * b, datatype)  # type: ignore[operator]
        if isinstance(b, float):
            infinite = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return number_literal(a / b if b else infinite, datatype)  # type: ignore[operator]
        return number_literal(Decimal(a) / Decimal(b), XSD_DECIMAL)

    return apply


def rounded(how: Callable[[Decimal], Decimal]) -> Callable[[Term], Term]:
    """A function that rounds numbers and keeps their type."""
    def apply(term: Term) -> Term:
        datatype, (number,) = _promoted(term)
        if isinstance(number, float) and not math.isfinite(number):
            return term
        return number_literal(how(Decimal(number)), datatype)

    return apply


def round_half_up(number: Decimal) -> Decimal:
    """To the nearest integer, halves towards positive infinity, as XPath has it."""
    return (number + Decimal("0.5")).to_integral_value(ROUND_FLOOR)


def absolute(term: Term) -> Term:
    """The absolute value, in the same type."""
    datatype, (number,) = _promoted(term)
    return number_literal(-number if number < 0 else number, datatype)
