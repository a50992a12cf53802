"""Streams around streams, with the one method that pyoxigraph asks for: `read`."""

from __future__ import annotations

from typing import Protocol, TextIO
from xml.parsers import expat


class Readable(Protocol):
    """Whatever bytes can be read from."""

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


class WellFormed:
    """XML on its way to a parser that does not mind a document which breaks off: expat looks at it too.

    SyntaxError, with the line, where the document is not well-formed.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._expat = expat.ParserCreate()

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        data = self._stream.read(size)
        try:
            self._expat.Parse(data, not data)
        except expat.ExpatError as error:
            place = ("", error.lineno, error.offset + 1, None)
            raise SyntaxError(expat.ErrorString(error.code), place) from None
        return data
