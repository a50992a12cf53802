"""What commits one triple: kgreason, and what could lie under it with nothing else around."""

from __future__ import annotations

import os
import sqlite3
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

Commit = Callable[[int], object]


def row_of(number: int) -> bytes:
    """What a commit of one new triple is to a database: its ids and its text."""
    return struct.pack("<4I", 0, number, 1, number) + f"http://example.org/{number}".encode()


@contextmanager
def fsync(folder: Path) -> Iterator[Commit]:
    """A file that grows and is synced."""
    with (folder / "file").open("wb") as stream:

        def commit(number: int) -> None:
            stream.write(row_of(number))
            stream.flush()
            os.fsync(stream.fileno())

        yield commit


@contextmanager
def sqlite(folder: Path) -> Iterator[Commit]:
    """A row in a table, in a WAL that is synced."""
    connection = sqlite3.connect(folder / "file", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE log (number INTEGER PRIMARY KEY, data BLOB)")
    yield lambda number: connection.execute("INSERT INTO log VALUES (?, ?)", (number, row_of(number)))
    connection.close()


@contextmanager
def lmdb(folder: Path) -> Iterator[Commit]:
    """A key with its value."""
    import lmdb as library

    environment = library.open(str(folder), map_size=1 << 30)

    def commit(number: int) -> None:
        with environment.begin(write=True) as transaction:
            transaction.put(struct.pack(">Q", number), row_of(number))

    yield commit
    environment.close()


@contextmanager
def duckdb(folder: Path) -> Iterator[Commit]:
    """A row in a table."""
    import duckdb as library

    connection = library.connect(str(folder / "file"))
    connection.execute("CREATE TABLE log (number BIGINT PRIMARY KEY, data BLOB)")
    yield lambda number: connection.execute("INSERT INTO log VALUES (?, ?)", [number, row_of(number)])
    connection.close()


@contextmanager
def oxigraph(folder: Path) -> Iterator[Commit]:
    """A triple, and a flush, without which Oxigraph leaves the time of writing to the system."""
    import pyoxigraph as library

    store = library.Store(str(folder))
    node = library.NamedNode

    def commit(number: int) -> None:
        store.add(library.Quad(node(f"http://example.org/{number}"), node("http://example.org/p"), node("a:b")))
        store.flush()

    yield commit


@contextmanager
def kgreason(folder: Path) -> Iterator[Commit]:
    """A triple through rdflib into a store that reasons."""
    from rdflib import Graph, Namespace

    from kgreason import ReasoningStore

    example = Namespace("http://example.org/")
    with ReasoningStore() as store:
        store.open(str(folder), create=True)
        graph = Graph(store=store)

        def commit(number: int) -> None:
            graph.add((example[str(number)], example.p, example.o))
            store.commit()

        yield commit


CONTESTANTS: Final = (kgreason, fsync, sqlite, lmdb, duckdb, oxigraph)
