"""Rows of typed columns: Parquet files, and tables of Arrow, pandas, Polars or DuckDB."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kgreason.errors import LoadError, MappingError, one_line
from kgreason_mapping.arrow.columns import Rows, ValueColumn, mask_of, taken
from kgreason_mapping.arrow.csv_batches import as_json
from kgreason_mapping.arrow.natural import typed_values
from kgreason_mapping.arrow.row_batches import Fault

FindColumn: TypeAlias = Callable[[pa.RecordBatch, str], pa.Array]

_ROWS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class TypedRows:
    """Rows of a table."""

    batch: pa.RecordBatch
    nulls: frozenset[str]
    find: FindColumn
    faults: Sequence[Fault] = ()

    @property
    def length(self) -> int:
        """How many rows there are."""
        return int(self.batch.num_rows)

    def values(self, reference: str) -> ValueColumn:
        """A column or a way through structs (``a.b``); arrays spread."""
        column = self.find(self.batch, reference)
        if _is_list(column.type):
            rows = pc.list_parent_indices(column).to_numpy().astype("int64")
            values = typed_values(pc.list_flatten(column))
            assert values is not None
            return ValueColumn(values.texts, rows, values.datatype).without(self.nulls)
        values = typed_values(column)
        assert values is not None
        return values.without(self.nulls)

    def records(self, iterator: str) -> tuple[Rows, TypedRows]:
        """The structs of a column, or of the arrays in it, and the row that each is in."""
        column = self.find(self.batch, iterator)
        rows = np.arange(len(column))
        if _is_list(column.type):
            rows, column = pc.list_parent_indices(column).to_numpy().astype(np.int64), pc.list_flatten(column)
        known = np.flatnonzero(mask_of(column.is_valid()))
        structs = taken(column, known)
        batch = pa.RecordBatch.from_arrays(structs.flatten(), [one.name for one in structs.type])
        return rows[known], TypedRows(batch, self.nulls, self.find)

    def row_json(self, row: int) -> str:
        """The row as an object."""
        fields = zip(self.batch.schema.names, (column[row] for column in self.batch.columns), strict=True)
        return as_json({name: _shown(value) for name, value in fields if value.is_valid})


class TypedReader:
    """Rows of a schema, in batches; `find` gives the column of a batch that a reference means, or raises KeyError."""

    def __init__(
        self,
        name: str,
        schema: pa.Schema,
        batches: Iterator[pa.RecordBatch],
        nulls: frozenset[str],
        find: FindColumn | None = None,
    ) -> None:
        self.name = name
        self._schema, self._batches, self._nulls = schema, batches, nulls
        self._find = find or field_of

    def check(self, reference: str) -> None:
        """Raise MappingError for a column that is not there, or has no values."""
        kind, element = self._kind(reference)
        if typed_values(pa.nulls(0, element)) is None:
            raise MappingError(f"the column {reference!r} of {self.name} is of type {kind}, which is not a value")

    def nested(self, iterator: str) -> TypedReader:
        """The structs of a column, or of the arrays in it; MappingError for a column that is not there, or has none."""
        kind, element = self._kind(iterator)
        if not pa.types.is_struct(element):
            raise MappingError(f"the column {iterator!r} of {self.name} is of type {kind}, which has no records")
        return TypedReader(self.name, pa.schema(list(element)), iter(()), self._nulls, self._find)

    def _kind(self, reference: str) -> tuple[pa.DataType, pa.DataType]:
        """The type of a column, and that of its elements where it has arrays."""
        none = pa.RecordBatch.from_arrays([pa.nulls(0, one.type) for one in self._schema], schema=self._schema)
        try:
            kind = self._find(none, reference).type
        except KeyError as error:
            reason = error.args[0] or f"it has {', '.join(self._schema.names)}"
            raise MappingError(f"{self.name} has no column {reference!r}; {reason}") from None
        return kind, kind.value_type if _is_list(kind) else kind

    def pieces(self) -> Iterator[pa.RecordBatch]:
        """The rows."""
        for batch in self._batches:
            for start in range(0, batch.num_rows, _ROWS):
                yield batch.slice(start, _ROWS)

    def parse(self, piece: pa.RecordBatch) -> TypedRows:
        """The rows of a batch."""
        return TypedRows(piece, self._nulls, self._find)


def parquet_reader(files: Sequence[str], name: str, nulls: frozenset[str]) -> TypedReader:
    """The rows of Parquet files; LoadError for one that is none."""
    if not files:
        raise LoadError("there is no file in it", path=name)
    return TypedReader(name, _opened(files[0]).schema_arrow, _parquet_batches(files), nulls)


def table_reader(table: Any, name: str, nulls: frozenset[str], find: FindColumn | None) -> TypedReader:
    """The rows of a table: of what has a stream of Arrow, which is read as often as it is needed."""
    stream = pa.RecordBatchReader.from_stream(table)
    return TypedReader(name, stream.schema, iter(stream), nulls, find)


def _parquet_batches(files: Sequence[str]) -> Iterator[pa.RecordBatch]:
    for path in files:
        try:
            yield from _opened(path).iter_batches(_ROWS, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error


def _opened(path: str) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error


def field_of(batch: pa.RecordBatch, reference: str) -> pa.Array:
    """The column that a name, or a way through structs, means; KeyError with what is missing."""
    names = batch.schema.names
    if reference in names:
        return batch.column(names.index(reference))
    head, *rest = reference.removesuffix("[*]").split(".")
    if head not in names:
        raise KeyError("")
    column = batch.column(names.index(head))
    for step in rest:
        if not pa.types.is_struct(column.type) or column.type.get_field_index(step) < 0:
            raise KeyError(f"there is no {step!r} in {head!r}")
        column, head = pc.struct_field(column, step), step
    return column


def _is_list(kind: pa.DataType) -> bool:
    return isinstance(kind, pa.ListType | pa.LargeListType | pa.FixedSizeListType)


def _shown(scalar: pa.Scalar) -> Any:
    try:
        value = scalar.as_py()
    except (ArithmeticError, ValueError):  # Python's dates end before those of Arrow, and have no nanoseconds
        value = _text_of(scalar)
    return value if isinstance(value, str | int | float | bool) else str(value)


def _text_of(scalar: pa.Scalar) -> str:
    try:
        return str(scalar.cast(pa.string()).as_py())
    except (pa.ArrowException, ValueError):
        return f"a value of type {scalar.type}"
