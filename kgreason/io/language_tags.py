"""How a document writes its language tags: pyoxigraph gives all of them in lower case."""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import Final

from pyoxigraph import RdfFormat

from kgreason.checkpoints import checkpoint
from kgreason.io import file_tuning
from kgreason.io.nesting import Nesting
from kgreason.io.streams import Readable

NO_LANGUAGE: Final = "x-kgreason-none"
"""What stands in RDF/XML for an empty tag, which takes a language away."""
_TAG: Final = rb"([A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*)"
# The sign comes first, which Python looks for much faster than for what may stand before it.
_AFTER_QUOTE: Final = re.compile(
    rb"@(?:(?<=[\"']@)|(?<=[\"'][ \t]@))" + _TAG + rb"(?:--(?:ltr|rtl))?(?![A-Za-z0-9\-])(?!\Z)"
)
_IN_XML: Final = re.compile(rb"lang\s*=\s*[\"']" + _TAG + rb"[\"']")
# Keys of an object may be tags, too (language maps).
_IN_JSON: Final = re.compile(rb"\"@language\"\s*:\s*\"" + _TAG + rb"\"|\"" + _TAG + rb"\"\s*:")
# Those of the other formats have tags after their literals.
_PATTERNS: Final = {RdfFormat.RDF_XML: _IN_XML, RdfFormat.JSON_LD: _IN_JSON}
# The parser asks for so many bytes, unless its buffer is nearly full; with each of the few that it asks for then, it
# begins the term anew.
_LEAST: Final = 1024
# More than any tag and what belongs to it.
_KEPT: Final = 256
# What belongs to a tag before its sign.
_BEFORE: Final = 2


class Tags:
    """The tags of a document that is read by a parser, which is not ahead of what was seen here.

    Where literals come in the order of the document, each has the tag that it is written with; quotation marks and tags
    inside of strings or comments may shift that. In RDF/XML and JSON-LD each tag has the spelling in which it comes
    first.
    """

    def __init__(self, format: RdfFormat) -> None:
        self._pattern = _PATTERNS.get(format)
        self._first: dict[str, str] = {}
        self._coming: deque[bytes] = deque()
        self._forms: dict[bytes, tuple[str, str]] = {}
        self._rest = b""

    @property
    def is_of_terms(self) -> bool:
        """Whether the format is one of those where the parser has a buffer for one term."""
        return self._pattern is None

    @property
    def are_coming(self) -> bool:
        """Whether a tag was seen and not yet asked for; always so where tags do not come in order."""
        return self._pattern is not None or bool(self._coming)

    def passes(self, language: str) -> bool:
        """Whether the next literal with a tag writes it in lower case, as it is given. Where it does not, the tag is
        still to be asked for."""
        written = self.spelled(language)
        if written != language and self._pattern is None:
            self._coming.appendleft(written.encode())
        return written == language

    def see(self, data: bytes) -> None:
        """Look at the next bytes, none at the end: about a microsecond for each tag."""
        text = self._rest + (data or b"\n ")
        if self._pattern is None:
            self._rest = self._see_in_order(text)
            return
        end = 0
        for found in self._pattern.finditer(text):
            end = found.end()
            tag = next(filter(None, found.groups())).decode()
            self._first.setdefault(tag.lower(), tag)
        self._rest = text[max(end, len(text) - _KEPT) :]

    def _see_in_order(self, text: bytes) -> bytes:
        """Note the tags of a text, and give back the part of it that is to be looked at again."""
        # Only the last tag may continue in the next chunk.
        last = text.rfind(b"@", max(len(text) - _KEPT, 0))
        self._coming += _AFTER_QUOTE.findall(text, 0, len(text) if last < 0 else last + 1)
        if last < 0:
            return text[-_BEFORE:]
        found = _AFTER_QUOTE.match(text, last)
        if found is None:
            return text[max(last - _BEFORE, 0) :]
        self._coming.append(found[1])
        return text[max(found.end(), len(text) - _BEFORE) :]

    def spelled(self, language: str) -> str:
        """How the next literal with a tag, which is given in lower case, writes it."""
        if self._pattern is not None:
            return self._first.get(language, language)
        coming = self._coming
        if coming and coming[0] in self._forms:
            folded, written = self._forms[coming[0]]
            if folded == language:
                coming.popleft()
                return written
        return self._searched(language)

    def _searched(self, language: str) -> str:
        """The same where the next tag is a new one, or does not belong to a literal."""
        for place, tag in enumerate(islice(self._coming, file_tuning.TAGS_AHEAD)):
            folded, written = self._forms.setdefault(tag, (tag.decode().lower(), tag.decode()))
            if folded == language:
                for _ in range(place + 1):
                    self._coming.popleft()
                return written
        return language


class LongTermError(ValueError):
    """A term, or a line, that fills the buffer of the parser."""

    def __init__(self) -> None:
        super().__init__("a term of more than 16 MB, or 8 MB in JSON-LD (expected shorter ones)")


class Watched:
    """A stream for a parser that records the language tags that pass through it, and refuses too deep triple terms."""

    def __init__(self, stream: Readable, tags: Tags) -> None:
        self._stream = stream
        self._tags = tags
        self._nesting = Nesting()

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes; looks at the clock, since a parser may read for long before it gives a triple."""
        checkpoint()
        if 0 <= size < _LEAST and self._tags.is_of_terms:
            raise LongTermError
        data = self._stream.read(size)
        self._tags.see(data)
        if self._tags.is_of_terms:
            self._nesting.see(data)
        return data
