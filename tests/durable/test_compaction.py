"""A log that is compacted says the same in less room, whoever reads or copies it meanwhile, and whatever fails."""

from __future__ import annotations

import os
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

from kgreason.durable import compaction, connecting
from kgreason.durable.backup import back_up
from kgreason.durable.catalogue import FILE
from kgreason.durable.directory import Directory
from kgreason.durable.moments import Moment, Position
from kgreason.durable.records import Commit
from kgreason.errors import KGReasonError, LoadError
from kgreason.knowledge.base import DEFAULT_GRAPH
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from kgreason.loading.quads import Quads
from kgreason.terms.model import IRI
from kgreason.terms.vocabulary import RDF, RDFS
from tests.durable import small
from tests.durable.test_faults import Connection, Disk, failing, outcome
from tests.durable.test_opening import FACTS, RULES, SCHEMA, filled, held
from tests.facade import Triple, add, ex, remove, triples

TYPE = IRI(RDF + "type")
LABEL = IRI(RDFS + "label")
# The key of a term that stores of version 0.1.0 may have, and that nobody can add any more.
NO_TEXT = '"\ud800, which is no Unicode"'
GRAPH = ex("graph")
KILLS = 60 if os.environ.get("KGREASON_THOROUGH") else 12


def changed(path: Path, commits: int = 30) -> tuple[DurableKnowledge, set[Triple]]:
    """A store that has seen much more than what is left, and what is in it."""
    store = DurableKnowledge(path, RULES, create=True)
    base = store.knowledge
    add(base, SCHEMA, *FACTS[:3])
    base.add(DEFAULT_GRAPH, *map(base.dictionary.encode, (ex("c0"), LABEL)), base.dictionary.encode_key(NO_TEXT))
    base.add(base.dictionary.encode(GRAPH), *map(base.dictionary.encode, FACTS[4]))
    store.commit({"a setting": "first"})
    for number in range(commits):
        add(base, (ex(f"new{number}"), TYPE, ex("Cat")))
        remove(base, (ex(f"new{number - 1}"), TYPE, ex("Cat")))
        store.commit({"a setting": str(number)})
    return store, held(store)


def log_of(path: Path) -> tuple[int, int]:
    """How many commits the log has, and how many bytes the catalogue."""
    directory = Directory(path, read_only=True)
    with directory.reading() as moment:
        count = len(list(moment.commits(Position())))
    directory.close()
    return count, (path / FILE).stat().st_size


def without_snapshot(path: Path) -> Directory:
    """The directory for the one writer, with nothing but its log."""
    directory = Directory(path)
    directory.forget_snapshot()
    return directory


def test_the_same_in_less_room(tmp_path: Path) -> None:
    store, found = changed(tmp_path, 800)
    ids = {triple: [store.knowledge.dictionary.lookup(term) for term in triple] for triple in found}
    early = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    large = log_bytes(tmp_path)
    store.compact()
    assert held(store) == found
    add(store.knowledge, FACTS[9])
    store.commit({})
    expected = held(store)
    store.directory.close()
    assert log_of(tmp_path)[0] == 2
    assert held(early) == found
    early.knowledge._check()
    early.close()
    assert log_bytes(tmp_path) < large / 2
    without_snapshot(tmp_path).close()
    assert (tmp_path / FILE).stat().st_size < large / 2, "what is free is not given back"
    again = DurableKnowledge(tmp_path, Wishes())
    assert held(again) == expected
    assert again.settings["a setting"] == "799"
    assert triples(again.knowledge, again.knowledge.graph(again.knowledge.dictionary.encode(GRAPH))) == {FACTS[4]}
    lookup = again.knowledge.dictionary.lookup
    assert {triple: [lookup(term) for term in triple] for triple in found} == ids, "ids are not what they were"
    again.close()


def log_bytes(path: Path) -> int:
    """What the log takes, files and catalogue together."""
    directory = Directory(path, read_only=True)
    with directory.reading() as moment:
        size = moment.sizes().log
    directory.close()
    return size


def test_a_log_that_grows_is_compacted_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    monkeypatch.setattr(compaction, "LEAST", 1 << 15)
    monkeypatch.setattr(compaction, "SHARE", 3)
    store, _ = changed(tmp_path, 500)
    store.close()
    commits, room = log_of(tmp_path)
    assert commits < 350
    assert room < 1 << 17
    assert len({file.name for file in tmp_path.iterdir()}) < 8, "files that nobody names"


def test_a_log_that_has_only_grown_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "LEAST", 1 << 12)
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, *((ex(f"c{number}"), TYPE, ex("Cat")) for number in range(20_000)))
    store.commit({})
    store.close()
    before = {file.name for file in tmp_path.glob("[tq]*.arrow")}
    store = DurableKnowledge(tmp_path, RULES)
    add(store.knowledge, *((ex(f"d{number}"), TYPE, ex("Cat")) for number in range(20_000)))
    store.commit({})
    store.close()
    assert before <= {file.name for file in tmp_path.glob("[tq]*.arrow")}
    assert log_of(tmp_path)[0] == 2


def test_what_is_not_committed_is_not_compacted(tmp_path: Path) -> None:
    store, found = changed(tmp_path)
    add(store.knowledge, FACTS[9])
    with pytest.raises(KGReasonError, match="commit first"):
        store.compact()
    store.roll_back()
    store.compact()
    reader = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    with pytest.raises(KGReasonError, match="reading only"):
        reader.compact()
    assert held(reader) == held(store) == found
    for each in (reader, store):
        each.close()


def test_terms_that_nothing_uses_are_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    store, found = changed(tmp_path)
    quads = held_in(store)
    early = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    store.directory.close()
    directory = Directory(tmp_path)
    before = directory.end()
    compaction.drop_unused_terms(directory)
    after = directory.end()
    directory.close()
    assert (after.number, after.chain) == (before.number, before.chain)
    used = {term for graph, triple in quads for term in (*triple, graph)} - {None}
    assert after.terms == len(used) < before.terms
    store = DurableKnowledge(tmp_path, Wishes())
    assert held(early) == held(store) == found
    assert held_in(store) == quads
    add(store.knowledge, FACTS[9])
    store.commit({})
    found = held(store)
    for each in (early, store):
        each.close()
    store = from_log(tmp_path)
    assert held(store) == found
    store.close()


def held_in(store: DurableKnowledge) -> set[tuple[IRI | None, Triple]]:
    base = store.knowledge
    graphs = {DEFAULT_GRAPH: None, base.dictionary.encode(GRAPH): GRAPH}
    return {(name, triple) for graph, name in graphs.items() for triple in triples(base, base.graph(graph))}


def from_log(path: Path) -> DurableKnowledge:
    """A store that was opened from its log alone."""
    without_snapshot(path).close()
    return DurableKnowledge(path, Wishes())


def copied(connection: sqlite3.Connection, mode: str) -> sqlite3.Connection:
    """For a reader what there is now, for good."""
    if "mode=ro" not in mode:
        return connection
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.backup(copy)
    return copy


@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("has_snapshot", [True, False])
def test_a_reader_that_opens_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_snapshot: bool, is_fixed: bool
) -> None:
    """The writer deletes the files of the reader's moment between its beginning and their reading."""
    small.shrink(monkeypatch)
    filled(tmp_path)
    writer = DurableKnowledge(tmp_path, RULES)
    if not has_snapshot:
        writer.directory.forget_snapshot()
    last, turns = Moment.last, []

    def interrupted(moment: Moment) -> Position:
        found = last(moment)
        if len(turns) < 3:
            turns.append(moment)
            with monkeypatch.context() as patch:
                patch.setattr(Moment, "last", last)
                add(writer.knowledge, (ex(f"late{len(turns)}"), TYPE, ex("Cat")))
                writer.commit({})
                if has_snapshot:
                    writer.compact()
                else:
                    compaction.compact(writer.directory, writer.directory.end())
        return found

    monkeypatch.setattr(Moment, "last", interrupted)
    if is_fixed:  # as where the reader may not write, and has a copy
        ours = connecting._connected
        monkeypatch.setattr(connecting, "_connected", lambda path, mode: copied(ours(path, mode), mode))
    reader = DurableKnowledge(tmp_path, Wishes(), read_only=True)
    monkeypatch.undo()
    assert len(turns) == 3
    assert held(reader) == held(writer)
    for each in (reader, writer):
        each.close()


def test_a_copy_that_is_made_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    filled(tmp_path / "store")
    writer = DurableKnowledge(tmp_path / "store", RULES)
    copy, turns = Directory.copy_catalogue, []

    def interrupted(directory: Directory, folder: Path) -> None:
        copy(directory, folder)
        if len(turns) < 3:
            turns.append(folder)
            add(writer.knowledge, (ex(f"late{len(turns)}"), TYPE, ex("Cat")))
            writer.commit({})
            writer.compact()

    monkeypatch.setattr(Directory, "copy_catalogue", interrupted)
    assert back_up(tmp_path / "store", tmp_path / "copy").number == 5
    assert len(turns) == 3
    copied = DurableKnowledge(tmp_path / "copy", Wishes())
    assert held(copied) == held(writer)
    add(copied.knowledge, FACTS[0])
    copied.commit({})
    for each in (copied, writer):
        each.close()


def test_commits_that_come_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    filled(tmp_path)
    store = DurableKnowledge(tmp_path, RULES)
    put = Directory.put_base

    def interrupted(directory: Directory, *arguments: Any) -> None:
        add(store.knowledge, *FACTS[:5])
        store.commit({"a setting": "third"})
        put(directory, *arguments)

    with monkeypatch.context() as patch:
        patch.setattr(Directory, "put_base", interrupted)
        store.compact()
    remove(store.knowledge, FACTS[1])
    store.commit({})
    found = held(store)
    store.directory.close()
    assert log_of(tmp_path)[0] == 3
    for _ in range(2):
        again = DurableKnowledge(tmp_path, Wishes())
        assert held(again) == found
        assert again.settings["a setting"] == "third"
        again.directory.forget_snapshot()
        again.directory.close()


def test_a_snapshot_from_before_a_base_is_of_no_use(tmp_path: Path) -> None:
    found = filled(tmp_path)
    directory = Directory(tmp_path)
    with directory.reading() as moment:
        entry = directory._catalogue.snapshot()
        place = moment.snapshot_place()
    assert entry is not None
    assert place is not None
    compaction.compact(directory, directory.end())
    with directory.reading() as moment:
        assert moment.snapshot_place() is None
        with pytest.raises(LoadError, match="commit 2 is damaged"):
            list(moment.commits(place))
    for wrong in (place, replace(directory.end(), chain=1), replace(directory.end(), number=3)):
        with pytest.raises(LoadError, match=f"no commit {wrong.number}"):
            compaction.compact(directory, wrong)
    directory.close()
    store = DurableKnowledge(tmp_path, Wishes())
    assert held(store) == found
    store.close()


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("drops", [False, True])
def test_every_fault(tmp_path: Path, after: bool, drops: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    small.shrink(monkeypatch)
    found = filled(tmp_path / "whole")
    number = 1
    while fails(tmp_path / str(number), Disk(number, after), drops, found):
        number += 1
    assert number > 15, "there are fewer places to fail at than a compaction has"


def fails(path: Path, disk: Disk, drops: bool, found: set[Triple]) -> bool:
    """Compact a copy on a disk that fails once, then go on; whether it has failed."""
    shutil.copytree(path.with_name("whole"), path)
    store = DurableKnowledge(path, Wishes())
    directory = store.directory
    if drops:
        directory.close()
        directory = Directory(path)
    connection = directory._catalogue._connection
    directory._catalogue._connection = Connection(disk, connection)  # type: ignore[assignment]
    with failing(disk):
        outcome(lambda: compaction.drop_unused_terms(directory) if drops else store.compact())
    directory._catalogue._connection = connection
    if drops:
        directory.close()
        store = DurableKnowledge(path, Wishes())
    add(store.knowledge, FACTS[0])
    store.commit({})
    found = found | {FACTS[0], (FACTS[0][0], TYPE, ex("Animal"))}
    assert held(store) == found
    if not drops:
        store.compact()
    store.directory.close()
    for reopen in (lambda: DurableKnowledge(path, Wishes()), lambda: from_log(path)):
        again = reopen()
        assert held(again) == found
        again.knowledge._check()
        again.directory.close()
    assert not list(path.glob("*.new"))
    return disk.has_failed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
@pytest.mark.parametrize("deed", ["store.compact()", "compaction.drop_unused_terms(store.directory)"])
def test_kills(tmp_path: Path, deed: str) -> None:
    """A process that does nothing but compact is killed: what is there stays."""
    with pytest.MonkeyPatch.context() as patch:
        small.shrink(patch)
        store, found = changed(tmp_path)
        store.directory.close()
    chance = random.Random(7)
    for _ in range(KILLS):
        kill(tmp_path, deed, chance)
        for opened in (lambda: DurableKnowledge(tmp_path, Wishes()), lambda: from_log(tmp_path)):
            store = opened()
            assert held(store) == found
            store.knowledge._check()
            names = {file.name for file in tmp_path.iterdir()}
            assert len(names) < 80
            assert not any(name.endswith(".new") for name in names)
            store.directory.close()


PROGRAM = """
import itertools, pathlib, sys
import pytest
from kgreason.durable import compaction, connecting
from kgreason.knowledge.durability import DurableKnowledge, Wishes
from tests.durable import small

small.shrink(pytest.MonkeyPatch())
for number in itertools.count():
    store = DurableKnowledge(pathlib.Path(sys.argv[1]), Wishes())
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
    directory = Directory(tmp_path, create=True)
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
