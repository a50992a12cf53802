"""The log of commits in SQLite, and which files belong to it.

Each row carries a checksum that goes on from that of the row before, over all that the commit says, so that a page
which was damaged since, or a row that is missing, is noticed and never read as something else.

A row may be a base: what remains of all commits up to one of them, in the place of that. It keeps the checksum of the
commit, from which the next row goes on, and has another one for itself. Rows before it count no more, and are deleted.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from kgreason.durable.connecting import connect
from kgreason.durable.files import FileEntry
from kgreason.durable.layout import FORMAT, TABLES, Row, Sizes, SnapshotEntry
from kgreason.errors import KGReasonError, LoadError, one_line

FILE: Final = "catalogue.sqlite"
_APPLICATION: Final = 0x6B677273
_COLUMNS: Final = "number, first, terms_count, settings, terms, quads, quads_count, chain, base"
_INSERT: Final = f"INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
# So far the file of SQLite's own log shrinks again after a large transaction.
_JOURNAL_LIMIT: Final = 1 << 22


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
            self._connection = connect(self._path, writes=writes)
            try:
                self._prepare(writes)
            except BaseException:
                self._connection.close()
                raise

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
            if is_new:  # later it is too late for this: so the file gives back what a compaction frees
                self._connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}")
            self._connection.execute("PRAGMA synchronous = FULL")
        if is_new:
            statements = f"{TABLES} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT};"
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
        with self._transaction():
            self._insert(row, chain, None)
        return chain

    def put_base(self, row: Row, chain: int) -> None:
        """Let a row stand for all commits up to its number, which has that checksum; KGReasonError leaves them.

        A snapshot of an earlier commit goes with them: what came between it and the base cannot be told any more. The
        commits before the last one are still to be cleared away.
        """
        with self._transaction():
            self._connection.execute("DELETE FROM log WHERE number = ?", (row.number,))
            self._connection.execute("DELETE FROM files WHERE number <= ?", (row.number,))
            self._connection.execute("DELETE FROM snapshot WHERE number < ?", (row.number,))
            self._insert(row, chain, row.chained(chain))

    def clear(self, count: int) -> int:
        """Delete so many of the commits that a base stands for, or all that there are; how many there were."""
        some = "SELECT number FROM log WHERE number < ? ORDER BY number LIMIT ?"
        with self._transaction():
            found = self._connection.execute(f"DELETE FROM log WHERE number IN ({some})", (self._base(), count))
            return found.rowcount

    def shrink(self, pages: int) -> bool:
        """Give so many of the pages that nothing uses back to the system; whether there are more that can be."""
        try:
            before = self._value("PRAGMA freelist_count")
            # A script, since `execute` would stop after one page.
            self._connection.executescript(f"PRAGMA incremental_vacuum({pages})")
            left = self._value("PRAGMA freelist_count")
            return bool(0 < left < before)
        except sqlite3.Error as error:
            raise KGReasonError(f"cannot shrink {self._path}: {one_line(error)}") from error

    def _insert(self, row: Row, chain: int, base: int | None) -> None:
        numbers = (row.number, row.first, row.terms_count)
        values = (*numbers, row.settings, row.terms, row.quads, row.quads_count, chain, base)
        self._connection.execute(_INSERT, values)
        for role, file in row.files.items():
            entry = (row.number, role, file.name, file.size, file.checksum)
            self._connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", entry)

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
        try:
            with self._errors("read"):
                self._connection.execute("BEGIN")
            yield
        finally:
            with self._errors("read"):
                if self._connection.in_transaction:
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

    def rows(self, after: int, chain: int) -> Iterator[tuple[Row, int]]:
        """The rows after a commit, with the checksum of that, in order; each with the checksum of its own commit.

        Raises:
            LoadError: a row is missing or damaged, or a base stands for commits before and after that one.
        """
        with self._errors("read"):
            files: dict[int, dict[str, FileEntry]] = {}
            entries = "SELECT number, role, name, size, checksum FROM files WHERE number > ?"
            for number, role, *entry in self._connection.execute(entries, (after,)):
                files.setdefault(number, {})[role] = FileEntry(*entry)
            query = f"SELECT {_COLUMNS} FROM log WHERE number > ? AND number >= ? ORDER BY number"
            before = after
            for values in self._connection.execute(query, (after, self._base())):
                number, first, terms_count, settings, terms, quads, quads_count, known, base = values
                of_row = files.get(number, {})
                row = Row(number, first, terms_count, settings, terms, quads, quads_count, of_row)
                if base is None:
                    expected, is_whole = before + 1, row.chained(chain) == known
                else:
                    expected, is_whole = (0 if before else row.number), row.chained(known) == base
                if row.number != expected or not is_whole:
                    raise LoadError(f"{self._path}: commit {before + 1} is damaged")
                before, chain = row.number, known
                yield row, chain

    def sizes(self) -> Sizes:
        """What the log takes; a look at every row, but not at what is in it."""
        with self._errors("read"):
            pages = self._value("PRAGMA page_count") - self._value("PRAGMA freelist_count")
            terms = self._value("SELECT coalesce(sum(length(terms)), 0) FROM log")
            files = base = 0
            query = "SELECT role, base NOTNULL, sum(size) FROM files JOIN log USING (number) GROUP BY 1, 2"
            for role, is_base, size in self._connection.execute(query):
                files += size
                base += size if is_base else 0
                terms += size if role == "terms" else 0
            return Sizes(pages * self._value("PRAGMA page_size") + files, base, terms)

    def file_names(self) -> set[str]:
        """The files that something names."""
        with self._errors("read"):
            query = "SELECT name FROM files UNION SELECT name FROM snapshot"
            return {name for (name,) in self._connection.execute(query)}

    def _base(self) -> int:
        """The number of the base, 0 where there is none."""
        return int(self._value("SELECT coalesce(max(number), 0) FROM log WHERE base NOTNULL"))

    def _value(self, statement: str) -> Any:
        return self._connection.execute(statement).fetchone()[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            with suppress(sqlite3.ProgrammingError):  # it was closed meanwhile
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise KGReasonError(f"cannot write {self._path}: {one_line(error)}") from error
            raise

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, TypeError, ValueError, OverflowError) as error:
            raise LoadError(f"cannot {what} {self._path}: {one_line(error)}") from error
