"""Who may open a directory, what is found in it, and what happens to files that are damaged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.log_file import FILE
from kgreason.disk.log_schema import FORMAT
from kgreason.errors import KGReasonError, LoadError, LockedError
from tests.disk import small
from tests.disk.opening_cases import FACTS, RULES, SCHEMA, TYPE, filled, held
from tests.facade import add, ex
from tests.thresholds import Tuned


def test_a_second_writer_is_refused_at_once_and_told_who_writes(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    program = (
        "import sys, pathlib; from kgreason.disk.durable_knowledge import *;"
        "DurableKnowledge(pathlib.Path(sys.argv[1]), OpenOptions())"
    )
    other = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=60)
    assert "LockedError" in other.stderr
    assert f"process {os.getpid()}" in other.stderr
    with pytest.raises(LockedError, match=str(tmp_path)):
        DurableKnowledge(tmp_path, RULES)
    store.close()
    DurableKnowledge(tmp_path, RULES).close()


def test_readers_see_the_last_commit_while_somebody_writes(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    writer = DurableKnowledge(tmp_path, RULES, create=True)
    add(writer.knowledge, SCHEMA, FACTS[0])
    writer.commit({})
    committed = held(writer)
    add(writer.knowledge, *FACTS)
    early = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    assert held(early) == committed
    writer.commit({})
    writer.write_snapshot()
    writer.write_snapshot()
    late = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    assert held(late) == held(writer) != committed
    assert held(early) == committed
    early.knowledge._check()
    add(late.knowledge, (ex("tom"), TYPE, ex("Cat")))
    with pytest.raises(KGReasonError, match="reading only"):
        late.commit({})
    for store in (late, early, writer):
        store.close()


def test_a_reader_changes_nothing_in_the_directory(tmp_path: Path) -> None:
    filled(tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir() if file.suffix not in (".lock", ".sqlite")}
    reader = DurableKnowledge(tmp_path, OpenOptions(), read_only=True)
    held(reader)
    reader.close()
    after = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert {name: after[name] for name in before} == before


def test_a_directory_without_a_store(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(KGReasonError, match="no store"):
            DurableKnowledge(tmp_path, RULES, read_only=read_only)
    (tmp_path / "file").write_text("")
    with pytest.raises(KGReasonError, match="file"):
        DurableKnowledge(tmp_path / "file", RULES, create=True)
    with pytest.raises(KGReasonError, match="file"):
        DurableKnowledge(tmp_path / "file" / "inside", RULES, create=True)
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("pragma", [f"user_version = {FORMAT + 1}", "application_id = 17"])
def test_another_format_is_refused(tmp_path: Path, pragma: str) -> None:
    filled(tmp_path)
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute(f"PRAGMA {pragma}")
    connection.close()
    for read_only in (False, True):
        with pytest.raises(LoadError, match=FILE.replace(".", r"\.")):
            DurableKnowledge(tmp_path, RULES, read_only=read_only)


@pytest.mark.parametrize(
    "damage", ["number = number + 1", "number = number - 1", "chain = chain + 1", "number = number + 1, chain = 0"]
)
def test_a_snapshot_of_another_commit_is_noticed(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    for fact in FACTS[:2]:
        add(store.knowledge, SCHEMA, fact)
        store.commit({})
    store.write_snapshot()
    add(store.knowledge, FACTS[2])
    store.commit({})
    found = held(store)
    store.directory.close()
    change(tmp_path, f"UPDATE snapshot SET {damage}")
    store = DurableKnowledge(tmp_path, RULES)
    assert held(store) == found
    assert "of no use" in caplog.text
    store.close()


def test_a_last_commit_that_was_damaged_is_noticed(tmp_path: Path) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    add(store.knowledge, SCHEMA)
    store.commit({})
    store.write_snapshot()
    store.directory.close()
    change(tmp_path, "UPDATE log SET terms_count = terms_count + 1")
    with pytest.raises(LoadError, match="damaged: commit 1"):
        DurableKnowledge(tmp_path, RULES)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE log SET quads = (SELECT quads FROM log WHERE number = 3) WHERE number = 2",
        "UPDATE log SET settings = replace(settings, 'rdfs', 'rfds') WHERE number = 1",
        "UPDATE log SET settings = '{}' WHERE number = 2",
        "UPDATE log SET first = first + 1 WHERE number = 3",
        "UPDATE log SET number = 9 WHERE number = 4",
        "DELETE FROM log WHERE number = 2",
        "DELETE FROM log WHERE number = 1",
    ],
)
def test_a_commit_that_was_damaged_is_noticed(tmp_path: Path, damage: str) -> None:
    store = DurableKnowledge(tmp_path, RULES, create=True)
    for fact in (SCHEMA, *FACTS[:3]):
        add(store.knowledge, fact)
        store.commit({})
    store.directory.close()
    change(tmp_path, damage)
    with pytest.raises(LoadError, match="damaged: "):
        DurableKnowledge(tmp_path, RULES)


def change(path: Path, statement: str) -> None:
    """Change the catalogue behind the back of kgreason."""
    connection = sqlite3.connect(path / FILE)
    with connection:
        connection.execute(statement)
    connection.close()
