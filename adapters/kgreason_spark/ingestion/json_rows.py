"""Rows of JSON: the lines of a file of JSON lines, or what an iterator selects in whole documents.

The Arrow engine parses them in executors. Column expressions read them as variants, which Spark 3.5 does not have.
Values keep the types that they have in each row, so nothing is inferred and nothing read twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from kgreason_mapping.arrow.json_batches import JsonReader
from kgreason_mapping.quarantine_reasons import INVALID_UTF8, LARGE_JSON, MALFORMED_JSON
from kgreason_spark.ingestion.arrow_scans import ArrowRows, Batches, pieces
from kgreason_spark.ingestion.json_paths import json_values, nodes, parse_path
from kgreason_spark.ingestion.reader_rows import rows_of_values
from kgreason_spark.ingestion.reference_values import Value, Values, many_values, packed_value, with_nulls
from kgreason_spark.ingestion.source_rows import FAULT, ROW, SourceRows
from kgreason_spark.versions import has_variants, is_valid_utf8

if TYPE_CHECKING:
    from kgreason_mapping.arrow.row_batches import RowBatch
    from kgreason_mapping.documents.mapping_model import LogicalSource

_DOCUMENT: Final = "document"
_LARGEST: Final = 1 << 27
"""Bytes of a variant: https://spark.apache.org/docs/latest/sql-error-conditions.html, VARIANT_SIZE_LIMIT."""
_SHOWN: Final = 10_000
_BLANK: Final = r"\A[ \t\r\n]*+\z"
_BOM: Final = "\ufeff"


def json_rows(
    session: SparkSession, path: str, source: LogicalSource, references: Sequence[str], *, lines: bool
) -> SourceRows:
    """The nodes that the iterator of a source selects in each line (`lines`) or each file."""
    name, nulls, iterator = source.location, source.nulls, source.iterator
    whole = session.read.text(path, wholetext=not lines)
    read = JsonRecords(name, nulls, iterator, lines)
    content = whole.select(F.col("value").cast("binary").alias("value"))
    if not has_variants():
        return rows_of_values(name, ArrowRows(content, read, read.reader()), references)
    # Spark's reader of lines passes over the mark at the beginning of a file.
    document = F.col("value") if lines else _without_mark(F.col("value"))
    text = whole.select(document.alias(_DOCUMENT)).where(~F.col(_DOCUMENT).rlike(_BLANK))
    parsed = text.select(_DOCUMENT, F.try_parse_json(_DOCUMENT).alias(ROW))
    fault = (
        F.when(~is_valid_utf8(F.col(_DOCUMENT)), INVALID_UTF8)
        .when(F.col(ROW).isNotNull(), None)
        .when(F.octet_length(_DOCUMENT) >= _LARGEST, LARGE_JSON)
        .otherwise(MALFORMED_JSON)
    )
    frame = _iterated(parsed.withColumn(FAULT, fault), iterator or "$")

    def resolve(reference: str) -> Values:
        values = json_values(F.col(ROW), reference)
        return _without(values, nulls)

    unread = F.to_json(F.struct(F.substring(_DOCUMENT, 1, _SHOWN).alias("text")))
    row = F.when(F.col(FAULT).isNull(), F.to_json(F.col(ROW))).otherwise(unread)
    return SourceRows(name, frame, resolve, row, F.col(FAULT), ArrowRows(content, read, read.reader()))


def _without_mark(text: Column) -> Column:
    """A text without the byte order mark that it begins with (RFC 8259, section 8.1)."""
    return F.when(F.startswith(text, F.lit(_BOM)), F.substr(text, F.lit(2))).otherwise(text)


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """Reads documents, or lines, each in a row of one column."""

    name: str
    nulls: frozenset[str]
    iterator: str | None
    lines: bool

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The nodes of a task."""
        reader = self.reader()
        for piece in pieces(batches):
            yield reader.parse([content for batch in piece for content in batch.column(0).to_pylist()])

    def reader(self) -> JsonReader:
        """A reader of documents."""
        return JsonReader((), self.name, self.nulls, self.iterator, lines=self.lines)


def _iterated(frame: DataFrame, iterator: str) -> DataFrame:
    """One row for each node; a malformed document stays one row."""
    stretches = parse_path(iterator)
    if stretches == ("$",):
        return frame
    found = F.filter(nodes(F.col(ROW), stretches), lambda one: one.isNotNull())
    kept = F.when(F.col(FAULT).isNull(), found).otherwise(F.array(F.col(ROW)))
    document = F.when(F.col(FAULT).isNotNull(), F.col(_DOCUMENT)).alias(_DOCUMENT)
    return frame.select(document, FAULT, F.explode(kept).alias(ROW))


def _without(values: Values, nulls: frozenset[str]) -> Values:
    if not nulls:
        return values
    return tuple(
        with_nulls(one, nulls)
        if isinstance(one, Value)
        else many_values(F.transform(one.column, lambda each: with_nulls(packed_value(each), nulls).packed()))
        for one in values
    )
