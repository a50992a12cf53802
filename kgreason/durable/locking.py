"""The lock of the one writer: a transaction in a SQLite file of its own that never ends.

SQLite knows how to lock on every system, and a process that is killed loses its locks.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from kgreason.errors import KGReasonError

FILE: Final = "writer.lock"


class LockedError(KGReasonError):
    """Another writer has the store open."""


class WriterLock:
    """Held from its making to `release`, or the end of the process."""

    def __init__(self, folder: Path) -> None:
        """Take the lock at once, or raise LockedError; KGReasonError where no file can be written."""
        path = folder / FILE
        self._connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        try:
            # Nothing is ever written, so there is nothing to keep a journal of on disk.
            self._connection.execute("PRAGMA journal_mode = MEMORY")
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._connection.close()
            if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise LockedError(f"another writer has the store in {folder} open") from None
            raise KGReasonError(f"cannot write in {folder}: {error}") from error

    def release(self) -> None:
        """Let others write."""
        self._connection.close()
