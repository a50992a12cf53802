"""Columns of quads on their way into relations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from kgreason.columns import bitmaps
from kgreason.io.quads import Quads
from kgreason.relations.codes import class_code, property_code
from kgreason.relations.plain import table_of, table_of_keys
from kgreason.relations.table import Ids, Index, Mask, Table
from kgreason.store import store_tuning


def tables_of(quads: Quads, type_id: int, literals: Mask) -> Iterator[tuple[int, int, Table]]:
    """The triples of the quads as tables, by graph and relation: of few row by row, some microseconds for all, else by
    sorting."""
    if len(quads) > store_tuning.FEW_QUADS:
        for graph, some in quads.by_graph():
            yield from ((graph, code, table) for code, table in relations_of(some, type_id, literals))
        return
    classes: dict[tuple[int, int], list[int]] = {}
    properties: dict[tuple[int, int], set[int]] = {}
    columns = (quads.graph, quads.subject, quads.predicate, quads.object)
    for graph, subject, predicate, object in zip(*(column.tolist() for column in columns), strict=True):
        if predicate == type_id and not literals[object]:
            classes.setdefault((graph, class_code(object)), []).append(subject)
        else:
            properties.setdefault((graph, property_code(predicate)), set()).add(subject << 32 | object)
    for (graph, code), members in classes.items():
        yield graph, code, table_of((np.array(members, dtype=np.uint32),))
    for (graph, code), keys in properties.items():
        yield graph, code, table_of_keys(np.array(sorted(keys), dtype=np.uint64))


def relations_of(quads: Quads, type_id: int, literals: Mask) -> Iterator[tuple[int, Table]]:
    """The triples of the quads as tables, by relation: one sort by relation, one by triple in each; neither where they
    come in order."""
    for identifier, rows in _grouped(quads.predicate):
        subjects, objects = quads.subject[rows], quads.object[rows]
        if identifier == type_id:
            typed = ~literals[objects]
            yield from _classes(subjects[typed], objects[typed])
            subjects, objects = subjects[~typed], objects[~typed]
        if len(subjects):
            yield property_code(identifier), table_of((subjects, objects))


def _classes(subjects: Ids, classes: Ids) -> Iterator[tuple[int, Table]]:
    for identifier, rows in _grouped(classes):
        yield class_code(identifier), table_of((subjects[rows],))


def _grouped(names: Ids) -> Iterator[tuple[int, Index | Ids | slice]]:
    """Each distinct name with its rows."""
    differs = names[1:] != names[:-1]
    if np.count_nonzero(differs) < store_tuning.MANY_QUADS:
        starts = [0, *(np.flatnonzero(differs) + 1).tolist()][: len(names)]
        ends = [*starts[1:], len(names)]
        found = names[starts].tolist()
        if len(set(found)) == len(found):
            yield from zip(found, map(slice, starts, ends), strict=True)
            return
    del differs
    yield from _sorted(names)


def _sorted(names: Ids) -> Iterator[tuple[int, Index | Ids]]:
    """Each distinct name with the numbers of its rows; few names sort fast as 16-bit numbers."""
    if len(names) < store_tuning.MANY_QUADS:
        distinct, numbers = np.unique(names, return_inverse=True)
        small: NDArray[np.unsignedinteger] = numbers.astype(np.uint16)
        counts: Index = np.bincount(small)
        order: Index | Ids = np.argsort(small, kind="stable")
    else:
        distinct = bitmaps.distinct(names)
        width = np.uint16 if len(distinct) <= 0xFFFF else np.uint32
        table: NDArray[np.unsignedinteger] = np.zeros(int(distinct[-1]) + 1, dtype=width)
        table[distinct] = np.arange(len(distinct))
        counts, order = _in_order(names, table, len(distinct))
    ends = np.cumsum(counts)
    begin = 0
    for identifier, end in zip(distinct.tolist(), ends.tolist(), strict=True):
        yield identifier, order[begin:end]
        begin = end


def _in_order(names: Ids, numbers: NDArray[np.unsignedinteger], count: int) -> tuple[Index, Index | Ids]:
    """How many rows each name has, by its number, and the rows name by name: sorted a block at a time, so that the
    sort takes 4 bytes for each row, and not 16."""
    size = max(store_tuning.SORTED_QUADS, store_tuning.SORTED_EACH * count)
    if len(names) <= size:
        small = numbers[names]
        return np.bincount(small, minlength=count), np.argsort(small, kind="stable")
    blocks = [slice(begin, begin + size) for begin in range(0, len(names), size)]
    counts = np.zeros(count, dtype=np.int64)
    for block in blocks:
        counts += np.bincount(numbers[names[block]], minlength=count)
    order = np.empty(len(names), dtype=np.uint32)
    next_places = np.cumsum(counts) - counts
    for block in blocks:
        small = numbers[names[block]]
        rows, sizes = np.argsort(small, kind="stable"), np.bincount(small, minlength=count)
        # Where the rows of each name go, which follow each other in the block.
        places = (next_places - np.cumsum(sizes) + sizes).repeat(sizes)
        places += np.arange(len(rows))
        rows += block.start
        order[places] = rows
        next_places += sizes
    return counts, order
