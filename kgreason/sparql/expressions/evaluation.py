"""Expressions over solutions: a mask for a filter, a column of ids for anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kgreason.errors import FunctionError
from kgreason.sparql.algebra import Call, Exists, Expression, ForeignCall, Variable
from kgreason.sparql.rows import keys_of, numbered
from kgreason.sparql.scope import expression_variables
from kgreason.sparql.solutions import UNBOUND, Ids, Mask, Solutions
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.functions import evaluate, holds
from kgreason.terms.model import Term

Existence = Callable[[Exists, Solutions], Mask]
"""For each solution whether the pattern of EXISTS has one that agrees with it."""


class Expressions:
    """The expressions of one query."""

    def __init__(self, terms: QueryTerms) -> None:
        self._terms = terms

    def truth(self, expression: Expression, rows: Solutions, exists: Existence) -> Mask:
        """The solutions for which an expression is true; an error is not."""
        if isinstance(expression, Exists):
            return exists(expression, rows)

        def test(row: Mapping[str, Term]) -> bool:
            try:
                return holds(_value(expression, row))
            except FunctionError:
                return False

        combinations, numbers = self._distinct(expression, rows)
        results = np.fromiter(map(test, combinations), np.bool_, len(combinations))
        return np.asarray(results[numbers])

    def values(self, expression: Expression, rows: Solutions, exists: Existence) -> Ids:
        """For each solution the id of the value, UNBOUND where the expression is in error."""
        if isinstance(expression, Variable):
            return rows.column(expression.name)

        def value(row: Mapping[str, Term]) -> int:
            try:
                return self._terms.encode(_value(expression, row))
            except FunctionError:
                return UNBOUND

        combinations, numbers = self._distinct(expression, rows)
        results = np.fromiter(map(value, combinations), np.uint32, len(combinations))
        return np.asarray(results[numbers])

    def _distinct(self, expression: Expression, rows: Solutions) -> tuple[Sequence[Mapping[str, Term]], np.ndarray]:
        names = sorted(expression_variables(expression) & rows.columns.keys())
        first, numbers = numbered(keys_of([rows.columns[name] for name in names], rows.length))
        found = []
        for row in first.tolist():
            ids = {name: int(rows.columns[name][row]) for name in names}
            found.append({name: self._terms.decode(i) for name, i in ids.items() if i != UNBOUND})
        return found, numbers


def _value(expression: Expression, row: Mapping[str, Term]) -> Term:
    match expression:
        case Variable(name):
            if name not in row:
                raise FunctionError(f"?{name} is unbound")
            return row[name]
        case Call(function, arguments):
            return evaluate(function, [_value(argument, row) for argument in arguments])
        case ForeignCall(_, apply, arguments):
            return apply(*(_value(argument, row) for argument in arguments))
        case Exists():
            raise FunctionError("EXISTS inside of another expression")
    return expression
