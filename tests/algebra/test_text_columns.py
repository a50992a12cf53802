"""Texts made of texts over columns, beside the same functions of single terms: catches a language, a datatype or an
error that gets lost where functions hand texts to each other, or where a column has texts of one kind alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from kgreason.algebra.expressions.evaluator import ColumnEvaluator
from kgreason.algebra.expressions.operands import ColumnBatch
from kgreason.algebra.expressions.tree import Call, Expression, Variable
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD
from tests.algebra.test_one_meaning import NUMBERS, OTHERS
from tests.thresholds import Tuned

X, Y = Variable("x"), Variable("y")
EN, DT = Literal("en-GB"), IRI("urn:dt")
UNARY = ["str", "ucase", "encode_for_uri", "md5", "sha1", "sha512"]
CALLS: list[Call[Variable]] = [
    *(Call(name, (X,)) for name in UNARY),
    *(Call(outer, (Call(inner, (X,)),)) for outer in UNARY[:4] for inner in UNARY[:4]),
    *(Call("strlang", (each, EN)) for each in (X, Call("ucase", (X,)), Call("str", (X,)), Call("strlang", (X, EN)))),
    *(Call("strlang", (X, each)) for each in (Literal("no tag"), Literal("en", None, "en"), Literal("2"), DT, Y)),
    *(Call("strdt", (each, DT)) for each in (X, Call("lcase", (X,)), Call("strdt", (X, DT)), Call("strlang", (X, EN)))),
    *(Call("strdt", (X, each)) for each in (IRI(XSD + "string"), IRI(XSD + "integer"), Literal("urn:dt"), Y)),
    *(Call("ucase", (Call("strdt", (X, IRI(XSD + each))),)) for each in ("integer", "string", "token")),
    *(Call("concat", (each, Literal("a b"))) for each in (X, Y, Call("strlang", (X, EN)), Call("strdt", (X, DT)))),
    *(Call("concat", (Call("strlang", (Call("str", (X,)), EN)), each)) for each in (Literal("c", None, "EN-gb"), Y)),
    Call("concat", (Call("strdt", (X, IRI(XSD + "string"))), Literal("c"))), Call("concat", (X, Y, X)),
]  # fmt: skip
COLUMNS: list[Sequence[Term]] = [
    [*NUMBERS, *OTHERS],
    [Literal(text) for text in ("a", "b c", "é%~/", '"', "")],
    [Literal(text, None, "en-gb") for text in ("a", "b")],
    [Literal("a", None, "en-gb"), Literal("a", None, "EN-GB"), Literal("a", None, "en")],
]


def value(expression: Expression[Variable], row: dict[Variable, Term]) -> Term:
    if isinstance(expression, Variable):
        return row[expression]
    if isinstance(expression, Call):
        return evaluate(expression.function, [value(argument, row) for argument in expression.arguments])
    return expression


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("call", CALLS, ids=str)
@pytest.mark.parametrize("least", [1, 1 << 14])
def test_columns_have_the_values_of_terms(
    call: Call[Variable], column: Sequence[Term], least: int, tuned: Tuned
) -> None:
    tuned(SEGMENT_LEAST=least)
    terms = LocalTerms(Dictionary())
    rows = [{X: column[n % len(column)], Y: column[n * 7 // 3 % len(column)]} for n in range(100)]
    columns = {name: np.array([terms.encode(row[name]) for row in rows], dtype=np.uint32) for name in (X, Y)}

    found = ColumnEvaluator(terms).values(call, ColumnBatch(columns, len(rows)))

    for row, identifier in zip(rows, found.tolist(), strict=True):
        try:
            expected = terms.encode(value(call, row))
        except FunctionError:
            expected = UNBOUND
        assert identifier == expected, row


@pytest.mark.parametrize("symbol", ["+", "-", "*"])
@pytest.mark.parametrize("least", [1, 1 << 14])
@pytest.mark.parametrize("texts", [["1", "-3", "10", "0"], ["0.5", "-0.25", "10", "0.0", "3.100"]])
def test_numbers_of_columns_are_those_of_terms(symbol: str, texts: list[str], least: int, tuned: Tuned) -> None:
    tuned(SEGMENT_LEAST=least)
    terms = LocalTerms(Dictionary())
    numbers = [Literal(text, XSD + ("decimal" if "." in text else "integer")) for text in texts]
    rows = [{X: numbers[n % len(numbers)], Y: Literal(str(n), XSD + "integer")} for n in range(100)]
    columns = {name: np.array([terms.encode(row[name]) for row in rows], dtype=np.uint32) for name in (X, Y)}

    found = ColumnEvaluator(terms).values(Call(symbol, (X, Y)), ColumnBatch(columns, len(rows)))

    assert [*map(terms.decode, found.tolist())] == [value(Call(symbol, (X, Y)), row) for row in rows]
