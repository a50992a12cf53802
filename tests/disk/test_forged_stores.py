"""Stores from an attacker, with checksums that are right: one error that names the path and the part, or no effect.

Would catch a file name that leads out of the directory, a value of a type that the code does not expect, statements of
the attacker in the place of a table, and a store that is taken for an empty one and cleared away. Around every attack
lie files that must stay as they are, and no process may be started, no module imported from there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDFS

from kgreason import ReasoningStore
from kgreason.disk.log_file import FILE
from kgreason.disk.store_copies import back_up
from kgreason.disk.writer_lock import FILE as LOCK
from kgreason.errors import KGReasonError, LoadError
from tests.disk import forging
from tests.disk.store_attacks import _NO_SNAPSHOT, LOCKS, LOG, SNAPSHOT, Attack
from tests.thresholds import tuning_context

EX = "http://example.org/"


PRECIOUS = "precious\n"


_LIVE = {f"{FILE}-wal", f"{FILE}-shm", LOCK}


def _is_kept(name: str) -> bool:
    return name not in _LIVE and not name.startswith("snapshot")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_store(tmp_path_factory.mktemp("made") / "store")


def make_store(path: Path) -> Path:
    """A store with two commits, the first one in files, and a snapshot."""
    with tuning_context() as tuned, ReasoningStore(rules="rdfs") as store:
        tuned(LARGE_COMMIT=16)
        store.open(str(path), create=True)
        graph = Graph(store=store)
        for number in range(30):
            graph.add((URIRef(f"{EX}c{number}"), RDFS.subClassOf, URIRef(f"{EX}c{number + 1}")))
        graph.commit()
        graph.add((URIRef(f"{EX}first"), RDFS.label, URIRef(f"{EX}second")))
        graph.commit()
        store.write_snapshot()
    return path


@pytest.fixture
def store(tmp_path: Path, made: Path) -> Path:
    """A copy of that store; beside it what nobody may touch."""
    outside = tmp_path / "outside"
    outside.mkdir()
    for path in (tmp_path / "victim", outside / "victim", tmp_path / ".profile"):
        path.write_text(PRECIOUS)
    shutil.copytree(made, tmp_path / "store")
    return tmp_path / "store"


def everything(folder: Path) -> dict[str, bytes]:
    """The files below a folder; what was forged, and the store, left out."""
    kept = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "store" not in path.relative_to(folder).parts[:1]:
            kept[str(path.relative_to(folder))] = path.read_bytes()
    return kept


@pytest.mark.parametrize("attack", LOG, ids=lambda attack: attack.name)
def test_forged_log_is_refused_with_path_and_part(store: Path, attack: Attack, tmp_path: Path) -> None:
    attack.forge(store)
    before = everything(tmp_path)
    names = {*os.listdir(store)}

    for how in (
        lambda: ReasoningStore().open(str(store), read_only=True),
        lambda: ReasoningStore().open(str(store)),
        lambda: back_up(store, tmp_path / "copies" / "deep" / "copy"),
    ):
        with pytest.raises(KGReasonError) as caught:
            how()
        assert isinstance(caught.value, LoadError), caught.value
        assert str(store) in str(caught.value) or "copies" in str(caught.value)
        assert attack.part in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 600

    shutil.rmtree(tmp_path / "copies", ignore_errors=True)
    assert everything(tmp_path) == before
    assert {name for name in os.listdir(store) if name not in _LIVE} >= {name for name in names if _is_kept(name)}


@pytest.mark.parametrize("attack", LOCKS, ids=lambda attack: attack.name)
def test_forged_lock_is_refused_for_writing(store: Path, attack: Attack, tmp_path: Path) -> None:
    (store / LOCK).unlink(missing_ok=True)
    attack.forge(store)
    before = everything(tmp_path)

    with pytest.raises(LoadError, match=LOCK):
        ReasoningStore().open(str(store))

    assert everything(tmp_path) == before
    ReasoningStore().open(str(store), read_only=True)


@pytest.mark.parametrize("attack", SNAPSHOT, ids=lambda attack: attack.name)
def test_forged_snapshot_entry_is_not_used(
    store: Path, attack: Attack, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    attack.forge(store)
    before = everything(tmp_path)

    reader = ReasoningStore()
    reader.open(str(store), read_only=True)
    assert len(reader.explicit) == 31
    assert str(store) in caplog.text
    assert "snapshot" in caplog.text
    back_up(store, tmp_path / "copies" / "copy")
    shutil.rmtree(tmp_path / "copies")
    writer = ReasoningStore()
    writer.open(str(store))
    writer.write_snapshot()
    writer.compact()
    writer.close()

    assert everything(tmp_path) == before
    caplog.clear()
    ReasoningStore().open(str(store), read_only=True)
    assert not caplog.text


@pytest.mark.slow
def test_command_line_refuses_to_restore_a_file_outside_of_the_target(store: Path, tmp_path: Path) -> None:
    forging.change(store, _NO_SNAPSHOT, "INSERT INTO files VALUES (1, 'x', '../.profile', 5, 3421780262)")
    before = everything(tmp_path)
    home = tmp_path / "home"
    home.mkdir()
    (home / ".profile").write_text(PRECIOUS)

    command = [sys.executable, "-m", "kgreason", "restore", str(store), str(home / "restored")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert found.returncode == 1
    assert ".profile" in found.stderr
    assert (home / ".profile").read_text() == PRECIOUS
    assert [*os.listdir(home)] == [".profile"]
    shutil.rmtree(home)
    assert everything(tmp_path) == before


def test_directory_with_other_files_is_made_no_store(tmp_path: Path, store: Path) -> None:
    (store / FILE).unlink()
    names = {*os.listdir(store)}
    for create in (True, False):
        with pytest.raises(KGReasonError, match="no store"):
            ReasoningStore().open(str(store), create=create)
    assert {*os.listdir(store)} == names


@pytest.mark.parametrize("leftover", [LOCK, f"{FILE}.new", f"{FILE}.new-wal"])
def test_store_that_was_never_made_is_made_again(tmp_path: Path, leftover: str) -> None:
    (tmp_path / leftover).write_bytes(b"" if leftover == LOCK else b"rest")
    with ReasoningStore() as made:
        made.open(str(tmp_path), create=True)
    assert (tmp_path / FILE).stat().st_size
