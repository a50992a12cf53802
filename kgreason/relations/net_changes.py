"""What came and what went between two versions of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgreason.relations import table_tuning
from kgreason.relations.catalogue import Input
from kgreason.relations.inverse import InverseTable
from kgreason.relations.plain import union_of
from kgreason.relations.represented import RepresentedTable
from kgreason.relations.table import Table
from kgreason.relations.table_difference import DifferenceTable, LossTable

Comparison: TypeAlias = Callable[[Table | None, Table | None], tuple[Table | None, Table | None]]
"""From two versions of a table to what came and what went."""


def net_change(before: Table | None, after: Table | None) -> tuple[Table | None, Table | None]:
    """What came and what went between two versions, None for nothing.

    Where a version is virtual, so is the change, and may turn out to be empty when it is read. Where none is, the
    larger one is compared first: what it has beside the other one tells whether that has anything beside it.
    """
    if before is after:
        return None, None
    if not before or not after:
        return after or None, before or None
    if before.is_virtual or after.is_virtual:
        return _difference(after, before), _difference(before, after)
    if len(before) > len(after):
        removed = _difference(before, after)
        has_all = len(before) - len(removed or ()) == len(after)
        return (None if has_all else _difference(after, before)), removed
    added = _difference(after, before)
    return added, None if len(after) - len(added or ()) == len(before) else _difference(before, after)


def _difference(whole: Table, part: Table) -> Table | None:
    found = part.lacking(whole)
    return found if found.is_virtual else found or None


def unread_loss(before: Table | None, after: Table | None) -> Table | None:
    """What went between two versions of which the later one has nothing new, to be read by none but listeners: of many
    pairs that are written out it is found when something reads it, and how many they are is known."""
    if not before or not after:
        return before or None
    if before.arity != 2 or before.is_virtual or after.is_virtual or len(before) < table_tuning.UNREAD_LOSS:
        return net_change(before, after)[1]
    return LossTable(before, after) if len(after) < len(before) else None


class NetChanges:
    """Net changes of tables, each found once: relations that copy each other in a circle are one table, and a thousand
    equal classes have one change. A set that is virtual is written out once, not for each table that it replaces."""

    def __init__(self, find: Comparison = net_change) -> None:
        """`find` gives those of two versions."""
        self._find = find
        self._known: dict[tuple[int, int], tuple[Table | None, Table | None]] = {}
        self._sets: dict[int, Table] = {}
        self._tables: list[tuple[Table | None, Table | None]] = []  # while they are here, no other table has their id

    def of(self, before: Table | None, after: Table | None) -> tuple[Table | None, Table | None]:
        """What `find` gives."""
        if before is None or after is None:
            return after or None, before or None
        key = (id(before), id(after))
        found = self._known.get(key)
        if found is None:
            is_compared = before.arity > 1 or before.is_virtual == after.is_virtual
            versions = (before, after) if is_compared else (self._written(before), self._written(after))
            found = self._known[key] = self._find(*versions)
            self._tables.append((before, after))
        return found

    def _written(self, table: Table) -> Table:
        if not table.is_virtual:
            return table
        found = self._sets.get(id(table))
        if found is None:
            found = self._sets[id(table)] = table.materialised()
        return found


def unread_change(before: Table | None, after: Table | None) -> tuple[Table | None, Table | None]:
    """The same of two versions that may have little in common: what differs over representatives is looked for when
    something reads it."""
    if not before or not after or not (_shows_members(before) or _shows_members(after)):
        return net_change(before, after)
    return DifferenceTable(after, before), DifferenceTable(before, after)


def _shows_members(table: Table) -> bool:
    """Whether a table is kept over representatives, as it is or the other way round."""
    return isinstance(table.base if isinstance(table, InverseTable) else table, RepresentedTable)


def written_change(before: Table | None, after: Table | None) -> tuple[Table | None, Table | None]:
    """The same, written out where the versions have few pairs: for a change that rules are going to read."""
    added, removed = net_change(before, after)
    return _written(added, after), _written(removed, before)


def _written(change: Table | None, version: Table | None) -> Table | None:
    if change is None or not change.is_virtual or version is None or version.estimate > table_tuning.WRITTEN_CHANGES:
        return change
    return change.materialised() or None


def written_gain(gained: Table) -> Table | None:
    """What came, written out where it is expected to have few pairs: all rules of a stratum are going to read it."""
    if not gained.is_virtual or gained.estimate > table_tuning.WRITTEN_GAIN:
        return gained
    return gained.materialised() or None


def union_change(
    both_ways: bool, inputs: Sequence[Input], before: Table | None, after: Table | None
) -> tuple[Table | None, Table | None]:
    """The same for a union, or with `both_ways` a symmetric one, at the cost of what changed in its inputs, as
    long as that is written out. Some of that may have come and gone with `before` already."""
    came = [each.added for each in inputs if each.added is not None]
    gone = [each.removed for each in inputs if each.removed is not None]
    if not before or not after or any(table.is_virtual for table in (*came, *gone)):
        return net_change(before, after)
    for each in () if both_ways else inputs:
        if before.is_view_of(each.before) and after.is_view_of(each.after):
            return each.added, each.removed
    if both_ways:
        came += [table.inverse() for table in came]
        gone += [table.inverse() for table in gone]
    all_came, all_gone = (union_of(tables) if tables else None for tables in (came, gone))
    after.continue_from(before, all_came, all_gone)
    added = all_came.difference(before) if all_came is not None else None
    removed = all_gone.difference(after).intersection(before) if all_gone is not None else None
    if after.is_virtual:
        after.count_from(before, len(added or ()), len(removed or ()))
    return added or None, removed or None
