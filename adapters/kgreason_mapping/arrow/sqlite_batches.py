"""Rows that SQLite answers, in batches.

SQLite types values, and a column is declared with any text as its type. A value has the datatype of its own type; in a
column that is declared to have truth values, dates, times or exact numbers, it has theirs or is a problem.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NoReturn
from urllib.parse import quote

import pyarrow as pa

from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import XSD, XSD_BOOLEAN, XSD_DECIMAL, XSD_DOUBLE, XSD_INTEGER
from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.csv_batches import as_json
from kgreason_mapping.arrow.natural import double_text
from kgreason_mapping.arrow.query_errors import query_errors, refused_query
from kgreason_mapping.arrow.row_batches import Fault, Records, no_records
from kgreason_mapping.arrow.text_checks import datatype_reason
from kgreason_mapping.sources.databases import Database
from kgreason_mapping.sql_names import column_named

_ROWS: Final = 1 << 14
_TRUTH: Final = {0: "false", 1: "true"}
_DECLARED: Final = (
    ("BOOL", XSD_BOOLEAN),
    ("TIMESTAMP", XSD + "dateTime"),
    ("DATETIME", XSD + "dateTime"),
    ("DATE", XSD + "date"),
    ("TIME", XSD + "time"),
    ("DEC", XSD_DECIMAL),
    ("NUMERIC", XSD_DECIMAL),
)
"""What declared types begin with, and the datatype of values in such columns."""

_Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SqliteRows:
    """Rows of an answer, of columns with names and the datatypes that they are declared to have."""

    rows: Sequence[_Row]
    names: Sequence[str]
    datatypes: Sequence[str | None]
    nulls: frozenset[str]
    faults: Sequence[Fault] = ()

    @property
    def length(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def values(self, reference: str) -> ValueColumn:
        """The column that an SQL identifier means."""
        at = self.names.index(column_named(reference, self.names) or reference)
        found = [row[at] for row in self.rows]
        datatype = self.datatypes[at]
        kinds = set(map(type, found)) - {type(None)}
        if datatype is None and kinds <= {str}:
            return ValueColumn(pa.array(found, pa.string())).without(self.nulls)
        if datatype is None and kinds == {int}:
            whole = pa.array(found, pa.int64()).cast(pa.string())
            return ValueColumn(whole, datatype=XSD_INTEGER).without(self.nulls)
        if datatype is None:
            texts, datatypes = map(list, zip(*map(_natural, found), strict=True))
            kinds = pa.array(datatypes, pa.string())
            return ValueColumn(pa.array(texts, pa.string()), datatype=kinds).without(self.nulls)
        text = _TEXTS.get(datatype, _instant)
        column = pa.array([None if one is None else text(one) for one in found], pa.string())
        return ValueColumn(column, datatype=datatype, problem=datatype_reason(column, datatype)).without(self.nulls)

    def records(self, iterator: str) -> NoReturn:
        """Values of a database are not taken apart."""
        no_records("a database", iterator)

    def row_json(self, row: int) -> str:
        """The row as an object."""
        values = zip(self.names, self.rows[row], strict=True)
        return as_json({name: one.hex() if isinstance(one, bytes) else one for name, one in values if one is not None})


class SqliteReader:
    """The rows that a query has; the file is opened for reading only."""

    def __init__(self, database: Database, query: str, name: str, nulls: frozenset[str]) -> None:
        self.name = name
        self._database, self._query, self._nulls = database, query, nulls
        with self._answer() as (_, columns):
            self.columns = [column for column, _ in columns]
            self._datatypes = [_datatype(declared) for _, declared in columns]

    def check(self, reference: str) -> None:
        """Raise MappingError for a column that the answer does not have."""
        if column_named(reference, self.columns) is None:
            raise MappingError(f"{self.name} has no column {reference!r}; it has {', '.join(self.columns)}")

    def nested(self, iterator: str) -> Records:
        """Values of a database are not taken apart."""
        return no_records(self.name, iterator)

    def pieces(self) -> Iterator[list[_Row]]:
        """The rows; LoadError where the database cannot be read."""
        with self._answer() as (connection, _), query_errors(sqlite3.Error, self._database):
            cursor = connection.execute("SELECT * FROM temp.answer")
            while rows := cursor.fetchmany(_ROWS):
                yield rows

    def parse(self, piece: list[_Row]) -> SqliteRows:
        """The rows of a piece."""
        return SqliteRows(piece, self.columns, self._datatypes, self._nulls)

    @contextmanager
    def _answer(self) -> Iterator[tuple[sqlite3.Connection, list[tuple[str, str]]]]:
        """A connection with the answer as a view, and its columns with their declared types."""
        with query_errors(sqlite3.Error, self._database):
            uri = f"file:{quote(self._database.place)}?mode=ro"
            connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        with closing(connection):
            with refused_query(sqlite3.Error, self._query):
                connection.execute(f"CREATE TEMP VIEW answer AS {self._query}")
                described = connection.execute("PRAGMA temp.table_info(answer)").fetchall()
            yield connection, [(name, declared) for _, name, declared, *_ in described]


def _datatype(declared: str) -> str | None:
    kind = declared.upper()
    return next((datatype for begin, datatype in _DECLARED if kind.startswith(begin)), None)


def _natural(value: Any) -> tuple[str | None, str | None]:
    """A value as text, and the datatype of its own type."""
    match value:
        case int():
            return str(value), XSD_INTEGER
        case float():
            return double_text(value), XSD_DOUBLE
        case bytes():
            return value.hex().upper(), XSD + "hexBinary"
        case _:
            return value, None


def _decimal(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{Decimal(repr(value)):f}".removesuffix(".0")


def _truth(value: Any) -> str:
    return _TRUTH.get(value, str(value)) if isinstance(value, int) else str(value)


def _instant(value: Any) -> str:
    return str(value).replace(" ", "T", 1)


_TEXTS: Final[dict[str, Callable[[Any], str]]] = {XSD_BOOLEAN: _truth, XSD_DECIMAL: _decimal}
