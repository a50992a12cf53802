"""Streams around streams, with the one method that pyoxigraph asks for: `read`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TextIO

from kgreason import memory, progress
from kgreason.checkpoints import checkpoint
from kgreason.io import file_tuning

_REPORT_EVERY: Final = 1 << 20


class Readable(Protocol):
    """A source of bytes."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, none at the end."""


class AsBytes:
    """A stream that may give text, which is what rdflib has from some sources."""

    def __init__(self, stream: Readable | TextIO) -> None:
        self._stream = stream

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        read = self._stream.read(size)
        return read.encode("utf-8", "surrogatepass") if isinstance(read, str) else read


class Measured:
    """A stream that reports how far the file is read that it comes from."""

    def __init__(self, stream: Readable, position: Callable[[], int]) -> None:
        self._stream = stream
        self._position = position
        self._since = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        read = self._stream.read(size)
        self._since += len(read)
        if self._since >= _REPORT_EVERY or not read:
            self._since = 0
            progress.advance(self._position())
        return read


class Rejoined:
    """A stream whose beginning was read already."""

    def __init__(self, beginning: bytes, rest: Readable) -> None:
        self._beginning = beginning
        self._rest = rest

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        beginning, self._beginning = self._beginning, b""
        if beginning and 0 <= size <= len(beginning):
            beginning, self._beginning = beginning[:size], beginning[size:]
            return beginning
        return beginning + self._rest.read(size - len(beginning) if size > 0 else -1)


class LineByLine:
    """A stream that gives no more than one line at a time; `count` is how many lines it has begun to give."""

    def __init__(self, stream: Readable) -> None:
        self._lines = _lines_of(stream)
        self._rest = b""
        self.count = 0

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, up to the end of a line."""
        if not self._rest:
            self._rest = next(self._lines, b"")
            self.count += bool(self._rest)
        end = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:end], self._rest[end:]
        return given


def _lines_of(stream: Readable) -> Iterator[bytes]:
    rest = b""
    while read := stream.read(1 << 16):
        *lines, rest = (rest + read).split(b"\n")
        yield from (line + b"\n" for line in lines)
    if rest:
        yield rest


class Inflated:
    """What a stream of zlib holds, which Hadoop calls ``.deflate``.

    EOFError where it breaks off, zlib.error where it is damaged.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._inflater = zlib.decompressobj()

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes, at most `size`, all that are left for -1."""
        pieces: list[bytes] = []
        while size:
            compressed = self._inflater.unconsumed_tail or self._stream.read(1 << 16)
            piece = self._inflater.decompress(compressed, max(size, 0))
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
            if self._inflater.eof or (not compressed and not piece):
                break
        if not self._inflater.eof and size:
            raise EOFError("the compressed file breaks off")
        return b"".join(pieces)


BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def without_mark(stream: Readable) -> Readable:
    """The stream behind the byte order mark that it may begin with."""
    beginning = first_bytes(stream, len(BYTE_ORDER_MARK))
    return Rejoined(beginning.removeprefix(BYTE_ORDER_MARK), stream)


def first_bytes(stream: Readable, count: int) -> bytes:
    """The first bytes of a stream, fewer than `count` only when that is all; streams may give less than asked for."""
    pieces: list[bytes] = []
    while count > 0 and (read := stream.read(count)):
        pieces.append(read)
        count -= len(read)
    return b"".join(pieces)


def whole_content(stream: Readable, step: str, times: int = 1) -> bytes:
    """All bytes of a stream that has to be in memory as a whole.

    Args:
        step: what is done with them, as the subject of a sentence.
        times: how many times as many bytes that takes beside them.

    Raises:
        MemoryError: there are fewer; noticed before the stream is at its end.
    """
    pieces: list[bytes] = []
    size = 0
    while piece := stream.read(file_tuning.READ_BYTES):
        checkpoint()
        pieces.append(piece)
        size += len(piece)
        memory.check(times * size, step)
    return b"".join(pieces)
