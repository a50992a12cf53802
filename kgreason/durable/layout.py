"""What the catalogue holds: its tables, and their rows as data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from kgreason.durable.files import FileEntry

FORMAT: Final = 1
"""To be raised when the tables, or what is in them, change."""

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
