"""What a store on disk was after one commit, for whoever reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from kgreason.durable import columns, records
from kgreason.durable.catalogue import Catalogue
from kgreason.durable.documents import texts_by_name
from kgreason.durable.files import FileEntry, mapped
from kgreason.durable.layout import QUADS, TERMS, Row, Sizes
from kgreason.durable.records import Commit, Keys, Step
from kgreason.errors import LoadError


class SupersededError(LoadError):
    """A moment that is over: a writer has put something else in the place of a file since. Begin with a new moment."""


@dataclass(frozen=True, slots=True)
class Position:
    """A place in the log: after the commit of that number, with its checksum, when there were so many terms."""

    number: int = 0
    chain: int = 0
    terms: int = 0


class Moment:
    """A directory as it was after one commit; a context manager."""

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        self._path = path
        self._catalogue = catalogue
        self._reading = catalogue.at_one_moment()

    def __enter__(self) -> Moment:
        self._reading.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._reading.__exit__(kind, error, trace)

    def last(self) -> Position:
        """The last commit."""
        number, chain = self._catalogue.last()
        return Position(number, chain, self._catalogue.terms_count())

    def setting(self, name: str) -> str | None:
        """The text of a setting that was committed last, None for none; it is checked when the log is read."""
        return self._catalogue.settings().get(name)

    def sizes(self) -> Sizes:
        """Bytes of the log."""
        return self._catalogue.sizes()

    def snapshot_place(self) -> Position | None:
        """Where in the log the snapshot is, whether or not it can be read; None where there is none."""
        entry = self._catalogue.snapshot()
        return None if entry is None else Position(entry.number, entry.chain)

    def snapshot(self) -> tuple[Position, memoryview] | None:
        """The snapshot with its place in the log, None where there is none.

        Raises:
            SupersededError: there is another one by now.
            LoadError: it is missing, damaged, or not of this log.
        """
        entry = self._catalogue.snapshot()
        if entry is None:
            return None
        if entry.number > self._catalogue.last()[0]:
            raise LoadError(f"{self._path / entry.file.name}: later than the last commit")
        return Position(entry.number, entry.chain), present(self._path, entry.file)

    def commits(self, after: Position, until: Position | None = None) -> Iterator[Commit]:
        """The commits after a place in the log, in order, up to another one or the end; a base counts as one commit.

        Raises:
            SupersededError: there is a base in their place by now.
            LoadError: something is damaged, or `until` is no place in the log after the other one.
        """
        reached = (after.number, after.chain)
        for row, chain in self._catalogue.rows(after.number, after.chain):
            if until is not None and row.number > until.number:
                break
            reached = (row.number, chain)
            what = f"{self._path}: the settings of commit {row.number}"
            settings = texts_by_name(row.settings, what) if row.settings is not None else {}
            commit = Commit(row.first, self._keys(row), self._steps(row), settings)
            if len(commit.keys) != row.terms_count or len(commit) != row.quads_count:
                raise LoadError(f"{self._path}: commit {row.number} is damaged: not as much as was written")
            yield commit
        if until is not None and reached != (until.number, until.chain):
            raise LoadError(f"{self._path}: the log has no commit {until.number} as it should be")

    def _keys(self, row: Row) -> Keys:
        with self._naming(row, TERMS):
            if row.terms is not None:
                return records.keys_from_bytes(row.terms)
            return columns.keys_of_file(self._mapped(row, TERMS))

    def _steps(self, row: Row) -> list[Step]:
        with self._naming(row, QUADS):
            if row.quads is not None:
                return records.steps_from_bytes(row.quads)
            return columns.steps_of_file(self._mapped(row, QUADS))

    @contextmanager
    def _naming(self, row: Row, role: str) -> Iterator[None]:
        """Let what is damaged be said with the part that it is in."""
        try:
            yield
        except SupersededError:
            raise
        except LoadError as error:
            if str(self._path) in str(error):
                raise
            where = row.files[role].name if role in row.files else f"{role} of commit {row.number}"
            raise LoadError(f"{self._path}: {where}: {error}") from error

    def _mapped(self, row: Row, role: str) -> memoryview:
        if role not in row.files:
            raise LoadError(f"{self._path}: commit {row.number} is damaged: it has no {role}")
        return present(self._path, row.files[role])


def present(path: Path, entry: FileEntry) -> memoryview:
    """The bytes of a file that a catalogue named a moment ago, mapped into memory and checked.

    Raises:
        SupersededError: the catalogue does not name it any more.
        LoadError: it is missing or damaged.
    """
    try:
        return mapped(path, entry)
    except LoadError:
        with closing(Catalogue(path, writes=False)) as catalogue:
            if entry.name in catalogue.file_names():
                raise
        raise SupersededError(f"{path / entry.name}: there is something else in its place by now") from None
