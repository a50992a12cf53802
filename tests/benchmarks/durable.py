"""Stores on disk, side by side: ``python -m tests.benchmarks.durable``.

What a commit of one triple costs in kgreason, and in the databases that could lie under it (SQLite, LMDB, DuckDB) with
nothing else around them, each told to have the disk confirm every commit, beside one fsync and beside Oxigraph; then
LUBM(10,0) with its ontology: loading it into a directory and into memory, opening it again, bytes on disk.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

Commit = Callable[[int], object]
HEAD_COMMITS = "store | median of one commit | 99 % | commits"
HEAD_BULK = "store | load | times that in memory | open again and count | without a snapshot | bytes per triple"
COMMITS = 300


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


def commits(count: int) -> str:
    """The table of commits."""
    rows = []
    for contestant in (fsync, sqlite, lmdb, duckdb, oxigraph, kgreason):
        with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder, suppress(ImportError):
            with contestant(Path(folder)) as commit:
                times = [seconds(lambda number=number: commit(number)) for number in range(count)]  # type: ignore[misc]
            slow = sorted(times)[int(len(times) * 0.99)]
            figures = [f"{each * 1000:.2f} ms" for each in (statistics.median(times), slow)]
            rows.append([contestant.__name__, *figures, str(count)])
    return table(HEAD_COMMITS, rows)


def seconds(deed: Callable[[], object]) -> float:
    """How long it takes."""
    begin = time.perf_counter()
    deed()
    return time.perf_counter() - begin


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def bulk_kgreason(files: list[Path]) -> list[str]:
    """LUBM in kgreason, in memory and in a directory."""
    from kgreason import KnowledgeBase
    from kgreason.knowledge.durability import DurableKnowledge, Wishes

    def fill(knowledge: KnowledgeBase) -> None:
        knowledge.bulk_load(*files)
        knowledge.flush()

    # The first one also pays for what Python imports.
    in_memory = min(seconds(lambda: fill(KnowledgeBase())) for _ in range(2))
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        store = DurableKnowledge(folder, Wishes(), create=True)
        load = seconds(lambda: (fill(store.knowledge), store.commit({})))
        count = store.knowledge.all().count()
        store.close()
        opened: list[DurableKnowledge] = []

        def reopen() -> None:
            store = DurableKnowledge(folder, Wishes())
            assert store.knowledge.all().count() == count
            opened.append(store)

        again = seconds(reopen)
        opened[0].directory.forget_snapshot()
        opened[0].directory.close()
        anew = seconds(reopen)
        opened[1].close()
        each = size(folder) / count
    ratio = f"{load / in_memory:.2f}"
    return ["kgreason, with its closure", f"{load:.2f} s", ratio, f"{again:.3f} s", f"{anew:.2f} s", f"{each:.0f}"]


def bulk_oxigraph(files: list[Path]) -> list[str]:
    """The same triples in Oxigraph, which does not reason."""
    import pyoxigraph as library

    formats = {".nt": library.RdfFormat.N_TRIPLES, ".owl": library.RdfFormat.RDF_XML}

    def fill(store: library.Store) -> None:
        for file in files:
            store.bulk_load(path=str(file), format=formats[file.suffix], base_iri="http://example.org/")

    memory = library.Store()
    in_memory = seconds(lambda: fill(memory))
    count = len(memory)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        load = seconds(lambda: fill(library.Store(name)))
        again = seconds(lambda: len(library.Store(name)))
        each = size(folder) / count
    ratio = f"{load / in_memory:.2f}"
    return ["Oxigraph, explicit triples", f"{load:.2f} s", ratio, f"{again:.3f} s", "", f"{each:.0f}"]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    options = parser.parse_args()
    files = [unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")]
    print(f"### Commits of one triple\n\n{commits(options.commits)}\n")
    print(f"### LUBM(10,0)\n\n{table(HEAD_BULK, [bulk_kgreason(files), bulk_oxigraph(files)])}")


if __name__ == "__main__":
    main()
