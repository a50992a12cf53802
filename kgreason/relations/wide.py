"""The plain table of facts with three and more arguments: sorted keys of rows in blocks (`block_table`), in other
orders on demand (`wide_reads`).

Rows are numbers of 64 bits as long as their ids fit (`columns.narrow_rows`), else byte strings (`columns.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np

from kgreason import memory
from kgreason.columns import rows, sorted_sets
from kgreason.columns.row_layouts import ByteLayout, RowLayout, joint, layout_of, moved, reordered
from kgreason.columns.sorted_columns import Column
from kgreason.errors import DamageError
from kgreason.relations import blocks
from kgreason.relations.stored import Part, PartReader, PartWriter, check_sorted
from kgreason.relations.table import Columns, Table
from kgreason.relations.wide_reads import WideReads

WIDEST: Final = 1 << 10
"""A relation in a file has so many arguments at most."""


@final
class WideTable(WideReads):
    """An immutable set of rows of three ids or more, made, changed and written to files."""

    __slots__ = ()

    stored_as = "rows"

    @classmethod
    def of(cls, columns: Columns) -> WideTable:
        """The set of the rows of the columns, in any order: one sort."""
        layout = layout_of(columns)
        memory.check(24 * len(columns[0]), "rows without duplicates")
        return cls(layout, sorted_sets.unique_of_own(layout.keys(columns)))

    @classmethod
    def union_all(cls, tables: Sequence[WideTable]) -> WideTable:
        """The union of several tables of one arity: one merge, or for free where only one has facts."""
        present = [table for table in tables if table._size] or list(tables[:1])
        if len(present) == 1:
            return present[0]
        layout = joint([table._layout for table in present])
        return cls(layout, sorted_sets.union_all([table._in(layout).keys() for table in present]))

    @classmethod
    def union_of_parts(cls, tables: list[WideTable]) -> WideTable:
        """The same of tables that nothing else needs: the list is emptied, so that they are not held beside the
        union."""
        layout = joint([table._layout for table in tables if table._size] or [tables[0]._layout])
        columns = [table._in(layout).keys() for table in tables if table._size] or [layout.no_keys]
        tables.clear()
        return cls(layout, sorted_sets.union_of_parts(columns))

    @property
    def _no_keys(self) -> Column:
        return self._layout.no_keys

    def _made(self, base: Column, added: Column, removed: Column) -> WideTable:
        return WideTable(self._layout, base, added, removed)

    def _alike(self, other: Table) -> tuple[WideTable, WideTable]:
        """Both in a layout that has room for all their rows: O(n) where this one's has not."""
        wide = as_wide(other)
        if wide._layout == self._layout:
            return self, wide
        layouts = [table._layout for table in (self, wide) if table._size]
        layout = joint(layouts) if layouts else self._layout
        return self._in(layout), wide._in(layout)

    def _in(self, layout: RowLayout) -> WideTable:
        """The same rows in a layout that has room for them."""
        if layout == self._layout:
            return self
        return WideTable(layout, *(moved(block, self._layout, layout) for block in self._blocks))

    def _inform(self, version: WideTable) -> None:
        version._looked_at = self._looked_at
        version._distinct = dict(self._distinct)

    def _change_orders(self, version: WideTable, gone: Column, come: Column) -> None:
        version._orders = {
            order: table._changed(*(reordered(keys, self._layout, order) for keys in (gone, come)))
            for order, table in [*self._orders.items()]
        }

    def write(self, to: PartWriter) -> list[Part]:
        """The arity, and the rows as byte strings."""
        return [self.arity, to.numbers(moved(self.keys(), self._layout, ByteLayout(self.arity)).view(np.uint8))]

    @classmethod
    def read(cls, parts: list[Part], of: PartReader) -> WideTable:
        """A table of `write`; LoadError where they are damaged."""
        arity = of.number(parts[0], "its arity", 3, WIDEST)
        packed = of.numbers(parts[1], np.uint8, "its rows")
        if len(packed) % (4 * arity):
            raise DamageError("its rows are not whole")
        found = packed.view(f"S{4 * arity}")
        check_sorted(found, "its rows")
        columns = rows.unpack(found, arity)
        for column in columns:
            of.check_ids(column, "its rows")
        layout = layout_of(columns)
        return cls(layout, layout.keys(columns))

    def _check(self) -> None:
        super()._check()
        assert self._blocks[0].dtype == self._layout.no_keys.dtype, "the rows have another layout"
        for kept, column in zip(self._columns or (), self._layout.columns(blocks.merged(self._blocks)), strict=False):
            assert np.array_equal(kept, column), "the columns differ"
        for order, table in self._orders.items():
            table._check()
            expected = reordered(blocks.merged(self._blocks), self._layout, order)
            assert table._layout == self._layout.of_some(order), "an order has another layout"
            assert np.array_equal(blocks.merged(table._blocks), expected), "the rows in another order differ"


def as_wide(table: Table) -> WideTable:
    """The plain form of a table of rows."""
    plain = table.materialised()
    assert isinstance(plain, WideTable), "a table of rows was expected"
    return plain
