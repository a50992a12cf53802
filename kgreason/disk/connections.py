"""Connections to a log: of the writer, and of readers, also those who may not write where it is.

SQLite makes files of its own beside one that it reads in WAL mode. Where a reader cannot make them, since the folder is
write-protected or the disk is full, they may be there because of a writer. Otherwise the file alone is read, as long
as SQLite's log beside it has nothing to add; and where it has, in a store that was killed, a copy of both in memory.

What SQLite knows of the locks of a file, a fork inherits, and it is wrong there, also for new connections: these would
find the file malformed, or as it was. So a fork opens none of a file that was open when it came to be.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from weakref import WeakSet

from kgreason.errors import ForkedError

# How long a reader waits for the moments in which a writer opens or closes.
_PATIENCE: Final = 5.0
# What SQLite says when it cannot make its files.
_UNWRITTEN: Final = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """A connection that may be used in any thread, by one at a time, without transactions of its own.

    Raises:
        ForkedError: the file was open in the process of which this one is a fork.
        sqlite3.Error, OSError: the file cannot be opened, or not be copied.
    """
    if _identity(path) in _INHERITED:
        raise ForkedError(
            "it was open when this process was forked, and cannot be opened in a fork (open the store after the fork, "
            "or start processes by spawn)"
        )
    if writes:
        return _connected(path, "?mode=rw")
    log, shared = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))
    if _is_writable(path.parent) or (log.exists() and shared.exists()):
        connection = _connected(path, "?mode=ro")
        try:
            connection.execute("PRAGMA schema_version")
            return connection
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in _UNWRITTEN:
                raise
    if log.exists() and log.stat().st_size:
        return _copied(path, log)
    return _connected(path, "?mode=ro&immutable=1")


def connect_new(path: Path) -> sqlite3.Connection:
    """A connection to a database that is made; sqlite3.Error where it cannot be."""
    return _connected(path, "?mode=rwc")


class Connection(sqlite3.Connection):
    """A connection that is known as long as it is open, so that a fork leaves it alone. It closes with its last
    reference: a store may be dropped without a call of `close`, as graphs of rdflib are."""

    file: tuple[int, int] | None = None
    """The device and inode of the file, None for a database in memory."""

    @property
    def is_open(self) -> bool:
        """Whether it was not closed."""
        try:
            return self.total_changes >= 0
        except sqlite3.ProgrammingError:
            return False

    def __del__(self) -> None:
        with suppress(sqlite3.Error):  # it could not be opened
            self.close()


# Of the whole process, as its forks are.
_OPEN: Final[WeakSet[Connection]] = WeakSet()
_INHERITED: Final[set[tuple[int, int] | None]] = set()
"""The files that were open when this process was forked, or one that it comes from."""


def opened(address: str, **options: Any) -> sqlite3.Connection:
    """A connection that a fork of this process never closes, not even when nothing refers to it there any more: it
    would write to files that the process still uses, or that have another owner by then."""
    connection = sqlite3.connect(address, isolation_level=None, check_same_thread=False, **options, factory=Connection)
    if isinstance(connection, Connection):
        _OPEN.add(connection)
    return connection


def _abandon_all() -> None:
    for connection in _OPEN:
        if connection.file is not None and connection.is_open:
            _INHERITED.add(connection.file)
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_all)


def _connected(path: Path, options: str) -> sqlite3.Connection:
    connection = opened(f"{path.absolute().as_uri()}{options}", uri=True, timeout=_PATIENCE)
    if isinstance(connection, Connection):
        connection.file = _identity(path)
    return connection


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_writable(folder: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(folder, os.W_OK, effective_ids=effective)


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    copy = opened(":memory:")
    with TemporaryDirectory() as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder) / file.name)
        with closing(_connected(Path(folder) / path.name, "?mode=rw")) as source:
            source.backup(copy)
    return copy
