"""Expressions over columns against the same expressions on terms, one row at a time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.algebra.local_terms import UNBOUND, LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.casts import CAST_TYPES
from kgreason.rdf.keys import key_of
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql.algebra import Exists, Expression, Values
from kgreason.sparql.solution_expressions import Expressions
from kgreason.sparql.solutions import Mask, Solutions
from tests.profiles import examples
from tests.sparql.expression_oracle import ExpressionError, evaluate, to_float32, truth
from tests.sparql.literals import NUMBERS, STRINGS, TERMS, TIMES

Rows = list[dict[str, Term]]
NAMES = ("x", "y", "z")


def solutions(rows: Rows, terms: LocalTerms) -> Solutions:
    ids = {term: terms.encode(term) for term in dict.fromkeys(term for row in rows for term in row.values())}
    columns = {
        name: np.array([ids[row[name]] if name in row else UNBOUND for row in rows], dtype=np.uint32)
        for name in NAMES
    }
    return Solutions(columns, len(rows))


def no_exists(expression: Exists, rows: Solutions) -> Mask:
    raise AssertionError("there is no EXISTS in these expressions")


def query_terms(known: list[Term]) -> LocalTerms:
    dictionary = Dictionary()
    for term in known:
        dictionary.encode(term)
    return LocalTerms(dictionary)


def check(expression: Expression, rows: Rows, known: list[Term]) -> None:
    """Some terms are the dictionary's, the others the query's own."""
    terms = query_terms(known)
    expressions = Expressions(terms)
    table = solutions(rows, terms)
    passed = expressions.truth(expression, table, no_exists).tolist()
    found = expressions.values(expression, table, no_exists).tolist()
    shown = {term: terms.decode(terms.encode(term)) for term in {term for row in rows for term in row.values()}}
    for given_row, mask, value in zip(rows, passed, found, strict=True):
        row = {name: shown[term] for name, term in given_row.items()}
        expected: Term | None
        try:
            expected = evaluate(expression, row)
        except ExpressionError:
            expected = None
        try:
            holds = expected is not None and truth(expected)
        except ExpressionError:
            holds = False
        result = None if value == UNBOUND else same(terms.decode(value))
        assert mask == holds, f"{expression} in {row}"
        assert result == (expected and same(expected)), f"{expression} in {row}"


def same(term: Term) -> Term:
    """Language tags are the same in any case, and a float has many spellings."""
    if isinstance(term, Literal) and term.language is not None:
        return Literal(term.lexical, None, term.language.lower())
    if isinstance(term, Literal) and term.datatype in (XSD + "float", XSD + "double"):
        try:
            number = float(term.lexical)
            return Literal(str((to_float32(number) if term.datatype == XSD + "float" else number) + 0), term.datatype)
        except ValueError:
            return term
    return term


COMPARISONS = ["=", "!=", "<", ">", "<=", ">="]


@pytest.mark.parametrize("symbol", COMPARISONS)
@pytest.mark.parametrize("known", [0, 40, len(TERMS)])
def test_comparisons_of_all_pairs(symbol: str, known: int) -> None:
    rows = [{"x": a, "y": b} for a, b in itertools.product(TERMS, TERMS)]
    check(Call(symbol, (Variable("x"), Variable("y"))), rows, TERMS[:known])


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_arithmetic_of_all_pairs(symbol: str) -> None:
    rows = [{"x": a, "y": b} for a, b in itertools.product(NUMBERS + TIMES + STRINGS[:3], repeat=2)]
    check(Call(symbol, (Variable("x"), Variable("y"))), rows, NUMBERS)


FUNCTIONS = (
    "u-", "u+", "!", "bound", "isiri", "isblank", "isliteral", "isnumeric", "str", "lang", "datatype", "iri", "strlen",
    "lcase", "ucase", "encode_for_uri", "md5", "abs", "ceil", "floor", "round", "year", "month", "day", "hours",
    "minutes", "seconds", "timezone", "tz",
)  # fmt: skip


@pytest.mark.parametrize("function", [*FUNCTIONS, *CAST_TYPES])
def test_functions_of_all_terms(function: str) -> None:
    check(Call(function, (Variable("x"),)), [{"x": term} for term in TERMS] + [{}], TERMS)


POSITIONS = [Literal(text, XSD + "integer") for text in ("-2", "0", "1", "+2", "3", "99")]
POSITIONS += [Literal("2.5", XSD + "decimal"), Literal("x", XSD + "integer"), Literal("2")]


@pytest.mark.parametrize("begin", POSITIONS)
@pytest.mark.parametrize("length", [None, *POSITIONS])
def test_substr_from_a_constant_position(begin: Term, length: Term | None) -> None:
    arguments = (Variable("x"), begin, *([] if length is None else [length]))
    check(Call("substr", arguments), [{"x": term} for term in TERMS] + [{}], TERMS)


ONE = Literal("1", XSD + "integer")
X, Y = Variable("x"), Variable("y")
NESTED = [
    Call("concat", (X, Y)),
    Call("concat", (Call("ucase", (Call("substr", (Call("str", (X,)), ONE, ONE)),)), Y, X)),
    Call("lcase", (Call("concat", (X, Call("substr", (Y, X)))),)),
    Call("str", (Call("concat", (Call("lcase", (X,)), Call("lang", (Y,)))),)),
    Call("ucase", (Call("strbefore", (X, Y)),)),
    Call("strlen", (Call("concat", (Call("str", (X,)),)),)),
]


@pytest.mark.parametrize("expression", NESTED, ids=str)
def test_texts_made_of_texts_for_all_pairs(expression: Expression) -> None:
    tagged = [*TERMS, Literal("B", None, "EN"), Literal("b", None, "en"), Literal("b", None, "ar", "rtl")]
    check(expression, [{"x": x, "y": y} for x in tagged for y in tagged] + [{"x": TERMS[0]}, {}], tagged)


MADE_TEXTS = [
    Call("str", (X,)),
    Call("lcase", (X,)),
    Call("substr", (X, ONE, ONE)),
    Call("concat", (Call("str", (X,)), X)),
]


@pytest.mark.parametrize("symbol", ["=", "!=", "<", ">", "<=", ">="])
@pytest.mark.parametrize("made", MADE_TEXTS, ids=str)
@pytest.mark.parametrize("constant", [Literal("b"), Literal(""), Literal("b", None, "en"), ONE, IRI("urn:b")], ids=str)
def test_made_text_beside_a_constant(symbol: str, made: Expression, constant: Term) -> None:
    tagged = [*TERMS, Literal("B", None, "EN"), Literal("b", None, "en"), Literal("b", None, "ar", "rtl")]
    for values in (tagged, [Literal("a"), Literal("b"), Literal("ba"), IRI("urn:b"), Literal("")] * 20):
        rows = [{"x": value} for value in values] + [{}]
        check(Call(symbol, (made, constant)), rows, values)
        check(Call(symbol, (constant, made)), rows, values)


variables = st.sampled_from(NAMES).map(Variable)
leaves = variables | st.sampled_from(TERMS)


def calls(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    def call(names: list[str], *arguments: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
        return st.builds(lambda name, *given: Call(name, given), st.sampled_from(names), *arguments)

    texts = st.sampled_from([Literal("a"), Literal(""), Literal("[ab]"), Literal("("), Literal("a", None, "en")])
    return st.one_of(
        call(COMPARISONS, inner, inner),
        call(COMPARISONS, inner, inner),
        call(["&&", "||"], inner, inner, inner),
        call(["+", "-", "*", "/"], inner, inner),
        call(["!", "u-", "u+", "str", "lcase", "ucase", "strlen", "datatype", "isnumeric", "isiri", "lang"], inner),
        call(["contains", "strstarts", "strends", "regex"], inner, texts | inner),
        call(["if"], inner, inner, inner),
        call(["coalesce", "in", "notin"], inner, inner, inner, inner),
        call(["sameterm", "concat", "strbefore", "strdt", "strlang"], inner, inner),
        call(["substr"], inner, st.sampled_from(POSITIONS)),
        call(["substr"], inner, st.sampled_from(POSITIONS), st.sampled_from(POSITIONS) | inner),
        call(["bound"], variables),
        call([XSD + "integer", XSD + "boolean", XSD + "string", XSD + "double"], inner),
    )


expressions = st.recursive(leaves, calls, max_leaves=8)
rows = st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(TERMS)), max_size=30)


@given(expressions, rows, st.lists(st.sampled_from(TERMS), max_size=60))
@settings(max_examples=examples(200))
def test_any_expression(expression: Expression, rows: Rows, known: list[Term]) -> None:
    check(expression, rows, known)


def test_exists_stands_anywhere() -> None:
    terms = query_terms(TERMS)
    table = solutions([{"x": term} for term in TERMS[:4]], terms)
    pattern = Exists(Values((), ()), negated=False)

    def exists(expression: Exists, rows: Solutions) -> Mask:
        assert expression is pattern
        return np.isin(rows.columns["x"], table.columns["x"][:2])

    expression = Call("||", (Call("!", (pattern,)), Call("=", (Variable("x"), TERMS[0]))))
    assert Expressions(terms).truth(expression, table, exists).tolist() == [True, False, True, True]
    value = Expressions(terms).values(pattern, table, exists).tolist()
    assert [terms.decode(i) for i in value] == [Literal(t, XSD + "boolean") for t in ("true", "true", "false", "false")]


@pytest.mark.parametrize("surrogate", ["", "\ud800"])
def test_lengths_of_many_texts(surrogate: str) -> None:
    """In Arrow columns where that is possible; characters are counted, and suffixes of any kind are not."""
    suffixes = [(None, None), (None, "en"), (None, "de-AT"), (XSD + "string", None), ("http://example.org/größe", None)]
    texts = [f'"{"é€😀x" * (number % 4)}"^^{number}' for number in range(40)]
    terms: list[Term] = [Literal(text, *suffix) for text in texts for suffix in suffixes]
    lengths = [len(text + surrogate) for text in texts for _ in suffixes]
    # No surrogate comes in any more, but stores of version 0.1 may have one.
    keys = [f'"{surrogate}{key_of(term)[1:]}' for term in terms]
    iris = [f"http://example.org/{'ü' * (number % 5)}{number}" for number in range(40)]
    for known in (keys + iris, keys[::2], []):
        query = query_terms([])
        query.dictionary.encode_keys(known)
        table = Solutions({"x": query.encode_keys(keys + iris)}, len(keys + iris))
        call = Call("strlen", (Call("str", (Variable("x"),)),))
        found = Expressions(query).columns(call, table, no_exists)
        assert found.numbers.tolist() == [*lengths, *map(len, iris)]


@pytest.mark.parametrize(("function", "expected"), [("year", "2021"), ("month", "1"), ("day", "1"), ("hours", "0")])
def test_a_day_that_ends_is_the_next_that_begins(function: str, expected: str) -> None:
    terms = query_terms([])
    table = solutions([{"x": Literal("2020-12-31T24:00:00", XSD + "dateTime")}], terms)
    (found,) = Expressions(terms).values(Call(function, (Variable("x"),)), table, no_exists).tolist()
    assert terms.decode(found) == Literal(expected, XSD + "integer")
