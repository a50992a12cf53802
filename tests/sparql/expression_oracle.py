"""SPARQL's operators on terms, one by one and as plainly as possible: what the columns are compared with."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction

from kgreason.errors import FunctionError
from kgreason.sparql.algebra import Call, Expression, Variable
from kgreason.sparql.expressions.functions import applied
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.values import INTEGER_TYPES, NoValueError, value_of
from kgreason.terms.vocabulary import RDF, XSD

Row = Mapping[str, Term]
TRUE, FALSE = Literal("true", XSD + "boolean"), Literal("false", XSD + "boolean")


class ExpressionError(Exception):
    """What SPARQL calls an error."""


def evaluate(expression: Expression, row: Row) -> Term:
    """The value of an expression in a solution."""
    if isinstance(expression, Variable):
        if expression.name not in row:
            raise ExpressionError
        return row[expression.name]
    if not isinstance(expression, Call):
        assert isinstance(expression, IRI | BlankNode | Literal)
        return expression
    name, arguments = expression.function, expression.arguments
    match name:
        case "&&" | "||" | "in" | "notin":
            return boolean(any_of(expression, row))
        case "!":
            return boolean(not truth(evaluate(arguments[0], row)))
        case "bound":
            assert isinstance(arguments[0], Variable)
            return boolean(arguments[0].name in row)
        case "if":
            return evaluate(arguments[1 if truth(evaluate(arguments[0], row)) else 2], row)
        case "coalesce":
            for argument in arguments:
                try:
                    return evaluate(argument, row)
                except ExpressionError:
                    continue
            raise ExpressionError
    values = [evaluate(argument, row) for argument in arguments]
    if name in ("=", "!=", "<", ">", "<=", ">="):
        return boolean(compare(name, values[0], values[1]))
    try:
        return applied(name, values)
    except FunctionError as error:
        raise ExpressionError from error


def any_of(call: Call, row: Row) -> bool:
    """Of &&, ||, IN and NOT IN: one decisive value outweighs errors."""
    first, *rest = call.arguments
    parts = [Call("=", (first, other)) for other in rest] if call.function in ("in", "notin") else call.arguments
    decisive = call.function != "&&"
    failed = False
    for part in parts:
        try:
            if truth(evaluate(part, row)) == decisive:
                return decisive != (call.function == "notin")
        except ExpressionError:
            failed = True
    if failed:
        raise ExpressionError
    return decisive == (call.function == "notin")


def boolean(value: bool) -> Term:
    return TRUE if value else FALSE


def truth(term: Term) -> bool:
    """The effective boolean value."""
    if not isinstance(term, Literal):
        raise ExpressionError
    if term.language is not None or is_text(term):
        return term.lexical != ""
    if term.datatype == XSD + "boolean":
        return term.lexical in ("true", "1")
    if is_numeric_type(term):
        try:
            number = value_of(term)
        except NoValueError:
            return False
        plain = getattr(number, "number", number)
        return plain != 0 and plain == plain
    raise ExpressionError


def is_text(term: Term) -> bool:
    try:
        known = isinstance(term, Literal) and term.datatype != RDF + "PlainLiteral"
        return known and isinstance(value_of(term), str)
    except NoValueError:
        return False


def is_numeric_type(term: Literal) -> bool:
    return term.datatype in INTEGER_TYPES or term.datatype in (XSD + "decimal", XSD + "float", XSD + "double")


def compare(symbol: str, left: Term, right: Term) -> bool:
    """The operator table."""
    if symbol == "!=":
        return not compare("=", left, right)
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        if symbol != "=":
            raise ExpressionError
        return left == right
    if left.language is not None or right.language is not None:
        if symbol != "=":
            raise ExpressionError
        if left.language is not None and right.language is not None:
            return left.lexical == right.lexical and left.language.lower() == right.language.lower()
    mine, theirs = known_value(left), known_value(right)
    if mine is None or theirs is None:
        if symbol == "=" and left == right:
            return True
        if symbol == "=" and (left.language is None) != (right.language is None):
            return False
        raise ExpressionError
    if mine[0] != theirs[0]:
        if symbol == "=":
            return False
        raise ExpressionError
    kind, a, b = mine[0], mine[1], theirs[1]
    if kind == "number":
        a, b = promoted(a, b, {left.datatype, right.datatype})
    elif kind in ("dateTime", "date", "time"):
        a, b = instants(a, b)
    elif kind in ("other", "tagged") and symbol != "=":
        raise ExpressionError
    return {"=": a == b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[symbol] if kind != "other" else a == b


def known_value(term: Literal):
    """The kind of a literal's value, and the value."""
    if term.language is not None:
        return "tagged", term.lexical
    try:
        value = value_of(term)
    except NoValueError:
        return None
    if term.datatype == RDF + "PlainLiteral":
        return None
    if isinstance(value, bool):
        return "boolean", value
    if is_numeric_type(term):
        number = getattr(value, "number", value)
        return "number", number if isinstance(number, float) else Fraction(number)
    if isinstance(value, str):
        return "text", value
    if isinstance(value, datetime):
        return "dateTime", value
    if isinstance(value, date):
        zone = zone_of(term.lexical)
        return "date", datetime(value.year, value.month, value.day, tzinfo=UTC if zone is not None else None) - (
            zone or timedelta()
        )
    if isinstance(value, time):
        zone = zone_of(term.lexical)
        clock = datetime(2000, 1, 1, value.hour, value.minute, value.second, value.microsecond)
        return "time", (clock if zone is None else clock.replace(tzinfo=UTC)) - (zone or timedelta())
    return "other", value


def zone_of(lexical: str) -> timedelta | None:
    if lexical.endswith("Z"):
        return timedelta()
    if len(lexical) > 6 and lexical[-6] in "+-" and lexical[-3] == ":":
        size = timedelta(hours=int(lexical[-5:-3]), minutes=int(lexical[-2:]))
        return -size if lexical[-6] == "-" else size
    return None


def instants(a: datetime, b: datetime) -> tuple[datetime, datetime]:
    """Both in UTC, where at most one time zone is missing and cannot matter."""
    if (a.tzinfo is None) == (b.tzinfo is None):
        return a, b
    a, b = a.replace(tzinfo=None), b.replace(tzinfo=None)
    if abs(a - b) <= timedelta(hours=14):
        raise ExpressionError
    return a, b


def promoted(a, b, datatypes: set):
    if XSD + "double" in datatypes:
        return to_double(a), to_double(b)
    if XSD + "float" in datatypes:
        return to_float32(a), to_float32(b)
    return a, b


def to_double(number) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def to_float32(number) -> float:
    try:
        return struct.unpack("f", struct.pack("f", to_double(number)))[0]
    except OverflowError:
        return math.inf if number > 0 else -math.inf
