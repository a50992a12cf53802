"""What is read that is not a file of its own: streams, bytes, members of archives, and what a server sent."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from io import BufferedReader, RawIOBase
from typing import IO, TYPE_CHECKING, TypeAlias

from kgreason.errors import LoadError
from kgreason.io.formats import Format
from kgreason.io.streams import Readable

if TYPE_CHECKING:
    from typing_extensions import Buffer


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of bytes or text under a name for errors and reports. The endings of the name tell the format."""

    stream: IO[bytes] | IO[str]
    name: str


Source: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | IO[str] | Stream
"""What a user names: the path of a file or directory, the URL of a document, bytes, or a stream."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a document has that is not a file of its own.

    Attributes:
        name: what errors and reports call it.
        open: gives its bytes, from the beginning where it can be `read_again`.
        base: what relative IRIs are relative to.
        format: as a server told it.
        allowance: how much it may decompress to, None for no limit.
        in_archive: whether it is a member of an archive, with other members beside it.
    """

    name: str
    open: Callable[[], AbstractContextManager[Readable]]
    base: str | None = None
    format: Format | None = None
    allowance: Allowance | None = None
    in_archive: bool = False
    read_again: bool = True


class Allowance:
    """So many bytes may be decompressed, by all who share it."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = most

    def take(self, count: int, name: str) -> None:
        """Count bytes; LoadError when they are too many."""
        self._left -= count
        if self._left < 0:
            raise LoadError(f"it decompresses to more than {self._most:,} bytes", path=name)


class Allowed:
    """A stream whose bytes count against an allowance."""

    def __init__(self, stream: Readable, allowance: Allowance, name: str) -> None:
        self._stream = stream
        self._allowance = allowance
        self._name = name

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        read = self._stream.read(size)
        self._allowance.take(len(read), self._name)
        return read


class _Raw(RawIOBase):
    """A stream with no more than `read`, of bytes or text, as Python's own buffers take it."""

    def __init__(self, stream: Readable | IO[str]) -> None:
        self._stream = stream
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        data = self._rest or self._read(len(view))
        given, self._rest = data[: len(view)], data[len(view) :]
        view[: len(given)] = given
        return len(given)

    def _read(self, size: int) -> bytes:
        read: object = self._stream.read(size)
        if isinstance(read, str):
            return read.encode("utf-8", "surrogatepass")
        if read is not None and not isinstance(read, bytes | bytearray | memoryview):
            raise TypeError(f"a stream gave {type(read).__name__} (expected bytes or text)")
        return bytes(read or b"")


def buffered(stream: Readable | IO[str]) -> BufferedReader:
    """A stream with a buffer of its own. To close it leaves the stream open."""
    return BufferedReader(_Raw(stream), 1 << 16)
