"""What the parts of the evaluator hand each other: rows to evaluate over, and columns of values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from kgreason.sparql.algebra import Exists, Expression
from kgreason.sparql.limits import Limits
from kgreason.sparql.solutions import Ids, Mask, Solutions
from kgreason.sparql.terms import QueryTerms
from kgreason.terms.truth import Truth
from kgreason.terms.value_columns import ValueColumn

Existence = Callable[[Exists, Solutions], Mask]
"""For each solution whether the pattern of EXISTS has one that agrees with it."""


@dataclass(frozen=True, slots=True)
class Part:
    """Solutions that an expression is evaluated over."""

    rows: Solutions
    exists: Existence

    def __len__(self) -> int:
        return self.rows.length

    def take(self, index: NDArray[Any]) -> Part:
        """The solutions of an index."""
        return Part(self.rows.take(index), self.exists)


@dataclass(frozen=True, slots=True)
class Operand:
    """The values of an expression; its ids are there only where they came for nothing."""

    values: ValueColumn
    ids: Ids | None


class Evaluator(Protocol):
    """What evaluates the arguments of a function."""

    @property
    def terms(self) -> QueryTerms:
        """The terms of the query."""

    @property
    def limits(self) -> Limits:
        """What the query may use."""

    def truth_of(self, expression: Expression, part: Part) -> Truth:
        """The effective boolean values."""

    def ids_of(self, expression: Expression, part: Part) -> Ids:
        """The ids of the values, UNBOUND where the expression is in error."""

    def operand(self, expression: Expression, part: Part) -> Operand:
        """The values as operators look at them."""

    def values_of(self, ids: Ids) -> ValueColumn:
        """The values of ids."""

    def ids_at(self, expression: Expression, operand: Operand, part: Part, rows: NDArray[np.int64]) -> Ids:
        """The ids of an operand's values in some rows."""

    def applied(self, function: str, columns: Sequence[Ids], length: int) -> Ids:
        """A function of terms over columns of arguments, once for each distinct combination of them."""


def where(true: NDArray[Any]) -> NDArray[np.int64]:
    """The positions where a mask is true."""
    return np.flatnonzero(true)
