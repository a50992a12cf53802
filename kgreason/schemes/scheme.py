"""The protocol of a table: an immutable set of facts of one arity, read a column at a time, in any storage scheme.

A change makes a new version that shares whatever did not change, so a reader that holds a version keeps a
consistent snapshot, and the engine keeps the view before a change for nothing. With that, the views of paper 004
are: I-before, the version before; I, the version after; Delta, the one without the other (`difference`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeAlias

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
    def is_virtual(self) -> bool:
        """Whether the facts are not written out, so that looking at all of them is to be avoided."""

    @property
    def nbytes(self) -> int:
        """Bytes held, shared columns included; those of `inputs` are not."""

    def inputs(self) -> Iterable[Table]:
        """The plain tables that a virtual one keeps for itself."""

    @property
    def estimate(self) -> int:
        """About how many facts there are, for the price of a look: what a join order goes by."""

    def __len__(self) -> int:
        """How many facts there are; a virtual table counts when first asked."""

    def __bool__(self) -> bool:
        """Whether there are any."""

    def columns(self) -> Columns:
        """All facts as columns: O(n). Those of a plain table are sorted."""

    def chunks(self) -> Iterator[Columns]:
        """All facts, a bounded number of rows at a time, in the order of `columns`."""

    def plain(self) -> Table:
        """The facts written out in a plain table, which is its own."""

    def distinct(self, position: int) -> Ids:
        """The sorted set of the ids at a position: O(n)."""

    def changed_ends(self, position: int) -> Ids:
        """Of the ids at a position those that matter to a reader who only asks which there are: all, but in a
        difference of virtual tables those that the other table does not have at all."""

    def has(self, fact: tuple[int, ...]) -> bool:
        """Whether one fact is there."""

    def contains(self, columns: Columns) -> Mask:
        """For each row of the columns whether it is a fact: many at once."""

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        """For each id, in any order, whether a fact has it at the position."""

    def degrees(self, position: int, identifiers: Ids) -> Index:
        """For each id, in any order, how many facts have it at the position; virtual tables make as few as they can."""

    def ends(self, position: int) -> int:
        """About how many ids there are at the position, for little more than a look."""

    def select(self, bound: dict[int, int]) -> Columns:
        """The facts with the given ids at the given positions, all their columns."""

    def expand(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Join with many keys: for each row of the bound columns (at least one, not all positions) the
        facts that agree with it. Gives the index of the row for each fact found, and its columns."""

    def inverse(self) -> Table:
        """The facts with their arguments in reverse order; may be kept for the next time."""

    def where(self, kept: Mask) -> Table:
        """The facts for which the mask is true, in the order of `columns`."""

    def union(self, other: Table) -> Table:
        """All facts of both; shares this table's columns where `other` is small."""

    def difference(self, other: Table) -> Table:
        """The facts that are not in `other`; shares this table's columns where `other` is small."""

    def intersection(self, other: Table) -> Table:
        """The facts of both."""

    def merged(self) -> Table:
        """The same facts, once nobody needs the version before any more: time to tidy up (paper 004's merge)."""

    def _check(self) -> None:
        """Raise AssertionError unless the invariants hold."""
