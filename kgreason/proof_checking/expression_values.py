"""Expressions of rules over single terms: what SPARQL says of `&&`, `||`, IF, COALESCE and IN is here, the meaning of
functions that evaluate all of their arguments in `kgreason.rdf.functions`."""

from __future__ import annotations

from collections.abc import Sequence

from kgreason.algebra.expressions.tree import Call, Variable, expression_variables
from kgreason.errors import FunctionError
from kgreason.program.rules import Assignment, Expression
from kgreason.proof_checking.fact_index import Binding
from kgreason.rdf.functions import evaluate, holds
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.vocabulary import XSD_BOOLEAN


def is_true(expression: Expression, binding: Binding) -> bool:
    """Whether a condition is true; one in error is not."""
    try:
        return holds(value(expression, binding))
    except FunctionError:
        return False


def assigned(assignments: Sequence[Assignment], binding: Binding) -> Binding | None:
    """The binding with what is assigned, each when its inputs are known; None where one is in error or differs."""
    known, waiting = dict(binding), list(assignments)
    while waiting:
        ready = [each for each in waiting if {*expression_variables(each.expression)} <= known.keys()]
        if not ready:
            return None
        for each in ready:
            waiting.remove(each)
            try:
                made = value(each.expression, known)
            except FunctionError:
                return None
            if known.setdefault(each.variable, made) != made:
                return None
    return known


def value(expression: Expression, binding: Binding) -> Term:
    """The value of an expression; FunctionError where it has none."""
    if isinstance(expression, Variable):
        known = binding.get(expression)
        if known is None:
            raise FunctionError(f"{expression} has no value")
        return known
    if not isinstance(expression, Call):
        return expression
    arguments = expression.arguments
    match expression.function:
        case "&&":
            return _connected(arguments, binding, decisive=False)
        case "||":
            return _connected(arguments, binding, decisive=True)
        case "if":
            return value(arguments[1] if holds(value(arguments[0], binding)) else arguments[2], binding)
        case "coalesce":
            return _first(arguments, binding)
        case "in":
            return _is_among(arguments, binding)
        case "notin":
            return _boolean(not holds(_is_among(arguments, binding)))
    return evaluate(expression.function, [value(argument, binding) for argument in arguments])


def _connected(arguments: Sequence[Expression], binding: Binding, *, decisive: bool) -> Term:
    """An argument that decides goes before errors in others."""
    error: FunctionError | None = None
    for argument in arguments:
        try:
            if holds(value(argument, binding)) == decisive:
                return _boolean(decisive)
        except FunctionError as found:
            error = found
    if error is not None:
        raise error
    return _boolean(not decisive)


def _first(arguments: Sequence[Expression], binding: Binding) -> Term:
    for argument in arguments:
        try:
            return value(argument, binding)
        except FunctionError:
            continue
    raise FunctionError("COALESCE: all arguments are in error")


def _is_among(arguments: Sequence[Expression], binding: Binding) -> Term:
    sought, *members = arguments
    pairs: list[Expression] = [Call("=", (sought, member)) for member in members]
    return _connected(pairs, binding, decisive=True)


def _boolean(truth: bool) -> Literal:
    return Literal("true" if truth else "false", XSD_BOOLEAN)
