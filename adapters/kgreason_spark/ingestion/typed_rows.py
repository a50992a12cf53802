"""Rows of typed columns: Parquet files and DataFrames from Python."""

from __future__ import annotations

from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from kgreason.errors import MappingError
from kgreason_mapping.arrow.query_batches import sql_column
from kgreason_mapping.arrow.typed_batches import TypedReader, field_of
from kgreason_mapping.sql_names import column_named
from kgreason_spark.arrow_frames import arrow_schema
from kgreason_spark.ingestion.arrow_scans import ArrowRows, TypedRecords
from kgreason_spark.ingestion.natural import natural_value
from kgreason_spark.ingestion.reference_values import Many, Value, Values, many_values, with_nulls
from kgreason_spark.ingestion.source_rows import SourceRows, quoted

_PLAIN: Final = (
    T.StringType, T.BooleanType, T.ByteType, T.ShortType, T.IntegerType, T.LongType, T.FloatType, T.DoubleType,
    T.DecimalType, T.DateType, T.TimestampType, T.TimestampNTZType, T.BinaryType,
)  # fmt: skip


def typed_rows(frame: DataFrame, name: str, nulls: frozenset[str], *, is_answer: bool = False) -> SourceRows:
    """The rows of a DataFrame. A reference is a column or a way through structs (``a.b``); arrays spread.

    Where the frame takes the place of a database's answer (`is_answer`), references are SQL identifiers.
    """

    def resolve(reference: str) -> Values:
        meant = column_named(reference, frame.columns) if is_answer else None
        column, kind = _field(frame.schema, meant or reference, name)
        if isinstance(kind, T.ArrayType):
            return (_elements(column, kind.elementType, reference, name, nulls),)
        return (with_nulls(_value(column, kind, reference, name), nulls),)

    whole = F.to_json(F.struct(*(quoted(one) for one in frame.columns)))
    names, kinds = frame.columns, [field.dataType for field in frame.schema]
    is_plain = len(set(names)) == len(names) and all(map(_is_plain, kinds))
    read = TypedRecords(nulls, sql_column if is_answer else field_of)
    arrow = None
    if is_plain:
        arrow = ArrowRows(frame, read, TypedReader(name, arrow_schema(frame), iter(()), nulls, read.find))
    return SourceRows(name, frame, resolve, whole, arrow=arrow)


def _is_plain(kind: T.DataType) -> bool:
    """Whether Arrow has the type, and both engines write its values alike."""
    match kind:
        case T.ArrayType():
            return _is_plain(kind.elementType)
        case T.StructType():
            return all(_is_plain(field.dataType) for field in kind)
        case _:
            return isinstance(kind, _PLAIN)


def _field(schema: T.StructType, reference: str, name: str) -> tuple[Column, T.DataType]:
    if reference in schema.names:
        return quoted(reference), schema[reference].dataType
    head, *rest = reference.removesuffix("[*]").split(".")
    if head not in schema.names:
        raise MappingError(f"{name} has no column {reference!r}; it has {', '.join(schema.names)}")
    column, kind = quoted(head), schema[head].dataType
    for step in rest:
        if not isinstance(kind, T.StructType) or step not in kind.names:
            raise MappingError(f"{name} has no column {reference!r}: there is no {step!r} in {head!r}")
        column, kind, head = column.getField(step), kind[step].dataType, step
    return column, kind


def _elements(column: Column, kind: T.DataType, reference: str, name: str, nulls: frozenset[str]) -> Many[Value]:
    return many_values(F.transform(column, lambda one: with_nulls(_value(one, kind, reference, name), nulls).packed()))


def _value(column: Column, kind: T.DataType, reference: str, name: str) -> Value:
    value = natural_value(column, kind)
    if value is None:
        raise MappingError(f"the column {reference!r} of {name} is of type {kind.simpleString()}, which is not a value")
    return value
