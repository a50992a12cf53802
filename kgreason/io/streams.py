"""Streams around streams, with the one method that pyoxigraph asks for: `read`."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TextIO
from xml.parsers import expat

from kgreason import progress

_XMLNS: Final = re.compile("xmlns(:(?!xml$).*)?")
_NAMESPACE: Final = re.compile(r"""[A-Za-z][\w.+-]*:[^\x00-\x20<>"{}|\\^`]*""")
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
        return read.encode() if isinstance(read, str) else read


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
        """The next bytes."""
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


_DEEPEST: Final = 10_000
_XML_BLOCK: Final = 1 << 18
_QUOTED_ONCE: Final = re.compile(rb"""(<!ENTITY\s+[^\s%"'<>]+\s+)'([^"']*)'""")

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


class WellFormed:
    """A stream of XML that expat checks as well, since the parser accepts a truncated document, and takes time in the
    square of how deep elements are nested. The parser refuses entities in single quotes, so these become double ones.

    SyntaxError, with the line, where the document is not well-formed, or nested too deeply. `prefixes` are those that
    the root element declares, which pyoxigraph does not tell.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._expat = expat.ParserCreate()
        self._depth = 0
        self._is_first = True
        self._type_begin: int | None = None
        self._type_end: int | None = None
        self._block = b""
        self._at = 0
        self.prefixes: dict[str, str] = {}
        self._expat.StartElementHandler = self._begin
        self._expat.EndElementHandler = self._end
        self._expat.StartDoctypeDeclHandler = self._begin_type
        self._expat.EndDoctypeDeclHandler = self._end_type

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        if not self._depth and not self.prefixes:
            declared = ((key.partition(":")[2], value) for key, value in attributes.items() if _XMLNS.fullmatch(key))
            self.prefixes = {prefix: namespace for prefix, namespace in declared if _NAMESPACE.fullmatch(namespace)}
        self._depth += 1
        if self._depth > _DEEPEST:
            line, column = self._expat.CurrentLineNumber, self._expat.CurrentColumnNumber
            raise SyntaxError(f"elements nested more than {_DEEPEST:,} deep", ("", line, column + 1, None))

    def _end(self, name: str) -> None:
        self._depth -= 1

    def _begin_type(self, name: str, system: str | None, public: str | None, has_subset: int) -> None:
        self._type_begin = self._expat.CurrentByteIndex

    def _end_type(self) -> None:
        self._type_end = self._expat.CurrentByteIndex

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        if self._at == len(self._block):
            self._block, self._at = self._checked(), 0
        begin, self._at = self._at, len(self._block) if size < 0 else min(self._at + size, len(self._block))
        return self._block[begin : self._at]

    def _with_line_feeds(self, data: bytes) -> bytes:
        """A block with the line ends that a parser of XML gives (XML 1.0, 2.11); pyoxigraph leaves them as they are."""
        while data.endswith(b"\r") and (following := first_bytes(self._stream, 1)):
            data += following
        return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data

    def _checked(self) -> bytes:
        """The next block, as large as that: expat reads what it has of a token again with every piece of it."""
        data = self._with_line_feeds(first_bytes(self._stream, _XML_BLOCK))
        try:
            self._expat.Parse(data, not data)
        except expat.ExpatError as error:
            place = ("", error.lineno, error.offset + 1, None)
            raise SyntaxError(expat.ErrorString(error.code), place) from None
        except (LookupError, ValueError) as error:  # an encoding that Python does not have, or not for expat
            raise SyntaxError(str(error), ("", self._expat.CurrentLineNumber, 1, None)) from None
        if self._is_first and self._type_begin is not None:
            begin, end = self._type_begin, len(data) if self._type_end is None else self._type_end
            data = data[:begin] + _QUOTED_ONCE.sub(rb'\1"\2"', data[begin:end]) + data[end:]
        self._is_first = False
        return data
