"""Connections to a catalogue: of the writer, and of readers, also those who may not write where it is.

SQLite makes files of its own beside one that it reads in WAL mode. Where a reader may not make them, nobody writes (so
that the file alone is read), or somebody does, and they are there. What is left is a store that was killed and then
write-protected without one of them: it is read as a copy in memory.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

# How long a reader waits for the moments in which a writer opens or closes.
_PATIENCE: Final = 5.0


def connect(path: Path, *, writes: bool) -> sqlite3.Connection:
    """A connection that may be used in any thread, by one at a time, without transactions of its own.

    Raises:
        sqlite3.Error, OSError: the file cannot be opened, or not be copied.
    """
    if writes:
        return _connected(path, "?mode=rwc")
    log, shared = (path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm"))
    if _is_writable(path.parent) or (log.exists() and shared.exists()):
        return _connected(path, "?mode=ro")
    if log.exists() and log.stat().st_size:
        return _copied(path, log)
    return _connected(path, "?mode=ro&immutable=1")


def _connected(path: Path, options: str) -> sqlite3.Connection:
    address = f"{path.absolute().as_uri()}{options}"
    return sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)


def _is_writable(folder: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return os.access(folder, os.W_OK, effective_ids=effective)


def _copied(path: Path, log: Path) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    with TemporaryDirectory() as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder) / file.name)
        with closing(_connected(Path(folder) / path.name, "?mode=rw")) as source:
            source.backup(copy)
    return copy
