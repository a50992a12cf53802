"""Logical views as rows: executors make rows of records by the Arrow engine, and Spark joins the rows of views.

A row that goes into a join is a frame with a column for each field: a value with its datatype, or the reason why it is
none. Spark broadcasts a small parent, and shuffles both sides of a large one; nothing comes to the driver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import XSD_INTEGER
from kgreason_mapping.arrow.columns import ValueColumn, mask_of
from kgreason_mapping.arrow.field_rows import check_fields
from kgreason_mapping.arrow.row_batches import Fault, RowBatch
from kgreason_mapping.arrow.view_joins import child_keys, parent_fields
from kgreason_mapping.arrow.view_records import ViewRecords, ViewRows, child_references, rows_of_view
from kgreason_mapping.documents.mapping_model import AnySource, LogicalView, ViewJoin
from kgreason_mapping.documents.view_names import (
    POSITION,
    ROOT_POSITION,
    expression_references,
    field_references,
    own_names,
)
from kgreason_spark.ingestion.arrow_scans import ArrowRows, Batches, ReadRows, pieces
from kgreason_spark.ingestion.reader_rows import VALUE, VALUE_TYPE, rows_of_values, value_structs
from kgreason_spark.ingestion.source_rows import FAULT, ROW, SourceRows

if TYPE_CHECKING:
    from pyspark.sql import Column

ReadSource: TypeAlias = Callable[[AnySource, Sequence[str]], SourceRows]

_KEY: Final = "key"
_CHILD: Final = "child"
_PLACE: Final = "place"


def view_rows(view: LogicalView, references: Sequence[str], read: ReadSource) -> SourceRows:
    """The rows of a view, of which the mapping asks some references; `read` gives those of its sources.

    Raises:
        MappingError: a field or a condition of a join refers to what does not exist.
    """
    base = _arrow_rows(view, read(view.on, field_references(view.fields)))
    check_fields(base.records, view.fields)
    records = ViewRecords(view)
    asked = tuple(dict.fromkeys((*references, *child_references(view))))
    for reference in asked:
        records.check(reference)
    # Records are counted from the first one to the last, in one task.
    frame = base.frame.coalesce(1) if ROOT_POSITION in asked else base.frame
    rows = ArrowRows(frame, ReadView(base.read, view, asked), records)
    if view.joins:
        rows = _joined(view, rows, asked, [_arrow_rows(view, _parent(one, read)) for one in view.joins])
    return rows_of_values(view.name, rows, references)


def _arrow_rows(view: LogicalView, rows: SourceRows) -> ArrowRows:
    if rows.arrow is None:
        raise MappingError(f"the logical view {view.name}: {rows.name} has columns of types that views cannot read")
    return rows.arrow


def _parent(join: ViewJoin, read: ReadSource) -> SourceRows:
    asked = [one for both in join.conditions for one in expression_references(both.parent)]
    return read(join.parent, list(dict.fromkeys([*asked, *field_references(join.fields)])))


def _joined(view: LogicalView, own: ArrowRows, asked: Sequence[str], parents: Sequence[ArrowRows]) -> ArrowRows:
    """The rows of a view with the fields of its joins."""
    names = own_names(view, asked)
    columns = {name: f"v{number}" for number, name in enumerate(names)}
    keys = [f"{_KEY}{number}" for number in range(len(view.joins))]
    schema = [f"{ROW} string", f"{FAULT} string", *(f"{one} {VALUE_TYPE}" for one in columns.values())]
    schema += [f"{key} string" for key in keys]
    frame = own.frame.mapInArrow(_Children(own.read, view, names), ", ".join(schema))
    faults = [one.frame.mapInArrow(_Faults(one.read), f"{ROW} string, {FAULT} string") for one in parents]
    frame = reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), faults, frame)
    frame = frame.withColumn(_CHILD, F.monotonically_increasing_id())
    for number, (join, parent) in enumerate(zip(view.joins, parents, strict=True)):
        fields = {one.name: f"f{number}_{place}" for place, one in enumerate(join.fields)}
        frame = _with_parent(frame, keys[number], join, parent, fields)
        for name, column in fields.items():
            columns[name] = column
            if name + POSITION in asked:
                columns[name + POSITION] = f"{column}_place"
                frame = frame.withColumn(f"{column}_place", _position(f"{_PLACE}_{keys[number]}"))
    frame = frame.select(ROW, FAULT, *columns.values())
    return ArrowRows(frame, _ReadColumns(view.name, columns), own.records)


def _with_parent(frame: DataFrame, key: str, join: ViewJoin, parent: ArrowRows, fields: Mapping[str, str]) -> DataFrame:
    of_parent = f"{key}_parent"
    schema = [f"{of_parent} string", *(f"{column} {VALUE_TYPE}" for column in fields.values())]
    rows = parent.frame.mapInArrow(_Parents(parent.read, join, tuple(fields.items()), of_parent), ", ".join(schema))
    rows = rows.withColumn(f"{_PLACE}_{key}", F.monotonically_increasing_id())
    joined = frame.join(rows, F.col(key) == F.col(of_parent), "left")
    return joined.where(F.col(of_parent).isNotNull() | F.col(FAULT).isNotNull()) if join.is_inner else joined


def _position(place: str) -> Column:
    """The position of a parent's row among those that are joined with a row of the child."""
    number = F.dense_rank().over(Window.partitionBy(_CHILD).orderBy(place)) - 1
    value = F.struct(
        number.cast("string").alias("text"), F.lit(XSD_INTEGER).alias("datatype"),
        F.lit(None).cast("string").alias("reason"),
    )  # fmt: skip
    return F.when(F.col(place).isNotNull(), value)


@dataclass(frozen=True, slots=True)
class ReadView:
    """Reads records as rows of a view without its joins."""

    read: ReadRows
    view: LogicalView
    asked: Sequence[str]

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The rows of a task."""
        first = 0
        for records in self.read(batches):
            yield rows_of_view(self.view, records, self.asked, first)
            first += records.length


@dataclass(frozen=True, slots=True)
class _Children:
    """Rows of a view as columns of values, and what each of its joins compares."""

    read: ReadRows
    view: LogicalView
    names: Sequence[str]

    def __call__(self, batches: Batches) -> Batches:
        columns = [ROW, FAULT, *(f"v{number}" for number in range(len(self.names)))]
        columns += [f"{_KEY}{number}" for number in range(len(self.view.joins))]
        for rows in self.read(batches):
            values = [value_structs(rows.values(name), rows.length) for name in self.names]
            keys = [self._keys(rows, join) for join in self.view.joins]
            none = pa.nulls(rows.length, pa.string())
            yield pa.RecordBatch.from_arrays([none, none, *values, *keys], columns)
            if rows.faults:
                told = _fault_columns(rows.faults)
                empty = [pa.nulls(len(rows.faults), VALUE)] * len(self.names)
                unknown = [pa.nulls(len(rows.faults), pa.string())] * len(keys)
                yield pa.RecordBatch.from_arrays([*told, *empty, *unknown], columns)

    def _keys(self, rows: RowBatch, join: ViewJoin) -> pa.Array:
        own, keys = child_keys(join, rows)
        if len(own) > 1 and not np.diff(own).all():
            raise MappingError(
                f"a join of the logical view {self.view.name} compares several values of one row; make them a field"
            )
        positions = np.zeros(rows.length, dtype=np.int64)
        positions[own] = np.arange(len(own))
        is_known = np.zeros(rows.length, dtype=np.bool_)
        is_known[own] = True
        return keys.take(pa.array(positions, mask=~is_known))


@dataclass(frozen=True, slots=True)
class _Parents:
    """Rows of a parent as what they are compared by, and the fields of a join."""

    read: ReadRows
    join: ViewJoin
    fields: Sequence[tuple[str, str]]
    key: str

    def __call__(self, batches: Batches) -> Batches:
        names = [self.key, *(column for _, column in self.fields)]
        for rows in self.read(batches):
            made = parent_fields(self.join, rows)
            values = [value_structs(made.columns[name], len(made.keys)) for name, _ in self.fields]
            yield pa.RecordBatch.from_arrays([made.keys, *values], names)


@dataclass(frozen=True, slots=True)
class _Faults:
    """Rows of a parent that cannot be read."""

    read: ReadRows

    def __call__(self, batches: Batches) -> Batches:
        for rows in self.read(batches):
            if rows.faults:
                yield pa.RecordBatch.from_arrays(_fault_columns(rows.faults), [ROW, FAULT])


@dataclass(frozen=True, slots=True)
class _ReadColumns:
    """Reads columns of values as rows of a view."""

    name: str
    columns: Mapping[str, str]

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        for piece in pieces(batches):
            for batch in pa.Table.from_batches(piece).combine_chunks().to_batches():
                yield self._rows(batch)

    def _rows(self, batch: pa.RecordBatch) -> ViewRows:
        is_fault = mask_of(batch[FAULT].is_valid())
        wrong = batch.filter(pa.array(is_fault)).select([FAULT, ROW]).to_pylist() if is_fault.any() else []
        good = batch.filter(pa.array(~is_fault)) if wrong else batch
        values = {name: _value_column(good[column]) for name, column in self.columns.items()}
        return ViewRows(self.name, good.num_rows, values, [Fault(one[FAULT], one[ROW]) for one in wrong])


def _value_column(structs: pa.StructArray) -> ValueColumn:
    texts, datatypes, reasons = (one.cast(pa.string()) for one in structs.flatten())
    known = [None if one.null_count == len(one) else one for one in (datatypes, reasons)]
    return ValueColumn(texts, None, known[0], known[1])


def _fault_columns(faults: Sequence[Fault]) -> list[pa.Array]:
    return [pa.array([one.row for one in faults], pa.string()), pa.array([one.reason for one in faults], pa.string())]
