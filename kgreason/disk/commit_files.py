"""A commit as a row of the log, with its large parts in files of their own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import pyarrow as pa

from kgreason.disk import commit_columns as columns
from kgreason.disk import commit_records as records
from kgreason.disk import disk_tuning
from kgreason.disk.checked_files import FileEntry, Parts, write_whole
from kgreason.disk.commit_records import Commit
from kgreason.disk.log_schema import QUADS, TERMS, Row
from kgreason.disk.read_transaction import Position


@dataclass(frozen=True, slots=True)
class Prepared:
    """A commit whose files are written: its row, the checksum of the one before, and its place in the log."""

    row: Row
    before: int
    position: Position


def commit_row(folder: Path, commit: Commit, number: int, files: dict[str, FileEntry]) -> Row:
    """The row of a commit; `files` gets those that are written, also when this raises OSError."""
    terms: bytes | None = None
    quads: bytes | None = None
    if len(commit.keys) >= disk_tuning.LARGE_COMMIT or isinstance(commit.keys, pa.Array):
        files[TERMS] = written(folder, TERMS, number, [columns.keys_file(commit.keys)])
    else:
        terms = records.keys_to_bytes(commit.keys)
    if len(commit) >= disk_tuning.LARGE_COMMIT:
        files[QUADS] = written(folder, QUADS, number, [columns.steps_file(commit.steps)])
    else:
        quads = records.steps_to_bytes(commit.steps)
    settings = json.dumps(dict(commit.settings)) if commit.settings else None
    return Row(number, commit.first, len(commit.keys), settings, terms, quads, len(commit), files)


def base_row(folder: Path, whole: Commit, number: int, files: dict[str, FileEntry]) -> Row:
    """The row of a base, all of which is in files; `files` as for `commit_row`."""
    files[TERMS] = written(folder, TERMS, number, [columns.keys_file(whole.keys)])
    files[QUADS] = written(folder, QUADS, number, [columns.steps_file(whole.steps)])
    settings = json.dumps(dict(whole.settings))
    return Row(number, whole.first, len(whole.keys), settings, None, None, len(whole), files)


def written(folder: Path, role: str, number: int, parts: Parts) -> FileEntry:
    """Write a file under a name that no other one has."""
    return write_whole(folder, f"{role}-{number}-{token_hex(4)}.arrow", parts)
