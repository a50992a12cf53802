"""Stores as an attacker would write them: anything may stand in them, and every checksum is right."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

from kgreason.durable.catalogue import FILE
from kgreason.durable.files import FileEntry
from kgreason.durable.layout import Row

_ROW = "number, first, terms_count, settings, terms, quads, quads_count"


def change(folder: Path, *statements: str, values: Sequence[Any] = ()) -> None:
    """Run statements on the catalogue of a store, and make the checksums of all commits right again."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            connection.execute(statement, values)
        reseal(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def reseal(connection: sqlite3.Connection) -> None:
    """Make the checksums of all commits right, as far as they can be reckoned."""
    chain = 0
    tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name != 'writer'")
    if tables.fetchone()[0] < 3:
        return
    for values in connection.execute(f"SELECT {_ROW} FROM log ORDER BY number").fetchall():
        query = "SELECT role, name, size, checksum FROM files WHERE number = ?"
        files = {role: FileEntry(*entry) for role, *entry in connection.execute(query, values[:1])}
        try:
            chain = Row(*values, files).chained(chain)
        except (TypeError, AttributeError):  # what is no row has no checksum
            continue
        connection.execute("UPDATE log SET chain = ? WHERE number = ?", (chain, values[0]))


def replace_file(folder: Path, role: str, edit: Callable[[bytes], bytes]) -> None:
    """Edit the bytes of a file of commits, or of the snapshot, and make its size and checksum right again."""
    table = "snapshot" if role == "snapshot" else "files"
    where = "" if role == "snapshot" else f" WHERE role = '{role}'"
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as connection:
        (name,) = connection.execute(f"SELECT name FROM {table}{where}").fetchone()
        data = edit((folder / name).read_bytes())
        (folder / name).write_bytes(data)
        connection.execute(f"UPDATE {table} SET size = ?, checksum = ?{where}", (len(data), crc32(data)))
        reseal(connection)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
