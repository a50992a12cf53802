"""XML in other encodings than UTF-8, which it declares, as UTF-8: the parser of RDF/XML reads nothing else."""

from __future__ import annotations

import codecs
import re
from typing import Final

from kgreason.io.streams import Readable, Rejoined, first_bytes

_BEGINNING: Final = 1 << 10
"""So far a declaration may go."""
_PIECE: Final = 1 << 16
_DECLARED: Final = re.compile(rb"""(<\?xml\s[^>]*?\bencoding\s*=\s*["'])([A-Za-z][\w.-]*)(["'])""")
_UTF_16: Final = {
    b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", "<?".encode("utf-16-le"): "utf-16-le",
    "<?".encode("utf-16-be"): "utf-16-be",
}  # fmt: skip
"""How documents in UTF-16 begin: with a byte order mark, or without one."""


def as_utf8(stream: Readable) -> Readable:
    """The stream of a document in XML, in UTF-8, which it then declares.

    Raises:
        SyntaxError: it declares an encoding that Python does not have.
    """
    beginning = first_bytes(stream, _BEGINNING)
    encoding = _encoding_of(beginning)
    whole = Rejoined(beginning, stream)
    return whole if encoding == "utf-8" else _Recoded(whole, encoding)


def beginning_as_utf8(beginning: bytes) -> bytes:
    """The first bytes of a document, which may be one in XML, in UTF-8 if these are UTF-16."""
    encoding = _utf_16_of(beginning)
    return beginning if encoding is None else beginning.decode(encoding, "ignore").encode()


def _utf_16_of(beginning: bytes) -> str | None:
    return next((name for mark, name in _UTF_16.items() if beginning.startswith(mark)), None)


def _encoding_of(beginning: bytes) -> str:
    if encoding := _utf_16_of(beginning):
        return encoding
    declared = _DECLARED.search(beginning)
    if declared is None:
        return "utf-8"
    name = declared[2].decode()
    try:
        "".encode(name)  # unlike a lookup, only of those that are for text
        return codecs.lookup(name).name
    except LookupError:
        raise SyntaxError(f"the encoding {name} is unknown", ("", 1, declared.start(2) + 1, None)) from None


class _Recoded:
    """A stream in an encoding as UTF-8. SyntaxError where it is not in that encoding."""

    def __init__(self, stream: Readable, encoding: str) -> None:
        self._stream = stream
        self._encoding = encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._is_first = True
        self._rest = b""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        while not self._rest and (piece := first_bytes(self._stream, _PIECE)):
            self._rest = self._decoded(piece)
        if not self._rest:
            self._decoded(b"", is_last=True)
        end = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:end], self._rest[end:]
        return given

    def _decoded(self, piece: bytes, *, is_last: bool = False) -> bytes:
        try:
            found = self._decoder.decode(piece, is_last).encode()
        except UnicodeError as error:
            reason = getattr(error, "reason", str(error))
            raise SyntaxError(f"it is not in {self._encoding}, as it declares: {reason}") from None
        if self._is_first:
            found = _DECLARED.sub(rb"\1UTF-8\3", found, count=1)
        self._is_first = False
        return found
