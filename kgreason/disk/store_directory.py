"""The directory of a durable store: one writer or any number of readers, the log, and the snapshot.

What is in it:

* ``catalogue.sqlite`` (and SQLite's own ``-wal`` and ``-shm`` beside it): the log;
* ``terms-N-*.arrow``, ``quads-N-*.arrow``: the large parts of commit N, or of a base up to it;
* ``snapshot-N-*.arrow``: the snapshot after commit N;
* ``writer.lock``: the lock of the one writer.

A file that the log does not name is what a crash left: the next writer deletes it. A directory without a
log is not a store, and one with a damaged log is a damaged store: nothing in it is written or deleted.

The writer holds the directory (`held_folder`): before a commit and after it, all of this must still be where it was.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Final

from kgreason.disk.checked_files import FileEntry, Parts
from kgreason.disk.commit_files import Prepared, base_row, commit_row, written
from kgreason.disk.commit_log import CommitLog
from kgreason.disk.commit_records import Commit
from kgreason.disk.held_folder import HeldFolder
from kgreason.disk.log_file import FILE, LIVE_FILES, make
from kgreason.disk.log_schema import SNAPSHOT, SnapshotEntry
from kgreason.disk.read_transaction import Position, ReadTransaction
from kgreason.disk.store_folder import check_empty, delete_parts, delete_store, make_folder
from kgreason.disk.writer_lock import FILE as LOCK
from kgreason.disk.writer_lock import WriterLock
from kgreason.errors import KGReasonError, LoadError, LockedError, WriteError, one_line

_TURN: Final = 0.02
"""So many seconds commits are deleted while the lock is held, and a commit of another thread waits."""
_PAGES: Final = 2000
"""So many pages of a log are given back while the lock is held."""
_PAUSE: Final = 0.001
"""Seconds in which a waiting thread gets the lock: Python's locks are not fair."""


class StoreDirectory:
    """A directory that is open until `close`."""

    def __init__(self, path: Path, *, create: bool = False, read_only: bool = False) -> None:
        """Open a directory for the one writer, or for reading the last committed state.

        Args:
            create: make what is missing.

        Raises:
            KGReasonError: there is no store, and none is to be made; another writer has it open; it is read-only.
            LoadError: its log is damaged, or of another format.
        """
        # A later change of the working directory does not lead to another store.
        self.path = path = path.absolute()
        self.read_only = read_only
        self._lock: WriterLock | None = None
        self._held: HeldFolder | None = None
        # One transaction at a time: a snapshot is written by a thread of its own.
        self._mutex = RLock()
        is_there = os.path.lexists(path / FILE)
        if not is_there and (read_only or not create):
            if os.path.lexists(path) and not os.path.isdir(path):
                raise LoadError("is a file", path=path, expected="the directory of a store")
            raise LoadError("there is no store: open it with create=True to make one", path=path)
        # The folders that were made for a store which was not there, the innermost first; None where no store was made.
        self._made: list[Path] | None = None
        missing = [] if is_there else make_folder(path)
        if not read_only:
            self._lock = self._locked()
        try:
            if not is_there and not os.path.lexists(path / FILE):
                check_empty(path)
                make(path)
                self._made = missing
            self._log = CommitLog(path, writes=not read_only)
        except BaseException:
            self._release()
            raise
        try:
            self._log.check_names()
            if not read_only:
                self._begin()
        except BaseException:
            # SQLite would use the file again that it could not open for writing now.
            with suppress(KGReasonError):
                self.close()
            raise

    def _locked(self) -> WriterLock:
        try:
            return WriterLock(self.path)
        except LockedError as error:
            known: tuple[int, str] | None = None
            with suppress(KGReasonError):
                log = CommitLog(self.path, writes=False)
                known = log.writer()
                log.close()
            where = "" if known is None else f": process {known[0]} on {known[1]}"
            raise LockedError(
                f"{error.reason}{where}; read_only=True reads what was committed", path=self.path
            ) from None

    def _begin(self) -> None:
        self._log.put_writer(os.getpid(), platform.node())
        try:
            self._held = HeldFolder(self.path)
        except OSError as error:
            raise LoadError(f"cannot be read: {one_line(error)}", path=self.path) from error
        self._held.hold((LOCK, *LIVE_FILES))

    def tidy(self) -> None:
        """Delete what a crash left, once what was committed could be read: beside a damaged log nothing is deleted."""
        if not self.read_only:
            delete_parts(self.path, {*os.listdir(self.path)} - self._log.file_names())
            with suppress(KGReasonError):
                self._clear()

    def close(self) -> None:
        """Let others write; what was committed stays."""
        try:
            with self._mutex:  # SQLite crashes where a connection is closed while another thread uses it
                self._log.close()
        finally:
            self._release()

    def abandon(self) -> None:
        """Close, and delete the store if it was made by opening it: something else refused that."""
        with suppress(KGReasonError, OSError):
            if self._made is not None:
                self.destroy()
                for folder in self._made:
                    folder.rmdir()
        self.close()

    @property
    def is_inherited(self) -> bool:
        """Whether another process opened it for writing, of which this one is a fork."""
        return self._held is not None and self._held.is_inherited

    def _check_held(self, fresh: Iterable[FileEntry] = ()) -> None:
        """Raise MovedError or ForkedError unless what is written now comes to where it belongs."""
        if self._held is not None:
            self._held.check([file.name for file in fresh])

    def _release(self) -> None:
        if self._held is not None:
            self._held.release()
            self._held = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    # -- writing ------------------------------------------------------------------------------------------------

    def prepare(self, commit: Commit, after: Position) -> Prepared:
        """Write the large parts of a commit into files, which belong to the log with `append`.

        Raises:
            KGReasonError: they cannot be written; nothing is left of them.
        """
        self._check_held()
        files: dict[str, FileEntry] = {}
        try:
            row = commit_row(self.path, commit, after.number + 1, files)
        except BaseException as error:
            self._delete_unnamed({file.name for file in files.values()})
            if isinstance(error, OSError):
                raise self._failed(error) from error
            raise
        position = Position(row.number, row.chained(after.chain), commit.first + len(commit.keys))
        return Prepared(row, after.chain, position)

    def append(self, prepared: Prepared) -> Position:
        """Put a commit on disk that was prepared.

        Raises:
            MovedError: the directory is not the one that was opened. Nothing can be said of the commit then.
            KGReasonError: it is not there, unless `end` says so: a disk may fail after it has done its work.
        """
        files = prepared.row.files.values()
        try:
            with self._mutex:
                self._check_held(files)
                self._log.append(prepared.row, prepared.before)
                self._check_held(files)
        except BaseException:
            self._delete_unnamed({file.name for file in files})
            raise
        return prepared.position

    def put_base(self, whole: Commit, at: Position) -> None:
        """Let one commit stand for all those up to a place in the log, and give back what they took.

        May run while another thread commits. Readers keep files that they have mapped when these are deleted.

        Raises:
            KGReasonError: the log is as it was.
        """
        files: dict[str, FileEntry] = {}
        before: set[str] = set()
        try:
            self._check_held()
            row = base_row(self.path, whole, at.number, files)
            with self._mutex:
                self._check_held(files.values())
                before = self._log.file_names()
                self._log.put_base(row, at.chain)
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._delete_unnamed({*before, *(file.name for file in files.values())})
        with suppress(KGReasonError):  # the next writer deletes what is left; a file that stays large does no harm
            self._clear()

    def _clear(self) -> None:
        """Delete commits that a base stands for, a few at a time: a commit in another thread waits for no more."""
        rows, is_more = 1, True
        while is_more:
            begin = monotonic()
            with self._mutex:
                is_more = self._log.clear(rows) == rows
            rows = rows * 2 if monotonic() - begin < _TURN else max(1, rows // 2)
            sleep(_PAUSE)
        is_more = True
        while is_more:
            with self._mutex:
                is_more = self._log.shrink(_PAGES)
            sleep(_PAUSE)

    def end(self) -> Position:
        """The end of the log."""
        with self._mutex, self.reading() as transaction:
            return transaction.last()

    def put_snapshot(self, parts: Parts, at: Position) -> None:
        """Replace the snapshot; KGReasonError leaves the one before. May run while another thread commits."""
        self._check_held()
        try:
            file = written(self.path, SNAPSHOT, at.number, parts)
        except OSError as error:
            raise self._failed(error) from error
        names = {file.name}
        try:
            with self._mutex:
                self._check_held([file])
                names |= self._snapshot_names()
                self._log.put_snapshot(SnapshotEntry(at.number, at.chain, file))
        finally:
            self._delete_unnamed(names)

    def forget_snapshot(self) -> None:
        """Have none any more."""
        self._check_held()
        with self._mutex:
            before = self._snapshot_names()
            self._log.put_snapshot(None)
            self._delete_unnamed(before)

    def _snapshot_names(self) -> set[str]:
        """The file of the snapshot; none where what the log says of it makes no sense."""
        with suppress(LoadError):
            before = self._log.snapshot()
            return set() if before is None else {before.file.name}
        return set()

    def destroy(self) -> None:
        """Close, and delete what is kgreason's; the directory itself stays."""
        self._check_held()
        with self._mutex:
            self._log.close()
        delete_store(self.path)
        self._release()
        (self.path / LOCK).unlink(missing_ok=True)

    def _delete_unnamed(self, names: set[str]) -> None:
        """Delete those of some files that the log does not name; what is left is deleted by the next writer."""
        with suppress(KGReasonError), self._mutex:
            delete_parts(self.path, names - self._log.file_names())

    def _failed(self, error: OSError) -> WriteError:
        return WriteError(f"cannot be written in: {one_line(error)}", path=self.path)

    # -- reading ------------------------------------------------------------------------------------------------

    def copy_log(self, folder: Path) -> None:
        """Write the log to another folder, as it is after one commit: what it names is still to be copied."""
        self._log.copy(folder)

    def reconnect(self) -> None:
        """Let a reader see what is committed by now, where its connection shows one state for good."""
        self._log.close()
        self._log = CommitLog(self.path, writes=not self.read_only)
        if self._held is not None:
            self._held.hold(LIVE_FILES)

    def reading(self) -> ReadTransaction:
        """The store as of its last commit; later commits do not show."""
        return ReadTransaction(self.path, self._log)
