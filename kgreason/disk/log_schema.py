"""The tables of the log, and their rows as data.

A log may come from anywhere, with checksums that are right. So a row is checked before it is believed: SQLite
keeps a value of any type in any column, and the name of a file must be one that kgreason gives, never a path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

from kgreason.disk.checked_files import FileEntry
from kgreason.disk.json_documents import expect, expect_number
from kgreason.errors import DamageError

FORMAT: Final = 2
"""To be raised when the tables, or what is in them, change."""
PICKLED: Final = 1
"""The format of version 0.1.0. Its log is the same; its snapshot is a pickle, and is not used."""

TERMS: Final = "terms"
QUADS: Final = "quads"
SNAPSHOT: Final = "snapshot"
_NAME: Final = re.compile(r"(terms|quads|snapshot)-([1-9]\d{0,18})-[0-9a-f]{8}\.arrow")
_CHECKSUM: Final = (1 << 32) - 1
_TERMS: Final = (1 << 32) - 1

TABLES: Final = """
CREATE TABLE log (
    number INTEGER PRIMARY KEY,      -- 1, 2, ...: the commits in their order
    first INTEGER NOT NULL,          -- the id of the first of its new terms
    terms_count INTEGER NOT NULL,    -- how many new terms there are
    settings TEXT,                   -- JSON: the settings that changed
    terms BLOB,                      -- their keys, unless they are in a file
    quads BLOB,                      -- what came and went, unless it is in a file
    quads_count INTEGER NOT NULL,    -- how many quads came or went
    chain INTEGER NOT NULL,          -- CRC-32 of this row, on from that of the row before
    base INTEGER                     -- CRC-32 of a base, on from the chain of the commit that it ends with
);
CREATE INDEX changed_settings ON log (number) WHERE settings NOTNULL;
CREATE INDEX bases ON log (number) WHERE base NOTNULL;
CREATE TABLE files (
    number INTEGER NOT NULL REFERENCES log (number),
    role TEXT NOT NULL,              -- terms, quads
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL,       -- CRC-32
    PRIMARY KEY (number, role)
);
CREATE TABLE snapshot (
    number INTEGER NOT NULL,         -- the last commit that is in it
    chain INTEGER NOT NULL,          -- the checksum of that commit
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);
CREATE TABLE writer (process INTEGER NOT NULL, host TEXT NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the log: a part of the commit is either here or in a file."""

    number: int
    first: int
    terms_count: int
    settings: str | None
    terms: bytes | None
    quads: bytes | None
    quads_count: int
    files: dict[str, FileEntry]

    @classmethod
    def of(cls, values: Sequence[Any], files: Sequence[Sequence[Any]]) -> Row:
        """A row from the values of its columns, and of those of its files: role, name, size, checksum.

        Raises:
            LoadError: one is of another type, outside of its range, or no name of a file of this row.
        """
        number = expect_number(values[0], "the number of a commit", 1)
        what = f"commit {number}"
        first = expect_number(values[1], f"the first term of {what}", 0, _TERMS)
        terms_count = expect_number(values[2], f"the count of terms of {what}", 0, _TERMS - first)
        settings = None if values[3] is None else expect(values[3], str, f"the settings of {what}")
        terms = None if values[4] is None else expect(values[4], bytes, f"the terms of {what}")
        quads = None if values[5] is None else expect(values[5], bytes, f"the quads of {what}")
        quads_count = expect_number(values[6], f"the count of quads of {what}")
        entries = {expect(role, str, f"a role in {what}"): entry_of(role, number, entry) for role, *entry in files}
        for role, part in ((TERMS, terms), (QUADS, quads)):
            if (part is None) != (role in entries):
                raise DamageError(f"{what} has its {role} nowhere, or twice (in the row, or in a file)")
        return cls(number, first, terms_count, settings, terms, quads, quads_count, entries)

    def chained(self, before: int) -> int:
        """The checksum of this row, after the row with that one."""
        entries = sorted((role, file.name, file.size, file.checksum) for role, file in self.files.items())
        numbers = (self.number, self.first, self.terms_count, self.quads_count)
        chain = crc32(json.dumps([numbers, self.settings, entries]).encode(), before)
        for part in (self.terms, self.quads):
            chain = crc32(b"-" if part is None else b"+" + len(part).to_bytes(8, "little") + part, chain)
        return chain


@dataclass(frozen=True, slots=True)
class SnapshotEntry:
    """The snapshot: the last commit in it, with the checksum of that, and its file."""

    number: int
    chain: int
    file: FileEntry


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of the log: of all of it, of the files of its base, of the terms in it."""

    log: int
    base: int
    terms: int


def checksum_of(value: Any, what: str) -> int:
    """A checksum from a log; LoadError for anything else."""
    return expect_number(value, what, 0, _CHECKSUM)


def snapshot_of(values: Sequence[Any]) -> SnapshotEntry:
    """A snapshot from the values of its columns; LoadError where one is of another type or no name of a snapshot."""
    number = expect_number(values[0], "the number of the snapshot", 1)
    return SnapshotEntry(number, checksum_of(values[1], "the chain"), entry_of(SNAPSHOT, number, values[2:]))


def entry_of(role: Any, number: int, values: Sequence[Any]) -> FileEntry:
    """A file of a commit from its name, size and checksum; LoadError unless the name is one that kgreason gives."""
    expect(role, str, f"a role in commit {_shown(number)}")
    found = _NAME.fullmatch(values[0]) if isinstance(values[0], str) else None
    if found is None or found[1] != role or int(found[2]) != number:
        raise DamageError(
            f"{_shown(role)} of commit {_shown(number)} in a file called {_shown(values[0])}",
            expected="a name such as terms-1-0123abcd.arrow",
        )
    size = expect_number(values[1], f"the size of {values[0]}")
    return FileEntry(values[0], size, checksum_of(values[2], f"the checksum of {values[0]}"))


def _shown(value: Any) -> str:
    """A value in one line that is not long."""
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
