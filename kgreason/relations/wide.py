"""The plain table of facts with three and more arguments: one sorted column of rows.

Many rows are numbers of 64 bits as long as their ids fit (`columns.narrow_rows`), others byte strings (`columns.rows`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs, rows, sorted_sets
from kgreason.columns.id_columns import repeated
from kgreason.columns.narrow_rows import Layout
from kgreason.errors import DamageError
from kgreason.relations import table_tuning
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted
from kgreason.relations.table import Columns, Ids, Index, Mask, Table
from kgreason.sorting import argsort

WIDEST: Final = 1 << 10
"""A relation in a file has so many arguments at most."""

_KEY_BITS: Final = 64
_Order: TypeAlias = tuple[tuple[int, ...], Layout | None, Index | None, sorted_sets.Column]


class WideTable(Table):
    """An immutable set of rows of `arity` ids, three or more; a new version costs a copy."""

    __slots__ = ("_arity", "_distinct", "_layout", "_order", "_rows", "_scans")

    scheme = "rows"
    stored_as = "rows"
    is_virtual = False

    def __init__(self, arity: int, rows: sorted_sets.Column, layout: Layout | None = None) -> None:
        """Take over a sorted column of distinct rows: as numbers of a layout, or without one as byte strings."""
        self._arity = arity
        self._rows = rows
        self._layout = layout
        # The positions of the last look-up, and the rows in their order: a join looks up several times.
        self._order: _Order | None = None
        self._scans = 0
        self._distinct: dict[int, int] = {}

    @property
    def arity(self) -> int:
        return self._arity

    @classmethod
    def of(cls, columns: Columns) -> WideTable:
        """The set of the rows of the columns, in any order."""
        layout = Layout.of(columns) if len(columns[0]) >= tuning.MANY_KEYS else None
        if layout is None:
            return cls(len(columns), sorted_sets.unique(rows.pack(columns)))
        memory.check(24 * len(columns[0]), "rows without duplicates")
        return cls(len(columns), sorted_sets.unique(layout.keys(columns)), layout)

    @classmethod
    def union_all(cls, tables: Sequence[WideTable]) -> WideTable:
        """The union of several tables of one arity."""
        if len(tables) == 1:
            return tables[0]
        layout, columns = _alike(tables)
        return cls(tables[0].arity, sorted_sets.union_all(columns), layout)

    @classmethod
    def union_of_parts(cls, tables: list[WideTable]) -> WideTable:
        """The same of tables that nothing else needs: the list is emptied, so that they are not held beside the
        union."""
        arity = tables[0].arity
        layout, columns = _alike(tables)
        tables.clear()
        return cls(arity, sorted_sets.union_of_parts(columns), layout)

    @property
    def nbytes(self) -> int:
        _, _, order, keys = self._order or (None, None, None, None)
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
        """All facts as sorted byte strings: O(1) where they are kept so."""
        return self._rows if self._layout is None else rows.pack(self.columns())

    def columns(self) -> Columns:
        return self._columns_of(self._rows)

    def _columns_of(self, some: sorted_sets.Column) -> Columns:
        return rows.unpack(some, self.arity) if self._layout is None else self._layout.columns(some)

    def _column(self, position: int) -> Ids:
        return self.columns()[position] if self._layout is None else self._layout.column(self._rows, position)

    def distinct(self, position: int) -> Ids:
        return bitmaps.distinct(self._column(position))

    def contains(self, columns: Columns) -> Mask:
        if self._layout is None:
            return sorted_sets.contains(self._rows, rows.pack(columns))
        keys, fits = self._layout.fitting_keys(columns)
        return sorted_sets.contains(self._rows, keys) & fits

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        runs = self._prefix_runs({position: identifiers})
        if runs is not None:
            return np.asarray(runs[1] > runs[0])
        return np.asarray(np.isin(identifiers, self._column(position)))

    def distinct_estimate(self, position: int) -> int:
        if position not in self._distinct:
            self._distinct[position] = len(self.distinct(position))
        return self._distinct[position]

    def select(self, bound: dict[int, int]) -> Columns:
        run = self._prefix_runs({position: np.array([wanted], np.uint32) for position, wanted in bound.items()})
        if run is not None:
            return self._columns_of(self._rows[int(run[0][0]) : int(run[1][0])])
        columns = self.columns()
        if not bound:
            return columns
        found = np.logical_and.reduce([columns[position] == wanted for position, wanted in bound.items()])
        return tuple(column[found] for column in columns)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """Sorts by the bound columns, unless they are the first ones, once for several look-ups: O(n log n + k log n +
        output). For few keys of the first arguments, O(k log n + output); the first times that few keys are looked up
        by others, O(n)."""
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
        return self._columns_of(self._rows[positions])

    def fanout(self, position: int, identifiers: Ids) -> Index:
        _, begin, end = self._runs({position: identifiers})
        return end - begin

    def _prefix_runs(self, bound: dict[int, Ids]) -> tuple[Index, Index] | None:
        """For each of few keys of the first arguments where the rows that have it begin and end; None for others."""
        keys = [bound[position] for position in range(len(bound)) if position in bound]
        if not keys or len(keys) < len(bound) or len(keys) == self.arity or len(keys[0]) >= tuning.MANY_KEYS:
            return None
        others = self.arity - len(keys)
        if self._layout is not None:
            return self._narrow_runs(keys)
        least, most = (repeated(end, len(keys[0])) for end in (0, 0xFFFFFFFF))
        begin = self._rows.searchsorted(rows.pack([*keys, *[least] * others]))
        return begin, self._rows.searchsorted(rows.pack([*keys, *[most] * others]), side="right")

    def _narrow_runs(self, keys: Sequence[Ids]) -> tuple[Index, Index]:
        """The same where the rows are numbers."""
        assert self._layout is not None
        after = self._layout.bits_after(len(keys))
        low, fits = self._layout.of_some(range(len(keys))).fitting_keys(keys)
        if after < _KEY_BITS:
            low <<= np.uint64(after)
        begin = self._rows.searchsorted(low)
        end = self._rows.searchsorted(low | np.uint64((1 << after) - 1), side="right")
        return begin, np.where(fits, end, begin)

    def _runs(self, bound: dict[int, Ids]) -> tuple[Index | None, Index, Index]:
        """The rows in the order of some columns, None where they are in it, and for each wanted row where its equals
        begin and end."""
        run = self._prefix_runs(bound)
        if run is not None:
            return None, *run
        positions = tuple(sorted(bound))
        columns = [bound[position] for position in positions]
        if self._is_scanned(positions, columns):
            return self._scanned(positions, columns)
        layout, order, ascending = self._ordered(positions)
        wanted, fits = (_keys(columns), None) if layout is None else layout.fitting_keys(columns)
        begin, end = _runs_in(ascending, wanted)
        return order, begin, end if fits is None else np.where(fits, end, begin)

    def _is_scanned(self, positions: tuple[int, ...], columns: Sequence[Ids]) -> bool:
        """Whether few keys are looked up by looking at all rows, which takes less than to sort these, but not again and
        again."""
        if len(columns[0]) >= tuning.MANY_KEYS or self._scans >= table_tuning.WIDE_SCANS:
            return False
        return positions != (*range(len(positions)),) and (self._order is None or self._order[0] != positions)

    def _scanned(self, positions: tuple[int, ...], columns: Sequence[Ids]) -> tuple[Index, Index, Index]:
        """As `_runs`, with the order of those rows alone that have a wanted id at the first of the positions."""
        self._scans += 1
        found = np.flatnonzero(np.isin(self._column(positions[0]), columns[0]))
        some = self._at(found)
        keys = _keys([some[position] for position in positions])
        places = argsort(keys)
        return found[places], *_runs_in(keys[places], _keys(columns))

    def _ordered(self, positions: tuple[int, ...]) -> tuple[Layout | None, Index | None, sorted_sets.Column]:
        """The order of the rows by some columns, None for that which they have, and these columns in it as keys."""
        if self._order is None or self._order[0] != positions:
            columns = self.columns()
            chosen = [columns[position] for position in positions]
            # The fewer bits, the fewer passes a sort takes.
            layout = Layout.tight(chosen) if self._layout is not None and len(self._rows) else None
            keys = _keys(chosen) if layout is None else layout.keys(chosen)
            order = None if positions == (*range(len(positions)),) else argsort(keys)
            self._order = (positions, layout, order, keys if order is None else keys[order])
        return self._order[1:]

    def inverse(self) -> WideTable:
        return WideTable.of(self.columns()[::-1])

    def filter(self, kept: Mask) -> WideTable:
        return WideTable(self.arity, self._rows[kept], self._layout)

    def union(self, other: Table) -> WideTable:
        layout, (left, right) = _alike([self, as_wide(other)])
        return WideTable(self.arity, sorted_sets.union(left, right), layout)

    def difference(self, other: Table) -> WideTable:
        layout, (left, right) = _alike([self, as_wide(other)])
        return WideTable(self.arity, sorted_sets.difference(left, right), layout)

    def intersection(self, other: Table) -> WideTable:
        layout, (left, right) = _alike([self, as_wide(other)])
        return WideTable(self.arity, sorted_sets.intersection(left, right), layout)

    def insert(self, other: Table) -> tuple[WideTable, WideTable]:
        """One comparison for both."""
        layout, (left, right) = _alike([self, as_wide(other)])
        fresh = sorted_sets.difference(right, left)
        union = sorted_sets.joined(left, fresh)
        return WideTable(self.arity, union, layout), WideTable(self.arity, fresh, layout)

    def write(self, to: PartWriter) -> list[Part]:
        """The arity, and the packed rows."""
        return [self.arity, to.numbers(self.packed().view(np.uint8))]

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
        assert (self._rows.dtype.kind == "S") == (self._layout is None), "the rows have another layout"


def _alike(tables: Sequence[WideTable]) -> tuple[Layout | None, list[sorted_sets.Column]]:
    """The rows of tables in one layout, or as byte strings where none has room for all; as they are where they are all
    of one kind."""
    layouts = [_layout_of(table) for table in tables if table]
    if all(table._layout is None for table in tables) or not layouts:
        return None, [table.packed() for table in tables]
    layout = None if None in layouts else Layout.joint([each for each in layouts if each is not None])
    if layout is None:
        return None, [table.packed() for table in tables]
    return layout, [_moved(table, layout) for table in tables]


def _layout_of(table: WideTable) -> Layout | None:
    return Layout.of(table.columns()) if table._layout is None else table._layout


def _moved(table: WideTable, layout: Layout) -> sorted_sets.Column:
    return layout.keys(table.columns()) if table._layout is None else table._layout.moved(table._rows, layout)


def _runs_in(ascending: sorted_sets.Column, wanted: sorted_sets.Column) -> tuple[Index, Index]:
    """For each wanted key where its equals begin and end in a sorted column."""
    if len(wanted) < tuning.MANY_KEYS or sorted_sets.is_sorted(wanted):
        return ascending.searchsorted(wanted), ascending.searchsorted(wanted, side="right")
    places = argsort(wanted)
    in_order = wanted[places]
    begin, end = np.empty((2, len(wanted)), dtype=np.int64)
    begin[places] = ascending.searchsorted(in_order)
    end[places] = ascending.searchsorted(in_order, side="right")
    return begin, end


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
