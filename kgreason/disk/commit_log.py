"""The log of commits in SQLite, and which files belong to it.

Each row carries a checksum that goes on from that of the row before, over all that the commit says, so that a page
which was damaged since, or a row that is missing, is noticed and never read as something else.

A row may be a base: what remains of all commits up to one of them, in the place of that. It keeps the checksum of the
commit, from which the next row goes on, and has another one for itself. Rows before it count no more, and are deleted.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from kgreason.disk.connections import connect
from kgreason.disk.held_folder import check_plain
from kgreason.disk.json_documents import expect, expect_number, texts_by_name
from kgreason.disk.log_file import FILE, check_files, set_up_for_writing, version_of
from kgreason.disk.log_schema import (
    FORMAT,
    PICKLED,
    TERMS,
    Row,
    Sizes,
    SnapshotEntry,
    checksum_of,
    entry_of,
    snapshot_of,
)
from kgreason.errors import DamageError, LoadError, StoreError, WriteError, located, one_line

_COLUMNS: Final = "number, first, terms_count, settings, terms, quads, quads_count, chain, base"
_INSERT: Final = f"INSERT INTO log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


class CommitLog:
    """One connection to the log."""

    def __init__(self, folder: Path, *, writes: bool) -> None:
        """Connect.

        Raises:
            LoadError: no log, one of another format, or a damaged one; nothing was written then.
        """
        self._path = folder / FILE
        self._process = os.getpid()
        check_files(self._path)
        with self._errors("open"):
            self._connection = connect(self._path, writes=writes)
            try:
                self._prepare(writes)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, writes: bool) -> None:
        self._is_pickled = version_of(self._connection, self._path) == PICKLED
        if writes:
            set_up_for_writing(self._connection)
            if self._is_pickled:
                with self._transaction():
                    self._connection.execute("DELETE FROM snapshot")
                    self._connection.execute(f"PRAGMA user_version = {FORMAT}")
                self._is_pickled = False

    def close(self) -> None:
        """End the connection; what was committed stays. A fork of the process that made it leaves it alone."""
        if os.getpid() == self._process:
            with self._errors("close"):
                self._connection.close()

    # -- writing ------------------------------------------------------------------------------------------------

    def append(self, row: Row, before: int) -> int:
        """Commit a row, after one with the checksum `before`; its own checksum.

        Raises:
            KGReasonError: it is not committed; another writer has committed since that one, say.
        """
        chain = row.chained(before)
        with self._transaction():
            if self.last() != (row.number - 1, before):
                raise StoreError(
                    f"another writer has committed since commit {row.number - 1} (close the store and open it again)",
                    path=self._path,
                )
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
            raise WriteError(f"cannot be shrunk: {one_line(error)}", path=self._path) from error

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
        """Record which process writes: a second writer is told of it."""
        with self._transaction():
            self._connection.execute("DELETE FROM writer")
            self._connection.execute("INSERT INTO writer VALUES (?, ?)", (process, host))

    # -- reading ------------------------------------------------------------------------------------------------

    @contextmanager
    def read_transaction(self) -> Iterator[None]:
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
        """Write the log, as it is after one commit, to another folder."""
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
            if found is None:
                return None
            host = expect(found[1], str, "the machine of the writer")
            return expect_number(found[0], "the process of the writer"), " ".join(host.split())[:80]

    def snapshot(self) -> SnapshotEntry | None:
        """The snapshot that there should be; LoadError where what the log says of it makes no sense."""
        if self._is_pickled:
            return None
        with self._errors("read"):
            found = self._connection.execute("SELECT number, chain, name, size, checksum FROM snapshot").fetchone()
            return None if found is None else snapshot_of(found)

    def last(self) -> tuple[int, int]:
        """The number of the last commit and its checksum; zeros before the first one."""
        with self._errors("read"):
            found = self._connection.execute("SELECT number, chain FROM log ORDER BY number DESC LIMIT 1").fetchone()
            if found is None:
                return 0, 0
            number = expect_number(found[0], "the number of the last commit", 1)
            return number, checksum_of(found[1], f"the chain of commit {number}")

    def settings(self) -> dict[str, str]:
        """All settings, as they were committed last."""
        with self._errors("read"):
            found: dict[str, str] = {}
            query = "SELECT number, settings FROM log WHERE settings NOTNULL ORDER BY number"
            for number, text in self._connection.execute(query):
                what = f"the settings of commit {number}"
                found.update(texts_by_name(expect(text, str, what), what))
            return found

    def terms_count(self) -> int:
        """How many terms all commits together bring."""
        with self._errors("read"):
            query = "SELECT first, terms_count FROM log ORDER BY number DESC LIMIT 1"
            first, count = self._connection.execute(query).fetchone() or (0, 0)
            return expect_number(first, "the first term") + expect_number(count, "the count of terms")

    def rows(self, after: int, chain: int) -> Iterator[tuple[Row, int]]:
        """The rows after a commit, with the checksum of that, in order; each with the checksum of its own commit.

        Raises:
            LoadError: a row is missing or damaged, or a base stands for commits before and after that one.
        """
        with self._errors("read"):
            files: dict[int, list[list[Any]]] = {}
            entries = "SELECT number, role, name, size, checksum FROM files WHERE number > ?"
            for number, *entry in self._connection.execute(entries, (after,)):
                files.setdefault(number, []).append(entry)
            query = f"SELECT {_COLUMNS} FROM log WHERE number > ? AND number >= ? ORDER BY number"
            before = after
            for values in self._connection.execute(query, (after, self._base())):
                row = Row.of(values[:7], files.get(values[0], []))
                known = checksum_of(values[7], f"the chain of commit {row.number}")
                base = values[8]
                if base is None:
                    expected, is_whole = before + 1, row.chained(chain) == known
                else:
                    expected, is_whole = (0 if before else row.number), row.chained(known) == base
                if row.number != expected or not is_whole:
                    raise DamageError("other bytes than were written", path=self._path, part=f"commit {before + 1}")
                before, chain = row.number, known
                yield row, chain

    def sizes(self) -> Sizes:
        """The bytes of the log; a look at every row, but not at its content."""
        with self._errors("read"):
            pages = self._value("PRAGMA page_count") - self._value("PRAGMA freelist_count")
            terms = self._value("SELECT coalesce(sum(length(terms)), 0) FROM log")
            files = base = 0
            query = "SELECT role, base NOTNULL, sum(size) FROM files JOIN log USING (number) GROUP BY 1, 2"
            for role, is_base, found in self._connection.execute(query):
                size = expect_number(found, "the size of files")
                files += size
                base += size if is_base else 0
                terms += size if role == TERMS else 0
            return Sizes(pages * self._value("PRAGMA page_size") + files, base, terms)

    def check_names(self) -> None:
        """Raise LoadError where a commit is in a file with a name that kgreason does not give, or in a link."""
        with self._errors("read"):
            query = "SELECT role, number, name, size, checksum FROM files"
            entries = [entry_of(role, number, entry) for role, number, *entry in self._connection.execute(query)]
        check_plain(self._path.parent, [entry.name for entry in entries])

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
                raise WriteError(f"cannot be written: {one_line(error)}", path=self._path) from error
            raise

    @contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """Let errors be LoadErrors that name the log."""
        try:
            with located(path=self._path):
                yield
        except (sqlite3.Error, OSError, TypeError, ValueError, OverflowError) as error:
            raise LoadError(f"cannot {what} it: {one_line(error)}", path=self._path) from error
