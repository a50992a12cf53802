"""Expressions of more calls in each other than Python's stack allows: evaluated, compared and walked all the same.

Would catch a walk by recursion, a part that is evaluated too early for the rows that need no value of it, and errors
that get lost between the layers.
"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from kgreason.algebra.expressions.evaluator import ColumnEvaluator
from kgreason.algebra.expressions.operands import ColumnBatch
from kgreason.algebra.expressions.tree import Call, Expression, Variable, leaves, subexpressions, with_leaves
from kgreason.algebra.local_terms import LocalTerms
from kgreason.dictionary.dictionary import Dictionary
from kgreason.rdf.model import IRI, Literal, Term
from kgreason.rdf.vocabulary import XSD
from tests.thresholds import Tuned

TERMS: list[Term] = [
    *(Literal(text, XSD + "integer") for text in ("0", "1", "7", "-3")), Literal("2.5", XSD + "decimal"),
    Literal("1e3", XSD + "double"), Literal("text"), Literal("true", XSD + "boolean"), IRI("urn:a"),
]  # fmt: skip
NAMES = ("x", "y", "z")
CALLS = (
    *(("+", 2), ("-", 2), ("*", 2), ("/", 2), ("<", 2), ("=", 2), ("&&", 2), ("||", 2), ("!", 1), ("if", 3)),
    *(("coalesce", 2), ("strlen", 1), ("str", 1), ("concat", 2)),
)


def tree(random: Random, size: int) -> Expression[Any]:
    """A random expression, mostly deep."""
    found: Expression[Any] = Variable("x")
    for _ in range(size):
        function, count = random.choice(CALLS)
        others = [random.choice([*map(Variable, NAMES), *TERMS]) for _ in range(count - 1)]
        others.insert(random.randrange(count), found)
        found = Call(function, tuple(others))
    return found


@pytest.mark.parametrize("rows", [5, 40])
@pytest.mark.parametrize("seed", range(60))
def test_layers_have_the_values_of_the_whole(seed: int, rows: int, tuned: Tuned) -> None:
    random, terms = Random(seed), LocalTerms(Dictionary())
    ids = np.array([terms.dictionary.encode(term) for term in TERMS], dtype=np.uint32)
    columns = {Variable(name): ids[[random.randrange(len(ids)) for _ in range(rows)]] for name in NAMES}
    batch, expression = ColumnBatch(columns, rows), tree(random, 12)
    whole = ColumnEvaluator(terms)
    values, passes = whole.values(expression, batch), whole.passes(expression, batch)

    for deepest in (1, 2, 5):
        tuned(CALLS_DEEPEST=deepest)
        layered = ColumnEvaluator(terms)
        assert layered.values(expression, batch).tolist() == values.tolist()
        assert layered.passes(expression, batch).tolist() == passes.tolist()


def sum_of(count: int) -> Call[Any]:
    found = Call("+", (Variable("x"), TERMS[1]))
    for _ in range(count - 1):
        found = Call("+", (found, TERMS[1]))
    return found


def test_a_deep_tree_is_walked_and_compared() -> None:
    deep, same, other = sum_of(5_000), sum_of(5_000), sum_of(5_001)

    assert deep.depth == 5_000
    assert deep == same
    assert hash(deep) == hash(same)
    assert deep not in (other, TERMS[0])
    assert deep != with_leaves(deep, lambda leaf: Variable("y") if leaf == Variable("x") else leaf)
    assert str(deep).count("+") == 5_000
    assert [*leaves(deep)] == [Variable("x"), *[TERMS[1]] * 5_000]
    assert sum(1 for _ in subexpressions(deep)) == 10_001


@pytest.mark.parametrize("rows", [1, 1_000])
def test_a_deep_sum_has_its_value(rows: int) -> None:
    terms = LocalTerms(Dictionary())
    ids = [terms.dictionary.encode(Literal(str(number), XSD + "integer")) for number in range(rows)]

    found = ColumnEvaluator(terms).values(sum_of(5_000), ColumnBatch({Variable("x"): np.array(ids, np.uint32)}, rows))

    assert [str(terms.decode(each)) for each in found.tolist()] == [
        str(Literal(str(number + 5_000), XSD + "integer")) for number in range(rows)
    ]
