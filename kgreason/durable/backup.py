"""A copy of a store on disk: a directory that is a store itself, as it was after one commit.

The store may be written to meanwhile. Everything that is copied is checked.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from kgreason.durable.catalogue import Catalogue
from kgreason.durable.directory import Directory, Position
from kgreason.durable.files import mapped, sync_folder, write_whole
from kgreason.errors import KGReasonError, LoadError


def back_up(source: Path, target: Path) -> Position:
    """Copy the last committed state of a store to a directory that is new or empty; where in the log that is.

    To restore is the same, from the copy.

    Raises:
        KGReasonError: there is no store, or the copy cannot be written; there is none then.
        LoadError: something that was committed is damaged.
    """
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise KGReasonError(f"{target}: there is something already; give a new directory")
    target = target.absolute()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    directory = Directory(source, read_only=True)
    try:
        part.mkdir(parents=True)
        directory.copy_catalogue(part)
        position = _copy_files(source, part)
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise KGReasonError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        directory.close()
        shutil.rmtree(part, ignore_errors=True)
    return position


def _copy_files(source: Path, target: Path) -> Position:
    """Copy what the catalogue in `target` names, and read its log."""
    catalogue = Catalogue(target, writes=True)
    try:
        position = Position()
        chain = 0
        for row in catalogue.rows(0, 0):
            for file in row.files.values():
                write_whole(target, file.name, [mapped(source, file)])
            chain = row.chained(chain)
            position = Position(row.number, chain, row.first + row.terms_count)
        snapshot = catalogue.snapshot()
        if snapshot is not None:
            try:
                write_whole(target, snapshot.file.name, [mapped(source, snapshot.file)])
            except LoadError:  # it is no part of what was committed, and may have been replaced since
                catalogue.put_snapshot(None)
    finally:
        catalogue.close()
    return position
