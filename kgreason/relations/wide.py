"""The plain table of facts with three and more arguments: one sorted column of packed rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs, rows, sorted_sets
from kgreason.errors import DamageError
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.sorting import argsort

WIDEST: Final = 1 << 10
"""A relation in a file has so many arguments at most."""


class WideTable(Table):
    """An immutable set of rows of `arity` ids, three or more; a new version costs a copy."""

    __slots__ = ("_arity", "_order", "_rows")

    scheme = "rows"
    stored_as = "rows"
    is_virtual = False

    def __init__(self, arity: int, packed: sorted_sets.Column) -> None:
        """Take over a sorted column of distinct packed rows."""
        self._arity = arity
        self._rows = packed
        # The positions of the last look-up, and the rows in their order: a join looks up several times.
        self._order: tuple[tuple[int, ...], Index | None, sorted_sets.Column] | None = None

    @property
    def arity(self) -> int:
        return self._arity

    @classmethod
    def of(cls, columns: Columns) -> WideTable:
        """The set of the rows of the columns, in any order."""
        return cls(len(columns), rows.distinct(columns))

    @classmethod
    def union_all(cls, tables: Sequence[WideTable]) -> WideTable:
        """The union of several tables of one arity."""
        if len(tables) == 1:
            return tables[0]
        return cls(tables[0].arity, sorted_sets.union_all([table._rows for table in tables]))

    @property
    def nbytes(self) -> int:
        _, order, keys = self._order or (None, None, None)
        return int(self._rows.nbytes) + sum(each.nbytes for each in (order, keys) if each is not None)

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

    def packed(self) -> sorted_sets.Column:
        """All facts as sorted packed rows: O(1)."""
        return self._rows

    def columns(self) -> Columns:
        return rows.unpack(self._rows, self.arity)

    def distinct(self, position: int) -> Ids:
        return bitmaps.distinct(self.columns()[position])

    def contains(self, columns: Columns) -> Mask:
        return sorted_sets.contains(self._rows, rows.pack(columns))

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        return np.asarray(np.isin(identifiers, self.columns()[position]))

    def distinct_estimate(self, position: int) -> int:
        return len(self.distinct(position))

    def select(self, bound: dict[int, int]) -> Columns:
        run = self._prefix_runs({position: np.array([wanted], np.uint32) for position, wanted in bound.items()})
        if run is not None:
            return rows.unpack(self._rows[int(run[0][0]) : int(run[1][0])], self.arity)
        columns = self.columns()
        if not bound:
            return columns
        found = np.logical_and.reduce([columns[position] == wanted for position, wanted in bound.items()])
        return tuple(column[found] for column in columns)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Sorts by the bound columns, unless they are the first ones, once for several look-ups: O(n log n + k log n +
        output). For few keys of the first arguments, O(k log n + output)."""
        order, begin, end = self._runs(bound)
        index, positions = pairs.spread(begin, end)
        return index, self._at(positions if order is None else order[positions])

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        """As `lookup`, which finds how many rows each key has."""
        order, begin, end = self._runs(bound)
        for first, last in pairs.runs_within(end - begin, most):
            checkpoint()
            index, positions = pairs.spread(begin[first:last], end[first:last])
            yield index + first, self._at(positions if order is None else order[positions])

    def _at(self, positions: Index) -> Columns:
        return rows.unpack(self._rows[positions], self.arity)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        _, begin, end = self._runs({position: identifiers})
        return end - begin

    def _prefix_runs(self, bound: dict[int, Ids]) -> tuple[Index, Index] | None:
        """For each of few keys of the first arguments where the rows that have it begin and end; None for others."""
        keys = [bound[position] for position in range(len(bound)) if position in bound]
        if not keys or len(keys) < len(bound) or len(keys) == self.arity or len(keys[0]) >= tuning.MANY_KEYS:
            return None
        others = self.arity - len(keys)
        least, most = (np.full(len(keys[0]), end, dtype=np.uint32) for end in (0, 0xFFFFFFFF))
        begin = self._rows.searchsorted(rows.pack([*keys, *[least] * others]))
        return begin, self._rows.searchsorted(rows.pack([*keys, *[most] * others]), side="right")

    def _runs(self, bound: dict[int, Ids]) -> tuple[Index | None, Index, Index]:
        """The rows in the order of some columns, None where they are in it, and for each wanted row where its equals
        begin and end."""
        run = self._prefix_runs(bound)
        if run is not None:
            return None, *run
        positions = tuple(sorted(bound))
        wanted = _keys([bound[position] for position in positions])
        order, ascending = self._ordered(positions)
        if len(wanted) < tuning.MANY_KEYS or sorted_sets.is_sorted(wanted):
            return order, ascending.searchsorted(wanted), ascending.searchsorted(wanted, side="right")
        places = argsort(wanted)
        in_order = wanted[places]
        begin, end = np.empty((2, len(wanted)), dtype=np.int64)
        begin[places] = ascending.searchsorted(in_order)
        end[places] = ascending.searchsorted(in_order, side="right")
        return order, begin, end

    def _ordered(self, positions: tuple[int, ...]) -> tuple[Index | None, sorted_sets.Column]:
        """The order of the rows by some columns, None for that which they have, and these columns in it."""
        if self._order is None or self._order[0] != positions:
            columns = self.columns()
            keys = _keys([columns[position] for position in positions])
            order = None if positions == (*range(len(positions)),) else argsort(keys)
            self._order = (positions, order, keys if order is None else keys[order])
        return self._order[1:]

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


def _keys(columns: Sequence[Ids]) -> sorted_sets.Column:
    """One key for each row that sorts like the rows."""
    if len(columns) == 1:
        return columns[0]
    return pairs.pack(columns[0], columns[1]) if len(columns) == 2 else rows.pack(columns)


def as_wide(table: Table) -> WideTable:
    """The plain form of a table of rows."""
    plain = table.materialised()
    assert isinstance(plain, WideTable), "a table of rows was expected"
    return plain
