"""Would catch a filter of a rule that takes two terms for equal, or for different, where their values say otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgreason.algebra.expressions.tree import Call
from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import FunctionError
from kgreason.rdf.functions import evaluate, holds
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm
from kgreason.rdf.vocabulary import XSD
from kgreason.store.column_operations import Operations
from tests.profiles import examples

RESOURCES: list[Term] = [IRI("urn:a"), IRI("urn:b"), BlankNode("a")]
NUMBERS = [Literal("1", XSD + "integer"), Literal("01", XSD + "integer"), Literal("1.0", XSD + "decimal")]
OTHERS: list[Term] = [
    *NUMBERS,
    Literal("urn:a"),
    Literal("a", XSD + "unknown"),
    TripleTerm(IRI("urn:a"), IRI("urn:b"), NUMBERS[0]),
    TripleTerm(IRI("urn:a"), IRI("urn:b"), NUMBERS[1]),
]
COLUMNS = st.one_of(*(st.lists(st.sampled_from(terms), min_size=4, max_size=4) for terms in (RESOURCES, OTHERS)))


def alone(symbol: str, left: Term, right: Term) -> bool:
    """Whether two terms compare so, by themselves."""
    try:
        return holds(evaluate(symbol, (left, right)))
    except FunctionError:
        return False


@pytest.mark.parametrize("symbol", ["=", "!="])
@given(left=COLUMNS, right=COLUMNS, is_constant=st.booleans())
@settings(max_examples=examples(60))
def test_columns_with_and_without_literals_are_compared_as_each_row_by_itself(
    symbol: str, left: list[Term], right: list[Term], is_constant: bool
) -> None:
    dictionary = Dictionary()
    right = right[:1] if is_constant else right
    sides = {0: left, -1 if is_constant else 1: right}
    columns = {slot: np.array([*map(dictionary.encode, terms)], dtype=np.uint32) for slot, terms in sides.items()}

    found = Operations(dictionary).test(Call(symbol, tuple(columns)), columns, len(left))

    assert found.tolist() == [alone(symbol, a, b) for a, b in zip(left, right * (4 // len(right)), strict=True)]
