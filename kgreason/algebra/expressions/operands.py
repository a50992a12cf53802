"""What the evaluator and its functions hand each other: rows to evaluate over, and columns of values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason.algebra.expressions.tree import Expression, Variable
from kgreason.algebra.expressions.truth import Truth
from kgreason.algebra.local_terms import LocalTerms
from kgreason.algebra.row_keys import Ids
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.value_columns import ValueColumn
from kgreason.rdf.model import Term

if TYPE_CHECKING:
    from kgreason.algebra.expressions.fresh_terms import FreshTerms

Arguments: TypeAlias = Sequence[Expression[Any]]
Tick: TypeAlias = Callable[[], None]
"""Looks at the clock; raises when time is up."""


class Batch(Protocol):
    """Rows that an expression is evaluated over: what its leaves stand for in each."""

    def __len__(self) -> int: ...

    def take(self, index: NDArray[Any]) -> Batch:
        """The rows of an index, in its order."""

    def slice(self, begin: int, end: int) -> Batch:
        """A run of rows: no copy."""

    def with_columns(self, columns: Mapping[Variable, Ids]) -> Batch:
        """The same rows with ids for more leaves."""

    def constant(self, leaf: Any) -> Term | None:
        """The term of a leaf that is the same in all rows, and no term itself; None for other leaves."""

    def ids(self, leaf: Any) -> Ids:
        """The ids of a leaf that is neither a term nor a test, UNBOUND in the rows where it has no value."""

    def truth(self, leaf: Any) -> Truth | None:
        """Whether a leaf that is a test, such as EXISTS, holds; None for other leaves."""


@dataclass(frozen=True, slots=True)
class ColumnBatch:
    """Rows as a column for each leaf but for `constants`, which have one id in all rows; `decode` gives its term."""

    columns: Mapping[Any, Ids]
    length: int
    constants: Mapping[Any, int] = field(default_factory=dict)
    decode: Callable[[int], Term] | None = None

    def __len__(self) -> int:
        return self.length

    def take(self, index: NDArray[Any]) -> ColumnBatch:
        """The rows of an index, in its order."""
        columns = {leaf: column[index] for leaf, column in self.columns.items()}
        return replace(self, columns=columns, length=len(index))

    def slice(self, begin: int, end: int) -> ColumnBatch:
        """A run of rows: no copy."""
        columns = {leaf: column[begin:end] for leaf, column in self.columns.items()}
        return replace(self, columns=columns, length=min(end, self.length) - begin)

    def with_columns(self, columns: Mapping[Variable, Ids]) -> ColumnBatch:
        """The same rows with ids for more leaves."""
        return replace(self, columns={**self.columns, **columns})

    def constant(self, leaf: Any) -> Term | None:
        """The term of a constant; None for other leaves."""
        known = self.constants.get(leaf)
        return None if known is None or self.decode is None else self.decode(known)

    def ids(self, leaf: Any) -> Ids:
        """The column of a leaf."""
        known = self.constants.get(leaf)
        return self.columns[leaf] if known is None else repeated(known, self.length)

    def truth(self, leaf: Any) -> Truth | None:
        """None: no leaf is a test."""
        return None


@dataclass(frozen=True, slots=True)
class Operand:
    """The values of an expression; its ids are there only where they came for nothing."""

    values: ValueColumn
    ids: Ids | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What of a value does not come from arguments; only functions that queries alone have look at it.

    `base` is what IRI() resolves relative IRIs against, `now` what NOW() returns, `fresh` makes new terms.
    """

    base: str | None = None
    now: datetime | None = None
    fresh: FreshTerms | None = None


NO_SURROUNDINGS: Final = Surroundings()


class Evaluator(Protocol):
    """What evaluates the arguments of a function."""

    @property
    def terms(self) -> LocalTerms:
        """Terms and their ids."""

    @property
    def tick(self) -> Tick:
        """Looks at the clock."""

    @property
    def surroundings(self) -> Surroundings:
        """What functions of queries need beside their arguments."""

    def constant(self, expression: Expression[Any], batch: Batch) -> Term | None:
        """The term of a leaf that is the same in all rows; None for other expressions."""

    def truth_of(self, expression: Expression[Any], batch: Batch) -> Truth:
        """The effective boolean values."""

    def ids_of(self, expression: Expression[Any], batch: Batch) -> Ids:
        """The ids of the values, UNBOUND where the expression is in error."""

    def operand(self, expression: Expression[Any], batch: Batch) -> Operand:
        """The values as operators look at them."""

    def ids_at(self, expression: Expression[Any], operand: Operand, batch: Batch, rows: NDArray[np.int64]) -> Ids:
        """The ids of an operand's values in some rows."""

    def applied(self, function: str, columns: Sequence[Ids], length: int) -> Ids:
        """A function of terms over columns of arguments, once for each distinct combination of them."""


def where(true: NDArray[Any]) -> NDArray[np.int64]:
    """The positions where a mask is true."""
    return np.flatnonzero(true)
