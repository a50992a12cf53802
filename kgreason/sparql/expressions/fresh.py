"""Functions that give something new in each solution: BNODE, RAND, UUID and STRUUID."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from typing import Final

import numpy as np

from kgreason.sparql.algebra import Call, Expression
from kgreason.sparql.algebra_tree import subexpressions
from kgreason.sparql.demand import Demand
from kgreason.sparql.expressions.operands import Evaluator, Part
from kgreason.sparql.scope import expression_variables
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.terms.model import IRI, BlankNode, Literal
from kgreason.terms.numbers import number_literal
from kgreason.terms.value_classes import ValueClass
from kgreason.terms.vocabulary import XSD_DOUBLE

FRESH: Final = frozenset(("bnode", "rand", "uuid", "struuid"))

SOLUTION: Final = "#solution"
"""A column that numbers the solutions, so that BNODE("a") is the same node wherever it stands in one of them."""


def is_fresh(expression: Expression) -> bool:
    """Whether an expression is something new in each solution."""
    return any(isinstance(part, Call) and part.function in FRESH for part in subexpressions(expression))


def demand_of(expressions: Sequence[Expression], demand: Demand) -> Demand:
    """What is wanted of solutions that expressions are evaluated over, and that are then wanted as `demand` says."""
    wanted = demand.also(frozenset[str]().union(*map(expression_variables, expressions)))
    return wanted.each() if any(map(is_fresh, expressions)) else wanted


class Fresh:
    """What makes new terms for one query."""

    def __init__(self) -> None:
        self._prefix = f"b{uuid.uuid4().hex}"
        self._used = 0

    def solutions(self, length: int) -> Ids:
        """Numbers for solutions that no others of the query have."""
        self._used += length
        return np.arange(self._used - length, self._used, dtype=np.uint32)

    def ids(self, evaluator: Evaluator, function: str, arguments: Sequence[Expression], part: Part) -> Ids:
        """Ids for new terms: some microseconds each."""
        if function == "bnode" and arguments:
            return self._nodes(evaluator, arguments, part)
        encode, length = evaluator.terms.encode, len(part)
        match function:
            case "bnode":
                made = [encode(BlankNode(f"{self._prefix}n{n}")) for n in self.solutions(length).tolist()]
            case "rand":
                made = [encode(number_literal(random.random(), XSD_DOUBLE)) for _ in range(length)]
            case "uuid":
                made = [encode(IRI(uuid.uuid4().urn)) for _ in range(length)]
            case _:
                made = [encode(Literal(str(uuid.uuid4()))) for _ in range(length)]
        return np.array(made, dtype=np.uint32)

    def _nodes(self, evaluator: Evaluator, arguments: Sequence[Expression], part: Part) -> Ids:
        """A blank node for each solution and text."""
        (argument,) = arguments
        texts = evaluator.ids_of(argument, part)
        numbers = part.rows.columns.get(SOLUTION)
        if numbers is None:
            numbers = self.solutions(len(part))
        found = np.full(len(part), UNBOUND, dtype=np.uint32)
        rows = np.flatnonzero(evaluator.values_of(texts).classes == ValueClass.STRING)
        named = zip(numbers[rows].tolist(), texts[rows].tolist(), strict=True)
        encode = evaluator.terms.encode
        found[rows] = np.array([encode(BlankNode(f"{self._prefix}s{n}t{t}")) for n, t in named], dtype=np.uint32)
        return found


