"""Scans by the Arrow engine in executors: Spark reads and splits a source, a task maps its rows as `kgreason map` does.

Whole columns go through Python, a piece of some megabytes at a time. A piece becomes *entries*, the rows that column
expressions make, too (`entries`), or *lines* of N-Triples, compressed: text that has become lines is not looked at
again, which is most of the speed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from kgreason_mapping.arrow.csv_batches import CsvParser
from kgreason_mapping.arrow.csv_pieces import piece_of
from kgreason_mapping.arrow.joins import JoinedChild
from kgreason_mapping.arrow.local_ids import local_quads
from kgreason_mapping.arrow.ntriples_sink import lines_of
from kgreason_mapping.arrow.quads import BatchOutcome, translate
from kgreason_mapping.arrow.row_batches import Records, RowBatch
from kgreason_mapping.arrow.sinks import quad_batch
from kgreason_mapping.arrow.terms import BatchTerms
from kgreason_mapping.arrow.typed_batches import FindColumn, TypedRows, field_of
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.plan import SourcePlan
from kgreason_mapping.run_outputs import Compression
from kgreason_spark import spark_tuning
from kgreason_spark.frames import CONTENT, LINES, NAMED, PROBLEM, QUAD
from kgreason_spark.ingestion.entries import ENTRY, ENTRY_TYPE
from kgreason_spark.ingestion.source_rows import ROW
from kgreason_spark.local_id_frames import LOCAL_IDS, PIECE_COLUMNS, no_piece, piece_columns, piece_number

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Batches: TypeAlias = Iterator[pa.RecordBatch]
ReadRows: TypeAlias = Callable[[Batches], Iterator[RowBatch]]
"""Reads the batches of a task as rows, in pieces of some megabytes."""

COUNTED: Final = "counted"

_PROBLEMS: Final = PROBLEM[1:]
_KEYS: Final = (*QUAD, "reason")


@dataclass(frozen=True, slots=True)
class ArrowRows:
    """A source as Spark reads it, how its rows are read from that in an executor, and what may be asked of them."""

    frame: DataFrame
    read: ReadRows
    records: Records

    def entries(self, plan: SourcePlan, joins: Sequence[JoinedChild]) -> DataFrame:
        """The columns ENTRY and ROW as of a scan by column expressions, and in rows without an entry COUNTED: how many
        rows there were, and how many of them had no subject in each triples map."""
        schema = f"{ENTRY} {ENTRY_TYPE}, {ROW} string, {COUNTED} array<long>"
        return self.frame.mapInArrow(_Scan(plan, joins, self.read, _entries), schema)

    def lines(self, plan: SourcePlan, joins: Sequence[JoinedChild], compression: Compression) -> DataFrame:
        """The columns CONTENT, compressed lines of N-Triples; LINES and NAMED, how many there are and how many are in
        named graphs; those of problems but for the source; and COUNTED."""
        return self.frame.mapInArrow(_Scan(plan, joins, self.read, _Lines(compression)), lines_schema())

    def local_ids(self, plan: SourcePlan, joins: Sequence[JoinedChild]) -> DataFrame:
        """The columns LOCAL_IDS, those of problems but for the source, and COUNTED."""
        problems = ", ".join(f"{name} string" for name in _PROBLEMS)
        schema = f"{LOCAL_IDS}, {problems}, {COUNTED} array<long>"
        return self.frame.mapInArrow(_Scan(plan, joins, self.read, _LocalIds(plan.number)), schema)


def lines_schema() -> str:
    """The columns of lines."""
    problems = ", ".join(f"{name} string" for name in _PROBLEMS)
    return f"{CONTENT} binary, {LINES} long, {NAMED} long, {problems}, {COUNTED} array<long>"


@dataclass(frozen=True, slots=True)
class CsvRecords:
    """Parses records, each in a row of one column."""

    header: Sequence[str]
    nulls: frozenset[str]
    dialect: Dialect

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The rows of a task."""
        return map(self._rows, pieces(batches))

    def _rows(self, batches: Sequence[pa.RecordBatch]) -> RowBatch:
        """The rows of records. Together they are a piece only where no quotation mark could take in the next record."""
        parser = CsvParser(self.header, self.nulls, self.dialect)
        records = pa.concat_arrays([batch.column(0) for batch in batches])
        if self.dialect.quote is None or not pc.any(_is_odd(records, self.dialect.quote)).as_py():
            piece = piece_of(joined_lines(records), self.dialect)
            if piece.is_plain:
                return parser.parse(piece)
        return parser.rows(text.decode("utf-8", "surrogateescape") for text in records.cast(pa.binary()).to_pylist())


def _is_odd(records: pa.Array, quote: str) -> pa.Array:
    return pc.equal(pc.bit_wise_and(pc.count_substring(records, quote), 1), 1)


@dataclass(frozen=True, slots=True)
class TypedRecords:
    """Takes columns as they are; `find` gives the one that a reference means."""

    nulls: frozenset[str]
    find: FindColumn = field_of

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The rows of a task."""
        for piece in pieces(batches):
            # One batch, unless a column has more than the 2 GB that a chunk of Arrow has room for.
            for batch in pa.Table.from_batches(piece).combine_chunks().to_batches():
                yield TypedRows(batch, self.nulls, self.find)


@dataclass(frozen=True, slots=True)
class _Scan:
    """What an executor does with the batches of a task."""

    plan: SourcePlan
    joins: Sequence[JoinedChild]
    read: ReadRows
    written: Callable[[BatchOutcome, Sequence[int], int], Batches]

    def __call__(self, batches: Batches) -> Batches:
        for number, piece in enumerate(labelled_pieces(batches, self.read, self.plan.number)):
            outcome = translate(self.plan, self.joins, piece)
            missing = [outcome.without_subject.get(name, 0) for name in self.plan.subjects]
            yield from self.written(outcome, (outcome.rows, *missing), number)


def labelled_pieces(batches: Batches, read: ReadRows, source: int) -> Iterator[BatchTerms]:
    """The rows of a task in pieces, with labels that no other piece of the source has in the same job."""
    task = TaskContext.get()
    place = f"{source}_{0 if task is None else task.partitionId()}"
    for number, rows in enumerate(read(batches)):
        yield BatchTerms(rows, f"{place}_{number}")


def pieces(batches: Batches) -> Iterator[list[pa.RecordBatch]]:
    """The batches of a task, in groups of SCAN_BYTES bytes or more: each call of the engine has a cost of its own."""
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        if batch.num_rows:
            waiting.append(batch)
            size += batch.nbytes
        if size >= spark_tuning.SCAN_BYTES:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


def joined_lines(records: pa.Array) -> bytes:
    """Texts, each with a line end, which need not be valid UTF-8."""
    together = pa.ListArray.from_arrays(pa.array([0, len(records)], pa.int32()), records)
    return b"".join((pc.binary_join(together, "\n")[0].as_buffer(), b"\n"))


def _entries(outcome: BatchOutcome, counted: Sequence[int], _number: int) -> Batches:
    for quads in outcome.quads:
        keys = quad_batch(quads)
        none = pa.nulls(quads.length, pa.string())
        entry = pa.StructArray.from_arrays([*keys.columns, none], _KEYS)
        yield _entry_rows(entry, none, pa.nulls(quads.length, pa.list_(pa.int64())))
    if found := outcome.problems:
        texts = [[one.triples_map for one in found], [one.detail for one in found], [None] * len(found)]
        columns = [*texts, [None] * len(found), [one.reason for one in found]]
        entry = pa.StructArray.from_arrays([pa.array(column, pa.string()) for column in columns], _KEYS)
        rows = pa.array([one.row for one in found], pa.string())
        yield _entry_rows(entry, rows, pa.nulls(len(found), pa.list_(pa.int64())))
    kind = pa.struct([(name, pa.string()) for name in _KEYS])
    yield _entry_rows(pa.nulls(1, kind), pa.nulls(1, pa.string()), pa.array([list(counted)], pa.list_(pa.int64())))


def _entry_rows(entry: pa.Array, row: pa.Array, counted: pa.Array) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([entry, row, counted], [ENTRY, ROW, COUNTED])


@dataclass(frozen=True, slots=True)
class _Lines:
    compression: Compression

    def __call__(self, outcome: BatchOutcome, counted: Sequence[int], _number: int) -> Batches:
        named = sum(quads.length for quads in outcome.quads if quads.graph is not None)
        lines = lines_of(outcome, self.compression) if outcome.quad_count else None
        yield line_rows(lines, outcome.quad_count, named, counted)
        if outcome.problems:
            yield problem_rows(_problem_columns(outcome))


@dataclass(frozen=True, slots=True)
class _LocalIds:
    frame: int

    def __call__(self, outcome: BatchOutcome, counted: Sequence[int], number: int) -> Batches:
        made = piece_columns(local_quads(outcome.quads), piece_number(self.frame, number))
        size = len(made[0])
        counts = pa.array([*[None] * (size - 1), list(counted)], pa.list_(pa.int64()))
        names = [*PIECE_COLUMNS, *_PROBLEMS, COUNTED]
        yield pa.RecordBatch.from_arrays([*made, *[pa.nulls(size, pa.string())] * len(_PROBLEMS), counts], names)
        if found := len(outcome.problems):
            told = _problem_columns(outcome)
            yield pa.RecordBatch.from_arrays([*no_piece(found), *told, pa.nulls(found, counts.type)], names)


def _problem_columns(outcome: BatchOutcome) -> list[pa.Array]:
    """The columns of PROBLEM but for the source."""
    found = outcome.problems
    columns = [[one.triples_map for one in found], [one.reason for one in found]]
    columns += [[one.detail for one in found], [one.row for one in found]]
    return [pa.array(column, pa.string()) for column in columns]


def problem_rows(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    """Problems among lines."""
    size = len(columns[0])
    numbers = [pa.nulls(size, pa.int64())] * 2
    return _rows_of_lines([pa.nulls(size, pa.binary()), *numbers, *columns, pa.nulls(size, pa.list_(pa.int64()))])


def line_rows(lines: bytes | None, count: int, named: int, counted: Sequence[int] | None) -> pa.RecordBatch:
    """One row of lines."""
    numbers = [pa.array([number], pa.int64()) for number in (count, named)]
    rows = pa.array([None if counted is None else list(counted)], pa.list_(pa.int64()))
    return _rows_of_lines([pa.array([lines], pa.binary()), *numbers, *[pa.nulls(1, pa.string())] * 4, rows])


def _rows_of_lines(columns: Sequence[pa.Array]) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(list(columns), [CONTENT, LINES, NAMED, *_PROBLEMS, COUNTED])
