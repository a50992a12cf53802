"""What readers ask of the ends of pairs alone, so that they are spared what makes a closure large: its pairs."""

from __future__ import annotations

from typing import Final

import numpy as np
from pyroaring import BitMap

from kgreason.columns import bitmaps, sorted_sets
from kgreason.schemes.binary import CHUNK
from kgreason.schemes.inverse import InverseTable
from kgreason.schemes.scheme import Ids, Table
from kgreason.schemes.transitive.table import TransitiveTable
from kgreason.schemes.union import UnionTable

LAYERS: Final = 64
_NO_IDS: Ids = np.empty(0, dtype=np.uint32)


def image(table: Table, position: int, identifiers: Ids) -> Ids:
    """The ids at the other end of pairs that have one of some ids, in any order, at a position: sorted, each once.

    O(edges) for a transitive closure, otherwise O(pairs found), in bounded memory.
    """
    if isinstance(table, InverseTable):
        return image(table.base, 1 - position, identifiers)
    if isinstance(table, UnionTable):
        found = [image(part, position, identifiers) for part in table.parts]
        return bitmaps.distinct(np.concatenate([_NO_IDS, *found]))
    if isinstance(table, TransitiveTable):
        return _reached(table, position, bitmaps.distinct(identifiers))
    fan = 1 + table.estimate // max(1, table.ends(position))
    size = max(1, CHUNK // fan)
    members = _NO_IDS
    for begin in range(0, len(identifiers), size):
        _, columns = table.expand({position: identifiers[begin : begin + size]})
        members = sorted_sets.union(members, bitmaps.distinct(columns[1 - position]))
    return members


def loops(table: Table) -> Ids:
    """The ids that are paired with themselves, in any order, each once: without a look at pairs in a closure."""
    if isinstance(table, InverseTable):
        return loops(table.base)
    if isinstance(table, TransitiveTable):
        return table.loops()
    if isinstance(table, UnionTable):
        return bitmaps.distinct(np.concatenate([_NO_IDS, *map(loops, table.parts)]))
    ends = table.distinct(0)
    return ends[table.contains((ends, ends))]


def _reached(table: TransitiveTable, position: int, starts: Ids) -> Ids:
    """By a search along the edges, and from where that goes deep by what is known of the closure."""
    members = BitMap()
    for _ in range(LAYERS):
        if not len(starts):
            break
        _, columns = table.edges.expand({position: starts})
        fresh = bitmaps.from_ids(columns[1 - position]) - members
        members |= fresh
        starts = bitmaps.to_ids(fresh)
    for start in starts.tolist():
        members |= bitmaps.from_ids(table.select({position: start})[1 - position])
    return bitmaps.to_ids(members)
