"""Databases that were damaged: an error, or exactly what was there after one commit; never another closure.

Half of them say something else with checksums that are right: an error, or a store, that of the attacker.
"""

from __future__ import annotations

import logging
import random
import shutil
import sqlite3
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.log_file import FILE
from kgreason.errors import KGReasonError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from tests.disk import forging
from tests.facade import Triple, add, ex, remove, triples
from tests.fuzz.target import Target, expect_one_line

_COMMITS = 12


def _step(number: int) -> tuple[set[Triple], set[Triple]]:
    """What a commit adds and removes."""
    chain = {(ex(f"n{each}"), ex("p"), ex(f"n{each + 1}")) for each in range(number * 3, number * 3 + 3)}
    return chain, {(ex(f"n{number * 3 - 2}"), ex("p"), ex(f"n{number * 3 - 1}"))}


@cache
def _made() -> tuple[TemporaryDirectory[str], list[set[Triple]]]:
    """A store on disk, and what it showed before the first commit and after each."""
    folder = TemporaryDirectory(prefix="kgreason-fuzz-")
    store = DurableKnowledge(Path(folder.name), OpenOptions("rdfs-plus"), create=True)
    states: list[set[Triple]] = [set()]
    add(store.knowledge, (ex("p"), IRI(RDF + "type"), IRI(OWL + "TransitiveProperty")))
    for number in range(_COMMITS):
        added, removed = _step(number)
        add(store.knowledge, *added)
        remove(store.knowledge, *removed)
        store.commit({"a setting": str(number)})
        states.append(_shown(store))
        if number == _COMMITS // 2:
            store.write_snapshot()
    store.directory.close()
    return folder, states


def _shown(store: DurableKnowledge) -> set[Triple]:
    return triples(store.knowledge, store.knowledge.all())


_SEALED = (b"\x01", b"\xfe")
_NUMBERS = [0, -1, 1, 2, 1 << 31, 1 << 40, -(1 << 63), (1 << 63) - 1, 1.5]
_VALUES = [None, *_NUMBERS, "", "x", "{}", "[]", "../x", b"", b"\xff" * 4]


def forged(chance: random.Random) -> bytes:
    """A catalogue in which some values are others, and all checksums are right."""
    folder, _ = _made()
    with TemporaryDirectory(prefix="kgreason-fuzz-") as copy:
        shutil.copy(Path(folder.name, FILE), copy)
        with closing(sqlite3.connect(Path(copy, FILE), isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
            for _ in range(chance.choice([1, 1, 2, 4])):
                _change(chance, connection)
            forging.reseal(connection)
            connection.execute("PRAGMA journal_mode = WAL")
        return chance.choice(_SEALED) + Path(copy, FILE).read_bytes()


def _change(chance: random.Random, connection: sqlite3.Connection) -> None:
    table = chance.choice(["log", "log", "log", "files", "snapshot"])
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    column = chance.choice(columns)
    rows = [row for (row,) in connection.execute(f"SELECT rowid FROM {table}")]
    with suppress(sqlite3.Error, OverflowError):
        if not rows:
            values = [1, chance.choice(["terms", "quads", "x"]), "terms-1-00000000.arrow", 3, 4]
            connection.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?)", values)
            return
        row = chance.choice(rows)
        (known,) = connection.execute(f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)).fetchone()
        value: object = chance.choice(_VALUES)
        if isinstance(known, int) and chance.random() < 0.5:
            value = known + chance.choice([-1, 1, 100])
        elif isinstance(known, bytes) and known and chance.random() < 0.8:
            edited = bytearray(known)
            edited[chance.randrange(len(edited))] = chance.randrange(256)
            value = bytes(edited)
        elif isinstance(known, str) and known and chance.random() < 0.6:
            at = chance.randrange(len(known))
            value = known[:at] + chance.choice(["", "0", '"', "[", "?", "\0", "\ud7ff"]) + known[at + 1 :]
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (value, row))


@dataclass(frozen=True, slots=True)
class SealedTarget(Target):
    """Half of its inputs are damaged, half are forged."""

    def mutated(self, chance: random.Random) -> bytes:
        """A seed after some edits, or one with other values."""
        return forged(chance) if chance.random() < 0.5 else Target.mutated(self, chance)


def check(data: bytes) -> None:
    """The bytes of a catalogue; the first one says whether there is a snapshot as well, and whether it was forged."""
    folder, states = _made()
    with TemporaryDirectory(prefix="kgreason-fuzz-") as copy:
        for file in Path(folder.name).glob("snapshot-*") if data[:1] > b"\x7f" else ():
            shutil.copy(file, copy)
        Path(copy, FILE).write_bytes(data[1:])
        log = logging.getLogger("kgreason.disk")
        log.disabled = True
        try:
            store = DurableKnowledge(Path(copy), OpenOptions(default="rdfs-plus"))
        except KGReasonError as error:
            expect_one_line(error)
            return
        finally:
            log.disabled = False
        try:
            assert _shown(store) in states or data[:1] in _SEALED, "what never was there"
        finally:
            store.directory.close()


def _seeds() -> list[bytes]:
    data = Path(_made()[0].name, FILE).read_bytes()
    return [b"\0" + data, b"\xff" + data]


TARGET = SealedTarget(
    "catalogues",
    _seeds(),
    [b"\0", b"\xff", b"\0\0\0\1", b"\x0d", b"\x0a", b"\x05", b"\x10\0", b"rules", b"log", b"INTEGER", b"{", b"9"],
    check,
)
