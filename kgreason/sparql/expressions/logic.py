"""Functions that look at an argument only where they need it, and tests of what kind of term one is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kgreason.errors import FunctionError
from kgreason.sparql.algebra import Expression, Variable
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.terms.truth import Truth
from kgreason.terms.value_classes import ValueClass

_KINDS: Final = {
    "isiri": (ValueClass.IRI, ValueClass.IRI),
    "isuri": (ValueClass.IRI, ValueClass.IRI),
    "isblank": (ValueClass.BLANK, ValueClass.BLANK),
    "isliteral": (ValueClass.INTEGER, ValueClass.OPAQUE),
    "isnumeric": (ValueClass.INTEGER, ValueClass.DOUBLE),
}
KINDS: Final = frozenset(_KINDS)


def connected(evaluator: Evaluator, symbol: str, arguments: Sequence[Expression], part: Part) -> Truth:
    """&& and ||: later arguments only for the rows that earlier ones leave open."""
    decisive = symbol == "||"
    found = Truth.all(not decisive, len(part))
    for argument in arguments:
        settled = found.true if decisive else ~(found.true | found.error)
        open_rows = where(~settled)
        if not len(open_rows):
            break
        if len(open_rows) * 2 > len(part):
            more = evaluator.truth_of(argument, part)
            found = found | more if decisive else found & more
        else:
            more = evaluator.truth_of(argument, part.take(open_rows))
            known = found.take(open_rows)
            found.put(open_rows, known | more if decisive else known & more)
    return found


def bound(arguments: Sequence[Expression], part: Part) -> Truth:
    """BOUND, of a variable."""
    (variable,) = arguments
    if not isinstance(variable, Variable):
        raise FunctionError("BOUND takes a variable")
    return Truth.known(part.rows.column(variable.name) != UNBOUND)


def is_kind(evaluator: Evaluator, function: str, arguments: Sequence[Expression], part: Part) -> Truth:
    """isIRI, isBlank, isLiteral and isNumeric."""
    (argument,) = arguments
    classes = evaluator.operand(argument, part).values.classes
    first, last = _KINDS[function]
    return Truth((classes >= first) & (classes <= last), classes == ValueClass.NOTHING)


def same_terms(evaluator: Evaluator, arguments: Sequence[Expression], part: Part) -> Truth:
    """sameTerm."""
    left, right = (evaluator.ids_of(argument, part) for argument in arguments)
    error = (left == UNBOUND) | (right == UNBOUND)
    return Truth((left == right) & ~error, error)


def chosen(evaluator: Evaluator, arguments: Sequence[Expression], part: Part) -> Ids:
    """IF."""
    condition, then, otherwise = arguments
    truth = evaluator.truth_of(condition, part)
    found = np.full(len(part), UNBOUND, dtype=np.uint32)
    for rows, expression in ((where(truth.true), then), (where((~truth).true), otherwise)):
        if len(rows):
            found[rows] = evaluator.ids_of(expression, part.take(rows))
    return found


def coalesced(evaluator: Evaluator, arguments: Sequence[Expression], part: Part) -> Ids:
    """COALESCE: the first value that there is."""
    found = np.full(len(part), UNBOUND, dtype=np.uint32)
    for argument in arguments:
        rows = where(found == UNBOUND)
        if not len(rows):
            break
        found[rows] = evaluator.ids_of(argument, part.take(rows) if len(rows) < len(part) else part)
    return found
