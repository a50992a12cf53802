"""Solutions as columns of ids: one column for each variable, a row for each solution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint32]
Index: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
Counts: TypeAlias = NDArray[np.int64]

UNBOUND: Final = 0xFFFFFFFF
"""Stands in a column where a solution does not bind the variable; no term has this id."""


@dataclass(frozen=True, slots=True)
class Solutions:
    """A multiset of solutions; columns are never written into.

    With `weights` a row stands for as many equal solutions as its weight says.
    """

    columns: Mapping[str, Ids]
    length: int
    weights: Counts | None = field(default=None)

    @classmethod
    def unit(cls) -> Solutions:
        """The one solution that binds nothing."""
        return cls({}, 1)

    @classmethod
    def none(cls, variables: Iterable[str] = ()) -> Solutions:
        """No solution."""
        return cls({name: np.empty(0, dtype=np.uint32) for name in variables}, 0)

    @classmethod
    def concatenated(cls, parts: Sequence[Solutions]) -> Solutions:
        """All solutions of several: a variable that a part does not have is unbound there."""
        present = [part for part in parts if part.length] or list(parts[:1])
        if len(present) == 1:
            return present[0]
        names = dict.fromkeys(name for part in present for name in part.columns)
        columns = {name: np.concatenate([part.column(name) for part in present]) for name in names}
        weights = None
        if any(part.weights is not None for part in present):
            weights = np.concatenate([part.counts() for part in present])
        return cls(columns, sum(part.length for part in present), weights)

    def __len__(self) -> int:
        return self.length

    @property
    def is_unit(self) -> bool:
        """Whether this is the one solution that binds nothing."""
        return self.length == 1 and not self.columns and self.weights is None

    def column(self, name: str) -> Ids:
        """The ids of a variable, UNBOUND where it has none."""
        known = self.columns.get(name)
        return np.full(self.length, UNBOUND, dtype=np.uint32) if known is None else known

    def counts(self) -> Counts:
        """How many solutions each row stands for."""
        return np.ones(self.length, dtype=np.int64) if self.weights is None else self.weights

    def total(self) -> int:
        """How many solutions there are."""
        return self.length if self.weights is None else int(self.weights.sum())

    def take(self, index: NDArray[Any], names: Iterable[str] | None = None) -> Solutions:
        """The rows of an index, in its order; of `names` alone, if given."""
        chosen = self.columns if names is None else {name: self.columns[name] for name in names}
        columns = {name: column[index] for name, column in chosen.items()}
        return Solutions(columns, len(index), None if self.weights is None else self.weights[index])

    def where(self, mask: Mask) -> Solutions:
        """The rows for which a mask is true."""
        return self if bool(mask.all()) else self.take(np.flatnonzero(mask))

    def slice(self, begin: int, end: int) -> Solutions:
        """A run of rows: no copy."""
        if begin <= 0 and end >= self.length:
            return self
        columns = {name: column[begin:end] for name, column in self.columns.items()}
        weights = None if self.weights is None else self.weights[begin:end]
        return Solutions(columns, max(0, min(end, self.length) - begin), weights)

    def with_columns(self, columns: Mapping[str, Ids]) -> Solutions:
        """With more columns, or other ones."""
        return Solutions({**self.columns, **columns}, self.length, self.weights)

    def weighted(self, factors: Counts) -> Solutions:
        """Each row as many times as a factor says; rows with none go."""
        weights = factors if self.weights is None else self.weights * factors
        kept = factors > 0
        changed = Solutions(self.columns, self.length, weights)
        return changed if kept.all() else changed.where(kept)

    def only(self, names: Iterable[str]) -> Solutions:
        """With some of the variables alone; one that is not there becomes unbound."""
        return Solutions({name: self.column(name) for name in names}, self.length, self.weights)

    def without(self, names: Iterable[str]) -> Solutions:
        """Without some of the columns."""
        gone = {*names}
        kept = {name: column for name, column in self.columns.items() if name not in gone}
        return Solutions(kept, self.length, self.weights)

    def spread(self) -> Solutions:
        """Each solution in a row of its own."""
        if self.weights is None:
            return self
        index = np.repeat(np.arange(self.length), self.weights)
        return Solutions({name: column[index] for name, column in self.columns.items()}, len(index))

    def spread_out(self, most: int, first: int | None = None) -> Iterator[Solutions]:
        """Each solution in a row of its own, at most so many at once, and at most `first` to begin with: a few rows
        may stand for more solutions than there is memory."""
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
            yield Solutions({name: column[index] for name, column in self.columns.items()}, len(index))
            begin, size = end, most

    def _check(self) -> None:
        for name, column in self.columns.items():
            assert len(column) == self.length, f"the column of ?{name} has another length"
            assert column.dtype == np.uint32, f"the column of ?{name} has no ids"
        assert self.weights is None or len(self.weights) == self.length, "the weights have another length"
