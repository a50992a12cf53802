"""What a plain table of facts with three and more arguments is asked.

Reads by the first arguments go to the sorted keys. Reads by others go to the same rows in another order, which has
these arguments first: the counterpart of the mirror of pairs. To sort the rows takes as long as some ten scans, so that
the first few keys are found by scans, or among the rows that have the first ones of their arguments; from then on the
order is kept up with small changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Self, TypeAlias

import numpy as np

from kgreason import tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import pairs, sorted_sets
from kgreason.columns.id_flags import membership
from kgreason.columns.key_runs import Runs
from kgreason.columns.narrow_rows import Layout
from kgreason.columns.row_layouts import RowLayout, distinct_ids, reordered
from kgreason.columns.sorted_columns import Column
from kgreason.relations import blocks, pair_blocks, table_tuning
from kgreason.relations.block_table import BlockTable
from kgreason.relations.blocks import BlockRuns, Blocks
from kgreason.relations.default_reads import group_begins, moved
from kgreason.relations.table import Columns, Ids, Index, Mask
from kgreason.sorting import distinct

Order: TypeAlias = tuple[int, ...]
"""The positions of the arguments as they come in the keys."""


class WideReads(BlockTable):
    """The reads of an immutable set of rows."""

    __slots__ = ("_columns", "_distinct", "_layout", "_looked_at", "_orders")

    scheme = "rows"

    def __init__(
        self, layout: RowLayout, base: Column, added: Column | None = None, removed: Column | None = None
    ) -> None:
        """Take over sorted distinct keys of a layout, which must not change from now on."""
        none = layout.no_keys
        super().__init__(base, none if added is None else added, none if removed is None else removed)
        self._layout = layout
        self._columns: Columns | None = None
        self._orders: dict[Order, Self] = {}
        # The rows that were looked at for keys, since an order was made.
        self._looked_at = 0
        # Of a position how many ids there were among how many rows.
        self._distinct: dict[int, tuple[int, int]] = {}

    @property
    def arity(self) -> int:
        return self._layout.width

    @property
    def nbytes(self) -> int:
        kept = (*self._blocks, *(self._columns or ()))
        return sum(column.nbytes for column in kept) + sum(table.nbytes for table in [*self._orders.values()])

    # -- all facts -------------------------------------------------------------------------------------------------

    def columns(self) -> Columns:
        """Those of few facts are kept: each rule that reads what is new in a round asks for them, more than once."""
        if self._columns is None:
            found = self._layout.columns(self.keys())
            if self._size > tuning.MANY_KEYS:
                return found
            self._columns = found
        return self._columns

    def chunks(self) -> Iterator[Columns]:
        keys = self.keys()
        for begin in range(0, len(keys), table_tuning.PLAIN_CHUNK):
            yield self._layout.columns(keys[begin : begin + table_tuning.PLAIN_CHUNK])

    def by_group(self, width: int, most: int) -> Iterator[tuple[Columns, Index, Columns]]:
        keys, begin, size = self.keys(), 0, most
        while begin < len(keys):
            checkpoint()
            facts = self._layout.columns(keys[begin : begin + size])
            begins = group_begins(facts[:width])
            if begin + size < len(keys) and len(begins) == 1:
                size *= 2  # a group that goes on
                continue
            # The last group may go on as well; one for which more were looked at than asked for comes alone.
            ends = [*begins[1:2].tolist()] if size > most else [*begins[1:][-1:].tolist()]
            if ends and (size > most or begin + size < len(keys)):
                facts = tuple(column[: ends[0]] for column in facts)
                begins = begins[begins < ends[0]]
            yield tuple(column[begins] for column in facts[:width]), begins, facts
            begin, size = begin + len(facts[0]), most

    def distinct(self, position: int) -> Ids:
        return distinct_ids(self.keys(), self._layout, position)

    def distinct_estimate(self, position: int) -> int:
        """As many as there were when the table had half or twice as many rows."""
        count, size = self._distinct.get(position, (0, 0))
        if not size <= 2 * self._size <= 4 * size:
            base, added, _ = self._blocks
            count = len(distinct_ids(base if len(base) else added, self._layout, position))
            self._distinct[position] = count, self._size
        return count

    # -- whole rows ------------------------------------------------------------------------------------------------

    def has(self, fact: tuple[int, ...]) -> bool:
        if not isinstance(self._layout, Layout):
            return super().has(fact)
        key = self._layout.key(fact)
        return key is not None and pair_blocks.has(self._blocks, key)

    def contains(self, columns: Columns) -> Mask:
        keys, fits = self._layout.fitting_keys(columns)
        return self.contains_keys(keys) & fits

    def contains_keys(self, wanted: Column) -> Mask:
        return blocks.contains(self._blocks, wanted)

    # -- by some arguments -----------------------------------------------------------------------------------------

    def has_key(self, position: int, identifiers: Ids) -> Mask:
        is_sorted_by_it = self._order_of({position: identifiers}) is not None
        if is_sorted_by_it or not len(identifiers) or not self._may_look_at(0):
            return self.fanout(position, identifiers) > 0
        return self._met(position, identifiers)

    def fanout(self, position: int, identifiers: Ids) -> Index:
        order, table = self._reading({position: identifiers})
        return blocks.counts(table._runs(table._blocks, order, {position: identifiers}))

    def expected_fanout(self, position: int, identifiers: Ids) -> float:
        if self._size > table_tuning.SAMPLED_KEYS and self._order_of({position: identifiers}) is None:
            base = self._blocks[0]
            step = len(base) // table_tuning.SAMPLED_KEYS + 1
            return blocks.sampled_fanout(self._layout.column(base[::step], position), step, identifiers)
        return super().expected_fanout(position, identifiers)

    def lookup(self, bound: dict[int, Ids]) -> tuple[Index, Columns]:
        """For the first arguments, and others by which the rows are sorted, O(k log n + output). For others O(n) at
        first, or O(rows that have the first ones of these); then one sort, and small changes cost what they are."""
        order, table = self._reading(bound)
        those = table._blocks
        return table._facts(those, order, table._runs(those, order, bound))

    def lookups(self, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
        """As `lookup`, which finds how many rows each key has."""
        order, table = self._reading(bound)
        those = table._blocks
        runs = table._runs(those, order, bound)
        for first, last in pairs.runs_within(blocks.counts(runs), most):
            checkpoint()
            yield moved(table._facts(those, order, blocks.part(runs, first, last)), first)

    def _runs(self, those: Blocks, order: Order, bound: Mapping[int, Ids]) -> BlockRuns:
        """The runs of the wanted rows in blocks of this table, whose rows are in an order that has the bound positions
        first."""
        wanted = [bound[position] for position in order[: len(bound)]]
        return blocks.runs_of(those, partial(self._layout.runs, wanted=wanted))

    def _facts(self, those: Blocks, order: Order, runs: BlockRuns) -> tuple[Index, Columns]:
        """The facts of runs, their arguments by position."""
        index, keys = blocks.found(those, runs)
        columns = self._layout.columns(keys)
        return index, tuple([columns[place] for place in _places(order)])

    # -- orders ----------------------------------------------------------------------------------------------------

    def inverse(self) -> Self:
        return self._sorted_by(tuple(range(self.arity))[::-1])

    def _known_orders(self) -> list[tuple[Order, Self]]:
        return [(tuple(range(self.arity)), self), *self._orders.items()]

    def _order_of(self, bound: Mapping[int, Ids]) -> tuple[Order, Self] | None:
        """A known order that has the bound positions first, and the table in it."""
        count = len(bound)
        for order, table in self._known_orders():
            if bound.keys() == {*order[:count]}:
                return order, table
        return None

    def _reading(self, bound: Mapping[int, Ids]) -> tuple[Order, Self]:
        """An order that has the bound positions first, and a table of the rows in it, at least of the wanted ones."""
        known = self._order_of(bound)
        if known is not None:
            return known
        order = (*sorted(bound), *(position for position in range(self.arity) if position not in bound))
        some = self._rows_that_begin_so(bound) or self._scanned(bound)
        if some is None:
            return order, self._sorted_by(order)
        own, table, keys = some
        places = [own.index(position) for position in order]
        return order, type(self)(table._layout.of_some(places), reordered(keys, table._layout, places))

    def _sorted_by(self, order: Order) -> Self:
        """The rows in another order: a sort when first asked for."""
        table = self._orders.get(order)
        if table is None:
            table = type(self)(
                self._layout.of_some(order), *(reordered(block, self._layout, order) for block in self._blocks)
            )
            kept = [*self._orders.items()][max(0, len(self._orders) + 1 - table_tuning.WIDE_ORDERS) :]
            self._orders = {**dict(kept), order: table}
            self._looked_at = 0
        return table

    def _rows_that_begin_so(self, bound: Mapping[int, Ids]) -> tuple[Order, Self, Column] | None:
        """The rows that have some of the wanted ids, by a known order which begins with some of the positions; None
        where these are a large part of all."""
        count, order, table = max(
            ((_bound_first(order, bound), order, table) for order, table in self._known_orders()),
            key=lambda each: each[0],
        )
        if not count:
            return None
        those = table._blocks
        runs = table._runs(those, order, {position: bound[position] for position in order[:count]})
        base, added, removed = (None if each is None else _distinct_runs(each) for each in runs)
        assert base is not None, "the large block was not searched"
        total = int((base[1] - base[0]).sum())
        if total * table_tuning.WIDE_SHARE > self._size or not self._may_look_at(table_tuning.SOUGHT_ROWS * total):
            return None
        return order, table, blocks.found(those, (base, added, removed))[1]

    def _scanned(self, bound: Mapping[int, Ids]) -> tuple[Order, Self, Column] | None:
        """The rows that have one of few wanted ids at each position, by a look at all; None where these are many."""
        ids = {position: distinct(column) for position, column in bound.items()}
        if max(map(len, bound.values())) >= tuning.MANY_KEYS or not self._may_look_at(self._size):
            return None
        tests = [(each, membership(ids[each], self._size)) for each in sorted(ids, key=lambda each: len(ids[each]))]
        parts, count = [self._no_keys], 0
        for piece in self._pieces(table_tuning.CHUNK):
            found = piece
            for position, is_wanted in tests:
                found = found[is_wanted(self._layout.column(found, position))]
            parts.append(found)
            count += len(found)
            if count * table_tuning.WIDE_SHARE > self._size:
                return None
        return tuple(range(self.arity)), self, np.concatenate(parts)

    def _met(self, position: int, identifiers: Ids) -> Mask:
        """For each id whether a row has it, by a look at as many rows as it takes to meet all."""
        left = wanted = distinct(identifiers)
        for keys in self._pieces(table_tuning.FIRST_ROWS):
            self._looked_at += len(keys)
            column = self._layout.column(keys, position)
            left = left[~np.isin(left, column[membership(left, self._size)(column)])]
            if not len(left):
                break
        return ~np.isin(identifiers, left) if len(left) < len(wanted) else np.zeros(len(identifiers), dtype=np.bool_)

    def _pieces(self, first: int) -> Iterator[Column]:
        """All keys, in no order: so many at first, then more at a time."""
        base, added, removed = self._blocks
        if len(added):
            yield added
        begin, size = 0, first
        while begin < len(base):
            checkpoint()
            yield sorted_sets.difference(base[begin : begin + size], removed)
            begin, size = begin + size, min(8 * size, table_tuning.CHUNK)

    def _may_look_at(self, rows: int) -> bool:
        """Whether some rows are looked at rather than all sorted, which they are counted for."""
        if self._looked_at + rows > table_tuning.WIDE_SCANS * self._size:
            return False
        self._looked_at += rows
        return True


def _places(order: Order) -> list[int]:
    """For each position its place in an order."""
    return [order.index(position) for position in range(len(order))]


def _bound_first(order: Order, bound: Mapping[int, Ids]) -> int:
    """How many positions at the beginning of an order are bound."""
    count = 0
    while order[count] in bound:
        count += 1
    return count


def _distinct_runs(runs: Runs) -> Runs:
    """Each run once, in order, of runs that are the same or apart; without those that are empty."""
    begin, end = runs
    is_there = begin < end
    return distinct(begin[is_there]), distinct(end[is_there])
