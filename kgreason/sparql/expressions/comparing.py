"""Comparison of columns: by the table of `terms.comparison` on the classes of the values, by numbers where they decide.

Where two floats differ, so do the values that they stand for, and in the same order. Where they are the same, that is
known if they determine their values; the few rows that are left are compared as terms.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import FunctionError
from kgreason.sparql.algebra import Expression
from kgreason.sparql.expressions.operands import Evaluator, Part, where
from kgreason.sparql.expressions.truth import Truth
from kgreason.sparql.rows import keys_of, numbered
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.terms.comparison import EQUALITY, OPERATORS, ORDER, Rule, compared
from kgreason.terms.model import IRI, BlankNode
from kgreason.terms.times import UNCERTAINTY
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.value_columns import ValueColumn

_RULES = np.arange(len(Rule))
# For each rule whether it goes by the ids, or by the terms. (A look into these is much faster than np.isin.)
_BY_IDS = np.isin(_RULES, (Rule.TERM, Rule.TERM_OR_ERROR))
_BY_TERMS = np.isin(_RULES, (Rule.TEXT, Rule.CONTENT))
_VALUE, _ZONE, _ERROR, _TERM_OR_ERROR = map(int, (Rule.VALUE, Rule.ZONE, Rule.ERROR, Rule.TERM_OR_ERROR))
_FLOAT, _DOUBLE = int(ValueClass.FLOAT), int(ValueClass.DOUBLE)


def comparison(evaluator: Evaluator, symbol: str, arguments: Sequence[Expression], part: Part) -> Truth:
    """The operators =, !=, <, >, <= and >=."""
    if symbol == "!=":
        return ~comparison(evaluator, "=", arguments, part)
    left, right = arguments
    if symbol == "=":
        for one, other in ((left, right), (right, left)):
            if isinstance(one, IRI | BlankNode):
                return _is_resource(evaluator, other, one, part)
    first, second = evaluator.operand(left, part), evaluator.operand(right, part)

    def ids(rows: NDArray[np.int64]) -> tuple[Ids, Ids]:
        return evaluator.ids_at(left, first, part, rows), evaluator.ids_at(right, second, part, rows)

    rules = (EQUALITY if symbol == "=" else ORDER)[first.values.classes, second.values.classes]
    truth, open_rows = _by_values(symbol, rules, first.values, second.values)
    same = where(_BY_IDS[rules])
    if len(same):
        mine, theirs = ids(same)
        truth.true[same] = mine == theirs
        truth.error[same] = (mine != theirs) & (rules[same] == _TERM_OR_ERROR)
    rest = where(open_rows | _BY_TERMS[rules])
    if len(rest):
        truth.put(rest, compared_terms(evaluator, symbol, *ids(rest)))
    return truth


def _is_resource(evaluator: Evaluator, expression: Expression, resource: IRI | BlankNode, part: Part) -> Truth:
    ids = evaluator.ids_of(expression, part)
    wanted = evaluator.terms.lookup(resource)
    error = ids == UNBOUND
    return Truth(np.zeros(len(part), np.bool_) if wanted is None else ids == wanted, error)


def _by_values(
    symbol: str, rules: NDArray[np.uint8], a: ValueColumn, b: ValueColumn
) -> tuple[Truth, NDArray[np.bool_]]:
    """What classes and numbers decide, and the rows where numbers of values that are not exact are the same."""
    mine, theirs = a.numbers, b.numbers
    top = np.maximum(a.classes, b.classes)
    single = top == _FLOAT
    if single.any():
        with np.errstate(over="ignore"):
            mine = np.where(single, mine.astype(np.float32), mine)
            theirs = np.where(single, theirs.astype(np.float32), theirs)
    by_value, zoned = rules == _VALUE, rules == _ZONE
    true = OPERATORS[symbol](mine, theirs) & (by_value | zoned)
    error = rules == _ERROR
    apart = where(zoned)
    if len(apart):
        near = apart[np.abs(mine[apart] - theirs[apart]) <= UNCERTAINTY]
        true[near] = False
        error[near] = True
    doubtful = by_value & ~(a.exact & b.exact) & ~single & (top != _DOUBLE)
    return Truth(true, error), doubtful & (mine == theirs) if doubtful.any() else doubtful


def compared_terms(evaluator: Evaluator, symbol: str, left: Ids, right: Ids) -> Truth:
    """Each distinct pair of terms compared by itself: a few microseconds each, less for strings."""
    first, numbers = numbered(keys_of([left, right], len(left)))
    mine, theirs = left[first], right[first]
    true = np.zeros(len(first), dtype=np.bool_)
    error = np.zeros(len(first), dtype=np.bool_)
    texts = _are_texts(evaluator, mine) & _are_texts(evaluator, theirs)
    plain = where(texts)
    if len(plain):
        test = OPERATORS[symbol]
        pairs = zip(texts_of(evaluator, mine[plain]), texts_of(evaluator, theirs[plain]), strict=True)
        true[plain] = np.fromiter((test(a, b) for a, b in pairs), np.bool_, len(plain))
    decode = evaluator.terms.decode
    for row in where(~texts).tolist():
        try:
            true[row] = compared(symbol, decode(int(mine[row])), decode(int(theirs[row])))
        except FunctionError:
            error[row] = True
    return Truth(true[numbers], error[numbers])


def _are_texts(evaluator: Evaluator, ids: Ids) -> NDArray[np.bool_]:
    classes = evaluator.values_of(ids).classes
    return np.asarray((classes >= ValueClass.PLAIN) & (classes <= ValueClass.DERIVED))


def texts_of(evaluator: Evaluator, ids: Ids) -> list[str]:
    """The lexical forms of literals: a part of a microsecond each."""
    return [key[1 : key.rindex('"')] for key in evaluator.terms.keys(ids)]
