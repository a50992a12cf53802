"""Arithmetic on literals: the numeric tower of SPARQL 1.1 (section 17.3)."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any, Final

from kgreason.errors import FunctionError
from kgreason.rdf.literal_values import EXACT, Float, NoValueError, Value, identity_of, value_of
from kgreason.rdf.literal_values import single as nearest_single
from kgreason.rdf.model import Literal, Term, same_term
from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_FLOAT, XSD_INTEGER

_TRUE: Final = Literal("true", XSD_BOOLEAN)
_FALSE: Final = Literal("false", XSD_BOOLEAN)


def boolean_literal(value: bool) -> Literal:
    """The literal of a truth value."""
    return _TRUE if value else _FALSE


def required_value(term: Term) -> Value:
    """The value of a literal; FunctionError for a resource."""
    if not isinstance(term, Literal):
        raise FunctionError(f"{term} is not a literal")
    return value_of(term)


def is_number(value: Value) -> bool:
    """Whether a value is numeric."""
    return isinstance(value, int | Decimal | Float) and not isinstance(value, bool)


def plain_number(value: Value) -> int | Decimal | float:
    """A numeric value as a Python number; FunctionError for another one."""
    if isinstance(value, Float):
        return value.number
    if not isinstance(value, int | Decimal):
        raise FunctionError(f"{value} is not a number")
    return value


def same_value(left: Term, right: Term) -> bool:
    """Whether two literals stand for the same data value, which is identity: finer than ``=``.

    Zero and minus zero of a float are two values, NaN is one, and a moment in two zones is two (OWL 2 Structural
    Specification, sections 4.2 and 4.7). Ill-typed literals stand only for themselves.
    """
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    try:
        return identity_of(value_of(left)) == identity_of(value_of(right))
    except NoValueError:
        return same_term(left, right)


def double(number: int | Decimal | Fraction | float) -> float:
    """The nearest number of xsd:double, infinite where there is none."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def single(number: int | Decimal | float) -> float:
    """The nearest number of xsd:float, infinite where there is none."""
    return nearest_single(double(number), "" if isinstance(number, float) else number)


def number_literal(value: int | Decimal | float, datatype: str) -> Literal:
    """The literal of a number in a numeric datatype."""
    if datatype == XSD_INTEGER:
        return Literal(str(int(value)), XSD_INTEGER)
    if datatype == XSD_DECIMAL:
        return Literal(decimal_text(Decimal(value)), XSD_DECIMAL)
    number = shortest(Float(single(value), "float")) if datatype == XSD_FLOAT else double(value)
    text = "NaN" if math.isnan(number) else ("INF" if number > 0 else "-INF") if math.isinf(number) else ""
    return Literal(text or exponent_text(number), datatype)


def decimal_text(value: Decimal) -> str:
    """The digits of a decimal, with a point."""
    # `plus`, because decimals have no negative zero.
    text = format(EXACT.plus(value.normalize(EXACT)), "f")
    return text if "." in text else text + ".0"


def shortest(value: Float) -> float:
    """The number with the fewest digits that is the same in the value's datatype."""
    number = value.number
    if value.datatype == "double":
        return number
    return next((n for n in (float(f"{number:.{d}g}") for d in range(6, 10)) if single(n) == number), number)


def exponent_text(number: float) -> str:
    """The canonical text of a finite xsd:double: a microsecond."""
    digits, _, power = repr(number).partition("e")
    sign = "-" if digits[0] == "-" else ""
    whole, _, fraction = digits[len(sign) :].partition(".")
    significant = (whole + fraction).lstrip("0")
    if not significant:
        return f"{sign}0.0E0"
    exponent = len(significant) - len(fraction) - 1 + int(power or 0)
    return f"{sign}{significant[0]}.{significant[1:].rstrip('0') or '0'}E{exponent}"


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


_CLOSED: Final[dict[str, Callable[[Any, Any], Any]]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def arithmetic(symbol: str) -> Callable[[Term, Term], Term]:
    """The function of ``+``, ``-``, ``*`` or ``/``, in the common type of its arguments.

    Integers and decimals keep all of their digits, quotients 28 of them.
    """
    def apply(left: Term, right: Term) -> Term:
        datatype, (a, b) = _promoted(left, right)
        if symbol in _CLOSED:
            with localcontext(EXACT):
                return number_literal(_CLOSED[symbol](a, b), datatype)
        if isinstance(a, float) and isinstance(b, float):
            infinite = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)
            return number_literal(a / b if b else infinite, datatype)
        return number_literal(Decimal(a) / Decimal(b), XSD_DECIMAL)

    return apply


def unchanged(term: Term) -> Term:
    """``+x``: the number in its own type."""
    datatype, (number,) = _promoted(term)
    return number_literal(number, datatype)


def negated(term: Term) -> Term:
    """``-x``, which is not ``0 - x``: the sign of a float's zero changes, too (op:numeric-unary-minus)."""
    datatype, (number,) = _promoted(term)
    # Not `-number`, which rounds a decimal.
    return number_literal(number.copy_negate() if isinstance(number, Decimal) else -number, datatype)


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
    return number.to_integral_value(ROUND_HALF_DOWN if number < 0 else ROUND_HALF_UP)


def absolute(term: Term) -> Term:
    """The absolute value, in the same type."""
    datatype, (number,) = _promoted(term)
    # Not `abs`, which rounds a decimal.
    return number_literal(number.copy_abs() if isinstance(number, Decimal) else abs(number), datatype)
