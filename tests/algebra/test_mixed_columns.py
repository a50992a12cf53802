"""Comparisons with results of arithmetic over columns of all kinds of terms, beside each row by itself. Catches a
number that is left where an operation is in error, and an error that is read as some other term."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from kgreason.algebra.expressions.tree import Call
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate, holds
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.store.column_operations import Operations
from tests.profiles import examples
from tests.thresholds import Tuned

VALUES = {
    "integer": ["0", "16777217", "9007199254740993"],
    "decimal": ["0.1", "340282356779733661637539395458142568447.9"],
    "float": ["-INF", "0.1", "16777217", "1e-46", "NaN"],
    "double": ["1e-46", "16777217", "3.5e38", "INF"],
    "string": ["", "b"],
    "boolean": ["true"],
    "dateTime": ["2000-01-01T00:00:00", "2000-01-01T15:00:00Z"],
    "dayTimeDuration": ["PT24H", "P1D"],
}
TERMS: list[Term] = [IRI("urn:a"), *(Literal(text, XSD + name) for name, texts in VALUES.items() for text in texts)]
Row = tuple[Term, Term, Term]


def alone(symbol: str, operator: str, row: Row) -> bool:
    """Whether ``?0 symbol (?1 operator ?2)`` is true of some terms."""
    try:
        return holds(evaluate(symbol, (row[0], evaluate(operator, row[1:]))))
    except FunctionError:
        return False


@pytest.mark.parametrize("operator", ["+", "-", "*", "/"])
@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">=", "=", "!="])
def test_mixed_columns_are_compared_as_each_row_by_itself(symbol: str, operator: str) -> None:
    dictionary, random = Dictionary(), Random(symbol + operator)
    operations, condition = Operations(dictionary), Call(symbol, (0, Call(operator, (1, 2))))
    for _ in range(examples(20)):
        rows: list[Row] = [(random.choice(TERMS), random.choice(TERMS), random.choice(TERMS)) for _ in range(60)]
        ids = np.array([[dictionary.encode(term) for term in row] for row in rows], dtype=np.uint32)

        found = operations.test(condition, dict(enumerate(ids.T)), len(rows))

        expected = [alone(symbol, operator, row) for row in rows]
        assert [row for row, one, other in zip(rows, found.tolist(), expected, strict=True) if one != other] == []


@pytest.mark.parametrize("is_small", [False, True])
@pytest.mark.parametrize("datatype", ["integer", "decimal"])
@pytest.mark.parametrize("operator", ["u-", "u+", "abs", "ceil", "floor", "round"])
def test_large_whole_numbers_are_changed_as_each_by_itself(
    operator: str, datatype: str, is_small: bool, tuned: Tuned
) -> None:
    if is_small:
        tuned(SEGMENT_LEAST=1, NUMBERS_LEAST=1)
    dictionary, numbers = Dictionary(), [0, 1, *(1 << power for power in (52, 53, 62, 63, 64, 80))]
    terms = [Literal(str(sign * number), XSD + datatype) for number in numbers for sign in (1, -1)]
    for some in (terms, terms[:6], terms[-6:]):
        ids = np.array([dictionary.encode(term) for term in some], dtype=np.uint32)

        found, have_values, _ = Operations(dictionary).compute(Call(operator, (0,)), {0: ids}, len(ids))

        assert have_values.all()
        assert [*map(dictionary.decode, found.tolist())] == [evaluate(operator, (term,)) for term in some]
