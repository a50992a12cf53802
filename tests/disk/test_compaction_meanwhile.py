"""Readers, copies and commits that come while a log is compacted, and a compaction that fails or is killed."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgreason.disk import compaction
from kgreason.disk import connections as connecting
from kgreason.disk.commit_records import Commit
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.read_transaction import Position, ReadTransaction
from kgreason.disk.store_copies import back_up
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import LoadError
from kgreason.io.quads import Quads
from kgreason.store.knowledge_base import DEFAULT_GRAPH
from tests.disk import small
from tests.disk.compaction_cases import TYPE, changed, from_log, log_of
from tests.disk.test_faults import Connection, Disk, failing, outcome, places
from tests.disk.test_opening import FACTS, RULES, filled, held
from tests.facade import Triple, add, ex, remove
from tests.profiles import examples
from tests.thresholds import Tuned, tuning_context

KILLS = examples(6)


def copied(connection: sqlite3.Connection, mode: str) -> sqlite3.Connection:
    """For a reader what there is now, for good."""
    if "mode=ro" not in mode:
        return connection
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.backup(copy)
    connection.close()
    return copy


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("has_snapshot", [True, False])
def test_a_reader_that_opens_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: Tuned, has_snapshot: bool, is_fixed: bool
) -> None:
    """The writer deletes the files of the reader's moment between its beginning and their reading."""
    small.shrink(tuned)
    filled(tmp_path)
    writer = DurableKnowledge(tmp_path, RULES)
    if not has_snapshot:
        writer.directory.forget_snapshot()
    last, turns = ReadTransaction.last, []

    def interrupted(moment: ReadTransaction) -> Position:
        found = last(moment)
        if len(turns) < 3:
            turns.append(moment)
            with monkeypatch.context() as patch:
                patch.setattr(ReadTransaction, "last", last)
                add(writer.knowledge, (ex(f"late{len(turns)}"), TYPE, ex("Cat")))
                writer.commit({})
                if has_snapshot:
                    writer.compact()
                else:
                    compaction.compact(writer.directory, writer.directory.end())
        return found

    monkeypatch.setattr(ReadTransaction, "last", interrupted)
    if is_fixed:  # as where the reader may not write, and has a copy
        ours = connecting._connected
        monkeypatch.setattr(connecting, "_connected", lambda path, mode: copied(ours(path, mode), mode))
    reader = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    monkeypatch.undo()
    assert len(turns) == 3
    assert held(reader) == held(writer)
    for each in (reader, writer):
        each.close()


def test_a_copy_that_is_made_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    small.shrink(tuned)
    filled(tmp_path / "store")
    writer = DurableKnowledge(tmp_path / "store", RULES)
    copy, turns = StoreDirectory.copy_log, []

    def interrupted(directory: StoreDirectory, folder: Path) -> None:
        copy(directory, folder)
        if len(turns) < 3:
            turns.append(folder)
            add(writer.knowledge, (ex(f"late{len(turns)}"), TYPE, ex("Cat")))
            writer.commit({})
            writer.compact()

    monkeypatch.setattr(StoreDirectory, "copy_log", interrupted)
    assert back_up(tmp_path / "store", tmp_path / "copy").number == 6
    assert len(turns) == 3
    copied = DurableKnowledge(tmp_path / "copy", OpenOptions())
    assert held(copied) == held(writer)
    add(copied.knowledge, FACTS[0])
    copied.commit({})
    for each in (copied, writer):
        each.close()


def test_commits_that_come_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    small.shrink(tuned)
    filled(tmp_path)
    store = DurableKnowledge(tmp_path, RULES)
    put = StoreDirectory.put_base

    def interrupted(directory: StoreDirectory, *arguments: Any) -> None:
        add(store.knowledge, *FACTS[:5])
        store.commit({"a setting": "third"})
        put(directory, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(StoreDirectory, "put_base", interrupted)
        store.compact()
    remove(store.knowledge, FACTS[1])
    store.commit({})
    found = held(store)
    store.directory.close()
    assert log_of(tmp_path)[0] == 3
    for _ in range(2):
        again = DurableKnowledge(tmp_path, OpenOptions())
        assert held(again) == found
        assert again.settings["a setting"] == "third"
        again.directory.forget_snapshot()
        again.directory.close()


def test_a_snapshot_from_before_a_base_is_of_no_use(tmp_path: Path) -> None:
    found = filled(tmp_path)
    directory = StoreDirectory(tmp_path)
    with directory.reading() as moment:
        snapshot = moment.snapshot()
    assert snapshot is not None
    place, _ = snapshot
    compaction.compact(directory, directory.end())
    with directory.reading() as moment:
        assert moment.snapshot() is None
        with pytest.raises(LoadError, match="damaged: commit 3"):
            list(moment.commits(place))
    for wrong in (place, replace(directory.end(), chain=1), replace(directory.end(), number=9)):
        with pytest.raises(LoadError, match=f"commit {wrong.number}: not in the log"):
            compaction.compact(directory, wrong)
    directory.close()
    store = DurableKnowledge(tmp_path, OpenOptions())
    assert held(store) == found
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("drops", [False, True])
def test_every_fault(tmp_path: Path, after: bool, drops: bool, tuned: Tuned) -> None:
    small.shrink(tuned)
    found = filled(tmp_path / "whole")
    number = next(each for each in places(after) if not fails(tmp_path / str(each), Disk(each, after), drops, found))
    assert number > 15, "there are fewer places to fail at than a compaction has"


def fails(path: Path, disk: Disk, drops: bool, found: set[Triple]) -> bool:
    """Compact a copy on a disk that fails once, then go on; whether it has failed."""
    shutil.copytree(path.with_name("whole"), path)
    store = DurableKnowledge(path, OpenOptions())
    directory = store.directory
    if drops:
        directory.close()
        directory = StoreDirectory(path)
    connection = directory._log._connection
    directory._log._connection = Connection(disk, connection)
    with failing(disk):
        outcome(lambda: compaction.drop_unused_terms(directory) if drops else store.compact())
    directory._log._connection = connection
    if drops:
        directory.close()
        store = DurableKnowledge(path, OpenOptions())
    add(store.knowledge, FACTS[0])
    store.commit({})
    found = found | {FACTS[0], (FACTS[0][0], TYPE, ex("Animal"))}
    assert held(store) == found
    if not drops:
        store.compact()
    store.directory.close()
    for reopen in (lambda: DurableKnowledge(path, OpenOptions()), lambda: from_log(path)):
        again = reopen()
        assert held(again) == found
        again.knowledge._check()
        again.directory.close()
    assert not list(path.glob("*.new"))
    return disk.has_failed


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
@pytest.mark.parametrize("deed", ["store.compact()", "compaction.drop_unused_terms(store.directory)"])
def test_kills(tmp_path: Path, deed: str) -> None:
    """A process that does nothing but compact is killed: what is there stays."""
    with tuning_context() as tuned:
        small.shrink(tuned)
        store, found = changed(tmp_path)
        store.directory.close()
    chance = random.Random(7)
    for _ in range(KILLS):
        kill(tmp_path, deed, chance)
        for opened in (lambda: DurableKnowledge(tmp_path, OpenOptions()), lambda: from_log(tmp_path)):
            store = opened()
            assert held(store) == found
            store.knowledge._check()
            names = {file.name for file in tmp_path.iterdir()}
            assert len(names) < 80
            assert not any(name.endswith(".new") for name in names)
            store.directory.close()


PROGRAM = """
import itertools, pathlib, sys
from kgreason.disk import compaction
from kgreason.disk import connections as connecting
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from tests.disk import small
from tests.thresholds import tuning_context

with tuning_context() as tuned:
    small.shrink(tuned)
    for number in itertools.count():
        store = DurableKnowledge(pathlib.Path(sys.argv[1]), OpenOptions())
        store.commit({"round": str(number)})
        print(number, flush=True)
        DEED
        store.directory.close()
"""


def kill(path: Path, deed: str, chance: random.Random) -> None:
    command = [sys.executable, "-c", PROGRAM.replace("DEED", deed), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(1 + chance.randrange(4)):
            process.stdout.readline()
        time.sleep(chance.random() * 0.03)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)


def test_a_log_that_names_terms_that_are_missing(tmp_path: Path) -> None:
    directory = StoreDirectory(tmp_path, create=True)
    ids = np.array([0, 1, 2], dtype=np.uint32)
    quads = Quads(np.full(3, DEFAULT_GRAPH, dtype=np.uint32), ids, ids, ids)
    keys = ["http://example.org/0", "http://example.org/1"]
    commit = Commit(0, keys, [(quads, Quads.empty())])
    end = directory.append(directory.prepare(commit, Position()))
    with pytest.raises(LoadError, match="missing"):
        compaction.compact(directory, end)
    with pytest.raises(LoadError, match="missing"):
        compaction.drop_unused_terms(directory)
    directory.close()
    assert log_of(tmp_path)[0] == 1
