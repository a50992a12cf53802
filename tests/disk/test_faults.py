"""A file system that fails once, at every point where it can: one error, and what was committed stands.

A fault comes before the call does anything, or after it has done its work, as when a disk is full or an answer is lost.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count, takewhile
from pathlib import Path
from typing import Any

import pytest

from kgreason.disk import checked_files as files
from kgreason.disk import commit_log
from kgreason.disk import writer_lock as locking
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.errors import KGReasonError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF, RDFS
from tests.disk import small
from tests.disk.outcomes import outcome
from tests.facade import Triple, add, ex, remove, triples
from tests.profiles import IS_THOROUGH
from tests.thresholds import Tuned

TYPE = IRI(RDF + "type")
FIRST = {(ex("Cat"), IRI(RDFS + "subClassOf"), ex("Animal")), *((ex(f"c{i}"), TYPE, ex("Cat")) for i in range(9))}
GONE = {(ex("c0"), TYPE, ex("Cat"))}
COME = {(ex(f"d{i}"), TYPE, ex("Cat")) for i in range(9)}


def closure(explicit: set[Triple]) -> set[Triple]:
    return explicit | {(s, TYPE, ex("Animal")) for s, p, o in explicit if o == ex("Cat")}


class Disk:
    """Counts calls, and lets one of them fail."""

    def __init__(self, failing: int, after: bool) -> None:
        self.calls = 0
        self._failing = failing
        self._after = after

    def call(self, function: Callable[..., Any], error: Exception, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls != self._failing:
            return function(*arguments)
        if self._after:
            function(*arguments)
        raise error

    @property
    def has_failed(self) -> bool:
        return self.calls >= self._failing


class Connection:
    """A connection whose statements may fail."""

    def __init__(self, disk: Disk, connection: sqlite3.Connection) -> None:
        self._disk = disk
        self._connection = connection

    def execute(self, statement: str, *arguments: Any) -> Any:
        if statement == "ROLLBACK":  # which SQLite does by itself when it can do nothing else
            return self._connection.execute(statement)
        fault = sqlite3.OperationalError("disk I/O error")
        fault.sqlite_errorcode = sqlite3.SQLITE_IOERR
        return self._disk.call(self._connection.execute, fault, statement, *arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


def places(after: bool) -> Iterator[int]:
    """The calls to fail at, one in each life: all of them in the thorough profile, otherwise each before or after its
    work, in turns."""
    return count(1) if IS_THOROUGH else count(1 + after, 2)


@contextmanager
def failing(disk: Disk) -> Iterator[None]:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    connect, write, sync, rename = sqlite3.connect, files._write, os.fsync, Path.replace
    with pytest.MonkeyPatch.context() as patch:
        for module in (commit_log, locking):
            patch.setattr(module.sqlite3, "connect", lambda *a, **k: Connection(disk, connect(*a, **k)))
        patch.setattr(files, "_write", lambda *a: disk.call(write, full, *a))
        patch.setattr(files.os, "fsync", lambda *a: disk.call(sync, full, *a))
        patch.setattr(Path, "replace", lambda *a: disk.call(rename, full, *a))
        yield


def shown(store: DurableKnowledge) -> set[Triple]:
    store.knowledge._check()
    return triples(store.knowledge, store.knowledge.all())


def reopened(path: Path) -> set[Triple]:
    store = DurableKnowledge(path, OpenOptions("rdfs-plus"))
    found = shown(store)
    store.directory.close()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_every_fault(tmp_path: Path, after: bool, tuned: Tuned) -> None:
    small.shrink(tuned)
    number = next(number for number in places(after) if not life(tmp_path / str(number), Disk(number, after)))
    assert number > 40, "there are fewer places to fail at than a commit has"


def life(path: Path, disk: Disk) -> bool:
    """What a store goes through; whether something failed."""
    store = DurableKnowledge(path, OpenOptions("rdfs-plus"), create=True)
    add(store.knowledge, *FIRST)
    store.commit({})
    store.write_snapshot()
    store.directory.close()
    with failing(disk):
        store = tried(lambda: DurableKnowledge(path, OpenOptions("rdfs-plus")))
        remove(store.knowledge, *GONE)
        add(store.knowledge, *COME)
        later = FIRST - GONE | COME
        assert shown(store) == closure(later)
        error = outcome(lambda: store.commit({}))
        if error is not None:
            assert shown(store) == closure(later)
            store.roll_back()
            assert shown(store) == closure(FIRST)
            remove(store.knowledge, *GONE)
            add(store.knowledge, *COME)
            store.commit({})
        assert shown(store) == closure(later)
        outcome(store.write_snapshot)
        with suppress(KGReasonError):
            store.close()
    assert reopened(path) == closure(later)
    assert not list(path.glob("*.new"))
    return disk.has_failed


def tried(open_: Callable[[], DurableKnowledge]) -> DurableKnowledge:
    """What opening gives, at the latest the second time."""
    try:
        return open_()
    except KGReasonError:
        return open_()


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_what_a_fault_leaves_when_nobody_tries_again(
    tmp_path: Path, after: bool, tuned: Tuned
) -> None:
    small.shrink(tuned)
    for number in takewhile(lambda number: number < 200, places(after)):
        path = tmp_path / str(number)
        store = DurableKnowledge(path, OpenOptions("rdfs-plus"), create=True)
        add(store.knowledge, *FIRST)
        store.commit({})
        connection, disk = store.directory._log._connection, Disk(number, after)
        store.directory._log._connection = Connection(disk, connection)
        remove(store.knowledge, *GONE)
        add(store.knowledge, *COME)
        with failing(disk):
            error = outcome(lambda store=store: store.commit({}))
        store._snapshots.wait()  # SQLite crashes where a connection is closed while another thread uses it
        connection.close()
        store.directory._release()
        expected = [closure(FIRST), closure(FIRST - GONE | COME)]
        assert reopened(path) in (expected if error else expected[1:])
        if not disk.has_failed:
            return
    raise AssertionError("a commit has no end")


def test_an_opening_that_fails_leaves_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DurableKnowledge(tmp_path, OpenOptions("none"), create=True).close()
    made: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def failing_write(*_: object) -> None:
        raise KGReasonError("the disk is full")

    def noted(*arguments: Any, **options: Any) -> sqlite3.Connection:
        made.append(connect(*arguments, **options))
        return made[-1]

    with monkeypatch.context() as patch:
        patch.setattr(commit_log.CommitLog, "put_writer", failing_write)
        patch.setattr(commit_log.sqlite3, "connect", noted)
        with pytest.raises(KGReasonError, match="disk is full"):
            DurableKnowledge(tmp_path, OpenOptions())
    assert len(made) == 2
    for connection in made:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
