"""Bindings: rows of variables as columns of ids, one column for each variable, with a weight where equal rows count.

Rules, queries and integrity conditions hand each other these. A variable is a name in a query, a number in a rule.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.algebra.local_terms import UNBOUND
from kgreason.algebra.row_keys import Counts, Ids
from kgreason.columns.id_columns import repeated
from kgreason.columns.masks import all_of

Mask: TypeAlias = NDArray[np.bool_]

V = TypeVar("V", bound=Hashable)


class Multiplicity(Enum):
    """How often a row matters."""

    EACH = auto()
    """Every one in a row of its own."""
    WEIGHTED = auto()
    """Rows with weights will do: they are counted."""
    ANY = auto()
    """Only which rows there are: the body of a rule, DISTINCT, ASK, EXISTS."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Bindings(Generic[V]):
    """A multiset of rows; columns are never written into.

    With `weights` a row stands for as many equal rows as its weight says.
    """

    columns: Mapping[V, Ids]
    length: int
    weights: Counts | None = field(default=None)

    @classmethod
    def unit(cls) -> Bindings[V]:
        """The one row that binds nothing."""
        return cls({}, 1)

    @classmethod
    def none(cls, variables: Iterable[V] = ()) -> Bindings[V]:
        """No row."""
        return cls({name: np.empty(0, dtype=np.uint32) for name in variables}, 0)

    @classmethod
    def concatenated(cls, parts: Sequence[Bindings[V]]) -> Bindings[V]:
        """All rows of several: a variable that a part does not have is unbound there."""
        present = [part for part in parts if part.length] or list(parts[:1])
        if len(present) == 1:
            return present[0]
        names = dict.fromkeys(name for part in present for name in part.columns)
        memory.check(4 * (len(names) + 2) * sum(part.length for part in present), "a union of rows")
        columns = {name: np.concatenate([part.column(name) for part in present]) for name in names}
        weights = None
        if any(part.weights is not None for part in present):
            weights = np.concatenate([part.counts() for part in present])
        return cls(columns, sum(part.length for part in present), weights)

    def __len__(self) -> int:
        return self.length

    @property
    def is_unit(self) -> bool:
        """Whether this is the one row that binds nothing."""
        return self.length == 1 and not self.columns and self.weights is None

    def column(self, name: V) -> Ids:
        """The ids of a variable, UNBOUND where it has none."""
        known = self.columns.get(name)
        return repeated(UNBOUND, self.length) if known is None else known

    def counts(self) -> Counts:
        """How many equal rows each row stands for."""
        return np.ones(self.length, dtype=np.int64) if self.weights is None else self.weights

    def total(self) -> int:
        """How many rows there are, equal ones included."""
        return self.length if self.weights is None else int(self.weights.sum())

    def take(self, index: NDArray[Any], names: Iterable[V] | None = None) -> Bindings[V]:
        """The rows of an index, in its order; of `names` alone, if given."""
        chosen = self.columns if names is None else {name: self.columns[name] for name in names}
        memory.check(4 * (len(chosen) + 2) * len(index), "a choice of rows")
        columns = {name: column[index] for name, column in chosen.items()}
        return Bindings(columns, len(index), None if self.weights is None else self.weights[index])

    def where(self, mask: Mask) -> Bindings[V]:
        """The rows for which a mask is true."""
        return self if all_of(mask) else self.take(mask.nonzero()[0])

    def slice(self, begin: int, end: int) -> Bindings[V]:
        """A run of rows: no copy."""
        if begin <= 0 and end >= self.length:
            return self
        columns = {name: column[begin:end] for name, column in self.columns.items()}
        weights = None if self.weights is None else self.weights[begin:end]
        return Bindings(columns, max(0, min(end, self.length) - begin), weights)

    def with_columns(self, columns: Mapping[V, Ids]) -> Bindings[V]:
        """With more columns, or other ones."""
        return Bindings({**self.columns, **columns}, self.length, self.weights)

    def weighted(self, factors: Counts) -> Bindings[V]:
        """Each row as many times as a factor says; rows with none go."""
        weights = factors if self.weights is None else self.weights * factors
        kept = factors > 0
        changed = Bindings(self.columns, self.length, weights)
        return changed if all_of(kept) else changed.where(kept)

    def only(self, names: Iterable[V]) -> Bindings[V]:
        """With some of the variables alone; one that is not there becomes unbound."""
        return Bindings({name: self.column(name) for name in names}, self.length, self.weights)

    def without(self, names: Iterable[V]) -> Bindings[V]:
        """Without some of the columns."""
        gone = {*names}
        kept = {name: column for name, column in self.columns.items() if name not in gone}
        return Bindings(kept, self.length, self.weights)

    def narrowed(self, kept: Set[V]) -> Bindings[V]:
        """With the columns of some variables alone, as far as they are there."""
        for name in self.columns:
            if name not in kept:
                columns = {name: column for name, column in self.columns.items() if name in kept}
                return Bindings(columns, self.length, self.weights)
        return self

    def spread(self) -> Bindings[V]:
        """Each of equal rows in a row of its own."""
        if self.weights is None:
            return self
        memory.check((8 + 4 * len(self.columns)) * self.total(), "equal rows each in a row of its own")
        index = np.repeat(np.arange(self.length), self.weights)
        return Bindings({name: column[index] for name, column in self.columns.items()}, len(index))

    def spread_out(self, most: int, first: int | None = None) -> Iterator[Bindings[V]]:
        """Each of equal rows in a row of its own, at most so many at once, and at most `first` to begin with: a few
        rows may stand for more than there is memory."""
        if self.weights is None:
            yield self
            return
        ends = np.cumsum(self.weights)
        total = int(ends[-1]) if self.length else 0
        begin, size = 0, most if first is None else first
        while begin < total:
            end = min(begin + size, total)
            low, high = int(ends.searchsorted(begin, side="right")), int(ends.searchsorted(end)) + 1
            within = np.minimum(ends[low:high], end) - np.maximum(ends[low:high] - self.weights[low:high], begin)
            index = np.repeat(np.arange(low, high), within)
            yield Bindings({name: column[index] for name, column in self.columns.items()}, len(index))
            begin, size = end, most

    def _check(self) -> None:
        for name, column in self.columns.items():
            assert len(column) == self.length, f"the column of ?{name} has another length"
            assert column.dtype == np.uint32, f"the column of ?{name} has no ids"
        assert self.weights is None or len(self.weights) == self.length, "the weights have another length"


UNIT: Final[Bindings[Any]] = Bindings({}, 1)
"""The one row that binds nothing."""
