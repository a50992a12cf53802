"""SPARQL's operators on terms, one by one and as plainly as possible: what the columns are compared with."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate as applied
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.sparql.algebra import Expression
from tests import operators
from tests.operators import OperatorError, boolean

Row = Mapping[str, Term]


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


def truth(term: Term) -> bool:
    """The effective boolean value."""
    try:
        return operators.truth(term)
    except OperatorError as error:
        raise ExpressionError from error


def compare(symbol: str, left: Term, right: Term) -> bool:
    """The operator table."""
    try:
        return operators.compare(symbol, left, right)
    except OperatorError as error:
        raise ExpressionError from error


def to_float32(number: float) -> float:
    return ctypes.c_float(number).value
