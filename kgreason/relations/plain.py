"""Plain tables of any arity: one class for each of one, two, and more arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pyroaring import BitMap

from kgreason.columns import sorted_sets
from kgreason.columns.pairs import Keys
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.table import NO_IDS, Columns, Table
from kgreason.relations.unary import UnaryTable, as_unary
from kgreason.relations.wide import WideTable, as_wide


def empty_table(arity: int) -> Table:
    """A plain table without facts."""
    if arity == 1:
        return UnaryTable(BitMap())
    if arity == 2:
        return BinaryTable(np.empty(0, dtype=np.uint64))
    return WideTable.of((NO_IDS,) * arity)


def table_of(columns: Columns) -> Table:
    """A plain table of the rows of the columns, in any order and with duplicates."""
    if len(columns) == 1:
        return UnaryTable.of(columns)
    return BinaryTable.of(columns) if len(columns) == 2 else WideTable.of(columns)


def table_of_keys(keys: Keys) -> Table:
    """A plain table of pairs, given as sorted distinct keys (`columns.pairs`), which are taken over: O(1)."""
    return BinaryTable(keys)


def keys_of_table(table: Table) -> Keys | None:
    """The sorted keys of a plain table of pairs, None for another one, and where small changes are beside them."""
    return table.merged_keys() if isinstance(table, BinaryTable) else None


def union_of(tables: Sequence[Table]) -> Table:
    """The union of one table or more of the same arity, plain."""
    if len(tables) == 1:
        return tables[0].materialised()
    arity = tables[0].arity
    if arity == 1:
        return UnaryTable.union_all([as_unary(table) for table in tables])
    if arity == 2:
        return BinaryTable.union_all([as_binary(table) for table in tables])
    return WideTable.union_all([as_wide(table) for table in tables])


def union_of_parts(tables: list[Table]) -> Table:
    """The same of tables that nothing else needs: the list is emptied, so that they are not held beside the union."""
    arity = tables[0].arity
    if len(tables) == 1 or arity == 1:
        whole_table = union_of(tables)
        tables.clear()
        return whole_table
    if arity > 2:
        parts = [as_wide(each) for each in tables]
        tables.clear()
        return WideTable.union_of_parts(parts)
    columns = [as_binary(each).keys() for each in tables]
    tables.clear()
    return BinaryTable(sorted_sets.union_of_parts(columns))
