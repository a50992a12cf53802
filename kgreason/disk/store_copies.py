"""A copy of a store on disk: a directory that is a store itself, as it was after one commit.

The store may be written to meanwhile. Everything that is copied is checked: its bytes, what they say, and that a store
can be opened with its settings. The keys of terms are not compared with each other.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from kgreason.disk.checked_files import sync_folder, write_whole
from kgreason.disk.commit_log import CommitLog
from kgreason.disk.commit_replay import check_commits
from kgreason.disk.read_transaction import Position, ReadTransaction, SupersededError, present
from kgreason.disk.settings import check_settings
from kgreason.disk.store_directory import StoreDirectory
from kgreason.errors import LoadError, WriteError, located, one_line


def back_up(source: Path, target: Path) -> Position:
    """Copy the last committed state of a store to a directory that is new or empty; where in the log that is.

    To restore is the same, from the copy.

    Raises:
        KGReasonError: there is no store, or the copy cannot be written; there is none then.
        LoadError: something that was committed is damaged.
    """
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise WriteError("there is something already; give a new directory", path=target)
    target = target.absolute()
    if target.resolve().is_relative_to(source.resolve()):
        raise WriteError("is in the directory of the store", path=target, expected="a directory elsewhere")
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    directory = StoreDirectory(source, read_only=True)
    try:
        position = _copied(directory, part)
        part.replace(target)
        sync_folder(target.parent)
    except OSError as error:
        raise WriteError(f"cannot be written: {one_line(error)}", path=target) from error
    finally:
        directory.close()
        shutil.rmtree(part, ignore_errors=True)
    return position


def _copied(directory: StoreDirectory, target: Path) -> Position:
    """Copy a directory as it is at one moment, again where a writer deletes a file of it meanwhile."""
    while True:
        target.mkdir(parents=True)
        directory.copy_log(target)
        try:
            return _copy_files(directory.path, target)
        except SupersededError:
            shutil.rmtree(target)
            directory.reconnect()


def _copy_files(source: Path, target: Path) -> Position:
    """Copy what the log in `target` names, and read it."""
    log = CommitLog(target, writes=True)
    try:
        position = Position()
        for row, chain in log.rows(0, 0):
            for file in row.files.values():
                write_whole(target, file.name, [present(source, file)])
            position = Position(row.number, chain, row.first + row.terms_count)
        _check(target, log)
        try:
            snapshot = log.snapshot()
            if snapshot is not None:
                write_whole(target, snapshot.file.name, [present(source, snapshot.file)])
        except SupersededError:
            raise
        except LoadError:  # it is not part of what was committed
            log.put_snapshot(None)
    finally:
        log.close()
    return position


def _check(target: Path, log: CommitLog) -> None:
    """Read what was copied, as a store does that is opened; LoadError for anything else."""
    with ReadTransaction(target, log) as transaction, located(path=target):
        check_settings(log.settings())
        check_commits(transaction.commits(Position()))
