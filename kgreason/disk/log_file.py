"""The file of the log: made whole, checked before SQLite touches it, and set up for one connection."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Final

from kgreason.disk.checked_files import UNFINISHED, sync_folder
from kgreason.disk.connections import connect_new
from kgreason.disk.held_folder import check_plain
from kgreason.disk.log_schema import FORMAT, PICKLED, TABLES
from kgreason.errors import DamageError, LoadError, WriteError, one_line

FILE: Final = "catalogue.sqlite"
LIVE_FILES: Final = (FILE, f"{FILE}-wal", f"{FILE}-shm")
"""The files of a log that is open for writing."""
NEW_FILES: Final = tuple(f"{FILE}{UNFINISHED}{end}" for end in ("", "-journal", "-wal", "-shm"))
"""The files of a log that is being made."""
_FOREIGN_JOURNAL: Final = f"{FILE}-journal"
_MAGIC: Final = b"SQLite format 3\0"
_APPLICATION: Final = 0x6B677273
# So far the file of SQLite's own log shrinks again after a large transaction.
_JOURNAL_LIMIT: Final = 1 << 22


def make(folder: Path) -> None:
    """Make an empty log where there is none: it has its name when it is whole and on disk.

    Raises:
        KGReasonError: it cannot be written; there is none then.
    """
    path = folder / FILE
    try:
        for name in NEW_FILES:
            (folder / name).unlink(missing_ok=True)
        with closing(connect_new(folder / NEW_FILES[0])) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            # Later it is too late for this: so the file gives back what a compaction frees.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            statements = f"{TABLES} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT};"
            connection.executescript(f"BEGIN IMMEDIATE; {statements} COMMIT;")
            # From here on there is never a journal of the other kind beside it.
            connection.execute("PRAGMA journal_mode = WAL")
        (folder / NEW_FILES[0]).replace(path)
        sync_folder(folder)
    except (OSError, sqlite3.Error) as error:
        for name in NEW_FILES:
            with suppress(OSError):
                (folder / name).unlink(missing_ok=True)
        raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error


def check_files(path: Path) -> None:
    """Raise LoadError for what SQLite must not touch: it follows links, makes a store of a file without bytes, and
    deletes the file that a journal beside it names as its super-journal."""
    folder = path.parent
    check_plain(folder, LIVE_FILES)
    try:
        with path.open("rb") as stream:
            begin = stream.read(100)
    except FileNotFoundError:
        raise LoadError("there is no store", path=folder) from None
    except OSError as error:
        raise LoadError(f"cannot be opened: {one_line(error)}", path=path) from error
    if not begin.startswith(_MAGIC) or len(begin) < 100:
        raise DamageError("no database", path=path, expected="a log of kgreason")
    if os.path.lexists(folder / _FOREIGN_JOURNAL):
        raise DamageError("a journal that kgreason does not write", path=folder / _FOREIGN_JOURNAL)


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The format of a log, PICKLED or FORMAT; LoadError for another file, another format, or other tables."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    if _value(connection, "PRAGMA application_id") != _APPLICATION:
        raise LoadError("not a log of kgreason", path=path)
    version = _value(connection, "PRAGMA user_version")
    if version not in (PICKLED, FORMAT):
        reads = f"{PICKLED} and {FORMAT}"
        raise LoadError(f"its format is version {version}, and this kgreason reads versions {reads}", path=path)
    if _layout(connection) != _expected_layout():
        raise DamageError("other tables, views or triggers than those of kgreason", path=path)
    return version


def set_up_for_writing(connection: sqlite3.Connection) -> None:
    """Let a commit be on disk when it returns."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_LIMIT}")
    connection.execute("PRAGMA synchronous = FULL")


def _value(connection: sqlite3.Connection, statement: str) -> int:
    found: int = connection.execute(statement).fetchone()[0]
    return found


def _layout(connection: sqlite3.Connection) -> set[tuple[str, str, str]]:
    """The tables, indexes, views and triggers of a database, with the statements that made them.

    A view or a trigger in the place of a table would run statements of its author, which need not end.
    """
    found = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOTNULL").fetchall()
    return {(str(kind), str(name), " ".join(_COMMENT.sub(" ", str(text)).split())) for kind, name, text in found}


_COMMENT: Final = re.compile(r"--[^\n]*")


@cache
def _expected_layout() -> set[tuple[str, str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(TABLES)
        return _layout(connection)
