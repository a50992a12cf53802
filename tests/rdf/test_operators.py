"""One meaning of = and <: rules, filters and terms one by one agree with the oracle on all pairs of values.

It would catch a second meaning anywhere, such as a rule by which 0.1 is less than 0.1e0.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pyoxigraph as ox
import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate, holds
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.value_comparison import compared
from kgreason.rdf.vocabulary import XSD
from kgreason.sparql.algebra import Expression
from kgreason.sparql.solution_expressions import Expressions
from tests.function_definitions import value_in
from tests.operators import OperatorError, arithmetic, boolean, compare, ill_typed, same_value, truth
from tests.rdf.operator_values import NUMBERS, VALUES
from tests.sparql.test_expressions import no_exists, query_terms, solutions

SYMBOLS = {"=": "equal", "!=": "different", "<": "less", ">": "greater", "<=": "atmost", ">=": "atleast"}
PAIRS = [*itertools.product(range(len(VALUES)), repeat=2)]
DATATYPES = sorted({v.datatype for v in VALUES if isinstance(v, Literal) and v.datatype} | {XSD + "string"})
Answer = bool | None
"""What an operator gives, None for an error."""


def shown(pairs: list[tuple[int, int]]) -> str:
    """Some pairs of numbers of values, as terms."""
    return "; ".join(f"{VALUES[a]} and {VALUES[b]}" for a, b in sorted(pairs)[:5])


@cache
def expected(symbol: str) -> dict[tuple[int, int], Answer]:
    """The oracle's answers by pairs of numbers of values."""

    def answer(left: Term, right: Term) -> Answer:
        try:
            return compare(symbol, left, right)
        except OperatorError:
            return None

    return {(a, b): answer(VALUES[a], VALUES[b]) for a, b in PAIRS}


def true_pairs(symbol: str) -> set[tuple[int, int]]:
    return {pair for pair, answer in expected(symbol).items() if answer}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graph]:
    """A store with a resource for each value, and rules that compare all of them by all operators."""
    rules = "@prefix e: <urn:e:> ." + "\n".join(
        f"e:{name}(?x, ?y) :- e:value(?x, ?a), e:value(?y, ?b), ?a {symbol} ?b ." for symbol, name in SYMBOLS.items()
    )
    store = ReasoningStore(rules=rules)
    path: Path = tmp_path_factory.mktemp("values") / "values.nt"
    path.write_text("".join(f"<urn:v:{n}> <urn:e:value> {ntriples(v)} .\n" for n, v in enumerate(VALUES)), "utf-8")
    store.bulk_load(path)
    yield Graph(store=store)
    store.close()


def ntriples(term: Term) -> str:
    return str(as_ox(term))


def as_ox(term: Term) -> ox.NamedNode | ox.BlankNode | ox.Literal:
    match term:
        case IRI(value):
            return ox.NamedNode(value)
        case BlankNode(label):
            return ox.BlankNode(label)
        case Literal(lexical, _, str(language)):
            return ox.Literal(lexical, language=language)
    assert isinstance(term, Literal)
    return ox.Literal(term.lexical, datatype=ox.NamedNode(term.datatype or XSD + "string"))


def number_of(resource: object) -> int:
    return int(str(resource).removeprefix("urn:v:"))


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_rules_agree_with_the_specification(symbol: str, graph: Graph) -> None:
    predicate = URIRef(f"urn:e:{SYMBOLS[symbol]}")
    found = {(number_of(s), number_of(o)) for s, o in graph.subject_objects(predicate)}

    wanted = true_pairs(symbol)

    assert found == wanted, f"missing: {shown([*wanted - found])} | too much: {shown([*found - wanted])}"


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_filters_of_a_query_agree_with_the_specification(symbol: str, graph: Graph) -> None:
    query = f"SELECT ?x ?y {{ ?x <urn:e:value> ?a . ?y <urn:e:value> ?b FILTER(?a {symbol} ?b) }}"
    found = {(number_of(x), number_of(y)) for x, y in graph.query(query)}

    wanted = true_pairs(symbol)

    assert found == wanted, f"missing: {shown([*wanted - found])} | too much: {shown([*found - wanted])}"


def columns(
    symbol: str, arguments: Callable[[Term], tuple[Expression, Expression]], values: Sequence[Term] = VALUES
) -> dict[tuple[int, int], Term | None]:
    """The results of columns, one for each value on the left."""
    terms = query_terms(values[::2])
    expressions = Expressions(terms)
    found: dict[tuple[int, int], Term | None] = {}
    for number, value in enumerate(values):
        rows = solutions([{"x": value, "y": other} for other in values], terms)
        ids = expressions.values(Call(symbol, arguments(value)), rows, no_exists)
        for other, identifier in enumerate(ids.tolist()):
            found[number, other] = None if identifier == UNBOUND else terms.decode(identifier)
    return found


@pytest.mark.parametrize("symbol", SYMBOLS)
@pytest.mark.parametrize("constant", [False, True], ids=["variables", "constants"])
def test_columns_agree_with_the_specification(symbol: str, constant: bool) -> None:
    found = columns(symbol, lambda value: (value if constant else Variable("x"), Variable("y")))

    wanted = {pair: None if answer is None else boolean(answer) for pair, answer in expected(symbol).items()}

    assert found == wanted, shown([pair for pair in wanted if found[pair] != wanted[pair]])


@pytest.mark.parametrize("negated", [False, True])
def test_in_agrees_with_the_specification(negated: bool) -> None:
    equal = expected("=")
    terms = query_terms(VALUES)
    rows = solutions([{"x": value} for value in VALUES], terms)
    for begin in range(0, len(VALUES) - 4, 3):
        call = Call("notin" if negated else "in", (Variable("x"), *VALUES[begin : begin + 5]))
        found = Expressions(terms).truth(call, rows, no_exists)
        for number in range(len(VALUES)):
            answers = [equal[number, begin + choice] for choice in range(5)]
            wanted = any(answers) if not negated else answers == [False] * 5
            assert bool(found[number]) == wanted, f"{VALUES[number]} {call}"


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_terms_one_by_one_agree_with_the_specification(symbol: str) -> None:
    for (a, b), wanted in expected(symbol).items():
        try:
            found: Answer = compared(symbol, VALUES[a], VALUES[b])
        except FunctionError:
            found = None
        assert found == wanted, shown([(a, b)])


def test_identity_agrees_with_the_specification() -> None:
    for a, b in PAIRS:
        left, right = VALUES[a], VALUES[b]
        same = same_value(left, right)
        assert evaluate("samevalue", [left, right]) == boolean(same), shown([(a, b)])
        if isinstance(left, Literal) and isinstance(right, Literal):
            both = evaluate("canonical", [left]) == evaluate("canonical", [right])
            assert both == same, shown([(a, b)])


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_value_spaces_agree_with_the_specification(value: Term) -> None:
    assert evaluate("illtyped", [value]) == boolean(ill_typed(value))
    for datatype in DATATYPES:
        try:
            expected: Answer = value_in(value, IRI(datatype))
        except OperatorError:
            expected = None
        try:
            found: Answer = evaluate("valuein", [value, IRI(datatype)]) == boolean(True)
        except FunctionError:
            found = None
        assert found == expected, datatype


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_truth_agrees_with_the_specification(value: Term) -> None:
    terms = query_terms([])
    rows = solutions([{"x": value}], terms)
    (column,) = Expressions(terms).values(Call("!", (Call("!", (Variable("x"),)),)), rows, no_exists).tolist()
    try:
        expected: Answer = truth(value)
    except OperatorError:
        expected = None
    try:
        found: Answer = holds(value)
    except FunctionError:
        found = None
    assert found == expected
    assert (None if column == UNBOUND else terms.decode(column)) == (None if expected is None else boolean(expected))


@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_arithmetic_agrees_with_the_specification(symbol: str) -> None:
    operands = [*NUMBERS, Literal("a"), IRI("urn:a"), *BETWEEN_SINGLES]
    found = columns(symbol, lambda value: (Variable("x"), Variable("y")), operands)
    for (a, b), answer in found.items():
        left, right = operands[a], operands[b]
        try:
            expected: Term | None = arithmetic(symbol, left, right)
        except OperatorError:
            expected = None
        try:
            one: Term | None = evaluate(symbol, [left, right])
        except FunctionError:
            one = None
        assert one == expected, f"{left} {symbol} {right}"
        assert answer == expected, f"{left} {symbol} {right} in columns"


# Their doubles are in the middle between two floats, they are not.
BETWEEN_SINGLES = [
    Literal("1.000000059604644775390625000001", XSD + "decimal"),
    Literal("9007199791611905", XSD + "integer"),
    Literal("1.0000000596046448", XSD + "decimal"),
]
