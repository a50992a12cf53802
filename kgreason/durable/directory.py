"""The directory of a durable store: one writer or any number of readers, the log, and the snapshot.

What is in it:

* ``catalogue.sqlite`` (and SQLite's own ``-wal`` and ``-shm`` beside it): the log;
* ``terms-N-*.arrow``, ``quads-N-*.arrow``: the large parts of commit N;
* ``snapshot-N-*.bin``: the snapshot after commit N;
* ``writer.lock``: the lock of the one writer.

A file that the catalogue does not name is what a crash left: the next writer deletes it.
"""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from threading import RLock
from typing import Final

import pyarrow as pa

from kgreason.durable import columns, records
from kgreason.durable.catalogue import FILE, Catalogue, Row, SnapshotEntry
from kgreason.durable.files import Bytes, FileEntry, mapped, sync_folder, write_whole
from kgreason.durable.locking import FILE as LOCK
from kgreason.durable.locking import WriterLock
from kgreason.durable.records import Commit, Keys, Step
from kgreason.errors import KGReasonError, LoadError, LockedError

LARGE = 1 << 16
"""So many terms or quads of a commit, or more, are a file of their own."""

_OURS: Final = re.compile(r"(terms|quads|snapshot)-\d+-[0-9a-f]+\.(arrow|bin)(\.new)?")


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the log: after the commit of that number, with its checksum, when there were so many terms."""

    number: int = 0
    chain: int = 0
    terms: int = 0


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
        self.path = path
        self.read_only = read_only
        self._lock: WriterLock | None = None
        # One transaction at a time: a snapshot is written by a thread of its own.
        self._mutex = RLock()
        if not create and not (path / FILE).is_file():
            raise KGReasonError(f"there is no store in {path}: open it with create=True to make one")
        if not read_only:
            self._make(path)
            self._lock = self._locked()
        try:
            self._catalogue = Catalogue(path, writes=not read_only)
            if not read_only:
                self._begin()
        except BaseException:
            self._release()
            raise

    def _begin(self) -> None:
        try:
            self._catalogue.put_writer(os.getpid(), platform.node())
            self._delete_leftovers()
        except BaseException:
            # SQLite would use the file again that it could not open for writing now.
            with suppress(KGReasonError):
                self._catalogue.close()
            raise

    @staticmethod
    def _make(path: Path) -> None:
        try:
            if not path.is_dir():
                path.mkdir(parents=True)
                sync_folder(path.parent)
        except OSError as error:
            raise KGReasonError(f"cannot make the directory {path}: {error.strerror}") from error

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

    def close(self) -> None:
        """Let others write; what was committed stays."""
        try:
            self._catalogue.close()
        finally:
            self._release()

    def _release(self) -> None:
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

    def commit(self, commit: Commit, after: Position) -> Position:
        """Put a commit on disk.

        Raises:
            KGReasonError: it is not there, unless `end` says so: a disk may fail after it has done its work.
        """
        number = after.number + 1
        files: dict[str, FileEntry] = {}
        terms: bytes | None = None
        quads: bytes | None = None
        try:
            if len(commit.keys) >= LARGE or isinstance(commit.keys, pa.Array):
                files["terms"] = self._written(f"terms-{number}", ".arrow", [columns.keys_file(commit.keys)])
            else:
                terms = records.keys_to_bytes(commit.keys)
            if len(commit) >= LARGE:
                files["quads"] = self._written(f"quads-{number}", ".arrow", [columns.steps_file(commit.steps)])
            else:
                quads = records.steps_to_bytes(commit.steps)
            settings = json.dumps(dict(commit.settings)) if commit.settings else None
            row = Row(number, commit.first, len(commit.keys), settings, terms, quads, len(commit), files)
            with self._mutex:
                chain = self._catalogue.append(row, after.chain)
        except BaseException as error:
            self._delete_unnamed(files.values())
            if isinstance(error, OSError):
                raise self._failed(error) from error
            raise
        return Position(number, chain, commit.first + len(commit.keys))

    def end(self) -> Position:
        """The end of the log."""
        with self._mutex, self.reading() as moment:
            return moment.last()

    def put_snapshot(self, parts: Iterable[Bytes], at: Position) -> None:
        """Replace the snapshot; KGReasonError leaves the one before. May run while somebody else commits."""
        try:
            file = self._written(f"snapshot-{at.number}", ".bin", parts)
        except OSError as error:
            raise self._failed(error) from error
        files = [file]
        try:
            with self._mutex:
                before = self._catalogue.snapshot()
                files += [] if before is None else [before.file]
                self._catalogue.put_snapshot(SnapshotEntry(at.number, at.chain, file))
        finally:
            self._delete_unnamed(files)

    def forget_snapshot(self) -> None:
        """Have none any more."""
        with self._mutex:
            before = self._catalogue.snapshot()
            if before is not None:
                self._catalogue.put_snapshot(None)
                self._delete_unnamed([before.file])

    def destroy(self) -> None:
        """Close, and delete what is kgreason's; the directory itself stays."""
        self._catalogue.close()
        for path in list(self.path.iterdir()):
            if _OURS.fullmatch(path.name) or path.name in (f"{FILE}{end}" for end in ("", "-wal", "-shm")):
                path.unlink(missing_ok=True)
        self._release()
        (self.path / LOCK).unlink(missing_ok=True)

    def _written(self, name: str, end: str, parts: Iterable[Bytes]) -> FileEntry:
        return write_whole(self.path, f"{name}-{token_hex(4)}{end}", parts)

    def _delete_unnamed(self, files: Iterable[FileEntry]) -> None:
        """Delete those of some files that the catalogue does not name; what is left is deleted by the next writer."""
        with suppress(OSError, KGReasonError), self._mutex:
            named = self._catalogue.file_names()
            for file in files:
                if file.name not in named:
                    (self.path / file.name).unlink(missing_ok=True)

    def _failed(self, error: OSError) -> KGReasonError:
        return KGReasonError(f"cannot write in {self.path}: {error.strerror or error}")

    # -- reading ------------------------------------------------------------------------------------------------

    def copy_catalogue(self, folder: Path) -> None:
        """Write the catalogue to another folder, as it is after one commit: what it names is still to be copied."""
        self._catalogue.copy(folder)

    def reading(self) -> Moment:
        """What is committed now, whatever comes meanwhile."""
        return Moment(self.path, self._catalogue)


class Moment:
    """The directory as it was after one commit; a context manager."""

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        self._path = path
        self._catalogue = catalogue
        self._reading = catalogue.at_one_moment()

    def __enter__(self) -> Moment:
        self._reading.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._reading.__exit__(*error)  # type: ignore[arg-type]

    def last(self) -> Position:
        """The last commit."""
        number, chain = self._catalogue.last()
        return Position(number, chain, self._catalogue.terms_count())

    def setting(self, name: str) -> str | None:
        """The text of a setting that was committed last, None for none; it is checked when the log is read."""
        return self._catalogue.settings().get(name)

    def snapshot(self) -> tuple[Position, memoryview] | None:
        """The snapshot with its place in the log, None where there is none.

        Raises:
            LoadError: it is missing, damaged, or not of this log.
        """
        entry = self._catalogue.snapshot()
        if entry is None:
            return None
        if entry.number > self._catalogue.last()[0]:
            raise LoadError(f"{self._path / entry.file.name}: later than the last commit")
        return Position(entry.number, entry.chain), mapped(self._path, entry.file)

    def commits(self, after: Position) -> Iterator[Commit]:
        """The commits after a place in the log, in order; LoadError for what is damaged."""
        for row in self._catalogue.rows(after.number, after.chain):
            settings = json.loads(row.settings) if row.settings is not None else {}
            commit = Commit(row.first, self._keys(row), self._steps(row), settings)
            if len(commit.keys) != row.terms_count or len(commit) != row.quads_count:
                raise LoadError(f"{self._path}: commit {row.number} is damaged: not as much as was written")
            yield commit

    def _keys(self, row: Row) -> Keys:
        if row.terms is not None:
            return records.keys_from_bytes(row.terms)
        return columns.keys_of_file(self._mapped(row, "terms"))

    def _steps(self, row: Row) -> list[Step]:
        if row.quads is not None:
            return records.steps_from_bytes(row.quads)
        return columns.steps_of_file(self._mapped(row, "quads"))

    def _mapped(self, row: Row, role: str) -> memoryview:
        if role not in row.files:
            raise LoadError(f"{self._path}: commit {row.number} is damaged: it has no {role}")
        return mapped(self._path, row.files[role])
