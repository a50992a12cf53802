"""Stores as an attacker would write them: anything may stand in them, and every checksum is right."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow as pa

from kgreason.disk.checked_files import FileEntry
from kgreason.disk.log_file import FILE
from kgreason.disk.log_schema import Row

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


def edit_snapshot(folder: Path, edit: Callable[[dict[str, Any], list[Any]], None]) -> None:
    """Change the document of a snapshot, and its columns (numpy arrays, or Arrow columns of texts), in place."""
    replace_file(folder, "snapshot", lambda data: edited(data, edit))


def edited(data: bytes, edit: Callable[[dict[str, Any], list[Any]], None]) -> bytes:
    """The bytes of a snapshot after a change of its document and columns."""
    batch = pa.ipc.open_file(data).get_batch(0)
    document = json.loads(batch.column(0)[0].as_py())
    columns: list[Any] = []
    for column in batch.columns[1:]:
        values = column.flatten()
        is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
        columns.append(values if is_text else values.to_numpy().copy())
    edit(document, columns)
    return packed(document if isinstance(document, str) else json.dumps(document), columns)


def packed(document: str, columns: Sequence[Any], *, compression: str | None = None, rows: int = 1) -> bytes:
    """A file with a document and columns, as a snapshot has them, or compressed, or of several rows."""
    fields = [pa.field("document", pa.large_string(), nullable=False)]
    arrays = [pa.array([document], pa.large_string())]
    for number, values in enumerate(columns):
        array = values if isinstance(values, pa.Array) else pa.array(values)
        kind = pa.large_list(pa.field("item", array.type, nullable=False))
        fields.append(pa.field(str(number), kind, nullable=False))
        arrays.append(pa.LargeListArray.from_arrays(np.array([0, len(array)]), array).cast(kind))
    schema = pa.schema(fields)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=pa.ipc.IpcWriteOptions(compression=compression)) as writer:
        for _ in range(rows):
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return sink.getvalue().to_pybytes()
