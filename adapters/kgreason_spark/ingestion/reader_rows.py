"""Sources that Spark does not split: one task reads a document, or what a database answers, as `kgreason map` does.

A document of XML comes to its task line by line from any file system that Hadoop knows. A query runs in its task, by
the connection that the owner has named: a file of SQLite or DuckDB must be there, too, under the same path.

Where Spark joins the rows of such a source, or tells them by their numbers, they are a frame with a column for each
reference of the mapping: an array of values (`reference_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.query_batches import query_reader
from kgreason_mapping.arrow.row_batches import RowBatch
from kgreason_mapping.arrow.xml_batches import XmlReader, xml_reader
from kgreason_spark.ingestion.arrow_scans import ArrowRows, Batches, ReadRows
from kgreason_spark.ingestion.reference_values import Values, many_values
from kgreason_spark.ingestion.source_rows import FAULT, ROW, SourceRows
from kgreason_spark.ingestion.whole_files import contents, documents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_mapping.documents.mapping_model import LogicalSource
    from kgreason_mapping.sources.databases import Database

VALUE: Final = pa.struct([("text", pa.string()), ("datatype", pa.string()), ("reason", pa.string())])
VALUE_TYPE: Final = "struct<text:string,datatype:string,reason:string>"
_VALUES_TYPE: Final = f"array<{VALUE_TYPE}>"


def xml_rows(session: SparkSession, path: str, source: LogicalSource, references: Sequence[str]) -> SourceRows:
    """The nodes that the iterator of a source selects in the documents at a location.

    Raises:
        MappingError: the source has no iterator, or its iterator is not an XPath.
    """
    read = XmlDocuments(source, references)
    return rows_of_values(source.location, ArrowRows(documents(session, path), read, read.reader()), references)


def query_rows(
    session: SparkSession, database: Database, source: LogicalSource, references: Sequence[str]
) -> SourceRows:
    """The rows that a database answers to the query of a source.

    Raises:
        MappingError: the database does not take the query.
        LoadError: the database cannot be opened.
    """
    assert source.query is not None
    reader = query_reader(database, source.query, source.location, source.nulls)
    task = session.range(0, 1, 1, 1)
    rows = ArrowRows(task, QueryRows(database.absolute(), source), reader)
    return rows_of_values(source.location, rows, references)


@dataclass(frozen=True, slots=True)
class XmlDocuments:
    """Reads the documents of a task."""

    source: LogicalSource
    references: Sequence[str]

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The nodes of each document."""
        reader = self.reader()
        for name, content in contents(batches):
            yield from map(reader.parse, reader.document_pieces(name, content))

    def reader(self) -> XmlReader:
        """A reader of documents."""
        source = self.source
        namespaces = dict(source.namespaces)
        return xml_reader((), source.location, source.nulls, source.iterator, namespaces, self.references)


@dataclass(frozen=True, slots=True)
class QueryRows:
    """Asks a database."""

    database: Database
    source: LogicalSource

    def __call__(self, batches: Batches) -> Iterator[RowBatch]:
        """The rows of the answer, in the task that has the one row of its frame."""
        assert self.source.query is not None
        for batch in batches:
            if batch.num_rows:
                reader = query_reader(self.database, self.source.query, self.source.location, self.source.nulls)
                yield from map(reader.parse, reader.pieces())


def rows_of_values(name: str, rows: ArrowRows, references: Sequence[str]) -> SourceRows:
    """What is read from a frame as rows, of which some references are asked."""
    columns = {reference: f"v{number}" for number, reference in enumerate(references)}
    schema = [f"{ROW} string", f"{FAULT} string", *(f"{column} {_VALUES_TYPE}" for column in columns.values())]
    values = rows.frame.mapInArrow(_ValueRows(rows.read, tuple(columns)), ", ".join(schema))

    def resolve(reference: str) -> Values:
        rows.records.check(reference)
        return (many_values(F.col(columns[reference])),)

    return SourceRows(name, values, resolve, F.col(ROW), F.col(FAULT), rows)


@dataclass(frozen=True, slots=True)
class _ValueRows:
    """Rows as columns: the row as JSON, why it cannot be read, and the values of each reference."""

    read: ReadRows
    references: Sequence[str]

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        names = [ROW, FAULT, *(f"v{number}" for number in range(len(self.references)))]
        for rows in self.read(batches):
            texts = pa.array([rows.row_json(number) for number in range(rows.length)], pa.string())
            values = [_lists(rows.values(one), rows.length) for one in self.references]
            yield pa.RecordBatch.from_arrays([texts, pa.nulls(rows.length, pa.string()), *values], names)
            if faults := rows.faults:
                told = [pa.array([getattr(one, name) for one in faults], pa.string()) for name in ("row", "reason")]
                nothing = [pa.nulls(len(faults), pa.list_(VALUE)) for _ in self.references]
                yield pa.RecordBatch.from_arrays([*told, *nothing], names)


def _lists(column: ValueColumn, length: int) -> pa.Array:
    """The values of each row as a list."""
    values = value_structs(column, len(column.texts))
    starts = np.arange(length + 1) if column.rows is None else np.searchsorted(column.rows, np.arange(length + 1))
    return pa.ListArray.from_arrays(pa.array(starts, pa.int32()), values)


def value_structs(column: ValueColumn, size: int) -> pa.StructArray:
    """So many values, each with its datatype and the reason why it is none."""
    datatype = column.datatype
    if not isinstance(datatype, pa.Array):
        datatype = pa.repeat(pa.scalar(datatype, pa.string()), size)
    problem = pa.nulls(size, pa.string()) if column.problem is None else column.problem
    return pa.StructArray.from_arrays([column.texts, datatype, problem], fields=list(VALUE))
