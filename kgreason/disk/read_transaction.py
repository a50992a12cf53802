"""A read transaction: the store on disk as of one commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from kgreason.disk import commit_columns as columns
from kgreason.disk import commit_records as records
from kgreason.disk.checked_files import FileEntry, mapped
from kgreason.disk.commit_log import CommitLog
from kgreason.disk.commit_records import Commit, Keys
from kgreason.disk.json_documents import texts_by_name
from kgreason.disk.log_schema import QUADS, TERMS, Row, Sizes
from kgreason.errors import DamageError, LoadError, Place, located
from kgreason.io.quad_steps import Step


class SupersededError(LoadError):
    """A transaction that is over: a writer has replaced a file since. Begin another one."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the log: after the commit of that number, with its checksum, when there were so many terms."""

    number: int = 0
    chain: int = 0
    terms: int = 0


class ReadTransaction:
    """A directory as of one commit; a context manager."""

    def __init__(self, path: Path, log: CommitLog) -> None:
        self._path = path
        self._log = log
        self._reading = log.read_transaction()

    def __enter__(self) -> ReadTransaction:
        self._reading.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.__exit__(kind, error, trace)

    def last(self) -> Position:
        """The last commit."""
        number, chain = self._log.last()
        return Position(number, chain, self._log.terms_count())

    def setting(self, name: str) -> str | None:
        """The text of a setting that was committed last, None for none; it is checked when the log is read."""
        return self._log.settings().get(name)

    def sizes(self) -> Sizes:
        """Bytes of the log."""
        return self._log.sizes()

    def snapshot(self) -> tuple[Position, memoryview] | None:
        """The snapshot with its place in the log, None where there is none.

        Raises:
            SupersededError: there is another one by now.
            LoadError: it is missing, damaged, or not of this log.
        """
        entry = self._log.snapshot()
        if entry is None:
            return None
        if entry.number > self._log.last()[0]:
            raise DamageError("later than the last commit", path=self._path / entry.file.name)
        return Position(entry.number, entry.chain), present(self._path, entry.file)

    def commits(self, after: Position, until: Position | None = None) -> Iterator[Commit]:
        """The commits after a place in the log, in order, up to another one or the end; a base counts as one commit.

        Raises:
            SupersededError: there is a base in their place by now.
            LoadError: something is damaged, or `until` is not a place in the log after the other one.
        """
        reached = (after.number, after.chain)
        for row, chain in self._log.rows(after.number, after.chain):
            if until is not None and row.number > until.number:
                break
            reached = (row.number, chain)
            with located(path=self._path):
                what = f"the settings of commit {row.number}"
                settings = texts_by_name(row.settings, what) if row.settings is not None else {}
            commit = Commit(row.first, self._keys(row), self._steps(row), settings)
            if len(commit.keys) != row.terms_count or len(commit) != row.quads_count:
                raise DamageError("not as much as was written", path=self._path, part=f"commit {row.number}")
            yield commit
        if until is not None and reached != (until.number, until.chain):
            raise DamageError("not in the log as it should be", path=self._path, part=f"commit {until.number}")

    def _keys(self, row: Row) -> Keys:
        with self._naming(row, TERMS):
            if row.terms is not None:
                return records.keys_from_bytes(row.terms)
            return columns.keys_of_file(self._mapped(row, TERMS), row.terms_count)

    def _steps(self, row: Row) -> list[Step]:
        with self._naming(row, QUADS):
            if row.quads is not None:
                return records.steps_from_bytes(row.quads)
            return columns.steps_of_file(self._mapped(row, QUADS), row.quads_count)

    @contextmanager
    def _naming(self, row: Row, role: str) -> Iterator[None]:
        """Let what is damaged be said with the file, or the part of the log, that it is in."""
        if role in row.files:
            place = Place(path=self._path / row.files[role].name)
        else:
            place = Place(path=self._path, part=f"{role} of commit {row.number}")
        with located(**place):
            yield

    def _mapped(self, row: Row, role: str) -> memoryview:
        if role not in row.files:
            raise DamageError("neither in the log nor in a file")
        return present(self._path, row.files[role])


def present(path: Path, entry: FileEntry) -> memoryview:
    """The bytes of a file that a log named a moment ago, mapped into memory and checked.

    Raises:
        SupersededError: the log does not name it any more.
        LoadError: it is missing or damaged.
    """
    try:
        return mapped(path, entry)
    except LoadError:
        with closing(CommitLog(path, writes=False)) as log:
            if entry.name in log.file_names():
                raise
        raise SupersededError("there is something else in its place by now", path=path / entry.name) from None
