"""The plain table of unary facts: a Roaring bitmap of ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from pyroaring import BitMap

from kgreason import memory, tuning
from kgreason.columns import bitmaps
from kgreason.errors import DamageError
from kgreason.relations import table_tuning
from kgreason.relations.stored import Part, PartReader, PartWriter
from kgreason.relations.table import Columns, Ids, Index, Mask, Table


class UnaryTable(Table):
    """An immutable set of ids. A new version costs a copy of the bitmap, two bytes per id at most."""

    __slots__ = ("_size", "members")

    arity = 1
    scheme = "bitmap"
    stored_as = "bitmap"
    is_virtual = False

    def __init__(self, members: BitMap) -> None:
        """Take over a bitmap, which must not change from now on."""
        self.members = members
        self._size = len(members)

    @classmethod
    def of(cls, columns: Columns) -> UnaryTable:
        """The set of the ids of one column, in any order."""
        return cls(bitmaps.from_ids(columns[0]))

    @classmethod
    def union_all(cls, tables: Sequence[UnaryTable]) -> UnaryTable:
        """The union of several tables."""
        return tables[0] if len(tables) == 1 else cls(bitmaps.union([table.members for table in tables]))

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
        """Of many ids some soon, then all others."""
        if self._size < tuning.MANY_IDS:
            yield self.columns()
            return
        yield (bitmaps.to_ids(self.members[: tuning.FEW_IDS]),)
        yield (bitmaps.to_ids(self.members)[tuning.FEW_IDS :],)

    def materialised(self) -> UnaryTable:
        return self

    def columns(self) -> Columns:
        return (bitmaps.to_ids(self.members),)

    def distinct(self, position: int) -> Ids:
        return bitmaps.to_ids(self.members)

    def has(self, fact: tuple[int, ...]) -> bool:
        return fact[0] in self.members

    def contains(self, columns: Columns) -> Mask:
        return bitmaps.contains(self.members, columns[0])

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return bitmaps.contains(self.members, identifiers)

    def has_id(self, position: int, identifier: int) -> bool:
        return identifier in self.members

    def fanout(self, position: int, identifiers: Ids) -> Index:
        return self.contains((identifiers,)).astype(np.int64)

    def distinct_estimate(self, position: int) -> int:
        return self._size

    def largest_fanout(self, position: int) -> int:
        return 1

    def select(self, bound: dict[int, int]) -> Columns:
        if not bound:
            return self.columns()
        wanted = bound[0]
        return (np.array([wanted] if wanted in self.members else [], dtype=np.uint32),)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        found = np.flatnonzero(self.contains((bound[0],)))
        return found, (bound[0][found],)

    def inverse(self) -> UnaryTable:
        return self

    def filter(self, kept: Mask) -> UnaryTable:
        return UnaryTable(bitmaps.from_ids(bitmaps.to_ids(self.members)[kept]))

    def union(self, other: Table) -> UnaryTable:
        other = as_unary(other)
        if not self._size or not other._size:
            return self if other._size == 0 else other
        memory.check(2 * (self._size + other._size), "a union of sets")
        return UnaryTable(self.members | other.members)

    def difference(self, other: Table) -> UnaryTable:
        if not self._size or not other:
            return self
        if other.is_virtual and self._size <= table_tuning.SOUGHT_MEMBERS:
            return self.filter(~other.contains(self.columns()))
        memory.check(2 * self._size, "a difference of sets")
        return UnaryTable(self.members - as_unary(other).members)

    def intersection(self, other: Table) -> UnaryTable:
        if other.is_virtual and self._size <= table_tuning.SOUGHT_MEMBERS:
            return self.filter(other.contains(self.columns()))
        return UnaryTable(self.members & as_unary(other).members)

    def write(self, to: PartWriter) -> list[Part]:
        """The bitmap in the portable format."""
        return [to.data(self.members.serialize())]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> UnaryTable:
        """A table of `write`; LoadError or ValueError where they are damaged."""
        data = of.data(parts[0], "its set")
        memory.check(2 * len(data), "a set of ids")
        members = BitMap.deserialize(bytes(data)) if len(data) else BitMap()  # ValueError for what is not a bitmap
        if not members or members.max() >= of.terms:
            raise DamageError("empty, or with an id that no term has", part="its set")
        return cls(members)

    def _check(self) -> None:
        assert self._size == len(self.members), "size of a unary table is stale"


def as_unary(table: Table) -> UnaryTable:
    """The plain form of a table of single ids."""
    plain = table.materialised()
    assert isinstance(plain, UnaryTable), "a table of single ids was expected"
    return plain
