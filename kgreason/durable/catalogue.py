"""The log of commits in SQLite, and which files belong to it.

Each row carries a checksum that goes on from that of the row before, over all that the commit says, so that a page
which was damaged since, or a row that is missing, is noticed and never read as something else.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from kgreason.durable.files import FileEntry
from kgreason.errors import KGReasonError, LoadError

FILE: Final = "catalogue.sqlite"
FORMAT: Final = 1
_APPLICATION: Final = 0x6B677273
# How long a reader waits for the moments in which a writer opens or closes.
_PATIENCE: Final = 5.0

_TABLES: Final = """
CREATE TABLE log (
    number INTEGER PRIMARY KEY,      -- 1, 2, ...: the commits in their order
    first INTEGER NOT NULL,          -- the id of the first of its new terms
    terms_count INTEGER NOT NULL,    -- how many new terms there are
    settings TEXT,                   -- JSON: the settings that changed
    terms BLOB,                      -- their keys, unless they are in a file
    quads BLOB,                      -- what came and went, unless it is in a file
    quads_count INTEGER NOT NULL,    -- how many quads came or went
    chain INTEGER NOT NULL           -- CRC-32 of this row, on from that of the row before
);
CREATE INDEX changed_settings ON log (number) WHERE settings NOTNULL;
CREATE TABLE files (
    number INTEGER NOT NULL REFERENCES log (number),
    role TEXT NOT NULL,              -- terms, quads
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL,       -- CRC-32
    PRIMARY KEY (number, role)
);
CREATE TABLE snapshot (
    number INTEGER NOT NULL,         -- the last commit that is in it
    chain INTEGER NOT NULL,          -- the checksum of that commit
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE writer (process INTEGER NOT NULL, host TEXT NOT NULL);
"""

_COLUMNS: Final = "number, first, terms_count, settings, terms, quads, quads_count, chain"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the log: a part of the commit is either here or in a file."""

    number: int
    first: int
    terms_count: int
    settings: str | None
    terms: bytes | None
    quads: bytes | None
    quads_count: int
    files: dict[str, FileEntry]

    def chained(self, before: int) -> int:
        """The checksum of this row, after the row with that one."""
        entries = sorted((role, file.name, file.size, file.checksum) for role, file in self.files.items())
        numbers = (self.number, self.first, self.terms_count, self.quads_count)
        chain = crc32(json.dumps([numbers, self.settings, entries]).encode(), before)
        for part in (self.terms, self.quads):
            chain = crc32(b"-" if part is None else b"+" + len(part).to_bytes(8, "little") + part, chain)
        return chain


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """The snapshot: the last commit in it, with the checksum of that, and its file."""

    number: int
    chain: int
    file: FileEntry


class Catalogue:
    """One connection to the log."""

    def __init__(self, folder: Path, *, writes: bool) -> None:
        """Connect; a writer makes what is missing.

        Raises:
            LoadError: no catalogue, one of another format, or a damaged one.
        """
        self._path = folder / FILE
        if not writes and not self._path.is_file():
            raise LoadError(f"there is no store in {folder}")
        with self._errors("open"):
            self._connection = self._connected(writes)
            try:
                self._prepare(writes)
            except BaseException:
                self._connection.close()
                raise

    def _connected(self, writes: bool) -> sqlite3.Connection:
        address = f"{self._path.absolute().as_uri()}?mode={'rwc' if writes else 'ro'}"
        if not writes and not self._is_writable() and not self._path.with_name(FILE + "-wal").exists():
            address += "&immutable=1"  # nothing is being written, and SQLite could not make its own files here
        return sqlite3.connect(
            address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )

    def _is_writable(self) -> bool:
        return os.access(self._path.parent, os.W_OK)

    def _prepare(self, writes: bool) -> None:
        application = self._value("PRAGMA application_id")
        version = self._value("PRAGMA user_version")
        is_new = application == 0 and not self._value("SELECT count(*) FROM sqlite_master")
        if is_new and not writes:
            raise LoadError(f"there is no store in {self._path.parent}")
        if not is_new and application != _APPLICATION:
            raise LoadError(f"{self._path}: no catalogue of kgreason")
        if not is_new and version != FORMAT:
            raise LoadError(f"{self._path}: its format is version {version}, and this kgreason reads version {FORMAT}")
        if writes:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
        if is_new:
            statements = f"{_TABLES} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT};"
            self._connection.executescript(f"BEGIN IMMEDIATE; {statements} COMMIT;")

    def close(self) -> None:
        """End the connection; what was committed stays."""
        with self._errors("close"):
            self._connection.close()

    # -- writing ------------------------------------------------------------------------------------------------

    def append(self, row: Row, before: int) -> int:
        """Commit a row, after one with the checksum `before`; its own checksum.

        Raises:
            KGReasonError: it is not committed.
        """
        chain = row.chained(before)
        values = (row.number, row.first, row.terms_count, row.settings, row.terms, row.quads, row.quads_count, chain)
        with self._transaction():
            self._connection.execute(f"INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
            for role, file in row.files.items():
                entry = (row.number, role, file.name, file.size, file.checksum)
                self._connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", entry)
        return chain

    def put_snapshot(self, entry: SnapshotEntry | None) -> None:
        """Name another snapshot, or none; KGReasonError leaves the one before."""
        with self._transaction():
            self._connection.execute("DELETE FROM snapshot")
            if entry is not None:
                values = (entry.number, entry.chain, entry.file.name, entry.file.size, entry.file.checksum)
                self._connection.execute("INSERT INTO snapshot VALUES (?, ?, ?, ?, ?)", values)

    def put_writer(self, process: int, host: str) -> None:
        """Say who writes, for whoever is refused."""
        with self._transaction():
            self._connection.execute("DELETE FROM writer")
            self._connection.execute("INSERT INTO writer VALUES (?, ?)", (process, host))

    # -- reading ------------------------------------------------------------------------------------------------

    @contextmanager
    def at_one_moment(self) -> Iterator[None]:
        """Let all that is read be as it was after one commit."""
        with self._errors("read"):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            with self._errors("read"):
                self._connection.execute("ROLLBACK")

    def copy(self, folder: Path) -> None:
        """Write the catalogue, as it is after one commit, to another folder."""
        with self._errors("copy"):
            target = sqlite3.connect(folder / FILE)
            try:
                self._connection.backup(target)
            finally:
                target.close()

    def writer(self) -> tuple[int, str] | None:
        """The process that opened for writing last, and its machine."""
        with self._errors("read"):
            found = self._connection.execute("SELECT process, host FROM writer").fetchone()
            return None if found is None else (found[0], found[1])

    def snapshot(self) -> SnapshotEntry | None:
        """The snapshot that there should be."""
        with self._errors("read"):
            found = self._connection.execute("SELECT number, chain, name, size, checksum FROM snapshot").fetchone()
            return None if found is None else SnapshotEntry(found[0], found[1], FileEntry(*found[2:]))

    def last(self) -> tuple[int, int]:
        """The number of the last commit and its checksum; zeros before the first one."""
        with self._errors("read"):
            found = self._connection.execute("SELECT number, chain FROM log ORDER BY number DESC LIMIT 1").fetchone()
            return (0, 0) if found is None else (found[0], found[1])

    def settings(self) -> dict[str, str]:
        """All settings, as they were committed last."""
        with self._errors("read"):
            found: dict[str, str] = {}
            for (text,) in self._connection.execute("SELECT settings FROM log WHERE settings NOTNULL ORDER BY number"):
                found.update(json.loads(text))
            return found

    def terms_count(self) -> int:
        """How many terms all commits together bring."""
        with self._errors("read"):
            found = self._connection.execute("SELECT first + terms_count FROM log ORDER BY number DESC LIMIT 1")
            return int((found.fetchone() or (0,))[0])

    def rows(self, after: int, chain: int) -> Iterator[Row]:
        """The rows after a commit, with the checksum of that, in order.

        Raises:
            LoadError: a row is missing or damaged.
        """
        with self._errors("read"):
            files: dict[int, dict[str, FileEntry]] = {}
            entries = "SELECT number, role, name, size, checksum FROM files WHERE number > ?"
            for number, role, *entry in self._connection.execute(entries, (after,)):
                files.setdefault(number, {})[role] = FileEntry(*entry)
            query = f"SELECT {_COLUMNS} FROM log WHERE number > ? ORDER BY number"
            for expected, values in enumerate(self._connection.execute(query, (after,)), after + 1):
                number, first, terms_count, settings, terms, quads, quads_count, known = values
                of_row = files.get(number, {})
                row = Row(number, first, terms_count, settings, terms, quads, quads_count, of_row)
                chain = row.chained(chain)
                if row.number != expected or chain != known:
                    raise LoadError(f"{self._path}: commit {expected} is damaged")
                yield row

    def file_names(self) -> set[str]:
        """The files that something names."""
        with self._errors("read"):
            query = "SELECT name FROM files UNION SELECT name FROM snapshot"
            return {name for (name,) in self._connection.execute(query)}

    def _value(self, statement: str) -> Any:
        return self._connection.execute(statement).fetchone()[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise KGReasonError(f"cannot write {self._path}: {_line(error)}") from error
            raise

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
            raise LoadError(f"cannot {what} {self._path}: {_line(error)}") from error


def _line(error: Exception) -> str:
    """What is wrong, in one line: SQLite tells pieces of the schema as they are in the file."""
    return " ".join(str(error).split())
