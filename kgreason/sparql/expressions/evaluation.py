"""Expressions over solutions: a mask for a filter, a column of ids for anything else.

An expression is evaluated from the inside out, whole columns at a time. What decides (`comparing`, `logic`, `texts`)
gives truth values with errors, numbers stay numbers as long as nobody asks for a term (`arithmetic`), and the functions
of terms are called once for each distinct combination of arguments (`calls`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgreason.sparql.algebra import Call, Exists, Expression, ForeignCall, Variable
from kgreason.sparql.algebra_tree import patterns_in
from kgreason.sparql.expressions import arithmetic, by_key, comparing, logic
from kgreason.sparql.expressions.calls import called
from kgreason.sparql.expressions.fresh import FRESH, SOLUTION, Fresh
from kgreason.sparql.expressions.functions import applied
from kgreason.sparql.expressions.lengths import lengths
from kgreason.sparql.expressions.membership import membership
from kgreason.sparql.expressions.operands import Existence, Operand, Part
from kgreason.sparql.expressions.texts import text_test
from kgreason.sparql.expressions.values import QueryValues
from kgreason.sparql.limits import Limits
from kgreason.sparql.solutions import UNBOUND, Ids, Mask, Solutions
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.column_comparison import COMPARISONS
from kgreason.terms.model import IRI, BlankNode, Literal, Term
from kgreason.terms.numbers import boolean_literal
from kgreason.terms.times import now_literal
from kgreason.terms.truth import Truth
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn

__all__ = ["Existence", "Expressions"]

PIECE: Final = 1 << 15
"""So many solutions at most are evaluated between two looks at the clock: a part of a second."""

Scalar = TypeVar("Scalar", bound=np.generic)

_TEXT_TESTS = frozenset(("contains", "strstarts", "strends", "regex"))
_TESTS = COMPARISONS | _TEXT_TESTS | logic.KINDS | {"&&", "||", "!", "in", "notin", "bound", "sameterm"}


class Expressions:
    """The expressions of one query."""

    def __init__(
        self,
        terms: QueryTerms,
        *,
        base: str | None = None,
        now: datetime | None = None,
        limits: Limits | None = None,
    ) -> None:
        """IRI() resolves against `base`; `now` is what NOW() gives, the time of the call if it is None."""
        self.terms = terms
        self.limits = Limits() if limits is None else limits
        self._base = base
        self._now = now or datetime.now(UTC)
        self._values = QueryValues(terms)
        self._fresh = Fresh()
        self._constants: dict[Term, tuple[int, ValueColumn]] = {}

    # -- what a query asks for -----------------------------------------------------------------------------------

    def truth(self, expression: Expression, rows: Solutions, exists: Existence) -> Mask:
        """The solutions for which an expression is true; an error is not."""
        pieces = self._pieces(expression, rows)
        return _joined([self.truth_of(expression, Part(piece, exists)).true for piece in pieces])

    def values(self, expression: Expression, rows: Solutions, exists: Existence) -> Ids:
        """For each solution the id of the value, UNBOUND where the expression is in error."""
        pieces = self._pieces(expression, rows)
        return _joined([self.ids_of(expression, Part(piece, exists)) for piece in pieces])

    def _pieces(self, expression: Expression, rows: Solutions) -> Iterator[Solutions]:
        """The solutions, so many at a time that the clock is looked at often enough.

        EXISTS looks at the clock itself, and has work to do that is the same for all pieces.
        """
        size = rows.length if rows.length <= PIECE or patterns_in(expression) else PIECE
        for begin in range(0, max(rows.length, 1), max(size, 1)):
            self.limits.check()
            yield rows.slice(begin, begin + size)

    def columns(self, expression: Expression, rows: Solutions, exists: Existence) -> ValueColumn:
        """For each solution the value as operators look at it."""
        return self.operand(expression, Part(rows, exists)).values

    def values_of(self, ids: Ids) -> ValueColumn:
        """The values of ids as operators look at them: O(n) once they were looked at."""
        return self._values.of(ids)

    def with_numbers(self, rows: Solutions) -> Solutions:
        """Solutions that know which one they are, so that BNODE("a") is the same node in all of one's expressions."""
        return rows.with_columns({SOLUTION: self._fresh.solutions(rows.length)})

    # -- what functions ask of their arguments -------------------------------------------------------------------

    def truth_of(self, expression: Expression, part: Part) -> Truth:
        """The effective boolean values (SPARQL 1.1, section 17.2.2)."""
        if isinstance(expression, Exists):
            return Truth.known(part.exists(expression, part.rows))
        if isinstance(expression, Call):
            found = self._test(expression.function, expression.arguments, part)
            if found is not None:
                return found
        return _effective(self.operand(expression, part).values)

    def ids_of(self, expression: Expression, part: Part) -> Ids:
        """The ids of the values, UNBOUND where the expression is in error."""
        match expression:
            case Variable(name):
                return part.rows.column(name)
            case Exists():
                return self._truth_ids(self.truth_of(expression, part))
            case ForeignCall(_, apply, arguments):
                columns = [self.ids_of(argument, part) for argument in arguments]
                return called(lambda terms: apply(*terms), columns, len(part), self.terms, self.limits)
            case Call(function, arguments):
                return self._call(function, arguments, part)
        return np.full(len(part), self._constant(expression)[0], dtype=np.uint32)

    def operand(self, expression: Expression, part: Part) -> Operand:
        """The values as operators look at them, with the ids where they are at hand."""
        match expression:
            case IRI() | BlankNode() | Literal():
                identifier, values = self._constant(expression)
                ids = np.full(len(part), identifier, dtype=np.uint32)
                return Operand(values.take(np.zeros(len(part), dtype=np.int64)), ids)
            case Call(function, arguments) if function in arithmetic.FUNCTIONS:
                return Operand(arithmetic.computed(self, function, arguments, part).completed(self), None)
            case Call("strlen", (argument,)):
                return Operand(lengths(self, argument, part), None)
        ids = self.ids_of(expression, part)
        return Operand(self.values_of(ids), ids)

    def ids_at(self, expression: Expression, operand: Operand, part: Part, rows: NDArray[np.int64]) -> Ids:
        """The ids of an operand's values in some rows."""
        return self.ids_of(expression, part.take(rows)) if operand.ids is None else operand.ids[rows]

    def applied(self, function: str, columns: Sequence[Ids], length: int) -> Ids:
        """A function of terms over columns of arguments, once for each distinct combination of them."""
        return called(lambda terms: applied(function, terms, self._base), columns, length, self.terms, self.limits)

    def _constant(self, term: Term) -> tuple[int, ValueColumn]:
        """The id of a term of the query, and one row with its value; it is looked up once."""
        known = self._constants.get(term)
        if known is None:
            identifier = self.terms.encode(term)
            values = self.values_of(np.array([identifier], dtype=np.uint32))
            known = self._constants[term] = identifier, values
        return known

    def _test(self, function: str, arguments: Sequence[Expression], part: Part) -> Truth | None:
        """What a function that gives true, false or an error gives; None for other functions."""
        if function in COMPARISONS:
            return comparing.comparison(self, function, arguments, part)
        if function in logic.KINDS:
            return logic.is_kind(self, function, arguments, part)
        if function in _TEXT_TESTS:
            return text_test(self, function, arguments, part)
        match function:
            case "&&" | "||":
                return logic.connected(self, function, arguments, part)
            case "!":
                return ~self.truth_of(arguments[0], part)
            case "in" | "notin":
                return membership(self, function == "notin", arguments, part)
            case "bound":
                return logic.bound(arguments, part)
            case "sameterm":
                return logic.same_terms(self, arguments, part)
        return None

    def _call(self, function: str, arguments: Sequence[Expression], part: Part) -> Ids:
        if function in _TESTS:
            found = self._test(function, arguments, part)
            if found is not None:
                return self._truth_ids(found)
        if function in arithmetic.FUNCTIONS:
            return self._arithmetic_ids(function, arguments, part)
        if function in FRESH:
            return self._fresh.ids(self, function, arguments, part)
        match function:
            case "if":
                return logic.chosen(self, arguments, part)
            case "coalesce":
                return logic.coalesced(self, arguments, part)
            case "now":
                return self.ids_of(now_literal(self._now), part)
        if function in by_key.FUNCTIONS and len(arguments) == 1:
            return by_key.applied(self, function, self.ids_of(arguments[0], part))
        if function == "substr":
            slice_of = by_key.slicer(arguments[1:])
            if slice_of is not None:
                return by_key.sliced(self, self.ids_of(arguments[0], part), slice_of)
        return self.applied(function, [self.ids_of(argument, part) for argument in arguments], len(part))

    def _arithmetic_ids(self, function: str, arguments: Sequence[Expression], part: Part) -> Ids:
        found = arithmetic.computed(self, function, arguments, part)
        return arithmetic.encoded_numbers(found, self.terms)

    def _truth_ids(self, truth: Truth) -> Ids:
        yes, no = (self._constant(boolean_literal(value))[0] for value in (True, False))
        return np.where(truth.error, UNBOUND, np.where(truth.true, yes, no)).astype(np.uint32)


def _joined(parts: Sequence[NDArray[Scalar]]) -> NDArray[Scalar]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _effective(column: ValueColumn) -> Truth:
    """Numbers and booleans but for zero and NaN, and texts that are not empty, are true; other terms are errors."""
    classes = column.classes
    known = (classes >= ValueClass.INTEGER) & (classes <= ValueClass.TAGGED) | (classes == ValueClass.ILL_NUMBER)
    return Truth(known & (column.numbers != 0) & ~np.isnan(column.numbers), ~known)
