"""Facts as they are over representatives, for rules that are evaluated there, and back: which facts of a relation say
the same of equal things.

A rule that is evaluated over representatives names a class by the representative that it had then. What it derived is
a fact like any other: it holds of all members of the class that its name is in by now.
"""

from __future__ import annotations

import numpy as np

from kgreason.columns import bitmaps, pairs, sorted_sets
from kgreason.relations.binary import BinaryTable, as_binary
from kgreason.relations.equality import EqualityTable
from kgreason.relations.plain import empty_table, table_of, union_of
from kgreason.relations.represented import NOTHING_EQUAL, RepresentedTable
from kgreason.relations.table import Columns, Ids, Table
from kgreason.relations.unary import UnaryTable, as_unary


def classes_of(said: Table | None) -> EqualityTable:
    """The classes of what a relation says is equal."""
    if not said:
        return NOTHING_EQUAL
    # While the scheme of the equality is suspended, its edges stand in for it (`engine.modules.closure_module`).
    return said if isinstance(said, EqualityTable) else EqualityTable.of(as_binary(said))


def inner_facts(table: Table | None) -> Table | None:
    """What a relation that is kept over representatives has there; of a set, all members."""
    return table.inner if isinstance(table, RepresentedTable) else table


def represented(table: Table, classes: EqualityTable) -> Table:
    """Facts over representatives; a set with all members of the classes that it has a member of."""
    if not classes:
        return table
    if table.arity == 1:
        return UnaryTable(bitmaps.from_ids(_members(classes, table.distinct(0))))
    return BinaryTable.of(classes.represented(table.columns()))


def alike(known: Table, facts: Table, classes: EqualityTable) -> Table:
    """Those of the known facts of a relation that say of some classes what others say: O(the facts about the members
    of the classes that the latter begin with, or end with)."""
    if not classes:
        return known.intersection(facts)
    if facts.arity == 1:
        return UnaryTable(as_unary(known).members & bitmaps.from_ids(_members(classes, facts.distinct(0))))
    columns = classes.represented(facts.columns())
    wanted = pairs.distinct(*columns)
    found = _fewest_about(known, classes, columns)
    kept = sorted_sets.contains(wanted, pairs.pack(*classes.represented(found)))
    return table_of(tuple(column[kept] for column in found))


def in_doubt(inner: Table, gone: Table | None, doubtful: Ids, classes: EqualityTable) -> Table:
    """Those of the facts over representatives that may not hold any more of all members, where some facts go, and it is
    in doubt which things the class of others has."""
    gone = represented(gone, classes).intersection(inner) if gone else None
    if inner.arity == 1:
        members = UnaryTable(as_unary(inner).members & bitmaps.from_ids(doubtful))
        return members if gone is None else members.union(gone)
    ends = sorted_sets.unique(classes.representatives(doubtful)) if len(doubtful) else doubtful
    about = [table_of(inner.lookup({position: ends})[1]) for position in (0, 1)] if len(ends) else []
    return union_of([empty_table(2) if gone is None else gone, *about])


def several_named(known: Table, facts: Table, classes: EqualityTable, position: int) -> Ids:
    """What some pairs of representatives have at a position, sorted, where known facts give one of the pairs with
    several members there: as `alike`."""
    columns = alike(known, facts, classes).columns()
    keys, places = np.unique(pairs.pack(*classes.represented(columns)), return_inverse=True)
    named = pairs.distinct(places.astype(np.uint32), columns[position])
    several = keys[np.bincount(pairs.subjects(named), minlength=len(keys)) > 1]
    return sorted_sets.unique(pairs.objects(several) if position else pairs.subjects(several))


def _members(classes: EqualityTable, things: Ids) -> Ids:
    """The members of the classes of some things, and of things that have none these themselves, sorted."""
    return np.sort(classes.spread(sorted_sets.unique(classes.representatives(things)))[1])


def _fewest_about(known: Table, classes: EqualityTable, columns: Columns) -> Columns:
    """The known facts about members of classes: those that begin with one of the first column, or those that end with
    one of the second, whichever are fewer."""
    members = [_members(classes, column) for column in columns]
    position = int(np.argmin([known.fanout(each, members[each]).sum() for each in (0, 1)]))
    return known.lookup({position: members[position]})[1]
