"""IN and NOT IN."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kgreason.sparql.algebra import Call, Expression, Variable
from kgreason.sparql.expressions.comparing import comparison
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.terms.keys import key_of
from kgreason.terms.model import IRI, BlankNode, Literal
from kgreason.terms.truth import Truth
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn

_MANY = 3
_OPERAND = "#in"
_NUMBERS = (ValueClass.INTEGER, ValueClass.DECIMAL, ValueClass.DOUBLE)


def membership(evaluator: Evaluator, negated: bool, arguments: Sequence[Expression], part: Part) -> Truth:
    """True where one choice is equal, otherwise in error where one comparison is."""
    wanted, *choices = arguments
    if isinstance(wanted, Call) and len(choices) > 1:
        ids = evaluator.ids_of(wanted, part)
        part = Part(part.rows.with_columns({_OPERAND: ids}), part.exists)
        wanted = Variable(_OPERAND)
    common = [choice for choice in choices if _is_simple(choice)]
    if len(common) < _MANY:
        common = []
    found = _among(evaluator, wanted, common, part)
    # One after the other where the choices have to be looked at, and only for the rows that are not in yet.
    for choice in choices:
        if choice not in common:
            _or_equal(evaluator, wanted, choice, part, where(~found.true), found)
    return ~found if negated else found


def _is_simple(choice: Expression) -> bool:
    """Whether a choice is a constant whose equals are found by their ids or numbers."""
    if isinstance(choice, IRI | BlankNode):
        return True
    if not isinstance(choice, Literal):
        return False
    value = ValueColumn.of_terms([choice])
    value_class = ValueClass(int(value.classes[0]))
    number = value_class in _NUMBERS and bool(value.exact[0]) and not np.isnan(value.numbers[0])
    return number or value_class is ValueClass.STRING


def _among(evaluator: Evaluator, wanted: Expression, choices: Sequence[Expression], part: Part) -> Truth:
    """The rows whose value is equal to one of some simple choices: one pass for all of them."""
    if not choices:
        return Truth.all(False, len(part))
    terms = [choice for choice in choices if isinstance(choice, IRI | BlankNode | Literal)]
    ids = evaluator.ids_of(wanted, part)
    values = evaluator.values_of(ids)
    classes = values.classes
    same = np.isin(ids, evaluator.terms.encode_keys([*map(key_of, terms)]))
    numbers = ValueColumn.of_terms([*terms])
    numeric = np.isin(classes, _NUMBERS) & values.exact
    same |= numeric & np.isin(values.numbers, numbers.numbers[np.isin(numbers.classes, _NUMBERS)])
    literals = any(isinstance(term, Literal) for term in terms)
    unknown = (classes >= ValueClass.ILL_NUMBER) if literals else np.zeros(len(part), dtype=np.bool_)
    found = Truth(same, ~same & (unknown | (classes == ValueClass.NOTHING)))
    special = (classes == ValueClass.FLOAT) | (classes == ValueClass.DERIVED)
    inexact = (classes >= ValueClass.INTEGER) & (classes <= ValueClass.DOUBLE) & ~values.exact
    rest = where((special | inexact) & ~same)
    for term in terms if len(rest) else ():
        _or_equal(evaluator, wanted, term, part, rest, found)
    return found


def _or_equal(
    evaluator: Evaluator, wanted: Expression, choice: Expression, part: Part, rows: np.ndarray, found: Truth
) -> None:
    if len(rows):
        fewer = part if len(rows) == len(part) else part.take(rows)
        more = comparison(evaluator, "=", (wanted, choice), fewer)
        found.put(rows, found.take(rows) | more)
