"""Where the quads of a run go: what a sink is, and the one that keeps a table of dictionary keys.

A sink prepares what batches make in several threads, and takes it in in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import pyarrow as pa

from kgreason_mapping.arrow.columns import taken
from kgreason_mapping.arrow.quads import BatchOutcome, Placed, QuadColumns


class Sink(Protocol):
    """Where quads go."""

    def prepare(self, outcome: BatchOutcome) -> Any:
        """What `take` needs of a batch; called by several threads."""

    def take(self, prepared: Any) -> None:
        """Take in what was prepared, in the order of the batches."""


class TableSink:
    """A table of the dictionary keys of quads: `subject`, `predicate`, `object`, and `graph`, null in the default
    graph."""

    def __init__(self) -> None:
        self._batches: list[pa.RecordBatch] = []

    def prepare(self, outcome: BatchOutcome) -> list[pa.RecordBatch]:
        """The keys of a batch."""
        return [quad_batch(quads) for quads in outcome.quads]

    def take(self, prepared: Sequence[pa.RecordBatch]) -> None:
        """Keep keys."""
        self._batches += prepared

    def table(self) -> pa.Table:
        """Everything that was taken in."""
        return pa.Table.from_batches(self._batches, QUAD_SCHEMA)


QUAD_SCHEMA: Final = pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object", "graph")])


def quad_batch(quads: QuadColumns) -> pa.RecordBatch:
    """The dictionary keys of quads, in the columns QUAD_SCHEMA."""
    places = [quads.subject, quads.predicate, quads.object]
    columns = [_keys(placed, quads.length) for placed in places]
    columns.append(pa.nulls(quads.length, pa.string()) if quads.graph is None else _keys(quads.graph, quads.length))
    return pa.RecordBatch.from_arrays(columns, schema=QUAD_SCHEMA)


def _keys(placed: Placed, length: int) -> pa.Array:
    if placed.column.is_constant:
        return pa.repeat(pa.scalar(placed.column.constant_key, pa.string()), length)
    return placed.column.keys if placed.positions is None else taken(placed.column.keys, placed.positions)
