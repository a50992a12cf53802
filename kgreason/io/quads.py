"""Columns of quads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.columns import sorted_sets
from kgreason.columns.id_columns import repeated

Ids: TypeAlias = NDArray[np.uint32]

DEFAULT_GRAPH: Final = 0xFFFFFFFF
"""What stands for the default graph in a column of ids."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Quads:
    """Four uint32 columns of one length; DEFAULT_GRAPH stands for the default graph."""

    graph: Ids
    subject: Ids
    predicate: Ids
    object: Ids

    def __len__(self) -> int:
        return len(self.subject)

    @classmethod
    def empty(cls) -> Quads:
        """No quads."""
        none = np.empty(0, dtype=np.uint32)
        return cls(none, none, none, none)

    @classmethod
    def of_rows(cls, rows: Sequence[tuple[int, int, int, int]]) -> Quads:
        """Columns of rows."""
        return cls(*np.ascontiguousarray(np.array(rows, dtype=np.uint32).T)) if rows else cls.empty()

    @classmethod
    def of_chunks(cls, graph: int, chunks: Iterable[tuple[Ids, ...]]) -> Quads:
        """Triples of a graph, given as chunks of three columns."""
        return cls.concatenated([cls(repeated(graph, len(chunk[0])), *chunk) for chunk in chunks])

    @classmethod
    def of_length(cls, length: int) -> Quads:
        """Uninitialised columns, which the caller fills."""
        memory.check(16 * length, "columns of quads")
        return cls(*(np.empty(length, dtype=np.uint32) for _ in range(4)))

    @classmethod
    def concatenated(cls, parts: Sequence[Quads]) -> Quads:
        """The rows of several, one after the other."""
        if len(parts) < 2:
            return parts[0] if parts else cls.empty()
        memory.check(16 * sum(map(len, parts)), "columns of quads")
        names = ("graph", "subject", "predicate", "object")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def by_graph(self) -> Iterator[tuple[int, Quads]]:
        """The quads of each graph."""
        names = self.graph_names()
        for graph in names:
            yield graph, self if len(names) == 1 else self.where(self.graph == graph)

    def without_default(self, graph: int) -> Quads:
        """The same with another graph in the place of the default graph."""
        if graph == DEFAULT_GRAPH:
            return self
        named = np.where(self.graph == DEFAULT_GRAPH, np.uint32(graph), self.graph)
        return Quads(named, self.subject, self.predicate, self.object)

    def terms(self) -> int:
        """One more than the highest id of a term, 0 where there is no quad."""
        names = self.graph[self.graph != DEFAULT_GRAPH]
        columns = (names, self.subject, self.predicate, self.object)
        return max(int(column.max(initial=0)) for column in columns) + 1 if len(self) else 0

    def graph_names(self) -> list[int]:
        """The distinct ids in `graph`, in ascending order: one look at each where all are alike."""
        if not len(self) or (self.graph == self.graph[0]).all():
            return [int(graph) for graph in self.graph[:1]]
        found: list[int] = sorted_sets.unique(self.graph).tolist()
        return found

    def rows(self, rows: slice) -> Quads:
        """Some rows that follow each other, in the same memory."""
        return Quads(self.graph[rows], self.subject[rows], self.predicate[rows], self.object[rows])

    def where(self, mask: NDArray[np.bool_]) -> Quads:
        """The quads for which the mask is true."""
        return Quads(self.graph[mask], self.subject[mask], self.predicate[mask], self.object[mask])
