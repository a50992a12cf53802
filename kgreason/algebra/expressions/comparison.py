"""The operators =, !=, <, >, <= and >= on expressions, and IN: columns compared as `column_comparison` does it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.column_comparison import compared_columns
from kgreason.algebra.expressions.operands import Arguments, Batch, Evaluator, where
from kgreason.algebra.expressions.text_columns import compared_texts
from kgreason.algebra.expressions.tree import Call, Expression
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Ids
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.value_classes import ValueClass

_MANY = 3
_NUMBERS = (ValueClass.INTEGER, ValueClass.DECIMAL, ValueClass.DOUBLE)


def comparison(symbol: str, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """One of the operators: O(n) where ids or numbers decide, some microseconds for each other distinct pair."""
    left, right = arguments
    if symbol in ("=", "!=") and not (isinstance(left, Call) or isinstance(right, Call)):
        return _equal_leaves(symbol, evaluator, left, right, batch)
    found = compared_texts(symbol, evaluator, left, right, batch)
    return _compared_operands(symbol, evaluator, left, right, batch) if found is None else found


def _equal_leaves(symbol: str, evaluator: Evaluator, left: Any, right: Any, batch: Batch) -> Truth:
    """= or != of leaves. Ids decide except between two literals or triple terms, so that values of
    resources are not looked at."""
    sides = [(evaluator.constant(leaf, batch), leaf) for leaf in (left, right)]
    for (constant, _), (_, other) in (sides, sides[::-1]):
        if isinstance(constant, IRI | BlankNode):
            ids = evaluator.ids_of(other, batch)
            wanted = evaluator.terms.lookup(constant)
            same = Truth(np.zeros(len(batch), np.bool_) if wanted is None else ids == wanted, ids == UNBOUND)
            return same if symbol == "=" else ~same
    if any(constant is not None for constant, _ in sides):
        return _compared_operands(symbol, evaluator, left, right, batch)
    mine, theirs = (evaluator.ids_of(leaf, batch) for leaf in (left, right))
    both = evaluator.terms.have_values(mine) & evaluator.terms.have_values(theirs)
    if both.all():
        return _compared_operands(symbol, evaluator, left, right, batch)
    found = Truth(mine == theirs, (mine == UNBOUND) | (theirs == UNBOUND))
    found = Truth(found.true & ~found.error, found.error)
    found = found if symbol == "=" else ~found
    rows = where(both)
    if len(rows):
        found.put(rows, _compared_operands(symbol, evaluator, left, right, batch.take(rows)))
    return found


def _compared_operands(symbol: str, evaluator: Evaluator, left: Any, right: Any, batch: Batch) -> Truth:
    first, second = evaluator.operand(left, batch), evaluator.operand(right, batch)

    def ids(rows: NDArray[np.int64]) -> tuple[Ids, Ids]:
        return evaluator.ids_at(left, first, batch, rows), evaluator.ids_at(right, second, batch, rows)

    return compared_columns(symbol, first.values, second.values, ids, evaluator.terms)


def same_terms(evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """sameTerm."""
    left, right = (evaluator.ids_of(argument, batch) for argument in arguments)
    error = (left == UNBOUND) | (right == UNBOUND)
    return Truth((left == right) & ~error, error)


# -- IN ----------------------------------------------------------------------------------------------------------------


def membership(negated: bool, evaluator: Evaluator, arguments: Arguments, batch: Batch) -> Truth:
    """IN and NOT IN: true where one choice is equal, otherwise in error where one comparison is."""
    wanted, *choices = arguments
    if len(choices) == 1:
        return comparison("!=" if negated else "=", evaluator, (wanted, choices[0]), batch)
    ids = evaluator.ids_of(wanted, batch)
    constants = (evaluator.constant(choice, batch) for choice in choices)
    common = [term for term in constants if term is not None and _is_simple(term)]
    if len(common) < _MANY:
        common = []
    found = _among(evaluator, ids, common, batch)
    # One after the other where the choices have to be looked at, and only for the rows that are not in yet.
    for choice in choices:
        if evaluator.constant(choice, batch) not in common:
            _or_equal(evaluator, ids, choice, batch, where(~found.true), found)
    return ~found if negated else found


def _is_simple(choice: Term) -> bool:
    """Whether what is equal to a term is found by ids or numbers."""
    if isinstance(choice, IRI | BlankNode):
        return True
    value = ValueColumn.of_terms([choice])
    value_class = ValueClass(int(value.classes[0]))
    number = value_class in _NUMBERS and bool(value.exact[0]) and not np.isnan(value.numbers[0])
    return number or value_class is ValueClass.STRING


def _among(evaluator: Evaluator, ids: Ids, terms: Sequence[Term], batch: Batch) -> Truth:
    """The rows whose value is equal to one of some simple choices: one pass for all of them."""
    if not terms:
        return Truth.all(False, len(ids))
    values = evaluator.terms.values_of(ids)
    classes = values.classes
    same = np.isin(ids, evaluator.terms.encode_keys([*map(key_of, terms)]))
    numbers = ValueColumn.of_terms([*terms])
    numeric = np.isin(classes, _NUMBERS) & values.exact
    same |= numeric & np.isin(values.numbers, numbers.numbers[np.isin(numbers.classes, _NUMBERS)])
    literals = any(isinstance(term, Literal) for term in terms)
    unknown = (classes >= ValueClass.ILL_NUMBER) if literals else np.zeros(len(ids), dtype=np.bool_)
    found = Truth(same, ~same & (unknown | (classes == ValueClass.NOTHING)))
    special = (classes == ValueClass.FLOAT) | (classes == ValueClass.DERIVED)
    inexact = (classes >= ValueClass.INTEGER) & (classes <= ValueClass.DOUBLE) & ~values.exact
    rest = where((special | inexact) & ~same)
    for term in terms if len(rest) else ():
        _or_equal(evaluator, ids, term, batch, rest, found)
    return found


def _or_equal(
    evaluator: Evaluator, ids: Ids, choice: Expression[Any], batch: Batch, rows: NDArray[np.int64], found: Truth
) -> None:
    """Note in some rows whether the value is equal to that of a choice."""
    if not len(rows):
        return
    fewer = batch if len(rows) == len(batch) else batch.take(rows)
    mine, operand = ids[rows], evaluator.operand(choice, fewer)

    def both(some: NDArray[np.int64]) -> tuple[Ids, Ids]:
        return mine[some], evaluator.ids_at(choice, operand, fewer, some)

    terms = evaluator.terms
    found.put(rows, found.take(rows) | compared_columns("=", terms.values_of(mine), operand.values, both, terms))
