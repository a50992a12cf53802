"""A copy of a store on disk: a directory that is a store itself, as it was after one commit.

The store may be written to meanwhile. Everything that is copied is checked.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from kgreason.durable.catalogue import Catalogue
from kgreason.durable.directory import Directory
from kgreason.durable.files import sync_folder, write_whole
from kgreason.durable.moments import Position, SupersededError, present
from kgreason.errors import KGReasonError, LoadError


def back_up(source: Path, target: Path) -> Position:
    """Copy the last committed state of a store to a directory that is new or empty; where in the log that is.

    To restore is the same, from the copy.

    Raises:
        KGReasonError: there is no store, or the copy cannot be written; there is none then.
        LoadError: something that was committed is damaged.
    """
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise KGReasonError(f"{target}: there is something already; give a new directory")
    target = target.absolute()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    directory = Directory(source, read_only=True)
    try:
        position = _copied(directory, part)
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise KGReasonError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        directory.close()
        shutil.rmtree(part, ignore_errors=True)
    return position


def _copied(directory: Directory, target: Path) -> Position:
    """Copy a directory as it is at one moment, again where a writer deletes meanwhile what belongs to that moment."""
    while True:
        target.mkdir(parents=True)
        directory.copy_catalogue(target)
        try:
            return _copy_files(directory.path, target)
        except SupersededError:
            shutil.rmtree(target)
            directory.reconnect()


def _copy_files(source: Path, target: Path) -> Position:
    """Copy what the catalogue in `target` names, and read its log."""
    catalogue = Catalogue(target, writes=True)
    try:
        position = Position()
        for row, chain in catalogue.rows(0, 0):
            for file in row.files.values():
                write_whole(target, file.name, [present(source, file)])
            position = Position(row.number, chain, row.first + row.terms_count)
        try:
            snapshot = catalogue.snapshot()
            if snapshot is not None:
                write_whole(target, snapshot.file.name, [present(source, snapshot.file)])
        except SupersededError:
            raise
        except LoadError:  # it is no part of what was committed
            catalogue.put_snapshot(None)
    finally:
        catalogue.close()
    return position
