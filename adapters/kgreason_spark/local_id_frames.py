"""Local ids: quads in pieces, each with a dictionary of its own, so that a term moves once for each piece that has it.

A piece has a row for each of its terms, at PLACE 0, 1, ..., with how many of its quads have it as predicate in USES. In
the row after them, CONTENT has its quads (`kgreason_mapping.arrow.local_ids`), and LINES how many there are. PIECE is a
number of its own for each piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from kgreason_mapping.arrow.local_ids import LocalQuads, local_columns
from kgreason_spark import spark_tuning
from kgreason_spark.frames import CONTENT, LINES, PROBLEM, QUAD, REASON, SOURCE

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

PIECE: Final = "piece"
PLACE: Final = "place"
TERM: Final = "term"
USES: Final = "uses"
LOCAL_IDS: Final = f"{PIECE} long, {PLACE} int, {TERM} string, {USES} int, {CONTENT} binary, {LINES} long"

PIECE_COLUMNS: Final = (PIECE, PLACE, TERM, USES, CONTENT, LINES)

_TYPES: Final = (pa.int64(), pa.int32(), pa.string(), pa.int32(), pa.binary(), pa.int64())
_FRAME: Final = 48
_TASK: Final = 20


def piece_number(frame: int, number: int) -> int:
    """The number of a piece among those of one task; `frame` tells frames apart that are put together."""
    task = TaskContext.get()
    return (frame << _FRAME) + ((0 if task is None else task.partitionId()) << _TASK) + number


def piece_columns(quads: LocalQuads, piece: int) -> list[pa.Array]:
    """The columns of LOCAL_IDS."""
    count = len(quads.terms)
    return [
        pa.array(np.full(count + 1, piece), pa.int64()),
        pa.array(np.arange(count + 1), pa.int32()),
        pa.concat_arrays([quads.terms, pa.nulls(1, pa.string())]),
        pa.concat_arrays([quads.predicate_uses(), pa.nulls(1, pa.int32())]),
        pa.concat_arrays([pa.nulls(count, pa.binary()), pa.array([quads.packed()], pa.binary())]),
        pa.concat_arrays([pa.nulls(count, pa.int64()), pa.array([len(quads.subject)], pa.int64())]),
    ]


def no_piece(rows: int) -> list[pa.Array]:
    """The columns of LOCAL_IDS of rows that are of no piece."""
    return [pa.nulls(rows, kind) for kind in _TYPES]


def with_local_ids(quads: DataFrame, frame: int = 0) -> DataFrame:
    """The columns LOCAL_IDS for those of QUAD; those of PROBLEM stay, where there are such."""
    problem = PROBLEM if REASON in quads.columns else ()
    schema = ", ".join([LOCAL_IDS, *(f"{name} string" for name in problem)])
    to_pieces = _ToPieces(frame, problem, spark_tuning.PIECE_QUADS, spark_tuning.PIECE_BYTES)
    return quads.select(*QUAD, *problem).mapInArrow(to_pieces, schema)


@dataclass(frozen=True, slots=True)
class _ToPieces:
    frame: int
    others: Sequence[str]
    rows: int
    bytes: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        number = 0
        for rows in _gathered(batches, self.rows, self.bytes):
            quads = rows.filter(pc.is_null(rows[REASON])) if self.others else rows
            for source, own in _by_source(quads, bool(self.others)):
                columns = [own[name].combine_chunks() for name in QUAD]
                made = piece_columns(local_columns(columns), piece_number(self.frame, number))
                number += 1
                size = len(made[0])
                known = {SOURCE: pa.repeat(pa.scalar(source, pa.string()), size)}
                told = [known.get(name, pa.nulls(size, pa.string())) for name in self.others]
                yield pa.RecordBatch.from_arrays([*made, *told], [*PIECE_COLUMNS, *self.others])
            if quads.num_rows < rows.num_rows:
                problems = rows.filter(pc.is_valid(rows[REASON])).select(self.others).combine_chunks()
                nothing = no_piece(problems.num_rows)
                told = [column.combine_chunks() for column in problems.columns]
                yield pa.RecordBatch.from_arrays([*nothing, *told], [*PIECE_COLUMNS, *self.others])


def _gathered(batches: Iterator[pa.RecordBatch], most_rows: int, most_bytes: int) -> Iterator[pa.Table]:
    """Batches together, until they have so many rows or bytes."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= most_rows or size >= most_bytes:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _by_source(rows: pa.Table, is_told: bool) -> Iterator[tuple[str | None, pa.Table]]:
    """The rows of each source."""
    if not rows.num_rows:
        return
    sources = pc.unique(rows[SOURCE]).to_pylist() if is_told else [None]
    for source in sources:
        yield source, rows if len(sources) == 1 else rows.filter(pc.equal(rows[SOURCE], source))
