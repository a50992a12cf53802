"""CSV files in pieces that end where records end.

Where a file has quotation marks, a piece ends at a line end with an even number of them before it. It is *plain* when
all of them stand where the grammar wants them: an odd one behind a delimiter or a line end, an even one before one, or
two together. A plain piece is well-formed CSV, which pyarrow parses; any other is taken apart record by record
(`kgreason_mapping.sources.csv_grammar`).
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kgreason.errors import LoadError
from kgreason_mapping.arrow.local_files import blocks
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.sources.csv_grammar import LINE_END, python_grammar
from kgreason_mapping.sources.csv_records import MOST_CHARACTERS

BLOCK: Final = 1 << 21
"""Bytes of a piece: with 1 to 16 MB a core maps equally many rows a second, and memory grows with it."""

_TEXT_LINE: Final = re.compile(rf"[^\r\n]*+{LINE_END}")
_LINE: Final = re.compile(_TEXT_LINE.pattern.encode())
_LINE_FEED, _RETURN = b"\n\r"


@dataclass(frozen=True, slots=True)
class CsvPiece:
    """Whole records, in UTF-8 where the file is; `is_plain` says that pyarrow reads them as the grammar does."""

    content: bytes
    is_plain: bool


def piece_of(content: bytes, dialect: Dialect) -> CsvPiece:
    """Whole records, each with its line end, as a piece."""
    return CsvPiece(content, _is_simple(dialect) and _plain_end(content, dialect) == len(content))


class CsvFile:
    """A file of records: its first one, and the rest in pieces."""

    def __init__(self, path: str, dialect: Dialect, encoding: str) -> None:
        self._path, self._dialect = path, dialect
        self._records = Records(dialect)
        self._blocks = _utf8_blocks(path, encoding)
        self._buffer = b""
        self._is_at_end = False
        self._line = 1

    def first(self) -> str | None:
        """The first record, which is taken off the file; None where there is none.

        Raises:
            LoadError: it is not valid UTF-8, or has no end.
        """
        self._fill(1)
        self._buffer = self._buffer.removeprefix(codecs.BOM_UTF8)
        for _ in range(self._dialect.skip_rows):
            self._take(self._line_end())
        while self._fill(1):
            text = self._buffer.decode("utf-8", "surrogateescape")
            skipped = self._records.skipped(text, 0)
            if skipped:
                self._take(len(_encoded(text[:skipped])))
            elif end := self._records.record_end(text, 0):
                self._take(len(_encoded(text[:end])))
                return self._checked(text[:end].removesuffix("\n").removesuffix("\r"))
            elif self._is_at_end:
                raise LoadError("a quotation mark that is never closed", path=self._path, line=self._line)
            else:
                self._fill(len(self._buffer) + BLOCK)
        return None

    def put_back(self, record: str) -> None:
        """Take back the first record, which is a row."""
        self._buffer = _encoded(f"{record}\n") + self._buffer
        self._line -= 1

    def pieces(self) -> Iterator[CsvPiece]:
        """What has not been taken, in pieces.

        Raises:
            LoadError: a quotation mark that is never closed; names the line.
        """
        while self._fill(BLOCK):
            end = _plain_end(self._buffer, self._dialect) if _is_simple(self._dialect) else 0
            is_plain = end > 0
            if not is_plain:
                text = self._buffer.decode("utf-8", "surrogateescape")
                end = len(_encoded(text[: self._records.end(text)]))
            if end:
                piece = self._buffer[:end]
                self._take(end)
                yield CsvPiece(piece, is_plain)
            elif self._is_at_end:
                raise LoadError("a quotation mark that is never closed", path=self._path, line=self._line)
            elif len(self._buffer) > MOST_CHARACTERS:
                reason = "a quotation mark that is not closed for more than 256 MB"
                raise LoadError(reason, path=self._path, line=self._line)
            else:
                self._fill(len(self._buffer) + BLOCK)

    def _fill(self, least: int) -> bool:
        """Read until the buffer has some bytes or the file ends, whose last line gets its end."""
        while len(self._buffer) < least and not self._is_at_end:
            block = next(self._blocks, None)
            self._is_at_end = block is None
            if block is not None:
                self._buffer += block
            elif self._buffer and not self._buffer.endswith((b"\n", b"\r")):
                self._buffer += b"\n"
        return bool(self._buffer)

    def _take(self, end: int) -> None:
        taken = self._buffer[:end]
        self._line += taken.count(b"\n") + taken.count(b"\r") - taken.count(b"\r\n")
        self._buffer = self._buffer[end:]

    def _line_end(self) -> int:
        while not (found := _LINE.match(self._buffer)) and not self._is_at_end:
            self._fill(len(self._buffer) + 1)
        return found.end() if found else len(self._buffer)

    def _checked(self, record: str) -> str:
        try:
            record.encode()
        except UnicodeEncodeError:
            raise LoadError("the header is not valid UTF-8", path=self._path) from None
        return record


class Records:
    """Records of a dialect in text that begins outside of a quoted field."""

    def __init__(self, dialect: Dialect) -> None:
        self._comment = dialect.comment
        self._pattern = re.compile(python_grammar(dialect).rest_outside)

    def record_end(self, text: str, position: int) -> int:
        """The end of the record at a position with its line end, 0 where the text ends before."""
        found = self._pattern.match(text, position)
        return found.end() if found else 0

    def skipped(self, text: str, position: int) -> int:
        """The end of the line at a position, which is empty or a comment; 0 for a record, or where it has no end."""
        if text[position : position + 1] not in ("\n", "\r") and not (
            self._comment is not None and text.startswith(self._comment, position)
        ):
            return 0
        found = _TEXT_LINE.match(text, position)
        return found.end() if found else 0

    def each(self, text: str) -> Iterator[str]:
        """The records without their line ends."""
        position = 0
        while position < len(text):
            if end := self.skipped(text, position):
                position = end
                continue
            end = self.record_end(text, position)
            if not end:
                return
            yield text[position:end].removesuffix("\n").removesuffix("\r")
            position = end

    def end(self, text: str) -> int:
        """Where the last whole record ends."""
        position = 0
        while position < len(text):
            end = self.skipped(text, position) or self.record_end(text, position)
            if not end:
                break
            position = end
        return position


def _is_simple(dialect: Dialect) -> bool:
    """Whether pyarrow knows the dialect."""
    marks = dialect.delimiter + (dialect.quote or "")
    return marks.isascii() and dialect.double_quote and dialect.comment is None


def _plain_end(data: bytes, dialect: Dialect) -> int:
    """Where the longest plain beginning of some whole records ends; 0 where the beginning is not plain."""
    if data.startswith(codecs.BOM_UTF8):
        return 0  # pyarrow would take it for the mark of a file, and off a value
    end = _last_line_end(data, len(data))
    if dialect.quote is None or dialect.quote.encode() not in data:
        return end
    content = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(content == ord(dialect.quote))
    while end:
        before = int(np.searchsorted(quotes, end))
        if before % 2 == 0:
            break
        end = _last_line_end(data, int(quotes[before - 1]))
    quotes = quotes[quotes < end]
    return end if _are_paired(content[:end], quotes, ord(dialect.delimiter)) else 0


def _are_paired(content: NDArray[np.uint8], quotes: NDArray[np.int64], delimiter: int) -> bool:
    """Whether quotation marks begin and end fields, or are doubled in them."""
    begins, ends = quotes[::2], quotes[1::2]
    before = content[begins - 1]
    starts = (before == delimiter) | (before == _LINE_FEED) | (before == _RETURN) | (begins == 0)
    starts[1:] |= begins[1:] == ends[:-1] + 1
    after = content[ends + 1]
    stops = (after == delimiter) | (after == _LINE_FEED) | (after == _RETURN)
    stops[:-1] |= begins[1:] == ends[:-1] + 1
    return bool(starts.all() and stops.all())


def _last_line_end(data: bytes, end: int) -> int:
    return max(data.rfind(b"\n", 0, end), data.rfind(b"\r", 0, end)) + 1


def _utf8_blocks(path: str, encoding: str) -> Iterator[bytes]:
    if codecs.lookup(encoding).name == "utf-8":
        yield from blocks(path, BLOCK)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    try:
        for block in blocks(path, BLOCK):
            text = decoder.decode(block)
            line += text.count("\n")
            yield text.encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", True).encode("utf-8", "surrogatepass")
    except UnicodeError as error:
        reason = getattr(error, "reason", error)
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].decode(encoding, "ignore").count("\n")
        raise LoadError(f"not {encoding}: {reason}", path=path, line=line) from None


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
