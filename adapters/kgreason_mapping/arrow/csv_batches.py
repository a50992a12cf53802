"""Rows of CSV files (RFC 4180): all values are text, and an empty field is empty text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from kgreason.errors import LoadError, MappingError
from kgreason_mapping.arrow.columns import ValueColumn
from kgreason_mapping.arrow.csv_pieces import CsvFile, CsvPiece
from kgreason_mapping.arrow.csv_pieces import Records as CsvRecords
from kgreason_mapping.arrow.row_batches import Fault, Records, no_records
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.quarantine_reasons import FIELD_COUNT, INVALID_UTF8, MISPLACED_QUOTE, OPEN_QUOTE
from kgreason_mapping.sources.csv_grammar import WHITE_SPACE, column_names, plain_value, python_grammar, split_record


@dataclass(frozen=True, slots=True)
class CsvRows:
    """Rows of a piece, a column for each of the header."""

    header: Sequence[str]
    columns: Sequence[pa.Array]
    faults: Sequence[Fault]
    length: int
    nulls: frozenset[str]

    def values(self, reference: str) -> ValueColumn:
        """The column of that name."""
        return ValueColumn(self.columns[self.header.index(reference)]).without(self.nulls)

    def records(self, iterator: str) -> NoReturn:
        """Values of CSV are texts."""
        no_records("CSV", iterator)

    def row_json(self, row: int) -> str:
        """The row as an object."""
        return as_json({name: one[row].as_py() for name, one in zip(self.header, self.columns, strict=True)})


class CsvParser:
    """Records of a header to rows."""

    def __init__(self, header: Sequence[str], nulls: frozenset[str], dialect: Dialect) -> None:
        self._header, self._nulls, self._dialect = header, nulls, dialect
        self._records = CsvRecords(dialect)
        patterns = python_grammar(dialect)
        self._strict = re.compile(patterns.record)
        self._open = re.compile(patterns.open_line)

    def parse(self, piece: CsvPiece) -> CsvRows:
        """The rows of a piece: by pyarrow, or where it cannot, one by one."""
        if not piece.is_plain or not _is_utf8(piece.content):
            return self.rows(self._records.each(piece.content.decode("utf-8", "surrogateescape")))
        faults: list[Fault] = []

        def wrong(row: Any) -> str:
            faults.append(Fault(FIELD_COUNT, as_json({"text": row.text})))
            return "skip"

        names = [f"c{number}" for number in range(len(self._header))]
        table = pacsv.read_csv(
            pa.BufferReader(piece.content),
            pacsv.ReadOptions(use_threads=False, block_size=len(piece.content) + 1, column_names=names),
            pacsv.ParseOptions(
                delimiter=self._dialect.delimiter,
                quote_char=self._dialect.quote or False,
                newlines_in_values=self._dialect.quote is not None,
                invalid_row_handler=wrong,
            ),
            pacsv.ConvertOptions(
                check_utf8=False, column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
        columns = [column.combine_chunks() for column in table.columns]
        if self._dialect.trim:
            columns = [pc.utf8_trim(column, WHITE_SPACE) for column in columns]
        return CsvRows(self._header, columns, faults, table.num_rows, self._nulls)

    def rows(self, records: Iterable[str]) -> CsvRows:
        """The rows of records without line ends; bytes that are not UTF-8 are surrogates."""
        faults: list[Fault] = []
        rows: list[list[str]] = []
        for record in records:
            reason = self._reason(record)
            fields = [] if reason else split_record(record, self._dialect)
            if reason is None and len(fields) != len(self._header):
                reason = FIELD_COUNT
            if reason is not None:
                faults.append(Fault(reason, as_json({"text": _shown(record)})))
            else:
                rows.append([plain_value(field, self._dialect) for field in fields])
        columns = [pa.array(column, pa.string()) for column in (zip(*rows, strict=True) if rows else [[]] * len(
            self._header))]  # fmt: skip
        return CsvRows(self._header, columns, faults, len(rows), self._nulls)

    def _reason(self, record: str) -> str | None:
        """Why a record cannot be taken apart."""
        if not record.isascii() and _shown(record) != record:
            return INVALID_UTF8
        if self._strict.match(record):
            return None
        return OPEN_QUOTE if self._open.match(record) else MISPLACED_QUOTE


class Header:
    """What may be asked of rows of CSV: the columns of a header."""

    def __init__(self, name: str, names: Sequence[str]) -> None:
        self.name = name
        self._header = names

    def check(self, reference: str) -> None:
        """Raise MappingError for a column that the header does not name."""
        if reference not in self._header:
            raise MappingError(f"{self.name} has no column {reference!r}; it has {', '.join(self._header)}")

    def nested(self, iterator: str) -> Records:
        """Values of CSV are texts."""
        return no_records(self.name, iterator)


class CsvReader(Header):
    """The rows of files with the same header."""

    def __init__(
        self, files: Sequence[str], name: str, nulls: frozenset[str], dialect: Dialect, encoding: str | None
    ) -> None:
        self._files, self._dialect = files, dialect
        self._encoding = encoding or "UTF-8"
        self._first: str | None = None
        for file in files:
            self._first = self._opened(file).first()
            if self._first is not None:
                break
        super().__init__(name, column_names(self._first, dialect, name))
        self._parser = CsvParser(self._header, nulls, dialect)

    def pieces(self) -> Iterator[CsvPiece]:
        """The files in pieces; LoadError for one that cannot be read, or has another header."""
        for path in self._files:
            file = self._opened(path)
            first = file.first()
            if first is None:
                continue
            if not self._dialect.header:
                file.put_back(first)
            elif first != self._first:
                raise LoadError(f"begins with {first!r} and not with the header {self._first!r}", path=path)
            yield from file.pieces()

    def parse(self, piece: CsvPiece) -> CsvRows:
        """The rows of a piece."""
        return self._parser.parse(piece)

    def _opened(self, path: str) -> CsvFile:
        return CsvFile(path, self._dialect, self._encoding)


def as_json(row: object) -> str:
    """A row as JSON, as short as it can be."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shown(record: str) -> str:
    """A record with a sign in the place of bytes that are not UTF-8."""
    return record.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
