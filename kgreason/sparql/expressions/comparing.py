"""The operators =, !=, <, >, <= and >= on expressions: columns compared as `terms.column_comparison` does it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kgreason.sparql.algebra import Expression
from kgreason.sparql.expressions.operands import Evaluator, Part
from kgreason.sparql.solutions import UNBOUND, Ids
from kgreason.terms.column_comparison import compared_columns
from kgreason.terms.model import IRI, BlankNode
from kgreason.terms.truth import Truth
from kgreason.terms.value_columns import ValueColumn


def comparison(evaluator: Evaluator, symbol: str, arguments: Sequence[Expression], part: Part) -> Truth:
    """The operators =, !=, <, >, <= and >=."""
    left, right = arguments
    if symbol in ("=", "!="):
        for one, other in ((left, right), (right, left)):
            if isinstance(one, IRI | BlankNode):
                same = _is_resource(evaluator, other, one, part)
                return same if symbol == "=" else ~same
    first, second = evaluator.operand(left, part), evaluator.operand(right, part)

    def ids(rows: NDArray[np.int64]) -> tuple[Ids, Ids]:
        return evaluator.ids_at(left, first, part, rows), evaluator.ids_at(right, second, part, rows)

    return compared_columns(symbol, first.values, second.values, ids, _Terms(evaluator))


def _is_resource(evaluator: Evaluator, expression: Expression, resource: IRI | BlankNode, part: Part) -> Truth:
    ids = evaluator.ids_of(expression, part)
    wanted = evaluator.terms.lookup(resource)
    error = ids == UNBOUND
    return Truth(np.zeros(len(part), np.bool_) if wanted is None else ids == wanted, error)


class _Terms:
    """The terms of a query and their values."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator = evaluator

    def keys(self, identifiers: Ids) -> Sequence[str]:
        """The keys of ids."""
        return self._evaluator.terms.keys(identifiers)

    def values_of(self, identifiers: Ids) -> ValueColumn:
        """The values of ids."""
        return self._evaluator.values_of(identifiers)
