"""When a snapshot is written and the log compacted, and how: at the end, or behind the back of whoever commits."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeAlias

from kgreason.durable import compaction
from kgreason.durable.directory import Directory
from kgreason.durable.files import Parts
from kgreason.durable.moments import Position
from kgreason.errors import KGReasonError

CLOSING_COMMITS = 64
CLOSING_SHARE: Final = 50
"""At the end a snapshot is worth it when it is so many commits behind, or by one quad in so many."""
RUNNING_COMMITS = 4096
RUNNING_SHARE: Final = 4
RUNNING_LEAST = 10_000
"""While the store is in use so many commits, or one quad in so many if they are that many: the work is in proportion
to what was committed, and opening after a crash is quick all the same."""

_LOG: Final = logging.getLogger("kgreason.durable")
Frozen: TypeAlias = Callable[[], tuple[Parts, Position]]
"""Gives the parts of a snapshot, and the commit that it is after; quick, since it copies nothing. KGReasonError where
something cannot be kept."""


class Snapshots:
    """The snapshots of one directory, and how far behind the last one is."""

    def __init__(self, directory: Directory, commits: int, quads: int) -> None:
        self._directory = directory
        self._commits = commits
        self._quads = quads
        self._thread: threading.Thread | None = None

    def committed(self, quads: int, total: int, freeze: Frozen) -> None:
        """Take note of a commit of some quads, of which there are so many in all now; write a snapshot in a thread of
        its own when it is time."""
        self._commits += 1
        self._quads += quads
        many = self._quads >= RUNNING_LEAST and self._quads * RUNNING_SHARE >= total
        is_busy = self._thread is not None and self._thread.is_alive()
        if (many or self._commits >= RUNNING_COMMITS) and not is_busy:
            self._commits = self._quads = 0
            arguments = (self._tried(freeze), total)
            self._thread = threading.Thread(target=self._write, args=arguments, name="kgreason snapshot")
            self._thread.start()

    def closing(self, total: int, freeze: Frozen) -> None:
        """Write a snapshot if the last one is far behind; if it cannot be written, a warning is all."""
        self.wait()
        if self._commits >= CLOSING_COMMITS or self._quads * CLOSING_SHARE > total:
            self._write(self._tried(freeze), total)

    def write(self, freeze: Frozen) -> None:
        """Write a snapshot now; KGReasonError if it cannot be written."""
        self.wait()
        self._directory.put_snapshot(*freeze())
        self._commits = self._quads = 0

    def compact(self, freeze: Frozen) -> None:
        """Write a snapshot, if that is possible, and compact the log now; KGReasonError if it cannot be written."""
        self.wait()
        frozen = self._tried(freeze)
        if frozen is not None:
            self._directory.put_snapshot(*frozen)
            self._commits = self._quads = 0
        compaction.compact(self._directory, self._directory.end())

    def wait(self) -> None:
        """Let what is being written be written."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _tried(self, freeze: Frozen) -> tuple[Parts, Position] | None:
        with self._warning("no snapshot was written"):
            return freeze()
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
