"""The plain table of unary facts: a Roaring bitmap of ids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps
from kgreason.schemes.scheme import Columns, Ids, Index, Mask, Table


class UnaryTable:
    """An immutable set of ids. A new version costs a copy of the bitmap, two bytes per id at most."""

    __slots__ = ("_size", "members")

    arity = 1
    scheme = "bitmap"
    is_virtual = False

    def __init__(self, members: BitMap) -> None:
        """Take over a bitmap that nobody changes from now on."""
        self.members = members
        self._size = len(members)

    @classmethod
    def of(cls, columns: Columns) -> UnaryTable:
        """The set of the ids of one column, in any order."""
        return cls(bitmaps.from_ids(columns[0]))

    @classmethod
    def union_all(cls, tables: Sequence[UnaryTable]) -> UnaryTable:
        """The union of several tables."""
        return tables[0] if len(tables) == 1 else cls(BitMap.union(*(table.members for table in tables)))

    @property
    def nbytes(self) -> int:
        sizes = self.members.get_statistics()
        return sizes["n_bytes_array_containers"] + sizes["n_bytes_run_containers"] + sizes["n_bytes_bitset_containers"]

    def __len__(self) -> int:
        return self._size

    def __bool__(self) -> bool:
        return self._size > 0

    @property
    def estimate(self) -> int:
        return self._size

    def chunks(self) -> Iterator[Columns]:
        yield self.columns()

    def inputs(self) -> Iterable[Table]:
        return ()

    def changed_ends(self, position: int) -> Ids:
        return self.distinct(position)

    def plain(self) -> UnaryTable:
        return self

    def merged(self) -> UnaryTable:
        return self

    def columns(self) -> Columns:
        return (bitmaps.to_ids(self.members),)

    def distinct(self, position: int) -> Ids:
        return bitmaps.to_ids(self.members)

    def has(self, fact: tuple[int, ...]) -> bool:
        return fact[0] in self.members

    def contains(self, columns: Columns) -> Mask:
        return bitmaps.contains(self.members, columns[0])

    def occurs(self, position: int, identifiers: Ids) -> Mask:
        return bitmaps.contains(self.members, identifiers)

    def degrees(self, position: int, identifiers: Ids) -> Index:
        return self.contains((identifiers,)).astype(np.int64)

    def ends(self, position: int) -> int:
        return self._size

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        wanted = bound[0]
        return (np.array([wanted] if wanted in self.members else [], dtype=np.uint32),)

    def expand(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = np.flatnonzero(self.contains((bound[0],)))
        return found, (bound[0][found],)

    def inverse(self) -> UnaryTable:
        return self

    def where(self, kept: Mask) -> UnaryTable:
        return UnaryTable(bitmaps.from_ids(bitmaps.to_ids(self.members)[kept]))

    def union(self, other: Table) -> UnaryTable:
        other = as_unary(other)
        if not self._size or not other._size:
            return self if other._size == 0 else other
        return UnaryTable(self.members | other.members)

    def difference(self, other: Table) -> UnaryTable:
        if not self._size or not other:
            return self
        return UnaryTable(self.members - as_unary(other).members)

    def intersection(self, other: Table) -> UnaryTable:
        return UnaryTable(self.members & as_unary(other).members)

    def _check(self) -> None:
        assert self._size == len(self.members), "size of a unary table is stale"


def as_unary(table: Table) -> UnaryTable:
    """The plain form of a table of single ids."""
    plain = table.plain()
    assert isinstance(plain, UnaryTable), "a table of single ids was expected"
    return plain
