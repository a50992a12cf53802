"""The lock of the one writer: a transaction in a SQLite file of its own that never ends.

SQLite knows how to lock on every system, and a process that is killed loses its locks.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from kgreason.errors import KGReasonError, LockedError

FILE: Final = "writer.lock"


class WriterLock:
    """Held from its making to `release`, or the end of the process."""

    def __init__(self, folder: Path) -> None:
        """Take the lock at once, or raise LockedError; KGReasonError where no file can be written."""
        path = folder / FILE
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
            # Nothing is ever written, so there is nothing to keep a journal of on disk.
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise LockedError(f"another writer has the store in {folder} open") from None
            raise KGReasonError(f"cannot write in {folder}: {error}") from error
        self._connection = connection

    def release(self) -> None:
        """Let others write."""
        self._connection.close()
