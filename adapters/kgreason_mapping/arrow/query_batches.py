"""Rows that a database answers, in batches: reading only, with the rights of the connection that the owner has named.

A query may be a stranger's: the database is opened for reading, one statement is run, and neither files nor the network
are reached from within it.
"""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

import pyarrow as pa

from kgreason.errors import MappingError, OptionError
from kgreason_mapping.arrow.query_errors import query_errors, refused_query
from kgreason_mapping.arrow.row_batches import Reader
from kgreason_mapping.arrow.sqlite_batches import SqliteReader
from kgreason_mapping.arrow.typed_batches import TypedReader, field_of
from kgreason_mapping.sources.databases import Database, DatabaseKind
from kgreason_mapping.sql_names import column_named

_BATCHES: Final = {"adbc.postgresql.batch_size_hint_bytes": str(1 << 21)}


def query_reader(database: Database, query: str, name: str, nulls: frozenset[str]) -> Reader:
    """The rows that a query has; each reader opens connections of its own.

    Raises:
        MappingError: the database does not take the query, or two columns of the answer have one name.
        LoadError: the database cannot be opened.
        OptionError: the package for the database is not installed.
    """
    asked = query.strip().rstrip(";")
    if database.kind is DatabaseKind.SQLITE:
        reader = SqliteReader(database, asked, name, nulls)
        _check_names(reader.columns)
        return reader
    rows = _DuckDb(database, asked) if database.kind is DatabaseKind.DUCKDB else _PostgreSql(database, asked)
    schema = rows.schema()
    _check_names(schema.names)
    return TypedReader(name, schema, rows.batches(), nulls, sql_column)


def sql_column(batch: pa.RecordBatch, reference: str) -> pa.Array:
    """The column of a batch that an SQL identifier means; KeyError where there is none."""
    return field_of(batch, column_named(reference, batch.schema.names) or reference)


class _DuckDb:
    def __init__(self, database: Database, query: str) -> None:
        self._database, self._query = database, query
        self._duckdb = _package("duckdb", "DuckDB")

    def schema(self) -> pa.Schema:
        with self._connection() as connection, refused_query(self._duckdb.Error, self._query):
            statements = [one.type for one in connection.extract_statements(self._query)]
            if statements != [self._duckdb.StatementType.SELECT]:
                raise MappingError(f"its query {' '.join(self._query.split())!r} is not one SELECT")
            return pa.RecordBatchReader.from_stream(connection.sql(self._query).limit(0)).schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        with self._connection() as connection, query_errors(self._duckdb.Error, self._database):
            yield from pa.RecordBatchReader.from_stream(connection.sql(self._query))

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        # A query could name files and addresses, and a setting could allow them again.
        options = {"enable_external_access": "false", "lock_configuration": "true"}
        with query_errors(self._duckdb.Error, self._database):
            connection = self._duckdb.connect(self._database.place, read_only=True, config=options)
        with closing(connection):
            yield connection


class _PostgreSql:
    def __init__(self, database: Database, query: str) -> None:
        self._database, self._query = database, query
        self._adbc = _package("adbc_driver_postgresql.dbapi", "PostgreSQL")

    def schema(self) -> pa.Schema:
        with self._cursor() as cursor, refused_query(self._adbc.Error, self._query):
            return cursor.adbc_execute_schema(self._query)

    def batches(self) -> Iterator[pa.RecordBatch]:
        with self._cursor() as cursor, query_errors(self._adbc.Error, self._database):
            cursor.adbc_statement.set_options(**_BATCHES)
            cursor.execute(self._query)
            yield from cursor.fetch_record_batch()

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        with query_errors(self._adbc.Error, self._database):
            connection = self._adbc.connect(self._database.place)
        with closing(connection), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            yield cursor


def _check_names(names: Sequence[str]) -> None:
    twice = next((one for one, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise MappingError(f"the answer of its query has two columns {twice!r}")


def _package(module: str, what: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        name = module.partition(".")[0]
        raise OptionError(f"{what} is read with the package {name} (pip install 'kgreason[mapping]')") from None
