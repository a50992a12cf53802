"""Groups of members, which are rows: those that follow each other, and those in any order.

A column of values of the members becomes one of a value for each group, and the other way round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import sorted_columns

Index: TypeAlias = NDArray[np.int64]
Number = TypeVar("Number", np.float64, np.int64, np.uint32, np.uint8)


class Groups(ABC):
    """Groups by number, and for each member its group; all costs are O(members)."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many groups there are."""

    @property
    @abstractmethod
    def numbers(self) -> Index:
        """For each member the number of its group."""

    @abstractmethod
    def added(self, values: NDArray[Number]) -> NDArray[Number]:
        """For each group the sum of the values of its members, of whole numbers that are exact; 0 without members."""

    @abstractmethod
    def least(self, values: NDArray[Number]) -> NDArray[Number]:
        """For each group the least of the values of its members; without members any number."""

    @abstractmethod
    def greatest(self, values: NDArray[Number]) -> NDArray[Number]:
        """For each group the greatest of the values of its members; without members any number."""

    @abstractmethod
    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each member the value of its group."""

    def best(self, function: str, values: NDArray[Number]) -> NDArray[Number]:
        """For each group the least or the greatest value, by the name of the aggregate."""
        return self.least(values) if function == "min" else self.greatest(values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupRuns(Groups):
    """Groups whose members follow each other: `length` rows, of which each group has some from its begin on."""

    begins: Index
    length: int

    @property
    def count(self) -> int:
        return len(self.begins)

    @property
    def sizes(self) -> Index:
        """How many members each group has."""
        found = np.empty(len(self.begins), dtype=np.int64)
        np.subtract(self.begins[1:], self.begins[:-1], out=found[:-1])
        found[-1:] = self.length - self.begins[-1:]
        return found

    @property
    def numbers(self) -> Index:
        return np.arange(self.count).repeat(self.sizes)

    def numbers_at(self, rows: Index | slice) -> Index:
        """The numbers of the groups of some members, in ascending order: O(rows log groups), O(rows) for all rows."""
        return self.numbers if isinstance(rows, slice) else self.begins.searchsorted(rows, side="right") - 1

    def added(self, values: NDArray[Number]) -> NDArray[Number]:
        return np.asarray(np.add.reduceat(values, self.begins))

    def least(self, values: NDArray[Number]) -> NDArray[Number]:
        return np.asarray(np.minimum.reduceat(values, self.begins))

    def greatest(self, values: NDArray[Number]) -> NDArray[Number]:
        return np.asarray(np.maximum.reduceat(values, self.begins))

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        return values.repeat(self.sizes)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NumberedGroups(Groups):
    """Groups whose members are in any order."""

    numbers: Index
    count: int

    def added(self, values: NDArray[Number]) -> NDArray[Number]:
        if values.dtype == np.float64:
            return np.bincount(self.numbers, weights=values, minlength=self.count).astype(values.dtype, copy=False)
        sums = np.zeros(self.count, dtype=values.dtype)
        np.add.at(sums, self.numbers, values)
        return sums

    def least(self, values: NDArray[Number]) -> NDArray[Number]:
        return self._of_each(np.minimum, values)

    def greatest(self, values: NDArray[Number]) -> NDArray[Number]:
        return self._of_each(np.maximum, values)

    def _of_each(self, function: np.ufunc, values: NDArray[Number]) -> NDArray[Number]:
        found = np.zeros(self.count, dtype=values.dtype)
        found[self.numbers] = values  # one of its own to begin with
        function.at(found, self.numbers, values)
        return found

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(values[self.numbers])


def groups_of(numbers: Index, count: int) -> Groups:
    """Groups by the number of each member's group: as runs where these ascend and each group has some members."""
    if not sorted_columns.is_sorted(numbers):
        return NumberedGroups(numbers, count)
    begins = np.flatnonzero(sorted_columns.firsts(numbers))
    return GroupRuns(begins, len(numbers)) if len(begins) == count else NumberedGroups(numbers, count)
