"""A folder that is held while a store is open in it, and whether it and the files in it are still the same ones.

A folder may be renamed, replaced or deleted while a process has files in it open, and nothing fails: what is written
then is in files without that path, or without any. So the writer compares what the path leads to with what it opened:
device and inode, which the system gives to nothing else while a handle is open. Cost: one ``stat`` each, microseconds.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeAlias
from weakref import finalize

from kgreason.errors import DamageError, ForkedError, LoadError, MovedError, one_line

Identity: TypeAlias = tuple[int, int]

_FOLDER: Final = ""


class HeldFolder:
    """A folder and some files in it, from `hold` to `release`, or for as long as something refers to this."""

    def __init__(self, path: Path) -> None:
        """Hold a folder; OSError where it cannot be opened."""
        self.path = path
        # Windows opens no folders, and lets none be renamed that has open files in it.
        self._handle = None if os.name == "nt" else os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._closed: finalize[[int], HeldFolder] | None = None
        if self._handle is not None:
            self._closed = finalize(self, os.close, self._handle)
            self._closed.atexit = False
        self._process = os.getpid()
        self._known: dict[str, tuple[str, Identity]] = {}  # with paths, as each commit looks at a dozen
        self.hold([_FOLDER])

    def hold(self, names: Iterable[str]) -> None:
        """Remember which files have these names now; those that are not there are not looked for later."""
        for name in names:
            path = os.path.join(self.path, name)
            found = _identity(path, name == _FOLDER)
            if found is not None:
                self._known[name] = path, found

    def release(self) -> None:
        """Let go of the folder."""
        if self._closed is not None:
            self._closed()
            self._handle = self._closed = None

    @property
    def is_inherited(self) -> bool:
        """Whether this process is a fork of the one that opened the folder."""
        return os.getpid() != self._process

    def check(self, fresh: Iterable[str] = ()) -> None:
        """See whether all is where it was, and files that were just written are in the folder that is held.

        Raises:
            ForkedError: another process opened it.
            MovedError: something is gone, or something else has its name.
        """
        if self.is_inherited:
            raise ForkedError(
                f"process {self._process} opened the store, and this is process {os.getpid()}, a fork of it, which "
                "cannot write there (open the store after the fork, in one process)",
                path=self.path,
            )
        for name, (path, known) in self._known.items():
            if _identity(path, name == _FOLDER) != known:
                what = "the directory" if name == _FOLDER else name
                raise MovedError(
                    f"{what} was renamed, replaced or deleted since the store was opened "
                    "(put it back, or close the store and open it again)",
                    path=self.path,
                )
        for name in fresh:
            if not self._has(name):
                raise MovedError(f"{name} is gone (it was written a moment ago)", path=self.path)

    def _has(self, name: str) -> bool:
        try:
            if self._handle is None:
                os.stat(self.path / name, follow_symlinks=False)
            else:
                os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except OSError:
            return False
        return True


def _identity(path: str, follow: bool) -> Identity | None:
    try:
        found = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def check_plain(folder: Path, names: Iterable[str]) -> None:
    """Raise LoadError for what has one of some names and is not a plain file: a link leads elsewhere, a pipe waits."""
    for name in names:
        try:
            mode = os.lstat(folder / name).st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise LoadError(f"cannot be read: {one_line(error)}", path=folder / name) from error
        if not stat.S_ISREG(mode):
            what = "a link" if stat.S_ISLNK(mode) else "no plain file"
            raise DamageError(what, path=folder / name, expected="a plain file")
