"""Groups and aggregates over columns, with weights and without, against plain Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.bindings import Multiplicity
from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql.aggregates import group_demand, grouped_solutions
from kgreason.sparql.algebra import Aggregate, Expression, Group, Values
from kgreason.sparql.solution_expressions import Expressions
from kgreason.sparql.solutions import Solutions
from tests.operators import OperatorError, arithmetic
from tests.profiles import examples
from tests.sparql.expression_oracle import ExpressionError, evaluate
from tests.sparql.literals import NUMBERS, TERMS, typed
from tests.sparql.test_expressions import NAMES, no_exists, query_terms, same, solutions
from tests.thresholds import tuning_context

Rows = list[dict[str, Term]]
INTEGER = XSD + "integer"


def grouped(
    rows: Rows,
    keys: list[Expression],
    aggregates: list[Aggregate],
    weights: list[int] | None = None,
    known: Sequence[Term] = (),
) -> list[dict[str, Term]]:
    """The solutions of a group, by ?k0, ?k1, ... and ?a0, ?a1, ..., where the dictionary knows some terms."""
    terms = query_terms([*known])
    table = solutions(rows, terms)
    if weights is not None:
        table = Solutions(table.columns, table.length, np.array(weights, dtype=np.int64))
    node = Group(
        Values(NAMES, ()),
        tuple((f"k{number}", key) for number, key in enumerate(keys)),
        tuple((f"a{number}", aggregate) for number, aggregate in enumerate(aggregates)),
    )
    found = grouped_solutions(node, table, Expressions(terms), no_exists)
    found._check()
    return [
        {name: terms.decode(int(column[row])) for name, column in found.columns.items() if column[row] != UNBOUND}
        for row in range(found.length)
    ]


def one(function: str, values: list[Term], **options: object) -> Term | None:
    """An aggregate of ?x over rows without keys."""
    (row,) = grouped([{"x": value} for value in values], [], [Aggregate(function, Variable("x"), **options)])
    return row.get("a0")


def number(text: str, datatype: str = "integer") -> Literal:
    return Literal(text, XSD + datatype)


def test_without_keys_there_is_one_group_even_of_nothing() -> None:
    functions = ["count", "sum", "avg", "min", "max", "sample", "group_concat"]
    aggregates = [Aggregate("count", None), Aggregate("count", None, distinct=True)]
    aggregates += [Aggregate(function, Variable("x")) for function in functions]
    zero = number("0")
    expected = {"a0": zero, "a1": zero, "a2": zero, "a3": zero, "a4": zero, "a8": Literal("")}
    assert grouped([], [], aggregates) == [expected]


def test_with_keys_and_no_rows_there_is_no_group() -> None:
    assert grouped([], [Variable("x")], [Aggregate("count", None)]) == []


def test_sums_are_exact_and_promoted() -> None:
    assert one("sum", typed("integer", "1", "2", "3")) == number("6")
    assert one("sum", typed("integer", str(2**53), "1", "1")) == number(str(2**53 + 2))
    assert one("sum", typed("decimal", "0.1", "0.2") + typed("integer", "1")) == number("1.3", "decimal")
    assert one("sum", typed("decimal", "0.1234567890123456789", "1")) == number("1.1234567890123456789", "decimal")
    assert one("sum", typed("decimal", "0.5") + typed("double", "1")) == number("1.5E0", "double")
    assert one("sum", typed("float", "0.5") + typed("decimal", "1")) == number("1.5E0", "float")
    assert one("sum", [*typed("integer", "1"), Literal("2")]) is None
    assert one("sum", typed("integer", "1", "x")) is None


def test_average_is_of_numbers_alone() -> None:
    assert one("avg", typed("integer", "1", "2", "3", "4")) == number("2.5", "decimal")
    assert one("avg", typed("double", "1", "2")) == number("1.5E0", "double")
    assert one("avg", [*typed("integer", "1"), Literal("2")]) is None


def test_extremes_go_by_the_order_of_order_by() -> None:
    mixed = [number("10"), number("9.5", "decimal"), Literal("a"), number("1e1", "double"), TERMS[-1], TERMS[-5]]
    assert one("min", mixed) == TERMS[-1]
    assert one("max", mixed) == Literal("a")
    assert one("max", mixed[:2]) == number("10")
    assert one("min", mixed[:2]) == number("9.5", "decimal")


def test_texts_are_joined_in_the_order_of_the_rows() -> None:
    texts: list[Term] = [Literal("b"), Literal("a", None, "en"), Literal("b"), TERMS[-5], number("1")]
    assert one("group_concat", texts, separator="|") == Literal("b|a|b|urn:a|1")
    assert one("group_concat", texts, separator=", ", distinct=True) == Literal("b, a, urn:a, 1")
    assert one("group_concat", [TERMS[-1]]) is None


@pytest.mark.parametrize("argument", [Variable("x"), Call("+", (Variable("x"), number("0")))])
@pytest.mark.parametrize("distinct", [False, True])
def test_an_error_among_the_values_is_one_of_the_aggregate(argument: Expression, distinct: bool) -> None:
    functions = ["sum", "avg", "min", "max", "group_concat", "count", "sample"]
    aggregates = [Aggregate(function, argument, distinct) for function in functions]

    (mixed,) = grouped([{"x": number("1")}, {}], [], aggregates)
    (alone,) = grouped([{}], [], aggregates)

    assert mixed == {"a5": number("1"), "a6": number("1")}
    assert alone == {"a5": number("0")}


def test_an_error_in_one_group_leaves_the_others() -> None:
    rows: Rows = [{"x": number("1"), "y": TERMS[0]}, {"y": TERMS[0]}, {"x": number("2"), "y": TERMS[1]}]
    found = grouped(rows, [Variable("y")], [Aggregate("sum", Variable("x")), Aggregate("max", Variable("x"))])
    assert sorted(row.get("a0", Literal("")).lexical for row in found) == ["", "2"]
    assert sorted(row.get("a1", Literal("")).lexical for row in found) == ["", "2"]


@pytest.mark.parametrize(
    ("aggregates", "multiplicity"),
    [
        ([Aggregate("count", None)], Multiplicity.WEIGHTED),
        ([Aggregate("count", Variable("x"), distinct=True), Aggregate("max", Variable("x"))], Multiplicity.ANY),
        ([Aggregate("group_concat", Variable("x"))], Multiplicity.EACH),
    ],
)
def test_what_a_group_needs(aggregates: list[Aggregate], multiplicity: Multiplicity) -> None:
    node = Group(Values(NAMES, ()), (), tuple((str(n), a) for n, a in enumerate(aggregates)))
    assert group_demand(node).multiplicity is multiplicity


# -- against plain Python ----------------------------------------------------------------------------------------------


def expected_aggregate(aggregate: Aggregate, rows: Rows) -> Term | None:
    values: list[Term] = []
    failed = False
    if aggregate.argument is None:
        distinct = {tuple(row.get(name) for name in NAMES) for row in rows}
        return number(str(len(distinct if aggregate.distinct else rows)))
    for row in rows:
        try:
            values.append(evaluate(aggregate.argument, row))
        except ExpressionError:
            failed = True
    if aggregate.distinct:
        values = list({same(value): value for value in reversed(values)}.values())[::-1]
    if aggregate.function == "count":
        return number(str(len(values)))
    return None if failed else expected_total(aggregate.function, values)


def expected_total(function: str, values: list[Term]) -> Term | None:
    """The sum by op:numeric-add, and that divided by how many there are (sections 18.5.1.3 and 18.5.1.4)."""
    total: Term = number("0")
    try:
        for value in values:
            total = arithmetic("+", total, value)
        return arithmetic("/", total, number(str(len(values)))) if function == "avg" and values else total
    except OperatorError:
        return None


SMALL = [n for n in NUMBERS if len(n.lexical) < 20 and n.datatype in (INTEGER, XSD + "decimal", XSD + "byte")]
argument = st.sampled_from(NAMES).map(Variable) | st.just(Call("+", (Variable("x"), Variable("y"))))
aggregates = st.one_of(
    st.builds(Aggregate, st.sampled_from(["count", "sum", "avg"]), argument, st.booleans()),
    st.builds(Aggregate, st.just("count"), st.none(), st.booleans()),
)
rows = st.lists(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(SMALL[:6] + SMALL[-12:])), max_size=20)
weights = st.lists(st.integers(1, 3), min_size=20, max_size=20)


KEYS = st.lists(st.sampled_from(NAMES).map(Variable), max_size=2, unique=True)


@given(rows, st.none() | weights, KEYS, aggregates, st.sampled_from([1, 1 << 14]))
@settings(max_examples=examples(250))
def test_any_group(
    rows: Rows, weights: list[int] | None, keys: list[Expression], aggregate: Aggregate, least: int
) -> None:
    with tuning_context() as tuned:
        tuned(SEGMENT_LEAST=least, NUMBERS_LEAST=least)
        check_groups(rows, weights, keys, aggregate)


def check_groups(rows: Rows, weights: list[int] | None, keys: list[Expression], aggregate: Aggregate) -> None:
    weights = None if weights is None else weights[: len(rows)]
    groups: dict[tuple[Term | None, ...], Rows] = defaultdict(list)
    for row, weight in zip(rows, weights or [1] * len(rows), strict=True):
        groups[tuple(row.get(key.name) for key in keys)] += [row] * weight
    if not keys:
        groups.setdefault((), [])
    expected = {key: expected_aggregate(aggregate, members) for key, members in groups.items()}
    found = grouped(rows, keys, [aggregate], weights, known=TERMS[: len(TERMS) // 2])
    names = [f"k{number}" for number in range(len(keys))]
    assert {tuple(row.get(name) for name in names): row.get("a0") for row in found} == expected
    assert len(found) == len(expected)


ALIKE = [
    *typed("integer", "1", "01", "+1", "2", "02", "-3", "10", "9007199254740993", "9007199254740992"),
    *typed("byte", "1", "2"), *typed("decimal", "1.0", "1.00", "0.5"),
]  # fmt: skip


@given(
    members=st.lists(st.tuples(st.sampled_from(TERMS[:3]), st.sampled_from(ALIKE)), min_size=1, max_size=20),
    integers=st.booleans(),
    function=st.sampled_from(["min", "max"]),
    known=st.sampled_from([(), ALIKE]),
)
@settings(max_examples=examples(100))
def test_of_equal_extremes_the_first_is_given(members: list, integers: bool, function: str, known: list) -> None:
    if integers:
        members = [(key, value) for key, value in members if value.datatype == INTEGER]
    groups: dict[Term, list[Literal]] = defaultdict(list)
    for key, value in members:
        groups[key].append(value)
    choose = min if function == "min" else max

    rows = [{"x": key, "y": value} for key, value in members]
    found = grouped(rows, [Variable("x")], [Aggregate(function, Variable("y"), False)], None, known=known)

    expected = {key: choose(values, key=lambda value: Decimal(value.lexical)) for key, values in groups.items()}
    assert {row["k0"]: row["a0"] for row in found} == expected
