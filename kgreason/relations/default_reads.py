"""Reads of a table by its `distinct` and `lookup` alone, in bounded memory: the defaults of `Table`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kgreason import memory, tuning
from kgreason.checkpoints import checkpoint
from kgreason.columns import bitmaps, pairs, sorted_columns, sorted_sets
from kgreason.relations import table_tuning
from kgreason.sorting import argsort, lexsort

if TYPE_CHECKING:
    from kgreason.relations.table import Columns, Ids, Index, Mask, Table
    from kgreason.relations.table_reads import TableReads


def sampled_estimate(table: TableReads) -> int:
    """About how many facts there are, from the fan-out of a few subjects."""
    subjects = table.distinct(0)
    if table.arity == 1 or not len(subjects):
        return len(subjects)
    sample = subjects[:: max(1, len(subjects) // table_tuning.SUBJECTS)]
    return int(table.fanout(0, sample).sum()) * len(subjects) // len(sample)


def row_blocks(table: TableReads, position: int, identifiers: Ids) -> Iterator[Index]:
    """The row numbers of ids in blocks, of which each has about `table_tuning.CHUNK` facts."""
    rows = np.arange(len(identifiers))
    fan = 1 + table.estimate // max(1, table.distinct_estimate(position)) if len(rows) > table_tuning.SUBJECTS else 1
    size = max(1, table_tuning.CHUNK // fan)
    for begin in range(0, len(rows), size):
        yield rows[begin : begin + size]


def checked_chunks(table: TableReads) -> Iterator[Columns]:
    """The chunks, for as long as there is time, and memory for all of them twice."""
    count = 0
    for columns in table.chunks():
        checkpoint()
        count += len(columns[0])
        memory.check(4 * table.arity * count, "a relation as columns")
        yield columns


def columns(table: TableReads) -> Columns:
    """All facts, as `Table.columns`."""
    parts = [(np.empty(0, dtype=np.uint32),) * table.arity, *checked_chunks(table)]
    return tuple(np.concatenate(each) for each in zip(*parts, strict=True))


def chunks_of(table: TableReads, subjects: Ids) -> Iterator[Columns]:
    """The facts of some subjects, as `Table.chunks_of`."""
    size = table_tuning.SUBJECTS
    begin = 0
    while begin < len(subjects):
        block = subjects[begin : begin + size]
        begin += len(block)
        _, columns = table.lookup({0: block})
        found = len(columns[0])
        if found:
            yield columns
        if found * 4 < table_tuning.CHUNK:
            size *= 8 if found * 32 < table_tuning.CHUNK else 2
        elif found > table_tuning.CHUNK:
            size = max(1, size // 4)


def lookups(table: TableReads, bound: dict[int, Ids], most: int) -> Iterator[tuple[Index, Columns]]:
    """`Table.lookup` a run of rows at a time, as `Table.lookups`."""
    length = len(next(iter(bound.values())))
    if length * table.estimate <= most or length * min(map(table.largest_fanout, bound)) <= most:
        yield table.lookup(bound)
        return
    counts = np.minimum.reduce([table.fanout(position, column) for position, column in bound.items()])
    for begin, end in pairs.runs_within(counts, most):
        checkpoint()
        yield moved(table.lookup({position: column[begin:end] for position, column in bound.items()}), begin)


def moved(found: tuple[Index, Columns], by: int) -> tuple[Index, Columns]:
    """What was found for rows that are so many rows further down. A function, since a generator holds what it has a
    name for."""
    index, facts = found
    return index + by, facts


def by_group(table: TableReads, width: int, most: int) -> Iterator[tuple[Columns, Index, Columns]]:
    """All facts, those of a group one after the other, as `Table.by_group`."""
    for index, facts in table.lookups({0: table.distinct(0)}, most):
        if width > 1:
            order = lexsort(facts[:width][::-1])
            ordered = tuple(column[order] for column in facts)
            begins = group_begins(ordered[:width])
        else:
            _, begins, ordered = grouped(index, facts)
        yield tuple(column[begins] for column in ordered[:width]), begins, ordered


def group_begins(columns: Columns) -> Index:
    """Where rows begin that differ from the row before."""
    is_first = sorted_columns.firsts(columns[0])
    for column in columns[1:]:
        is_first |= sorted_columns.firsts(column)
    return np.flatnonzero(is_first)


def grouped(index: Index, facts: Columns) -> tuple[Index, Index, Columns]:
    """The distinct numbers of an index, where the facts of each begin, and the facts in their order: a pass where the
    numbers ascend, otherwise a sort."""
    if not sorted_columns.is_sorted(index):
        order = argsort(index)
        index, facts = index[order], tuple(column[order] for column in facts)
    begins = np.flatnonzero(sorted_columns.firsts(index))
    return index[begins], begins, facts


def select(table: TableReads, bound: dict[int, int]) -> Columns:
    """The facts with ids at one position or more, as `Table.select`."""
    keys = {position: np.array([wanted], dtype=np.uint32) for position, wanted in bound.items()}
    if len(keys) < table.arity:
        return table.lookup(keys)[1]
    columns = tuple(keys[position] for position in range(table.arity))
    found = table.contains(columns)
    return tuple(column[found] for column in columns)


def has_key(table: TableReads, position: int, identifiers: Ids) -> Mask:
    """For each id whether a fact has it at the position, as `Table.has_key`."""
    known = table.distinct(position)
    if not len(known):
        return np.zeros(len(identifiers), dtype=np.bool_)
    at = np.searchsorted(known, identifiers)
    at[at == len(known)] = 0
    return np.asarray(known[at] == identifiers)


def contains(table: TableReads, columns: Columns) -> Mask:
    """For each row whether it is a fact, as `Table.contains`."""
    if table.arity == 1:
        return table.has_key(0, columns[0])
    last = table.arity - 1
    found = np.zeros(len(columns[0]), dtype=np.bool_)
    for rows in row_blocks(table, 0, columns[0]):
        index, facts = table.lookup({position: columns[position][rows] for position in range(last)})
        found[rows[index[facts[last] == columns[last][rows][index]]]] = True
    return found


def fanout(table: TableReads, position: int, identifiers: Ids) -> Index:
    """For each id how many facts have it at the position, as `Table.fanout`."""
    if table.arity == 1:
        return table.has_key(0, identifiers).astype(np.int64)
    counts = np.zeros(len(identifiers), dtype=np.int64)
    for rows in row_blocks(table, position, identifiers):
        counts[rows] = np.bincount(table.lookup({position: identifiers[rows]})[0], minlength=len(rows))
    return counts


def symmetric_fanout(table: TableReads, identifiers: Ids) -> Index:
    """For each id with how many it is paired in both directions, as `Table.symmetric_fanout`."""
    counts = np.zeros(len(identifiers), dtype=np.int64)
    for rows in row_blocks(table, 0, identifiers):
        index, columns = table.lookup({0: identifiers[rows]})
        counts[rows] = np.bincount(index[table.contains(columns[::-1])], minlength=len(rows))
    return counts


def image(table: TableReads, position: int, identifiers: Ids, is_proper: bool = False) -> Ids:
    """The ids at the other end of pairs, as `Table.image`; with `is_proper`, of pairs of two different ids alone, as
    `Table.proper_image`."""
    members: Ids = np.empty(0, dtype=np.uint32)
    for rows in row_blocks(table, position, identifiers):
        _, columns = table.lookup({position: identifiers[rows]})
        found = columns[1 - position][columns[0] != columns[1]] if is_proper else columns[1 - position]
        members = sorted_sets.union(members, bitmaps.distinct(found))
    return members


def not_reached(table: TableReads, position: int, identifiers: Ids, ends: Ids) -> Ids:
    """Those of some sorted ends that are in no pair with some ids: O(pairs looked at), a few first, since these may
    have all ends."""
    first, rest = np.split(identifiers, [table_tuning.FIRST_SOUGHT])
    for some in (first, *(rest[rows] for rows in row_blocks(table, position, rest))):
        if not len(ends):
            break
        columns = table.lookup({position: some})[1]
        ends = sorted_sets.difference(ends, bitmaps.distinct(columns[1 - position]))
    return ends


def between(table: TableReads, subjects: Ids, objects: Ids) -> Columns:
    """The pairs from some ids to others, as `Table.between`."""
    kept: list[Columns] = [(np.empty(0, dtype=np.uint32),) * 2]
    for rows in row_blocks(table, 0, subjects):
        _, columns = table.lookup({0: subjects[rows]})
        found = sorted_sets.contains(objects, columns[1])
        kept.append(tuple(column[found] for column in columns))
    return tuple(map(np.concatenate, zip(*kept, strict=True)))


def reciprocal(table: TableReads, other: Table) -> Columns:
    """The pairs that another table has the other way round, as `Table.reciprocal`: those of the smaller one are sought
    in the other one."""
    if not other.is_virtual and other.estimate < table.estimate:
        turned = other.columns()[::-1]
        found = table.contains(turned)
        return tuple(column[found] for column in turned)
    kept: list[Columns] = [(np.empty(0, dtype=np.uint32),) * 2]
    for columns in table.chunks():
        found = other.contains(columns[::-1])
        kept.append(tuple(column[found] for column in columns))
    return tuple(map(np.concatenate, zip(*kept, strict=True)))


def contained(facts: Columns, table: Table) -> Mask:
    """For each row of columns whether it is a fact of a table, with a checkpoint now and then."""
    length = len(facts[0])
    if length <= tuning.SEARCH_ROWS:
        return table.contains(facts)
    found = np.empty(length, dtype=np.bool_)
    for begin in range(0, length, tuning.SEARCH_ROWS):
        checkpoint()
        piece = slice(begin, begin + tuning.SEARCH_ROWS)
        found[piece] = table.contains(tuple(column[piece] for column in facts))
    return found
