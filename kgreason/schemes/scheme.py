"""The protocol of a storage scheme: an immutable set of facts of one arity, read a column at a time.

A change makes a new version that shares whatever did not change, so a reader that holds a version keeps a
consistent snapshot, and the engine keeps the view before a change for nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ids: TypeAlias = NDArray[np.uint32]
Columns: TypeAlias = tuple[Ids, ...]
Mask: TypeAlias = NDArray[np.bool_]
Index: TypeAlias = NDArray[np.int64]


class Table(Protocol):
    """A set of facts; `columns` arguments are uint32 arrays of one length, one per position."""

    @property
    def arity(self) -> int:
        """How many arguments a fact has."""

    @property
    def scheme(self) -> str:
        """The name of the storage scheme, for statistics."""

    @property
    def nbytes(self) -> int:
        """Bytes held, shared columns included."""

    def __len__(self) -> int:
        """How many facts there are."""

    def columns(self) -> Columns:
        """All facts as columns, sorted: O(n)."""

    def distinct(self, position: int) -> Ids:
        """The sorted set of the ids at a position: O(n)."""

    def has(self, fact: tuple[int, ...]) -> bool:
        """Whether one fact is there."""

    def contains(self, columns: Columns) -> Mask:
        """For each row of the columns whether it is a fact: many at once."""

    def select(self, bound: dict[int, int]) -> Columns:
        """The facts with the given ids at the given positions, all their columns."""

    def expand(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Join with many keys: for each row of the bound columns (at least one, not all positions) the
        facts that agree with it. Gives the index of the row for each fact found, and its columns."""

    def inverse(self) -> Self:
        """The facts with their arguments in reverse order; may be kept for the next time."""

    def where(self, kept: Mask) -> Self:
        """The facts for which the mask is true, in the order of `columns`."""

    def union(self, other: Self) -> Self:
        """All facts of both; shares this table's columns where `other` is small."""

    def difference(self, other: Self) -> Self:
        """The facts that are not in `other`; shares this table's columns where `other` is small."""

    def intersection(self, other: Self) -> Self:
        """The facts of both."""

    @classmethod
    def union_all(cls, tables: Sequence[Self]) -> Self:
        """The union of one table or more."""

    def _check(self) -> None:
        """Raise AssertionError unless the invariants hold."""
