"""Files that are whole or not there: written under another name, synced, and checked by size and checksum."""

from __future__ import annotations

import errno
import mmap
import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias
from zlib import crc32

from kgreason.errors import DamageError, LoadError, one_line

UNFINISHED: Final = ".new"
"""How the name of a file ends until it is whole."""
_STEP: Final = 1 << 22
"""So many bytes are added to a checksum at once."""

Bytes: TypeAlias = bytes | bytearray | memoryview


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file by its name, with what it must be to be believed: `checksum` is the CRC-32 of its bytes."""

    name: str
    size: int
    checksum: int


Parts: TypeAlias = Iterable[Bytes] | Callable[["Checked"], None]
"""The bytes of a file, one after the other, or what writes them."""


def write_whole(folder: Path, name: str, parts: Parts) -> FileEntry:
    """Write a file, and give it its name once it is on disk, folder entry included.

    Raises:
        OSError: nothing has that name then.
    """
    path = folder / (name + UNFINISHED)
    try:
        with path.open("xb") as stream:
            size, checksum = _write(stream, parts)
            stream.flush()
            os.fsync(stream.fileno())
        path.replace(folder / name)
        sync_folder(folder)
    except BaseException:
        for left in (path, folder / name):
            with suppress(OSError):
                left.unlink(missing_ok=True)
        raise
    return FileEntry(name, size, checksum)


class Checked:
    """A file that is written: how long it is so far, and its checksum."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.size = 0
        self.checksum = 0

    def write(self, data: Bytes) -> None:
        """Write some bytes."""
        self._stream.write(data)
        self.checksum = crc32(data, self.checksum)
        self.size += len(data)


def _write(stream: BinaryIO, parts: Parts) -> tuple[int, int]:
    checked = Checked(stream)
    if callable(parts):
        parts(checked)
    else:
        for part in parts:
            checked.write(part)
    return checked.size, checked.checksum


def sync_folder(folder: Path) -> None:
    """Let the names in a folder be on disk, where the system has a way to ask for it."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def mapped(folder: Path, entry: FileEntry) -> memoryview:
    """The bytes of a file, mapped into memory and read-only, after a look at all of them.

    Raises:
        LoadError: it is missing, a link or no plain file, or not what was written.
    """
    path = folder / entry.name
    try:
        with open(_open_plain(path), "rb") as stream:
            found_file = os.fstat(stream.fileno())
            if not stat.S_ISREG(found_file.st_mode):
                raise DamageError("no plain file", path=path)
            if found_file.st_size != entry.size:
                raise DamageError("not as long as it was written", path=path)
            if not entry.size:
                return memoryview(b"")
            found = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise DamageError("a link", path=path, expected="a plain file") from error
        if error.errno == errno.ENOMEM:
            raise MemoryError(f"{path}: {entry.size:,} bytes cannot be mapped") from error
        raise LoadError(f"cannot be read: {one_line(error)}", path=path) from error
    checksum = 0
    for begin in range(0, len(found), _STEP):
        checksum = crc32(found[begin : begin + _STEP], checksum)
    if checksum != entry.checksum:
        raise DamageError("other bytes than were written", path=path)
    return found


def _open_plain(path: Path) -> int:
    """A handle of a file to be read: without following a link, and without waiting for the other end of a pipe."""
    names = ("O_CLOEXEC", "O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")  # the last one on Windows, the others elsewhere
    return os.open(path, sum(getattr(os, name, 0) for name in names))
