"""The operators of SPARQL on terms, written from the specifications in plain Python: the judge of rules and filters.

Nothing of the store is used but its classes of terms as data; the values are those of `tests.values`. Sources: SPARQL
1.1, sections 17.2 (truth values) and 17.3 (operators); XML Schema 1.1 part 2 (equality and order); XPath Functions and
Operators, section 6 (promotion and arithmetic); OWL 2 Structural Specification, section 4 (identity).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from kgreason.rdf.model import Literal, Term
from tests.values import (
    BINARY,
    INTEGERS,
    MOMENTS,
    RDF,
    RDFS_LITERAL,
    XSD,
    IllTypedError,
    UnknownError,
    Value,
    rounded,
    sign,
    spans_compared,
    value_of,
)


class OperatorError(Exception):
    """What SPARQL calls an error: a filter or an atom of a rule is not true."""


# -- comparison --------------------------------------------------------------------------------------------------------

NUMBERS = ("decimal", "float", "double")
ORDERED = frozenset((*NUMBERS, "string", "boolean", "duration", *MOMENTS)) - {"dateTimeStamp"}
TESTS: dict[str, Callable[[int], bool]] = {
    "=": lambda order: order == 0, "<": lambda order: order < 0, ">": lambda order: order > 0,
    "<=": lambda order: order <= 0, ">=": lambda order: order >= 0,
}  # fmt: skip
FOURTEEN_HOURS = 14 * 3600


def compare(symbol: str, left: Term, right: Term) -> bool:
    """=, !=, <, >, <= or >= (SPARQL 1.1, section 17.3); raises OperatorError.

    Literals of datatypes that are known and have no value in common are different; where the datatype is not known or
    the literal is ill-typed, only the same term is known to be equal (RDFterm-equal).
    """
    if symbol == "!=":
        return not compare("=", left, right)
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        if symbol != "=":
            raise OperatorError
        return left == right
    if symbol == "=" and (left.language is None) != (right.language is None):
        return False
    try:
        a, b = known(left), known(right)
    except (IllTypedError, UnknownError):
        if symbol == "=" and same_term(left, right):
            return True
        raise OperatorError from None
    common = promoted(a, b)
    if common is None:
        if symbol == "=":
            return False
        raise OperatorError
    space, mine, theirs = common
    if symbol == "=" and (space == "duration" or space not in ORDERED):
        return mine == theirs
    if space not in ORDERED:
        raise OperatorError
    if "NaN" in (mine, theirs) and space in BINARY:
        return False
    return TESTS[symbol](order(space, mine, theirs))


def known(literal: Literal) -> Value:
    """The value that operators see: to SPARQL rdf:PlainLiteral is a datatype like any unknown one."""
    if literal.datatype == RDF + "PlainLiteral":
        raise UnknownError
    return value_of(literal)


def promoted(a: Value, b: Value):
    """The common space and both contents in it; None where there is none (XPath, section B.1)."""
    if a.space in NUMBERS and b.space in NUMBERS:
        space = max(a.space, b.space, key=NUMBERS.index)
        return space, promote(a, space), promote(b, space)
    return (a.space, a.content, b.content) if a.space == b.space else None


def promote(value: Value, space: str) -> object:
    exact = isinstance(value.content, Fraction) and value.space != space
    return rounded(value.content, space) if exact else value.content


def order(space: str, a, b) -> int:
    """-1, 0 or 1; OperatorError where the values cannot be compared."""
    if space in MOMENTS:
        apart = a[0] - b[0]
        # A moment without a zone is somewhere within fourteen hours of the same one in UTC.
        if (a[1] is None) != (b[1] is None) and abs(apart) <= FOURTEEN_HOURS:
            raise OperatorError
        return sign(apart)
    if space == "duration":
        found = spans_compared(a, b)
        if found is None:
            raise OperatorError
        return found
    if space in NUMBERS:
        a, b = line(a), line(b)
    return (a > b) - (a < b)


def line(number: object) -> tuple[int, Fraction]:
    """Where a number is on a line that has infinities at its ends."""
    if isinstance(number, Fraction):
        return 0, number
    return {"INF": 1, "-INF": -1, "-0": 0}[number], Fraction(0)


def same_term(left: Term, right: Term) -> bool:
    """RDF 1.1 Concepts, section 3.3: language tags are the same in any case, no datatype means xsd:string."""
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right

    def parts(literal: Literal) -> tuple[str, ...]:
        language = (literal.language or "").lower()
        return literal.lexical, language, literal.datatype or (XSD + "string")

    return parts(left) == parts(right)


# -- truth and arithmetic ----------------------------------------------------------------------------------------------


def truth(term: Term) -> bool:
    """The effective boolean value (section 17.2.2)."""
    if not isinstance(term, Literal):
        raise OperatorError
    if term.language is not None:
        return term.lexical != ""
    try:
        value = known(term)
    except IllTypedError:
        numeric = (term.datatype or "").removeprefix(XSD)
        if numeric in INTEGERS or numeric in ("decimal", "float", "double", "boolean"):
            return False
        raise OperatorError from None
    except UnknownError:
        raise OperatorError from None
    if value.space in NUMBERS:
        return value.content not in (0, "-0", "NaN")
    if value.space in ("boolean", "string"):
        return bool(value.content)
    raise OperatorError


def boolean(value: bool) -> Literal:
    return Literal("true" if value else "false", XSD + "boolean")


def arithmetic(symbol: str, left: Term, right: Term) -> Literal:
    """+, -, * or / on numbers (XPath Functions and Operators, section 6.2)."""
    a, b = number(left), number(right)
    space = max(a.space, b.space, key=NUMBERS.index)
    if space in BINARY:
        return binary_literal(of_floats(symbol, as_float(promote(a, space)), as_float(promote(b, space))), space)
    mine, theirs = Fraction(a.content), Fraction(b.content)
    if symbol == "/":
        if theirs == 0:
            raise OperatorError
        return decimal_literal(mine / theirs, exact=False)
    result = {"+": mine + theirs, "-": mine - theirs, "*": mine * theirs}[symbol]
    has_decimal = any(isinstance(t, Literal) and t.datatype == XSD + "decimal" for t in (left, right))
    return decimal_literal(result) if has_decimal else Literal(str(result.numerator), XSD + "integer")


def number(term: Term) -> Value:
    try:
        value = value_of(term) if isinstance(term, Literal) else None
    except (IllTypedError, UnknownError):
        raise OperatorError from None
    if value is None or value.space not in NUMBERS:
        raise OperatorError
    return value


def as_float(content: object) -> float:
    if isinstance(content, Fraction):
        return content.numerator / content.denominator
    return {"NaN": math.nan, "INF": math.inf, "-INF": -math.inf, "-0": -0.0}[content]


def of_floats(symbol: str, a: float, b: float) -> float:
    if symbol != "/":
        return {"+": a + b, "-": a - b, "*": a * b}[symbol]
    if b:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))


def binary_literal(found: float, space: str) -> Literal:
    """The canonical form with the fewest digits that mean the number."""
    stored = ctypes.c_float if space == "float" else ctypes.c_double
    found = stored(found).value
    if not math.isfinite(found):
        return Literal("NaN" if math.isnan(found) else "INF" if found > 0 else "-INF", XSD + space)
    if space == "float" or not found:
        texts = (f"{found:.{digits}e}" for digits in range(5, 9))
        text = next(text for text in texts if stored(float(text)).value == found)
    else:
        text = f"{Decimal(repr(found)):e}"
    mantissa, exponent = text.lower().split("e")
    whole, _, rest = mantissa.partition(".")
    return Literal(f"{whole}.{rest.rstrip('0') or '0'}E{int(exponent)}", XSD + space)


def decimal_literal(value: Fraction, exact: bool = True) -> Literal:
    """All digits, or 28 significant ones of a quotient, which may have no end."""
    text = format(Decimal(value.numerator) / Decimal(value.denominator), "f")
    if exact and 10 ** len(str(value.denominator) * 4) % value.denominator == 0:
        places = len(str(value.denominator)) * 4
        digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
        text = f"{'-' * (value < 0)}{digits[:-places]}.{digits[-places:]}"
    whole, _, rest = text.partition(".")
    return Literal(f"{whole}.{rest.rstrip('0') or '0'}", XSD + "decimal")


# -- identity ----------------------------------------------------------------------------------------------------------


def same_value(left: Term, right: Term) -> bool:
    """Identity, which tells 0 from -0, and one moment in two zones (OWL 2 Structural Specification, 4.2 and 4.7)."""
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    try:
        return value_of(left) == value_of(right)
    except (IllTypedError, UnknownError):
        return same_term(left, right)


def ill_typed(term: Term) -> bool:
    if not isinstance(term, Literal) or term.datatype == RDFS_LITERAL:
        return False
    try:
        value_of(term)
    except IllTypedError:
        return True
    except UnknownError:
        pass
    return False


def is_known(datatype: str) -> bool:
    """Whether a datatype of XML Schema has a value space here."""
    try:
        value_of(Literal("", datatype))
    except UnknownError:
        return False
    except IllTypedError:
        pass
    return True
