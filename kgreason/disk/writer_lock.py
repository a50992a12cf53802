"""The lock of the one writer: a transaction in a SQLite file of its own that never ends.

SQLite knows how to lock on every system, and a process that is killed loses its locks.
"""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from kgreason.disk.connections import opened
from kgreason.disk.held_folder import check_plain
from kgreason.errors import DamageError, LockedError, WriteError, one_line

FILE: Final = "writer.lock"
_BESIDE: Final = tuple(f"{FILE}{end}" for end in ("-journal", "-wal", "-shm"))


class WriterLock:
    """HeldFolder from its making to `release`, or the end of the process."""

    def __init__(self, folder: Path) -> None:
        """Take the lock at once.

        Raises:
            LockedError: another one has it.
            LoadError: what should be the lock is a link, or has something in it.
            WriteError: no file can be written.
        """
        path = folder / FILE
        check_plain(folder, [FILE])
        if any(os.path.lexists(folder / name) for name in _BESIDE) or (path.exists() and path.stat().st_size):
            raise DamageError("it is not empty, or has a journal", path=path, expected="an empty file")
        connection: sqlite3.Connection | None = None
        try:
            connection = opened(str(path), timeout=0)
            # Nothing is ever written, so there is nothing to keep a journal of on disk.
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise LockedError("another writer has the store open", path=folder) from None
            raise WriteError(f"cannot be written in: {one_line(error)}", path=folder) from error
        self._connection = connection
        self._process = os.getpid()

    def release(self) -> None:
        """Let others write; in a fork of the process that has the lock this does nothing."""
        if os.getpid() == self._process:
            self._connection.close()
