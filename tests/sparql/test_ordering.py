"""ORDER BY over columns."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason import ReasoningStore
from kgreason.algebra.expressions.tree import Call, Variable
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.term_order import ranks_of
from kgreason.errors import FunctionError
from kgreason.rdf.model import IRI, BlankNode, Literal, Term
from kgreason.rdf.value_comparison import compared
from kgreason.sparql.order_keys import order_of
from kgreason.sparql.solution_expressions import Expressions
from kgreason_rdflib.rdflib_terms import from_model
from tests.profiles import examples
from tests.sparql.literals import TERMS, typed
from tests.sparql.test_expressions import Rows, no_exists, query_terms, solutions
from tests.thresholds import Tuned


def ranked(terms: list[Term], known: int = 0) -> dict[Term, int]:
    """The rank of each of some terms."""
    query = query_terms(TERMS[:known])
    ids = np.unique(np.array([query.encode(term) for term in terms], dtype=np.uint32))
    places = dict(zip(ids.tolist(), ranks_of(ids, query).tolist(), strict=True))
    return {term: places[query.encode(term)] for term in terms}


@pytest.mark.parametrize("few", [0, 1 << 20])
def test_what_is_less_comes_first(few: int, tuned: Tuned) -> None:
    tuned(FEW_TEXTS=few)
    places = ranked(TERMS, 50)
    for left, right in itertools.product(TERMS, TERMS):
        try:
            less = compared("<", left, right)
        except FunctionError:
            continue
        if less:
            assert places[left] < places[right], f"{left} and {right}"


def test_kinds_of_terms() -> None:
    places = ranked(TERMS)
    kinds = [BlankNode, IRI, Literal]
    for left, right in itertools.product(TERMS, TERMS):
        if kinds.index(type(left)) < kinds.index(type(right)):
            assert places[left] < places[right]
    query = query_terms([])
    ids = np.sort(np.array([query.encode(BlankNode("b")), UNBOUND], dtype=np.uint32))
    assert ranks_of(ids, query).tolist() == [1, 0]


def test_the_order_is_that_of_rdflib_among_literals_of_one_kind() -> None:
    for group in (
        [Literal(t, None, language) for t in "ab" for language in (None, "en", "de")] + typed("string", "a", "b"),
        typed("dateTime", "2020-01-01T00:00:00", "2019-01-01T00:00:00", "2021-05-01T00:00:00"),
        typed("boolean", "true", "false"),
        [*typed("integer", "1"), *typed("boolean", "true"), *typed("date", "2020-01-01"), Literal("a", "urn:dt")],
    ):
        places = ranked(group)
        for left, right in itertools.product(group, group):
            if left != right:
                assert (places[left] > places[right]) == bool(from_model(left) > from_model(right)), (left, right)


def test_numbers_that_floats_cannot_tell_apart() -> None:
    digits = typed("integer", str(2**53), str(2**53 + 1)) + typed("decimal", f"{2**53}.5", f"{2**53}.25")
    places = ranked(digits)
    assert sorted(digits, key=places.__getitem__) == [digits[0], digits[3], digits[2], digits[1]]


rows = st.lists(st.dictionaries(st.sampled_from("xyz"), st.sampled_from(TERMS)), max_size=30)
keys = st.lists(st.tuples(st.sampled_from("xyz"), st.booleans()), max_size=3)


@given(rows, keys, st.integers(0, len(TERMS)))
@settings(max_examples=examples(80))
def test_rows_are_sorted_by_several_keys_and_stay_as_they_come(
    rows: Rows, keys: list[tuple[str, bool]], known: int
) -> None:
    query = query_terms(TERMS[:known])
    table = solutions(rows, query)
    found = order_of([(Variable(n), d) for n, d in keys], table, Expressions(query), no_exists)
    places = ranked(TERMS)
    expected = list(range(len(rows)))
    for name, descending in reversed(keys):
        expected.sort(key=lambda row: places[rows[row][name]] if name in rows[row] else -1, reverse=descending)
    assert found.tolist() == expected


def test_expressions_may_be_keys() -> None:
    query = query_terms([])
    table = solutions([{"x": Literal(text)} for text in ("ccc", "a", "bb")], query)
    key = Call("strlen", (Variable("x"),))
    assert order_of([(key, True)], table, Expressions(query), no_exists).tolist() == [0, 2, 1]


@pytest.mark.parametrize("part", ["", "LIMIT 20", "OFFSET 1"])
def test_each_solution_once_in_the_order_that_is_asked_for(part: str, tuned: Tuned) -> None:
    tuned(CONDENSED_ROWS=1)
    store = ReasoningStore(rules="none")
    values = [3, 1, 2, 9, 5, 7, 1, 3]
    lines = (f"<http://e/{number}> <http://e/p> {value} .\n" for number, value in enumerate(values))
    store.bulk_load("".join(lines).encode(), format="turtle")

    found = store.query_table(f"SELECT DISTINCT ?o {{ ?s <http://e/p> ?o }} ORDER BY DESC(?o) {part}")

    expected = sorted({*values}, reverse=True)
    assert [int(value) for value in found["o"].to_pylist()] == expected[part.startswith("OFFSET") :]
