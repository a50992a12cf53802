"""The one evaluator of expressions: a batch of rows in, truth values, numbers or ids out.

An expression is evaluated from the inside out, whole columns at a time. What decides returns truth values with errors
(`truth`), numbers stay numbers as long as nothing asks for a term (`arithmetic`), and the functions of terms are called
once for each distinct combination of arguments (`term_functions`). For very few rows terms are cheaper than columns:
then functions are called on terms from the inside out.

Errors are those of SPARQL 1.1, section 17.2, also in rules: an unbound variable, a function that does not apply, or a
value that is not a valid term is an error of its row. A row in error does not pass a filter, and an assignment gives it
no value: BIND leaves its variable unbound, and a rule derives nothing from the row. &&, ||, IF, COALESCE and IN pass
over errors as their definitions say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

import kgreason.dictionary.known_values  # noqa: F401 - what dictionaries put off, here and not while rows wait
from kgreason.algebra import algebra_tuning
from kgreason.algebra.expressions.function_table import FUNCTIONS, Function
from kgreason.algebra.expressions.operands import NO_SURROUNDINGS, Batch, Operand, Surroundings, Tick
from kgreason.algebra.expressions.term_functions import applied_once, called, encoded
from kgreason.algebra.expressions.tree import Call, Expression, FallbackCall, Variable, folded, with_arguments
from kgreason.algebra.expressions.truth import Mask, Truth
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.algebra.row_keys import Ids
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate, holds
from kgreason.rdf.model import TERMS, Term
from kgreason.rdf.numbers import boolean_literal
from kgreason.rdf.value_classes import ValueClass

Scalar = TypeVar("Scalar", bound=np.generic)

_TRUE: Final = boolean_literal(True)
_FALSE: Final = boolean_literal(False)
"""What tests of terms give."""


class ColumnEvaluator:
    """Evaluates expressions over batches; made for one query, or for one evaluation of a rule's filter."""

    def __init__(
        self, terms: LocalTerms, tick: Tick = lambda: None, surroundings: Surroundings = NO_SURROUNDINGS
    ) -> None:
        """`tick` is called now and then, and raises when time is up."""
        self.terms = terms
        self.tick = tick
        self.surroundings = surroundings
        self._constants: dict[Term, tuple[int, ValueColumn]] = {}

    # -- whole batches ---------------------------------------------------------------------------------------------

    def passes(self, expression: Expression[Any], batch: Batch) -> Mask:
        """The rows for which an expression is true; an error is not. Looks at the clock now and then."""
        return self._piecewise(batch, lambda piece: self.truth_of(*self.shallow(expression, piece)).true)

    def values(self, expression: Expression[Any], batch: Batch) -> Ids:
        """For each row the id of the value, UNBOUND for an error. Looks at the clock now and then."""
        return self._piecewise(batch, lambda piece: self.ids_of(*self.shallow(expression, piece)))

    def columns(self, expression: Expression[Any], batch: Batch) -> ValueColumn:
        """For each row the value as operators look at it. Looks at the clock now and then."""
        pieces = [batch] if len(batch) <= algebra_tuning.EVALUATED_ROWS else self._pieces(batch)
        return ValueColumn.concatenated([self.operand(*self.shallow(expression, each)).values for each in pieces])

    def shallow(self, expression: Expression[Any], batch: Batch) -> tuple[Expression[Any], Batch]:
        """An expression and a batch with the same values, where calls lie no more than `CALLS_DEEPEST` deep in each
        other: those further inside are evaluated first, and are columns of the batch."""
        if not isinstance(expression, Call) or expression.depth <= algebra_tuning.CALLS_DEEPEST:
            return expression, batch
        columns: dict[Variable, Ids] = {}

        def of_call(call: Call[Any], arguments: list[Expression[Any]]) -> Expression[Any]:
            changed = with_arguments(call, arguments)
            if changed.depth < algebra_tuning.CALLS_DEEPEST:
                return changed
            column = Variable(f"#inner{len(columns)}")
            columns[column] = self.ids_of(changed, batch.with_columns(columns))
            return column

        return folded(expression, lambda leaf: leaf, of_call), batch.with_columns(columns)

    def _piecewise(self, batch: Batch, evaluated: Callable[[Batch], NDArray[Scalar]]) -> NDArray[Scalar]:
        if len(batch) <= algebra_tuning.EVALUATED_ROWS:
            self.tick()
            return evaluated(batch)
        return np.concatenate([evaluated(piece) for piece in self._pieces(batch)])

    def _pieces(self, batch: Batch) -> Iterator[Batch]:
        for begin in range(0, len(batch), algebra_tuning.EVALUATED_ROWS):
            self.tick()
            yield batch.slice(begin, begin + algebra_tuning.EVALUATED_ROWS)

    # -- what functions ask of their arguments -------------------------------------------------------------------

    def constant(self, expression: Expression[Any], batch: Batch) -> Term | None:
        """The term of a leaf that is the same in all rows; None for other expressions."""
        if isinstance(expression, TERMS):
            return expression
        return None if isinstance(expression, Call) else batch.constant(expression)

    def truth_of(self, expression: Expression[Any], batch: Batch) -> Truth:
        """The effective boolean values (SPARQL 1.1, section 17.2.2)."""
        found: Truth | None = None
        if isinstance(expression, Call):
            self.tick()
            if not isinstance(expression, FallbackCall):
                function = _known(expression)
                if function.is_of_terms and len(batch) <= algebra_tuning.FEW_EVALUATED:
                    return _truth_of_terms(self._terms_of_call(expression, batch))
                found = None if function.truth is None else function.truth(self, expression.arguments, batch)
        elif not isinstance(expression, TERMS):
            found = batch.truth(expression)
        return _effective(self.operand(expression, batch).values) if found is None else found

    def ids_of(self, expression: Expression[Any], batch: Batch) -> Ids:
        """The ids of the values, UNBOUND where the expression is in error."""
        if isinstance(expression, FallbackCall):
            columns = [self.ids_of(argument, batch) for argument in expression.arguments]
            return called(partial(_unpacked, expression.apply), columns, len(batch), self.terms, self.tick)
        if isinstance(expression, Call):
            return self._ids_of_call(expression, batch)
        if isinstance(expression, TERMS):
            return repeated(self._constant(expression)[0], len(batch))
        truth = batch.truth(expression)
        return batch.ids(expression) if truth is None else self._truth_ids(truth)

    def _ids_of_call(self, call: Call[Any], batch: Batch) -> Ids:
        self.tick()
        function = _known(call)
        if function.is_of_terms and len(batch) <= algebra_tuning.FEW_EVALUATED:
            return encoded(self._terms_of_call(call, batch), self.terms)
        if function.truth is not None:
            truth = function.truth(self, call.arguments, batch)
            if truth is not None:
                return self._truth_ids(truth)
        if function.ids is not None:
            found = function.ids(self, call.arguments, batch)
            if found is not None:
                return found
        return self.applied(call.function, [self.ids_of(each, batch) for each in call.arguments], len(batch))

    def operand(self, expression: Expression[Any], batch: Batch) -> Operand:
        """The values as operators look at them, with the ids where they are at hand."""
        if len(batch) > algebra_tuning.FEW_EVALUATED:
            if not isinstance(expression, Call):
                constant = self.constant(expression, batch)
                if constant is not None:
                    return self._constant_operand(constant, len(batch))
            elif not isinstance(expression, FallbackCall):
                function = _known(expression)
                if function.numbers is not None:
                    self.tick()
                    return Operand(function.numbers(self, expression.arguments, batch), None)
        ids = self.ids_of(expression, batch)
        return Operand(self.terms.values_of(ids), ids)

    def ids_at(self, expression: Expression[Any], operand: Operand, batch: Batch, rows: NDArray[np.int64]) -> Ids:
        """The ids of an operand's values in some rows."""
        return self.ids_of(expression, batch.take(rows)) if operand.ids is None else operand.ids[rows]

    def applied(self, function: str, columns: Sequence[Ids], length: int) -> Ids:
        """A function of terms over columns of arguments, once for each distinct combination of them."""
        return called(partial(evaluate, function), columns, length, self.terms, self.tick)

    def _constant(self, term: Term) -> tuple[int, ValueColumn]:
        """The id of a term, and one row with its value; it is looked up once."""
        known = self._constants.get(term)
        if known is None:
            identifier = self.terms.encode(term)
            values = self.terms.values_of(np.array([identifier], dtype=np.uint32))
            known = self._constants[term] = identifier, values
        return known

    def _constant_operand(self, term: Term, length: int) -> Operand:
        identifier, values = self._constant(term)
        everywhere = values.take(np.zeros(length, dtype=np.int64))
        return Operand(everywhere, repeated(identifier, length))

    def _terms_of(self, expression: Expression[Any], batch: Batch) -> list[Term | None]:
        """The values in very few rows as terms, None for errors."""
        if isinstance(expression, TERMS):
            return [expression] * len(batch)
        if isinstance(expression, Call) and not isinstance(expression, FallbackCall) and _known(expression).is_of_terms:
            return self._terms_of_call(expression, batch)
        decode = self.terms.decode
        return [None if each == UNBOUND else decode(each) for each in self.ids_of(expression, batch).tolist()]

    def _terms_of_call(self, call: Call[Any], batch: Batch) -> list[Term | None]:
        columns = [self._terms_of(argument, batch) for argument in call.arguments]
        rows = [*zip(*columns, strict=True)] if columns else [()] * len(batch)
        apply = partial(evaluate, call.function)
        # Rows of the same objects have the same value, and to compare objects takes no call.
        keys = [tuple(map(id, row)) for row in rows]
        found = {key: applied_once(apply, row, self.tick) for key, row in dict(zip(keys, rows, strict=True)).items()}
        return [*map(found.__getitem__, keys)]

    def _truth_ids(self, truth: Truth) -> Ids:
        yes, no = (self._constant(boolean_literal(value))[0] for value in (True, False))
        return np.where(truth.error, UNBOUND, np.where(truth.true, yes, no)).astype(np.uint32)


def _known(call: Call[Any]) -> Function:
    """The function of a call; FunctionError where there is none, or it takes another number of arguments."""
    function = FUNCTIONS.get(call.function)
    if function is None:
        raise FunctionError(f"unknown function {call.function!r}")
    if not function.least <= len(call.arguments) <= function.most:
        raise FunctionError(f"{call.function} does not take {len(call.arguments)} arguments")
    return function


def _unpacked(apply: Callable[..., Term], arguments: Sequence[Term]) -> Term:
    return apply(*arguments)


def _truth_of_terms(terms: Sequence[Term | None]) -> Truth:
    found = {key: _held(term) for key, term in {id(term): term for term in terms}.items()}
    known = np.array([found[id(term)] for term in terms], dtype=np.int8)
    return Truth(known == 1, known < 0)


def _held(term: Term | None) -> int:
    """1 for true, 0 for false, -1 for an error."""
    if term is _TRUE or term is _FALSE:
        return int(term is _TRUE)
    try:
        return -1 if term is None else int(holds(term))
    except FunctionError:
        return -1


def _effective(column: ValueColumn) -> Truth:
    """Numbers and booleans but for zero and NaN, and texts that are not empty, are true; other terms are errors."""
    classes = column.classes
    known = (classes >= ValueClass.INTEGER) & (classes <= ValueClass.TAGGED) | (classes == ValueClass.ILL_NUMBER)
    return Truth(known & (column.numbers != 0) & ~np.isnan(column.numbers), ~known)
