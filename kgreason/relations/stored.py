"""What a table is made of, as a file holds it: references to columns and to other tables, numbers, and lists of these.

A table gives its parts to a `PartWriter` (`Table.write`), and a function of the same scheme makes the table of them
again (`ReadTable`), which checks what the table relies on. Writer and reader belong to the file format.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from kgreason.errors import DamageError

if TYPE_CHECKING:
    from kgreason.relations.table import Table

Part: TypeAlias = Any
"""A reference that a `PartWriter` gave, a number, a text, None, or a list of these."""

Kind = TypeVar("Kind")


class PartWriter(Protocol):
    """Takes what a table is made of, and gives references."""

    def numbers(self, column: NDArray[Any]) -> Part:
        """A reference to an array of one dimension: uint8, uint32, uint64, int32, int64, or flags."""

    def data(self, data: bytes | bytearray | memoryview) -> Part:
        """A reference to bytes."""

    def table(self, table: Table) -> Part:
        """A reference to a table, which is written once however often it is referred to."""

    def optional(self, table: Table | None) -> Part:
        """The same, or None for no table."""


class PartReader(Protocol):
    """Gives what references lead to; LoadError, which says `what`, where they lead nowhere."""

    @property
    def terms(self) -> int:
        """How many terms there are."""

    def numbers(self, part: Part, dtype: DTypeLike, what: str) -> NDArray[Any]:
        """An array of that type, read-only."""

    def data(self, part: Part, what: str) -> memoryview:
        """Bytes."""

    def table(self, part: Part, what: str, arity: int) -> Table:
        """A table of an arity."""

    def optional(self, part: Part, what: str, arity: int) -> Table | None:
        """The same, or None for no table."""

    def number(self, part: Part, what: str, least: int, most: int) -> int:
        """A whole number within bounds."""

    def flag(self, part: Part, what: str) -> bool:
        """True or false."""

    def entries(self, part: Part, length: int | None, what: str) -> list[Part]:
        """A list, of a length unless that is None."""

    def check_ids(self, identifiers: NDArray[np.integer], what: str) -> None:
        """Raise LoadError unless all are ids of terms: O(n)."""


@dataclass(frozen=True, slots=True)
class ReadTable:
    """How tables are read that were written under one name (`Table.stored_as`): from `count` parts."""

    count: int
    read: Callable[[list[Part], PartReader], Table]


def expect_kind(table: Table, kind: type[Kind], what: str) -> Kind:
    """The table, if it is of a class; LoadError otherwise."""
    if not isinstance(table, kind):
        raise DamageError(f"{what} is a table of another kind, {table.scheme}")
    return table


def check_starts(starts: NDArray[np.int64], end: int, what: str) -> None:
    """Raise LoadError unless these are where parts of one element at least begin, and the end of the last one."""
    if not len(starts) or starts[0] != 0 or starts[-1] != end or not bool((starts[1:] > starts[:-1]).all()):
        raise DamageError(f"{what} do not follow each other")


def check_sorted(column: NDArray[Any], what: str) -> None:
    """Raise LoadError unless each element is greater than the one before: O(n)."""
    if not bool((column[1:] > column[:-1]).all()):
        raise DamageError("not in order, or twice the same", part=what)
