"""Rows of CSV files (RFC 4180): all values are text, and an empty field is empty text.

A file is read line by line, so that many tasks share it, and each line is parsed with the header's columns. Where
quoted fields may run over lines, and where the encoding is not UTF-8, Spark's own reader takes each file whole.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kgreason.errors import LoadError, MappingError
from kgreason_spark.ingestion.reasons import FIELD_COUNT, INVALID_UTF8, OPEN_QUOTE
from kgreason_spark.ingestion.rows import FAULT, ROW, SourceRows
from kgreason_spark.ingestion.values import Value, Values, with_nulls
from kgreason_spark.mapping.model import Dialect

_CORRUPT: Final = "corrupt"
_LINE: Final = "line"


def csv_rows(
    session: SparkSession,
    path: str,
    name: str,
    nulls: frozenset[str],
    dialect: Dialect,
    *,
    encoding: str | None = None,
    multiline: bool = False,
) -> SourceRows:
    """The rows of a CSV file, or of all files of a directory, whose headers are the same.

    Raises:
        LoadError: there is no header, it names a column twice, or the files have different headers.
    """
    by_line = not multiline and encoding in (None, "UTF-8")
    reading = _lines if by_line else _records
    header, frame = reading(session, path, name, dialect, encoding or "UTF-8", multiline=multiline)
    columns = [f"c{i}" for i in range(len(header))]
    parsed = frame.select(
        *(F.when(F.col(FAULT).isNull(), F.coalesce(F.col(f"fields.{column}"), F.lit(""))).alias(column)
          for column in columns),
        F.col(FAULT),
        F.col(_LINE).alias(ROW),
    )  # fmt: skip

    def resolve(reference: str, *, spread: bool = False) -> Values:
        if reference not in header:
            raise MappingError(f"{name} has no column {reference!r}; it has {', '.join(header)}")
        return (with_nulls(Value(F.col(columns[header.index(reference)])), nulls),)

    whole = F.struct(*(F.col(column).alias(title) for column, title in zip(columns, header, strict=True)))
    row = F.when(F.col(FAULT).isNull(), F.to_json(whole)).otherwise(F.to_json(F.struct(F.col(ROW).alias("text"))))
    return SourceRows(name, parsed, resolve, row, F.col(FAULT))


def _lines(
    session: SparkSession, path: str, name: str, dialect: Dialect, encoding: str, *, multiline: bool
) -> tuple[list[str], DataFrame]:
    lines = session.read.text(path)
    first = lines.first()
    header_line = str(first[0]) if first is not None else ""
    header = _header(next(csv.reader([header_line], delimiter=dialect.delimiter, quotechar=dialect.quote), []), name)
    _check_headers(session, lines.inputFiles(), header_line)
    schema = ", ".join([*(f"c{i} string" for i in range(len(header))), f"{_CORRUPT} string"])
    parsed = F.from_csv(F.col("value"), schema, _options(dialect))
    frame = lines.where((F.col("value") != header_line) & (F.col("value") != "")).select(
        F.col("value").alias(_LINE), parsed.alias("fields")
    )
    fault = (
        F.when(~F.is_valid_utf8(F.col(_LINE)), INVALID_UTF8)
        .when(F.col(f"fields.{_CORRUPT}").isNotNull(), FIELD_COUNT)
        .when(_has_open_quote(F.col(_LINE), dialect), OPEN_QUOTE)
    )
    return header, frame.withColumn(FAULT, fault)


def _records(
    session: SparkSession, path: str, name: str, dialect: Dialect, encoding: str, *, multiline: bool
) -> tuple[list[str], DataFrame]:
    reader = session.read.options(**_options(dialect), encoding=encoding, multiLine=str(multiline))
    first = reader.csv(path, header=False).first()
    header = _header([str(one or "") for one in first] if first is not None else [], name)
    schema = ", ".join([*(f"`{one.replace('`', '``')}` string" for one in header), f"{_CORRUPT} string"])
    records = reader.csv(path, schema=schema, header=True, enforceSchema=False)
    columns = [f"c{i}" for i in range(len(header))]
    named = records.toDF(*columns, _CORRUPT)
    frame = named.select(F.struct(*columns).alias("fields"), F.col(_CORRUPT).alias(_LINE))
    return header, frame.withColumn(FAULT, F.when(F.col(_LINE).isNotNull(), FIELD_COUNT))


def _options(dialect: Dialect) -> dict[str, str]:
    return {
        "sep": dialect.delimiter,
        "quote": dialect.quote,
        "escape": dialect.quote,
        "mode": "PERMISSIVE",
        "columnNameOfCorruptRecord": _CORRUPT,
        "maxCharsPerColumn": "-1",
    }


def _has_open_quote(line: Column, dialect: Dialect) -> Column:
    """Whether a quoted field is left open, which the parser closes at the end of the line."""
    quote = re.escape(dialect.quote)
    odd = (F.length(line) - F.length(F.replace(line, F.lit(dialect.quote), F.lit("")))) % 2 == 1
    return line.contains(dialect.quote) & odd & line.rlike(f"(?:^|{re.escape(dialect.delimiter)}){quote}")


def _header(names: Sequence[str], source: str) -> list[str]:
    header = [name.removeprefix("\ufeff") for name in names]
    if not any(header):
        raise LoadError(f"{source} has no header")
    lowered = [name.lower() for name in header]
    twice = next((name for name in header if lowered.count(name.lower()) > 1), None)
    if twice is not None:
        raise LoadError(f"the header of {source} names the column {twice!r} twice")
    return header


def _check_headers(session: SparkSession, files: Sequence[str], header_line: str) -> None:
    for file in files if len(files) > 1 else ():
        first = session.read.text(file).first()
        if first is not None and first[0] != header_line:
            raise LoadError(f"{file} begins with {first[0]!r} and not with the header {header_line!r}")
