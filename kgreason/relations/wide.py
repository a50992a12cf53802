"""The plain table of facts with three and more arguments: one sorted column of packed rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kgreason.columns import bitmaps, pairs, rows, sorted_sets
from kgreason.errors import DamageError
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted
from kgreason.relations.table import Columns, Ids, Index, Mask, Table

WIDEST: Final = 1 << 10
"""A relation in a file has so many arguments at most."""


class WideTable(Table):
    """An immutable set of rows of `arity` ids, three or more; a new version costs a copy."""

    __slots__ = ("_arity", "_rows")

    scheme = "rows"
    stored_as = "rows"
    is_virtual = False

    def __init__(self, arity: int, packed: sorted_sets.Column) -> None:
        """Take over a sorted column of distinct packed rows."""
        self._arity = arity
        self._rows = packed

    @property
    def arity(self) -> int:
        return self._arity

    @classmethod
    def of(cls, columns: Columns) -> WideTable:
        """The set of the rows of the columns, in any order."""
        return cls(len(columns), sorted_sets.unique(rows.pack(columns)))

    @classmethod
    def union_all(cls, tables: Sequence[WideTable]) -> WideTable:
        """The union of several tables of one arity."""
        if len(tables) == 1:
            return tables[0]
        return cls(tables[0].arity, sorted_sets.union_all([table._rows for table in tables]))

    @property
    def nbytes(self) -> int:
        return int(self._rows.nbytes)

    def __len__(self) -> int:
        return len(self._rows)

    def __bool__(self) -> bool:
        return len(self._rows) > 0

    @property
    def estimate(self) -> int:
        return len(self._rows)

    def chunks(self) -> Iterator[Columns]:
        yield self.columns()

    def materialised(self) -> WideTable:
        return self

    def columns(self) -> Columns:
        return rows.unpack(self._rows, self.arity)

    def distinct(self, position: int) -> Ids:
        return bitmaps.distinct(self.columns()[position])

    def has(self, fact: tuple[int, ...]) -> bool:
        return bool(self.contains(tuple(np.array([term], dtype=np.uint32) for term in fact))[0])

    def contains(self, columns: Columns) -> Mask:
        return sorted_sets.contains(self._rows, rows.pack(columns))

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return np.asarray(np.isin(identifiers, self.columns()[position]))

    def fanout(self, position: int, identifiers: Ids) -> Index:
        index, _ = self.lookup({position: identifiers})
        return np.bincount(index, minlength=len(identifiers))

    def distinct_estimate(self, position: int) -> int:
        return len(self.distinct(position))

    def select(self, bound: dict[int, int]) -> Columns:
        columns = self.columns()
        if not bound:
            return columns
        found = np.logical_and.reduce([columns[position] == wanted for position, wanted in bound.items()])
        return tuple(column[found] for column in columns)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Sorts by the bound columns: O(n log n + k log n + output)."""
        columns = self.columns()
        if len(bound) == 1:
            ((position, wanted),) = bound.items()
            return self._expand_ranked(columns, columns[position], wanted)
        stacked = [np.concatenate((columns[position], wanted)) for position, wanted in bound.items()]
        ranks: Ids = np.unique(rows.pack(stacked), return_inverse=True)[1].astype(np.uint32)
        return self._expand_ranked(columns, ranks[: len(self)], ranks[len(self) :])

    @staticmethod
    def _expand_ranked(columns: Columns, ranks: Ids, wanted: Ids) -> tuple[Index, Columns]:
        order = np.argsort(ranks, kind="stable")
        ordered = ranks[order]
        begin = np.searchsorted(ordered, wanted)
        end = np.searchsorted(ordered, wanted, side="right")
        index, positions = pairs.spread(begin, end)
        found = order[positions]
        return index, tuple(column[found] for column in columns)

    def inverse(self) -> WideTable:
        return WideTable.of(self.columns()[::-1])

    def filter(self, kept: Mask) -> WideTable:
        return WideTable(self.arity, self._rows[kept])

    def union(self, other: Table) -> WideTable:
        return WideTable(self.arity, sorted_sets.union(self._rows, as_wide(other)._rows))

    def difference(self, other: Table) -> WideTable:
        return WideTable(self.arity, sorted_sets.difference(self._rows, as_wide(other)._rows))

    def intersection(self, other: Table) -> WideTable:
        return WideTable(self.arity, sorted_sets.intersection(self._rows, as_wide(other)._rows))

    def write(self, to: PartWriter) -> list[Part]:
        """The arity, and the packed rows."""
        return [self.arity, to.numbers(self._rows.view(np.uint8))]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> WideTable:
        """A table of `write`; LoadError where they are damaged."""
        arity = of.number(parts[0], "its arity", 3, WIDEST)
        packed = of.numbers(parts[1], np.uint8, "its rows")
        if len(packed) % (4 * arity):
            raise DamageError("its rows are not whole")
        found = packed.view(f"S{4 * arity}")
        check_sorted(found, "its rows")
        for column in rows.unpack(found, arity):
            of.check_ids(column, "its rows")
        return cls(arity, found)

    def _check(self) -> None:
        sorted_sets.check(self._rows)


def as_wide(table: Table) -> WideTable:
    """The plain form of a table of rows."""
    plain = table.materialised()
    assert isinstance(plain, WideTable), "a table of rows was expected"
    return plain
