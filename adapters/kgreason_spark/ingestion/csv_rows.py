"""Rows of CSV files (RFC 4180): all values are text, and an empty field is empty text.

Files are read line by line, so that many tasks share a large one. A quoted field may have line breaks in it, so each
file is first looked through for a line that ends inside of one: when every line that begins outside of a quoted field
ends outside, no record is more than a line. Files with such a line are read from beginning to end, by one task each
(`csv_records`), as are all files in another encoding than UTF-8, with comments, or with lines before the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kgreason.errors import LoadError, MappingError
from kgreason_mapping.arrow.csv_batches import Header
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.locations import of_iri, pattern_of, shown
from kgreason_mapping.quarantine_reasons import FIELD_COUNT, INVALID_UTF8, MISPLACED_QUOTE, OPEN_QUOTE
from kgreason_mapping.sources.csv_grammar import WHITE_SPACE, Grammar, column_names, java_grammar, python_grammar
from kgreason_mapping.sources.csv_records import RecordReader
from kgreason_spark import spark_tuning
from kgreason_spark.ingestion.arrow_scans import ArrowRows, CsvRecords
from kgreason_spark.ingestion.reference_values import Value, Values, with_nulls
from kgreason_spark.ingestion.source_rows import FAULT, ROW, SourceRows
from kgreason_spark.ingestion.whole_files import whole_files
from kgreason_spark.versions import is_valid_utf8

_BOM: Final = "\ufeff"
_UTF8: Final = "UTF-8"


def csv_rows(
    session: SparkSession,
    path: str,
    name: str,
    nulls: frozenset[str],
    dialect: Dialect,
    *,
    encoding: str | None = None,
    multiline: bool | None = None,
) -> SourceRows:
    """The rows of a CSV file, or of all files of a directory, whose headers are the same.

    Args:
        multiline: whether quoted fields may have line breaks: None to look, which reads the files once more; True to
            read every file from beginning to end; False to take every line for a record.

    Raises:
        LoadError: there is no header, it names a column twice, or the files have different headers.
    """
    reading = _Reading(session, path, name, dialect, encoding or _UTF8, multiline)
    header, records = reading.records()
    patterns = java_grammar(dialect)
    fields = records.select(F.col("value").alias(ROW), _fields(F.col("value"), patterns, dialect).alias("fields"))
    fault = _fault(F.col(ROW), F.col("fields"), len(header), patterns, dialect)
    placed = _wide(header, dialect) if len(header) > spark_tuning.CSV_COLUMNS else _narrow(header, dialect)
    values = (F.when(F.col(FAULT).isNull(), value).alias(column) for column, value in placed.values.items())
    parsed = fields.withColumn(FAULT, fault).select(*values, FAULT, ROW)
    numbers = {title: number for number, title in enumerate(header)}

    def resolve(reference: str) -> Values:
        if reference not in numbers:
            raise MappingError(f"{name} has no column {reference!r}; it has {', '.join(header)}")
        return (with_nulls(Value(placed.at(numbers[reference])), nulls),)

    whole = placed.whole
    row = F.when(F.col(FAULT).isNull(), F.to_json(whole)).otherwise(F.to_json(F.struct(F.col(ROW).alias("text"))))
    arrow = ArrowRows(records.select("value"), CsvRecords(tuple(header), nulls, dialect), Header(name, header))
    return SourceRows(name, parsed, resolve, row, F.col(FAULT), arrow)


@dataclass(frozen=True, slots=True)
class _Placed:
    """Where the values of a row are: the columns to make of its fields, the value at a position, and the whole row."""

    values: dict[str, Column]
    at: Callable[[int], Column]
    whole: Column


def _narrow(header: Sequence[str], dialect: Dialect) -> _Placed:
    values = {f"c{i}": _value(F.get(F.col("fields"), F.lit(i)), dialect) for i in range(len(header))}
    titled = (F.col(column).alias(title) for column, title in zip(values, header, strict=True))
    return _Placed(values, lambda i: F.col(f"c{i}"), F.struct(*titled))


def _wide(header: Sequence[str], dialect: Dialect) -> _Placed:
    values = {"values": F.transform(F.col("fields"), lambda field: _value(field, dialect))}
    titles = F.from_json(F.lit(json.dumps(header)), "array<string>")
    return _Placed(values, lambda i: F.get(F.col("values"), F.lit(i)), F.map_from_arrays(titles, F.col("values")))


@dataclass(frozen=True, slots=True)
class _Reading:
    """How the files of a source become records: text in the column `value`."""

    session: SparkSession
    path: str
    name: str
    dialect: Dialect
    encoding: str
    multiline: bool | None

    def records(self) -> tuple[list[str], DataFrame]:
        """The names of the columns, and the records without the header."""
        lines = self.session.read.text(self.path)
        by_line = self.encoding == _UTF8 and not self.dialect.skip_rows and self.dialect.comment is None
        first = self._first(lines.select("value")) if by_line and self.multiline is not True else None
        if first is None or self._is_open(first):
            return self._from_beginning_to_end(lines.inputFiles())
        header = column_names(first, self.dialect, self.name)
        seen = self._seen(lines, first)
        self._check_headers(seen, first)
        return header, reduce(DataFrame.union, self._parts(lines, first, seen))

    def _parts(self, lines: DataFrame, first: str, seen: Sequence[Any]) -> Iterator[DataFrame]:
        """The records of files with fields over several lines, those of other files, and repeated headers."""
        # None is open where the owner says whether fields have line breaks.
        open_files = [one.file for one in seen if one.open]
        others = [pattern_of(of_iri(one.file)) for one in seen if not one.open]
        if open_files:
            yield self._whole(open_files, first if self.dialect.header else None)
        if others:
            yield self._by_line(self.session.read.text(others) if open_files else lines, first)
        # Lines that repeat the header are records, each of which is as good as any other.
        repeated = sum(one.headers - 1 for one in seen if not one.open) if self.dialect.header else 0
        if repeated > 0:
            yield self.session.range(repeated).select(F.lit(first).alias("value"))

    def _by_line(self, lines: DataFrame, first: str) -> DataFrame:
        """Lines that are records, without those that are like the header."""
        rows = lines.select("value").where(F.col("value") != "")
        return rows.where(~_is_header(first)) if self.dialect.header else rows

    def _from_beginning_to_end(self, files: Sequence[str]) -> tuple[list[str], DataFrame]:
        first = self._first(self._whole(files, None))
        if first is not None and self._is_open(first):
            raise LoadError("the header has a quotation mark that is not closed", path=self.name)
        return column_names(first, self.dialect, self.name), self._whole(files, first if self.dialect.header else None)

    def _whole(self, files: Sequence[str], header: str | None) -> DataFrame:
        """The records of files, each read by one task; the first one of each is left out when it is a header."""
        reader = RecordReader(self.dialect, self.encoding, header)
        lines = whole_files(self.session, files)
        return lines.mapInArrow(reader.batches, "value binary").select(F.col("value").cast("string").alias("value"))

    def _first(self, records: DataFrame) -> str | None:
        found = records.where(F.col("value") != "").select("value", is_valid_utf8(F.col("value"))).first()
        if found is not None and not found[1]:
            raise LoadError("the header is not valid UTF-8", path=self.name)
        return str(found[0]).removeprefix(_BOM) if found is not None else None

    def _is_open(self, record: str) -> bool:
        """Whether the first record goes on in the next line."""
        return re.match(python_grammar(self.dialect).rest_outside, record + "\n") is None

    def _seen(self, lines: DataFrame, first: str) -> list[Any]:
        """For each file its first line, how many lines are like that, and whether one ends in a quoted field."""
        value = F.col("value")
        is_first = (F.col("start") == 0) & (value != "")
        open_line = F.lit(False)
        if self.multiline is None and self.dialect.quote is not None:
            quoted = F.contains(value, F.lit(self.dialect.quote))
            open_line = quoted & value.rlike(java_grammar(self.dialect).open_line)
        placed = lines.select(
            value,
            F.col("_metadata.file_path").alias("file"),
            F.col("_metadata.file_block_start").alias("start"),
            F.monotonically_increasing_id().alias("number"),
        )
        seen = placed.groupBy("file").agg(
            F.min_by(F.when(is_first, value), F.when(is_first, F.col("number"))).alias("first"),
            F.count_if(_is_header(first)).alias("headers"),
            F.max(open_line).alias("open"),
        )  # fmt: skip
        # Sorted here: there it would be one more job.
        return sorted(seen.collect(), key=lambda one: str(one.file))

    def _check_headers(self, seen: Sequence[Any], first: str) -> None:
        for one in seen if self.dialect.header else ():
            if one.first is not None and one.first.removeprefix(_BOM) != first:
                raise LoadError(f"begins with {one.first!r} and not with the header {first!r}", path=shown(one.file))


def _is_header(first: str) -> Column:
    return F.col("value").isin(first, _BOM + first)


def _fields(record: Column, patterns: Grammar, dialect: Dialect) -> Column:
    """The fields of records as they are written; anything for those that are not well-formed."""
    split = F.split(record, re.escape(dialect.delimiter), -1)
    found = F.regexp_extract_all(F.concat(F.lit(dialect.delimiter), record), F.lit(patterns.field), F.lit(1))
    return F.when(_is_special(record, dialect), found).otherwise(split)


def _value(field: Column, dialect: Dialect) -> Column:
    """The value of a field from its written form."""
    quote = dialect.quote
    if quote is not None:
        inner = F.substr(field, F.lit(2), F.length(field) - 2)
        if dialect.double_quote:
            inner = F.replace(inner, F.lit(quote * 2), F.lit(quote))
        field = F.when(F.startswith(field, F.lit(quote)), inner).otherwise(field)
    if not dialect.double_quote:
        field = F.regexp_replace(field, r"\\([\s\S])", "$1")
    return F.btrim(field, F.lit(WHITE_SPACE)) if dialect.trim else field


def _fault(record: Column, fields: Column, width: int, patterns: Grammar, dialect: Dialect) -> Column:
    """Why a record is not a row."""
    malformed = _is_special(record, dialect) & ~record.rlike(patterns.record)
    return (
        F.when(~is_valid_utf8(record), INVALID_UTF8)
        .when(malformed, F.when(record.rlike(patterns.open_line), OPEN_QUOTE).otherwise(MISPLACED_QUOTE))
        .when(F.size(fields) != width, FIELD_COUNT)
    )


def _is_special(record: Column, dialect: Dialect) -> Column:
    """Whether a record has a character that makes it more than its parts between delimiters."""
    special = [] if dialect.quote is None else [F.contains(record, F.lit(dialect.quote))]
    special += [] if dialect.double_quote else [F.contains(record, F.lit("\\"))]
    return reduce(Column.__or__, special, F.lit(False))
