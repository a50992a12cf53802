"""When a snapshot is written and the log compacted: when a store is closed, or in a background thread."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from kgreason import memory
from kgreason.disk import compaction, disk_tuning
from kgreason.disk.checked_files import Parts
from kgreason.disk.read_transaction import Position
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import KGReasonError

_LOG: Final = logging.getLogger("kgreason.disk")
SnapshotSource: TypeAlias = Callable[[], tuple[Parts, Position]]
"""Gives the parts of a snapshot, and the commit that it is after; quick, since it copies nothing. KGReasonError where
something cannot be kept."""


class Snapshots:
    """The snapshots of one directory, and how far behind the last one is."""

    def __init__(self, directory: StoreDirectory, commits: int, quads: int) -> None:
        self._directory = directory
        self._commits = commits
        self._quads = quads
        self._thread: threading.Thread | None = None

    def committed(self, quads: int, count: Callable[[], int], source: SnapshotSource) -> None:
        """Take note of a commit of some quads; write a snapshot in a thread of its own when it is time. `count` says
        how many there are in all, and is asked only where that decides."""
        self._commits += 1
        self._quads += quads
        many = self._quads >= disk_tuning.RUNNING_LEAST and self._quads * disk_tuning.RUNNING_SHARE >= count()
        is_busy = self._thread is not None and self._thread.is_alive()
        if (many or self._commits >= disk_tuning.RUNNING_COMMITS) and not is_busy:
            self._commits = self._quads = 0
            arguments = (self._tried(source), count())
            thread = threading.Thread(target=self._write, args=arguments, name="kgreason snapshot")
            with self._warning("no snapshot was written"), memory.starting_threads():
                thread.start()
                self._thread = thread

    def closing(self, total: int, source: SnapshotSource) -> None:
        """Write a snapshot if the last one is far behind; if it cannot be written, a warning is all."""
        self.wait()
        if self._commits >= disk_tuning.CLOSING_COMMITS or self._quads * disk_tuning.CLOSING_SHARE > total:
            self._write(self._tried(source), total)

    def write(self, source: SnapshotSource) -> None:
        """Write a snapshot now; KGReasonError if it cannot be written."""
        self.wait()
        self._directory.put_snapshot(*source())
        self._commits = self._quads = 0

    def compact(self, source: SnapshotSource) -> None:
        """Write a snapshot, if that is possible, and compact the log now; KGReasonError if it cannot be written."""
        self.wait()
        frozen = self._tried(source)
        if frozen is not None:
            self._directory.put_snapshot(*frozen)
            self._commits = self._quads = 0
        compaction.compact(self._directory, self._directory.end())

    def wait(self) -> None:
        """Let what is being written be written."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _tried(self, source: SnapshotSource) -> tuple[Parts, Position] | None:
        with self._warning("no snapshot was written"):
            return source()
        return None

    def _write(self, frozen: tuple[Parts, Position] | None, total: int) -> None:
        """Write a snapshot, where there is one, and compact the log up to it where it has grown too large."""
        with self._warning("no snapshot was written, or the log not compacted"):
            at = self._directory.end() if frozen is None else frozen[1]
            if frozen is not None:
                self._directory.put_snapshot(*frozen)
            if compaction.is_due(self._directory, total):
                compaction.compact(self._directory, at)

    @contextmanager
    def _warning(self, what: str) -> Iterator[None]:
        try:
            yield
        except (KGReasonError, MemoryError) as error:
            _LOG.warning("%s: %s: %s", self._directory.path, what, str(error) or "out of memory")
