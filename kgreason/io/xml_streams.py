"""RDF/XML as a parser of XML sees it, for pyoxigraph, which accepts malformed XML and refuses some that is well-formed.

* Truncated documents are refused, and elements nested so deeply that the parser takes time in the square of that.
* Line ends become line feeds (XML 1.0, 2.11), and entities in single quotes become entities in double ones.
* Comments and processing instructions within texts are left out, and CDATA sections become text.
* Line breaks and tabs in attributes become spaces (3.3.3), and `xml:lang=""` becomes a tag that stands for no language.
"""

from __future__ import annotations

import re
from typing import Final
from xml.parsers import expat

from kgreason.io.language_tags import NO_LANGUAGE
from kgreason.io.streams import Readable, first_bytes

_XMLNS: Final = re.compile("xmlns(:(?!xml$).*)?")
_NAMESPACE: Final = re.compile(r"""[A-Za-z][\w.+-]*:[^\x00-\x20<>"{}|\\^`]*""")
_DEEPEST: Final = 10_000
_XML_BLOCK: Final = 1 << 18
_QUOTED_ONCE: Final = re.compile(rb"""(<!ENTITY\s+[^\s%"'<>]+\s+)'([^"']*)'""")
_CDATA: Final = b"<![CDATA["
_ENDS: Final = {b"<!--": b"-->", _CDATA: b"]]>", b"<?": b"?>"}
_NEAR: Final = 256
_OPAQUE: Final = re.compile(rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_OPENING: Final = re.compile(rb"<!--|<!\[CDATA\[|<\?|<[^<>]*\Z")
"""Where markup begins of which no end was found."""
_EMPTY_LANGUAGE: Final = rb"xml:lang\s*=\s*(?:\"\"|'')"
_OTHER: Final = re.compile(rb"=\s*(?:\"[^\"<]*[\n\t][^\"<]*\"|'[^'<]*[\n\t][^'<]*')|" + _EMPTY_LANGUAGE)
"""What is other than pyoxigraph takes it in attributes, or may be, as it is found in texts, too."""
_ELEMENT: Final = re.compile(rb"<[^<>!?/][^<>]*>")
_ATTRIBUTE: Final = re.compile(_EMPTY_LANGUAGE + rb"|\"[^\"]*\"|'[^']*'")
"""An empty language, or the value of another attribute."""
_SPACES: Final = bytes.maketrans(b"\n\t", b"  ")
_NEXT: Final = re.compile(rb"\s*(\S)")


class WellFormed:
    """A stream of XML that expat has checked, in the form that pyoxigraph takes.

    SyntaxError, with the line, where the document is not well-formed, or nested too deeply. `prefixes` are those that
    the root element declares, which pyoxigraph does not tell.
    """

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._expat = expat.ParserCreate()
        self._depth = 0
        self._is_first = True
        self._is_over = False
        self._type_begin: int | None = None
        self._type_end: int | None = None
        self._block = b""
        self._at = 0
        self._texts = _Texts()
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
        while self._at == len(self._block) and not self._is_over:
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
        self._is_over = not data
        if self._is_first and self._type_begin is not None:
            begin, end = self._type_begin, len(data) if self._type_end is None else self._type_end
            data = data[:begin] + _QUOTED_ONCE.sub(rb'\1"\2"', data[begin:end]) + data[end:]
        self._is_first = False
        return self._texts.plain(data, is_last=not data)


def _with_plain_attributes(element: re.Match[bytes]) -> bytes:
    """The beginning of an element as pyoxigraph takes it."""

    def plain(attribute: re.Match[bytes]) -> bytes:
        if attribute[0].startswith(b"xml:lang"):
            return b'xml:lang="%b"' % NO_LANGUAGE.encode()
        return attribute[0].translate(_SPACES)

    return _ATTRIBUTE.sub(plain, element[0])


class _Texts:
    """Texts without comments and processing instructions, and with those of CDATA sections."""

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._end = b""
        """Where markup ends that is held."""
        self._last = b">"

    def plain(self, data: bytes, *, is_last: bool) -> bytes:
        """What is complete of the document so far, but for what was given before."""
        if self._held:
            before = self._held[-1][-len(self._end) :]
            self._held.append(data)
            if not is_last and self._end not in before + data:
                return b""
            data = b"".join(self._held)
        pieces: list[bytes] = []
        at, stop = 0, len(data)
        while (found := _OPAQUE.search(data, at)) is not None:
            following = _NEXT.match(data, found.end())
            if following is None and not is_last:
                break  # what follows decides whether this is within a text
            pieces.append(self._given(data[at : found.start()]))
            pieces.append(self._replaced(found[0], following[1] if following is not None else b"<"))
            at = found.end()
        if not is_last:
            unfinished = _OPENING.search(data, at)
            stop = len(data) if unfinished is None else unfinished.start()
        pieces.append(self._given(data[at:stop]))
        self._held = [data[stop:]] if stop < len(data) else []
        self._end = next((end for opening, end in _ENDS.items() if data.startswith(opening, stop)), b">")
        return b"".join(pieces)

    def _given(self, piece: bytes) -> bytes:
        self._last = (piece[-_NEAR:].rstrip() or piece.rstrip())[-1:] or self._last
        return _ELEMENT.sub(_with_plain_attributes, piece) if _OTHER.search(piece) else piece

    def _replaced(self, markup: bytes, following: bytes) -> bytes:
        """The replacement of a comment, an instruction or a CDATA section; `following` is the next byte that is not
        white space."""
        if markup.startswith(_CDATA):
            text = markup.removeprefix(_CDATA).removesuffix(b"]]>")
            return self._given(text.replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;"))
        # Between elements they are read, and count for the lines of errors.
        return markup if self._last == b">" and following == b"<" else b""
