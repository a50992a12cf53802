"""Edits of stores, each with the part that the refusal must name."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from kgreason.disk.log_file import FILE
from kgreason.disk.writer_lock import FILE as LOCK
from tests.disk import forging


@dataclass(frozen=True)
class Attack:
    """What is done to a store, and the part that its error must name."""

    name: str
    forge: Callable[[Path], None]
    part: str


def sql(name: str, part: str, *statements: str) -> Attack:
    return Attack(name, lambda path: forging.change(path, *statements), part)


def content(name: str, part: str, change: str) -> Attack:
    """A part of a commit says something else."""
    return sql(name, part, _NO_SNAPSHOT, f"UPDATE log SET {change}")


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
            query = "SELECT number, settings FROM log WHERE settings NOTNULL ORDER BY number DESC LIMIT 1"
            number, text = connection.execute(query).fetchone()
            connection.execute("DELETE FROM snapshot")
            changed = json.dumps({**json.loads(text), key: value})
            connection.execute("UPDATE log SET settings = ? WHERE number = ?", (changed, number))
        forging.change(path)

    return Attack(name, forge, part)


def settings(name: str, text: str) -> Attack:
    return content(name, "settings", f"settings = '{text}' WHERE number = 2")


_ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c"


_LATER = "UPDATE snapshot SET number = 90, name = 'snapshot-90-00000000.arrow'"


_NO_SNAPSHOT = "DELETE FROM snapshot"


_LONG = "a" * 5000


LOG = [
    *(named(f"{role} in ../victim", role, "../victim") for role in ("terms", "quads")),
    *(named(f"{role} in an absolute path", role, "{outside}/victim") for role in ("terms", "quads")),
    *(named(f"{role} in a folder below", role, f"sub/{role}-1-00000000.arrow") for role in ("terms", "quads")),
    named("terms under the name of quads", "terms", "quads-1-00000000.arrow"),
    named("terms under the name of another commit", "terms", "terms-3-00000000.arrow"),
    named("terms under the name of the catalogue", "terms", FILE),
    named("terms under a long name", "terms", f"terms-1-{_LONG}.arrow"),
    named("terms under a name with a line break", "terms", "terms-1-00000000.arrow\n"),
    sql("name that is a number", "terms", _NO_SNAPSHOT, "UPDATE files SET name = 5 WHERE role = 'terms'"),
    sql("name that is bytes", "terms", _NO_SNAPSHOT, "UPDATE files SET name = x'2e2e' WHERE role = 'terms'"),
    sql("name with a NUL", "terms", _NO_SNAPSHOT, "UPDATE files SET name = name || char(0) WHERE role = 'terms'"),
    sql("one more file with a role of its own", "x", _NO_SNAPSHOT, "INSERT INTO files VALUES (1, 'x', '../x', 3, 4)"),
    sql("role that is bytes", "role", _NO_SNAPSHOT, "INSERT INTO files VALUES (1, x'00', 'x', 3, 4)"),
    sql("terms in the row and in a file", "terms", _NO_SNAPSHOT, "UPDATE log SET terms = x'00000000' WHERE number = 2"),
    sql("terms nowhere", "terms", _NO_SNAPSHOT, "DELETE FROM files WHERE role = 'terms'"),
    sql("size below zero", "size", _NO_SNAPSHOT, "UPDATE files SET size = -1"),
    sql("size that is text", "size", _NO_SNAPSHOT, "UPDATE files SET size = 'much'"),
    sql("checksum that is too large", "checksum", _NO_SNAPSHOT, "UPDATE files SET checksum = 1 << 40"),
    sql("first term below zero", "first", _NO_SNAPSHOT, "UPDATE log SET first = -5 WHERE number = 1"),
    sql("count of terms too large", "terms", _NO_SNAPSHOT, "UPDATE log SET terms_count = 1 << 60 WHERE number = 3"),
    sql("count of terms is a fraction", "terms", _NO_SNAPSHOT, "UPDATE log SET terms_count = 1.5 WHERE number = 3"),
    content("count of terms is wrong", "commit 3", "terms_count = 1 WHERE number = 3"),
    content("count of quads is wrong", "commit 3", "quads_count = 7 WHERE number = 3"),
    sql("count of quads is text", "quads", _NO_SNAPSHOT, "UPDATE log SET quads_count = 'x' WHERE number = 3"),
    sql("terms that are text", "terms", _NO_SNAPSHOT, "UPDATE log SET terms = 'abc' WHERE number = 3"),
    content("terms that are cut off", "terms", "terms = x'01000000' WHERE number = 3"),
    content("terms with a count of 4e9", "cut off", "terms = x'ffffffff' WHERE number = 3"),
    content("quads with a count of 4e9", "cut off", "quads = x'ffffffff' WHERE number = 3"),
    content("quads that are cut off", "quads", "quads = x'0100000001000000' WHERE number = 3"),
    sql("commit with number 0", "commit 1", _NO_SNAPSHOT, "UPDATE log SET number = 0 WHERE number = 1"),
    sql("commit that is missing", "commit 1", _NO_SNAPSHOT, "DELETE FROM log WHERE number = 1"),
    sql("base of text", "commit 1", _NO_SNAPSHOT, "UPDATE log SET base = 'x' WHERE number = 3"),
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
