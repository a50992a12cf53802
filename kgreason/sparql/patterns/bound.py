"""Tables made for the paths of earlier queries over the same data, kept as long as the data is."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np

from kgreason.columns import bitmaps
from kgreason.relations.codes import CLASS, PROPERTY, identifier_of
from kgreason.relations.table import Table
from kgreason.sparql.algebra import Path
from kgreason.sparql.solutions import Ids
from kgreason.sparql.source import Source


@dataclass(slots=True)
class Known:
    """The knowledge of one path: the table of its pairs, once it was needed, and the work of searches so far."""

    table: Table | None = None
    work: int = 0


@dataclass(slots=True)
class _KnownOfSource:
    paths: dict[Path, Known] = field(default_factory=dict)
    nodes: Ids | None = None
    size: int | None = None


class KnownPaths:
    """Tables of paths and the nodes of graphs, by source; what is made twice by two threads at once does no harm.

    Nothing here refers to a source itself, or it would never go.
    """

    def __init__(self) -> None:
        self._sources: WeakKeyDictionary[Source, _KnownOfSource] = WeakKeyDictionary()

    def path(self, source: Source, path: Path) -> Known:
        """The knowledge of a path in a source, to be added to."""
        return self._of(source).paths.setdefault(path, Known())

    def nodes(self, source: Source) -> Ids:
        """All subjects and objects of a source, sorted: O(triples), once."""
        known = self._of(source)
        if known.nodes is None:
            known.nodes = _nodes(source)
        return known.nodes

    def has_nodes(self, source: Source) -> bool:
        """Whether the nodes of a source are there already."""
        return self._of(source).nodes is not None

    def size(self, source: Source) -> int:
        """About how many nodes a source has: those of the property with most, for the price of a look at it, once."""
        known = self._of(source)
        if known.nodes is not None:
            return len(known.nodes)
        if known.size is None:
            known.size = _size(source)
        return known.size

    def _of(self, source: Source) -> _KnownOfSource:
        return self._sources.setdefault(source, _KnownOfSource())


def _size(source: Source) -> int:
    tables = [table for code in source.codes(PROPERTY) if (table := source.table(code)) is not None]
    most = 1
    for table in sorted(tables, key=lambda table: -table.estimate):
        if 2 * table.estimate <= most:
            break
        most = max(most, table.distinct_estimate(0) + table.distinct_estimate(1))
    return most


def _nodes(source: Source) -> Ids:
    classes, properties = source.codes(CLASS), source.codes(PROPERTY)
    found = [np.array([identifier_of(code) for code in classes], dtype=np.uint32)]
    tables = [table for code in (*classes, *properties) if (table := source.table(code)) is not None]
    found += [table.distinct(position) for table in tables for position in range(table.arity)]
    return bitmaps.distinct(np.concatenate(found))
