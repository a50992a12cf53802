"""The directory of a durable store: one writer or any number of readers, the log, and the snapshot.

What is in it:

* ``catalogue.sqlite`` (and SQLite's own ``-wal`` and ``-shm`` beside it): the log;
* ``terms-N-*.arrow``, ``quads-N-*.arrow``: the large parts of commit N, or of a base up to it;
* ``snapshot-N-*.arrow``: the snapshot after commit N;
* ``writer.lock``: the lock of the one writer.

A file that the catalogue does not name is what a crash left: the next writer deletes it. A directory without a
catalogue is no store, and one with a damaged catalogue is a damaged store: nothing in it is written or deleted.

The writer holds the directory (`holding`): before a commit and after it, all of this must still be where it was.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import RLock
from time import monotonic, sleep
from typing import Final

import pyarrow as pa

from kgreason.durable import columns, records
from kgreason.durable.catalogue import FILE, LIVE_FILES, NEW_FILES, Catalogue
from kgreason.durable.files import FileEntry, Parts, sync_folder, write_whole
from kgreason.durable.holding import Held
from kgreason.durable.layout import QUADS, SNAPSHOT, TERMS, Row, SnapshotEntry
from kgreason.durable.locking import FILE as LOCK
from kgreason.durable.locking import WriterLock
from kgreason.durable.moments import Moment, Position
from kgreason.durable.records import Commit
from kgreason.errors import KGReasonError, LoadError, LockedError

LARGE = 1 << 16
"""So many terms or quads of a commit, or more, are a file of their own."""

# Seconds, and pages of SQLite, that somebody who commits can be made to wait for.
_TURN: Final = 0.02
_PAGES: Final = 2000
# Seconds in which somebody who waits gets his turn: Python's locks are not fair.
_PAUSE: Final = 0.001

_OURS: Final = re.compile(r"(terms|quads|snapshot)-\d+-[0-9a-f]+\.(arrow|bin)(\.new)?")
# What may be left of a store that was never made.
_UNMADE: Final = {LOCK, *NEW_FILES}


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit whose files are written: its row, the checksum of the one before, and its place in the log."""

    row: Row
    before: int
    position: Position


class Directory:
    """A directory that is open until `close`."""

    def __init__(self, path: Path, *, create: bool = False, read_only: bool = False) -> None:
        """Open a directory for the one writer, or for reading the last committed state.

        Args:
            create: make what is missing.

        Raises:
            KGReasonError: there is no store, and none is to be made; another writer has it open; it is read-only.
            LoadError: its catalogue is damaged, or of another format.
        """
        # Whoever changes the working directory meanwhile means no other store by that.
        self.path = path = path.absolute()
        self.read_only = read_only
        self._lock: WriterLock | None = None
        self._held: Held | None = None
        # One transaction at a time: a snapshot is written by a thread of its own.
        self._mutex = RLock()
        is_there = os.path.lexists(path / FILE)
        if not is_there and (read_only or not create):
            raise KGReasonError(f"there is no store in {path}: open it with create=True to make one")
        if not is_there:
            self._make(path)
        if not read_only:
            self._lock = self._locked()
        try:
            if not is_there and not os.path.lexists(path / FILE):
                self._check_empty(path)
                Catalogue.make(path)
            self._catalogue = Catalogue(path, writes=not read_only)
        except BaseException:
            self._release()
            raise
        try:
            self._catalogue.check_names()
            if not read_only:
                self._begin()
        except BaseException:
            # SQLite would use the file again that it could not open for writing now.
            with suppress(KGReasonError):
                self.close()
            raise

    @staticmethod
    def _make(path: Path) -> None:
        try:
            if not path.is_dir():
                path.mkdir(parents=True)
                sync_folder(path.parent)
        except OSError as error:
            raise KGReasonError(f"cannot make the directory {path}: {error.strerror}") from error
        Directory._check_empty(path)

    @staticmethod
    def _check_empty(path: Path) -> None:
        """Raise KGReasonError where a new store would stand among other files, those of one that lost its catalogue,
        say."""
        try:
            others = sorted({*os.listdir(path)} - _UNMADE)
        except OSError as error:
            raise KGReasonError(f"cannot read {path}: {error.strerror}") from error
        if others:
            raise KGReasonError(
                f"{path}: there is no store, but {others[0]!a} (an empty or missing directory was expected)"
            )

    def _locked(self) -> WriterLock:
        try:
            return WriterLock(self.path)
        except LockedError as error:
            known: tuple[int, str] | None = None
            with suppress(KGReasonError):
                catalogue = Catalogue(self.path, writes=False)
                known = catalogue.writer()
                catalogue.close()
            where = "" if known is None else f": process {known[0]} on {known[1]}"
            raise LockedError(f"{error}{where}; read_only=True reads what was committed") from None

    def _begin(self) -> None:
        self._catalogue.put_writer(os.getpid(), platform.node())
        try:
            self._held = Held(self.path)
        except OSError as error:
            raise KGReasonError(f"cannot read {self.path}: {error.strerror}") from error
        self._held.hold((LOCK, *LIVE_FILES))

    def tidy(self) -> None:
        """Delete what a crash left, once what was committed could be read: beside a damaged log nothing is deleted."""
        if not self.read_only:
            self._delete_leftovers()
            with suppress(KGReasonError):
                self._clear()

    def close(self) -> None:
        """Let others write; what was committed stays."""
        try:
            with self._mutex:  # SQLite crashes where a connection is closed while another thread uses it
                self._catalogue.close()
        finally:
            self._release()

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

    def _delete_leftovers(self) -> None:
        named = self._catalogue.file_names()
        for path in self.path.iterdir():
            if _OURS.fullmatch(path.name) and path.name not in named:
                with suppress(OSError):
                    path.unlink()

    # -- writing ------------------------------------------------------------------------------------------------

    def prepare(self, commit: Commit, after: Position) -> Prepared:
        """Write the large parts of a commit into files, which belong to the log with `append`.

        Raises:
            KGReasonError: they cannot be written; nothing is left of them.
        """
        self._check_held()
        number = after.number + 1
        files: dict[str, FileEntry] = {}
        terms: bytes | None = None
        quads: bytes | None = None
        try:
            if len(commit.keys) >= LARGE or isinstance(commit.keys, pa.Array):
                files[TERMS] = self._written(TERMS, number, [columns.keys_file(commit.keys)])
            else:
                terms = records.keys_to_bytes(commit.keys)
            if len(commit) >= LARGE:
                files[QUADS] = self._written(QUADS, number, [columns.steps_file(commit.steps)])
            else:
                quads = records.steps_to_bytes(commit.steps)
            settings = json.dumps(dict(commit.settings)) if commit.settings else None
            row = Row(number, commit.first, len(commit.keys), settings, terms, quads, len(commit), files)
        except BaseException as error:
            self._delete_unnamed({file.name for file in files.values()})
            if isinstance(error, OSError):
                raise self._failed(error) from error
            raise
        position = Position(number, row.chained(after.chain), commit.first + len(commit.keys))
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
                self._catalogue.append(prepared.row, prepared.before)
                self._check_held(files)
        except BaseException:
            self._delete_unnamed({file.name for file in files})
            raise
        return prepared.position

    def put_base(self, whole: Commit, at: Position) -> None:
        """Let one commit stand for all those up to a place in the log, and give back what they took.

        May run while somebody else commits. Whoever has files mapped that are deleted here keeps what is in them.

        Raises:
            KGReasonError: the log is as it was.
        """
        files: dict[str, FileEntry] = {}
        before: set[str] = set()
        try:
            self._check_held()
            files[TERMS] = self._written(TERMS, at.number, [columns.keys_file(whole.keys)])
            files[QUADS] = self._written(QUADS, at.number, [columns.steps_file(whole.steps)])
            settings = json.dumps(dict(whole.settings))
            row = Row(at.number, whole.first, len(whole.keys), settings, None, None, len(whole), files)
            with self._mutex:
                self._check_held(files.values())
                before = self._catalogue.file_names()
                self._catalogue.put_base(row, at.chain)
        except OSError as error:
            raise self._failed(error) from error
        finally:
            self._delete_unnamed({*before, *(file.name for file in files.values())})
        with suppress(KGReasonError):  # what is left is deleted by the next writer; a file that stays large is no loss
            self._clear()

    def _clear(self) -> None:
        """Delete commits that a base stands for, a few at a time: whoever commits meanwhile waits for no more."""
        rows, is_more = 1, True
        while is_more:
            begin = monotonic()
            with self._mutex:
                is_more = self._catalogue.clear(rows) == rows
            rows = rows * 2 if monotonic() - begin < _TURN else max(1, rows // 2)
            sleep(_PAUSE)
        is_more = True
        while is_more:
            with self._mutex:
                is_more = self._catalogue.shrink(_PAGES)
            sleep(_PAUSE)

    def end(self) -> Position:
        """The end of the log."""
        with self._mutex, self.reading() as moment:
            return moment.last()

    def put_snapshot(self, parts: Parts, at: Position) -> None:
        """Replace the snapshot; KGReasonError leaves the one before. May run while somebody else commits."""
        self._check_held()
        try:
            file = self._written(SNAPSHOT, at.number, parts)
        except OSError as error:
            raise self._failed(error) from error
        names = {file.name}
        try:
            with self._mutex:
                self._check_held([file])
                names |= self._snapshot_names()
                self._catalogue.put_snapshot(SnapshotEntry(at.number, at.chain, file))
        finally:
            self._delete_unnamed(names)

    def forget_snapshot(self) -> None:
        """Have none any more."""
        self._check_held()
        with self._mutex:
            before = self._snapshot_names()
            self._catalogue.put_snapshot(None)
            self._delete_unnamed(before)

    def _snapshot_names(self) -> set[str]:
        """The file of the snapshot; none where the catalogue says no sense of it."""
        with suppress(LoadError):
            before = self._catalogue.snapshot()
            return set() if before is None else {before.file.name}
        return set()

    def destroy(self) -> None:
        """Close, and delete what is kgreason's; the directory itself stays."""
        self._check_held()
        with self._mutex:
            self._catalogue.close()
        for path in list(self.path.iterdir()):
            if _OURS.fullmatch(path.name) or path.name in (f"{FILE}{end}" for end in ("", "-wal", "-shm")):
                path.unlink(missing_ok=True)
        self._release()
        (self.path / LOCK).unlink(missing_ok=True)

    def _written(self, role: str, number: int, parts: Parts) -> FileEntry:
        return write_whole(self.path, f"{role}-{number}-{token_hex(4)}.arrow", parts)

    def _delete_unnamed(self, names: set[str]) -> None:
        """Delete those of some files that the catalogue does not name; what is left is deleted by the next writer."""
        with suppress(OSError, KGReasonError), self._mutex:
            for name in names - self._catalogue.file_names():
                if _OURS.fullmatch(name):
                    (self.path / name).unlink(missing_ok=True)

    def _failed(self, error: OSError) -> KGReasonError:
        return KGReasonError(f"cannot write in {self.path}: {error.strerror or error}")

    # -- reading ------------------------------------------------------------------------------------------------

    def copy_catalogue(self, folder: Path) -> None:
        """Write the catalogue to another folder, as it is after one commit: what it names is still to be copied."""
        self._catalogue.copy(folder)

    def reconnect(self) -> None:
        """Let a reader see what is committed by now, where its connection shows one state for good."""
        self._catalogue.close()
        self._catalogue = Catalogue(self.path, writes=not self.read_only)
        if self._held is not None:
            self._held.hold(LIVE_FILES)

    def reading(self) -> Moment:
        """What is committed now, whatever comes meanwhile."""
        return Moment(self.path, self._catalogue)
