"""Stores from an attacker, with checksums that are right: one error that names the path and the part, or no effect.

Would catch a file name that leads out of the directory, a value of a type that the code does not expect, statements of
the attacker in the place of a table, and a store that is taken for an empty one and cleared away. Around every attack
lie files that must stay as they are, and no process may be started, no module imported from there.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rdflib import Graph, URIRef
from rdflib.namespace import RDFS

from kgreason import ReasoningStore
from kgreason.durable import directory
from kgreason.durable.backup import back_up
from kgreason.durable.catalogue import FILE
from kgreason.durable.locking import FILE as LOCK
from kgreason.errors import KGReasonError, LoadError
from tests.durable import forging

EX = "http://example.org/"
PRECIOUS = "precious\n"


@dataclass(frozen=True)
class Attack:
    """What is done to a store, and the part that its error must name; what `is_inside` a setting is copied as it is."""

    name: str
    forge: Callable[[Path], None]
    part: str
    is_inside: bool = False


def sql(name: str, part: str, *statements: str) -> Attack:
    return Attack(name, lambda path: forging.change(path, *statements), part)


def content(name: str, part: str, change: str) -> Attack:
    """A part of a commit says something else; a copy says it as well."""
    return replace(sql(name, part, _NO_SNAPSHOT, f"UPDATE log SET {change}"), is_inside=True)


def named(name: str, role: str, file: str) -> Attack:
    """The file of commits, or the snapshot, has another name; a copy of it is there."""

    def forge(path: Path) -> None:
        with closing(sqlite3.connect(path / FILE)) as connection:
            where = "" if role == "snapshot" else f" WHERE role = '{role}'"
            table = "snapshot" if role == "snapshot" else "files"
            (known,) = connection.execute(f"SELECT name FROM {table}{where}").fetchone()
        target = Path(file.format(outside=path.parent / "outside"))
        with suppress(OSError, ValueError):
            if not (path / target).exists():
                shutil.copy(path / known, path / target)
        wanted = str(target).replace("'", "''")
        forging.change(path, f"UPDATE {table} SET name = '{wanted}'{where}")
        if role != "snapshot":
            forging.change(path, _NO_SNAPSHOT)

    return Attack(name, forge, role)


def linked(name: str, role: str) -> Attack:
    """A file is a link to one outside of the directory."""

    def forge(path: Path) -> None:
        file = path / role if "." in role else next(path.glob(f"{role}-*"))
        outside = path.parent / "outside" / "linked"
        if file.exists():
            shutil.move(file, outside)
        file.symlink_to(outside)

    return Attack(name, forge, role)


def pipe(role: str) -> Attack:
    """A file is a pipe that nothing is ever written to."""

    def forge(path: Path) -> None:
        file = path / role if "." in role else next(path.glob(f"{role}-*"))
        file.unlink(missing_ok=True)
        os.mkfifo(file)

    return Attack(f"{role} is a pipe", forge, role)


def written(name: str, file: str, data: bytes, part: str) -> Attack:
    return Attack(name, lambda path: _write(path / file, data), part)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def setting(name: str, key: str, value: str, part: str) -> Attack:
    """A setting has another value."""

    def forge(path: Path) -> None:
        with closing(sqlite3.connect(path / FILE, isolation_level=None)) as connection:
            query = "SELECT number, settings FROM log WHERE settings NOTNULL ORDER BY number LIMIT 1"
            number, text = connection.execute(query).fetchone()
            connection.execute("DELETE FROM snapshot")
            changed = json.dumps({**json.loads(text), key: value})
            connection.execute("UPDATE log SET settings = ? WHERE number = ?", (changed, number))
        forging.change(path)

    return Attack(name, forge, part, is_inside=True)


def settings(name: str, text: str) -> Attack:
    return content(name, "settings", f"settings = '{text}' WHERE number = 1")


_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c"
_LATER = "UPDATE snapshot SET number = 90, name = 'snapshot-90-00000000.arrow'"
_NO_SNAPSHOT = "DELETE FROM snapshot"
_LONG = "a" * 5000

LOG = [
    *(named(f"{role} in ../victim", role, "../victim") for role in ("terms", "quads")),
    *(named(f"{role} in an absolute path", role, "{outside}/victim") for role in ("terms", "quads")),
    *(named(f"{role} in a folder below", role, f"sub/{role}-1-00000000.arrow") for role in ("terms", "quads")),
    named("terms under the name of quads", "terms", "quads-1-00000000.arrow"),
    named("terms under the name of another commit", "terms", "terms-2-00000000.arrow"),
    named("terms under the name of the catalogue", "terms", FILE),
    named("terms under a long name", "terms", f"terms-1-{_LONG}.arrow"),
    named("terms under a name with a line break", "terms", "terms-1-00000000.arrow\n"),
    sql("name that is a number", "terms", _NO_SNAPSHOT, "UPDATE files SET name = 5 WHERE role = 'terms'"),
    sql("name that is bytes", "terms", _NO_SNAPSHOT, "UPDATE files SET name = x'2e2e' WHERE role = 'terms'"),
    sql("name with a NUL", "terms", _NO_SNAPSHOT, "UPDATE files SET name = name || char(0) WHERE role = 'terms'"),
    sql("one more file with a role of its own", "x", _NO_SNAPSHOT, "INSERT INTO files VALUES (1, 'x', '../x', 3, 4)"),
    sql("role that is bytes", "role", _NO_SNAPSHOT, "INSERT INTO files VALUES (1, x'00', 'x', 3, 4)"),
    sql("terms in the row and in a file", "terms", _NO_SNAPSHOT, "UPDATE log SET terms = x'00000000' WHERE number = 1"),
    sql("terms nowhere", "terms", _NO_SNAPSHOT, "DELETE FROM files WHERE role = 'terms'"),
    sql("size below zero", "size", _NO_SNAPSHOT, "UPDATE files SET size = -1"),
    sql("size that is text", "size", _NO_SNAPSHOT, "UPDATE files SET size = 'much'"),
    sql("checksum that is too large", "checksum", _NO_SNAPSHOT, "UPDATE files SET checksum = 1 << 40"),
    sql("first term below zero", "first", _NO_SNAPSHOT, "UPDATE log SET first = -5 WHERE number = 1"),
    sql("count of terms too large", "terms", _NO_SNAPSHOT, "UPDATE log SET terms_count = 1 << 60 WHERE number = 2"),
    sql("count of terms is a fraction", "terms", _NO_SNAPSHOT, "UPDATE log SET terms_count = 1.5 WHERE number = 2"),
    content("count of terms is wrong", "commit 2", "terms_count = 1 WHERE number = 2"),
    content("count of quads is wrong", "commit 2", "quads_count = 7 WHERE number = 2"),
    sql("count of quads is text", "quads", _NO_SNAPSHOT, "UPDATE log SET quads_count = 'x' WHERE number = 2"),
    sql("terms that are text", "terms", _NO_SNAPSHOT, "UPDATE log SET terms = 'abc' WHERE number = 2"),
    content("terms that are cut off", "terms", "terms = x'01000000' WHERE number = 2"),
    content("terms with a count of 4e9", "cut off", "terms = x'ffffffff' WHERE number = 2"),
    content("quads with a count of 4e9", "cut off", "quads = x'ffffffff' WHERE number = 2"),
    content("quads that are cut off", "quads", "quads = x'0100000001000000' WHERE number = 2"),
    sql("commit with number 0", "commit 1", _NO_SNAPSHOT, "UPDATE log SET number = 0 WHERE number = 1"),
    sql("commit that is missing", "commit 1", _NO_SNAPSHOT, "DELETE FROM log WHERE number = 1"),
    sql("base of text", "commit 1", _NO_SNAPSHOT, "UPDATE log SET base = 'x' WHERE number = 2"),
    settings("settings that are no JSON", "{"),
    settings("settings that are a list", "[]"),
    settings("settings of numbers", '{"a": 1}'),
    settings("settings nested deep", "[" * 100_000),
    settings("settings with a long number", '{"a": ' + "9" * 5000 + "}"),
    setting("options that are no JSON", "options", "{", "options"),
    setting("options of an unknown strategy", "options", '{"strategy": "os.system"}', "strategy"),
    setting("options that are lists", "options", '{"schemes": []}', "options"),
    setting("rules that are no JSON", "rules", "]", "rules"),
    setting("rules that are no rules", "rules", '{"program": "p(", "counts": [1]}', "rules"),
    setting("rules counted too often", "rules", '{"program": "p(?x) :- q(?x) .", "counts": [1000000000000]}', "count"),
    setting("rules counted by a flag", "rules", '{"program": "p(?x) :- q(?x) .", "counts": [true]}', "count"),
    setting("rules without counts", "rules", '{"program": "p(?x) :- q(?x) .", "counts": []}', "counts"),
    setting("graphs that are an object", "graphs", '{"a": 1}', "graphs"),
    setting("graphs that are numbers", "graphs", "[1]", "graphs"),
    setting("prefixes of one part", "prefixes", '[["a"]]', "prefix"),
    setting("prefixes nested deep", "prefixes", "[" * 100_000, "prefixes"),
    sql("view without an end", "tables", "DROP TABLE snapshot", f"CREATE VIEW snapshot AS {_ENDLESS}"),
    sql("trigger", "tables", "CREATE TRIGGER t AFTER INSERT ON writer BEGIN DELETE FROM log; END"),
    sql("table too many", "tables", "CREATE TABLE more (a)"),
    sql("table with a generated column", "tables", "DROP TABLE writer", "CREATE TABLE writer (process, host AS (1))"),
    sql("index on an expression", "tables", "CREATE INDEX i ON log (abs(number))"),
    sql("table too few", "tables", "DROP TABLE files"),
    linked("file of terms is a link", "terms"),
    linked("catalogue is a link", FILE),
    linked("write-ahead log is a link", f"{FILE}-wal"),
    *map(pipe, ("terms", FILE, f"{FILE}-wal")),
    written("catalogue of 0 bytes", FILE, b"", FILE),
    written("catalogue without tables", FILE, b"SQLite format 3\0" + bytes(84), FILE),
    written("catalogue that is something else", FILE, b"<html>" * 50, FILE),
    written("journal that names a file to delete", f"{FILE}-journal", b"\xd9\xd5\x05\xf9 \xa1c\xd7" * 80, "journal"),
]
LOCKS = [
    linked("lock is a link", LOCK),
    pipe(LOCK),
    written("lock is a database", LOCK, b"SQLite format 3\0" + bytes(84), LOCK),
    written("lock with a journal", f"{LOCK}-journal", b"\xd9\xd5\x05\xf9 \xa1c\xd7" * 80, LOCK),
]
SNAPSHOT = [
    named("snapshot in ../victim", "snapshot", "../victim"),
    named("snapshot in an absolute path", "snapshot", "{outside}/victim"),
    named("snapshot of another commit", "snapshot", "snapshot-9-00000000.arrow"),
    named("snapshot under the name of terms", "snapshot", "terms-2-00000000.arrow"),
    linked("file of the snapshot is a link", "snapshot"),
    pipe("snapshot"),
    sql("snapshot of a commit to come", "snapshot", _LATER),
    sql("snapshot with a number that is text", "snapshot", "UPDATE snapshot SET number = 'x'"),
    sql("snapshot with a size below zero", "snapshot", "UPDATE snapshot SET size = -1"),
]


_LIVE = {f"{FILE}-wal", f"{FILE}-shm", LOCK}


def _is_kept(name: str) -> bool:
    return name not in _LIVE and not name.startswith("snapshot")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two commits, the first one in files, and a snapshot."""
    path = tmp_path_factory.mktemp("made") / "store"
    with pytest.MonkeyPatch.context() as patch, ReasoningStore(rules="rdfs") as store:
        patch.setattr(directory, "LARGE", 16)
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
        if "copy" in how.__code__.co_consts and attack.is_inside:
            continue
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
