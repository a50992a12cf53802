"""The folder of a store as the file system has it: where a new one may be made, and which files in it are kgreason's.

Files with other names are never deleted, and no store is made beside them: they may be the only copy of other data.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from kgreason.disk.checked_files import sync_folder
from kgreason.disk.log_file import LIVE_FILES, NEW_FILES
from kgreason.disk.writer_lock import FILE as LOCK
from kgreason.errors import LoadError, WriteError, one_line

_PART: Final = re.compile(r"(terms|quads|snapshot)-\d+-[0-9a-f]+\.(arrow|bin)(\.new)?")
# What may be left of a store that was never made.
_UNMADE: Final = {LOCK, *NEW_FILES}


def make_folder(path: Path) -> list[Path]:
    """Make a folder where there is none; those that were made, the innermost first.

    Raises:
        KGReasonError: it cannot be made, or other files are in it.
    """
    if os.path.lexists(path) and not os.path.isdir(path):
        raise WriteError("is a file", path=path, expected="a directory")
    missing = [each for each in (path, *path.parents) if not os.path.lexists(each)]
    try:
        if missing:
            path.mkdir(parents=True)
            sync_folder(path.parent)
    except (OSError, ValueError) as error:  # ValueError: there is a null character in its name
        raise WriteError(f"cannot be made: {one_line(error)}", path=path) from error
    check_empty(path)
    return missing


def check_empty(path: Path) -> None:
    """Raise KGReasonError where a new store would stand among other files, such as those of one that lost its log."""
    try:
        others = sorted({*os.listdir(path)} - _UNMADE)
    except OSError as error:
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error
    if others:
        raise LoadError(f"there is no store, but {others[0]!a}", path=path, expected="an empty or missing directory")


def delete_parts(path: Path, names: Iterable[str]) -> None:
    """Delete those files with some names that hold parts of commits and snapshots, as far as the system lets them go:
    the next writer deletes what is left."""
    for name in names:
        if _PART.fullmatch(name):
            with suppress(OSError):
                (path / name).unlink(missing_ok=True)


def delete_store(path: Path) -> None:
    """Delete all files of a store but its lock; OSError where one stays."""
    for file in list(path.iterdir()):
        if _PART.fullmatch(file.name) or file.name in LIVE_FILES:
            file.unlink(missing_ok=True)
