"""Records of CSV files that are read from beginning to end: quoted fields may run over lines, in any encoding.

Executors run this, with one task for each file. A file comes in pieces, one for each line feed byte; the records come
out as UTF-8 without their line ends, and without the header, comments and blank lines.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from kgreason.errors import LoadError, one_line
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.locations import shown
from kgreason_mapping.sources.csv_grammar import LINE_END, python_grammar

MOST_CHARACTERS: Final = 1 << 28
"""A longer record is taken for a quotation mark that is never closed, before it fills the memory."""

_RECORDS: Final = 10_000
_BOM: Final = "\ufeff"
_LINE: Final = re.compile(rf"[^\r\n]*+{LINE_END}")


@dataclass(frozen=True, slots=True)
class RecordReader:
    """Reads the records of files in a dialect and an encoding.

    Attributes:
        header: the first record that every file must have, and which is left out; None to leave nothing out.
    """

    dialect: Dialect
    encoding: str
    header: str | None = None

    def batches(self, pieces: Iterator[Any]) -> Iterator[Any]:
        """Arrow batches of one binary column, the records, for batches of pieces and the URIs of their files.

        Raises:
            LoadError: a quoted field without an end, a file with another header, or bytes that are not of the
                encoding; names the file and the line.
        """
        gathered: list[bytes] = []
        for record in self._records(pieces):
            gathered.append(_encoded(record))
            if len(gathered) == _RECORDS:
                yield _batch(gathered)
                gathered = []
        yield _batch(gathered)

    def _records(self, pieces: Iterator[Any]) -> Iterator[str]:
        uri, splitter = None, None
        for batch in pieces:
            for piece, place in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if splitter is None or place != uri:
                    if splitter is not None:
                        yield from splitter.end()
                    uri, splitter = place, _Splitter(self, shown(place))
                yield from splitter.feed(piece + b"\n")
        if splitter is not None:
            yield from splitter.end()


class _Splitter:
    """The records of one file. `_begun` has the text of a record that goes on inside a quoted field."""

    def __init__(self, reader: RecordReader, file: str) -> None:
        dialect = reader.dialect
        patterns = python_grammar(dialect)
        self._outside, self._inside = re.compile(patterns.rest_outside), re.compile(patterns.rest_inside)
        special = "\r\n" + (dialect.quote or "") + ("" if dialect.double_quote else "\\")
        self._special = re.compile(f"[{re.escape(special)}]")
        errors = "surrogateescape" if codecs.lookup(reader.encoding).name == "utf-8" else "strict"
        self._decoder = codecs.getincrementaldecoder(reader.encoding)(errors)
        self._file, self._reader = file, reader
        self._header, self._skip = reader.header, dialect.skip_rows
        self._begun: list[str] = []
        self._half: list[str] = []
        self._line, self._length, self._is_first = 1, 0, True

    def feed(self, piece: bytes) -> Iterator[str]:
        """The records that end in a piece; LoadError for bytes that the encoding does not have."""
        try:
            text = self._decoder.decode(piece)
        except UnicodeError as error:
            raise self._undecodable(error) from None
        # A line feed byte may be half a character of UTF-16, time and again.
        end = text.rfind("\n") + 1
        if not end:
            self._half.append(text)
            return iter(())
        whole = "".join((*self._half, text[:end]))
        self._half = [text[end:]]
        return self._split(whole)

    def end(self) -> Iterator[str]:
        """The last record; LoadError when it has no end."""
        if half := "".join(self._half):
            yield from self._split(half + "\n")
        if self._begun:
            raise LoadError("a quotation mark that is never closed", path=self._file, line=self._line)
        if self._header is not None:
            raise LoadError("there is no header", path=self._file)

    def _undecodable(self, error: UnicodeError) -> LoadError:
        encoding = self._reader.encoding
        if not isinstance(error, UnicodeDecodeError):
            return LoadError(f"not {encoding}: {one_line(error)}", path=self._file, line=self._line)
        try:
            before = error.object[: error.start].decode(encoding, "ignore")
        except UnicodeError:  # some codecs cannot ignore anything
            before = ""
        line = self._line + sum(text.count("\n") for text in (*self._half, before))
        return LoadError(f"not {encoding}: {error.reason}", path=self._file, line=line)

    def _split(self, text: str) -> Iterator[str]:
        """The records of lines; each ends with a line end."""
        if self._is_first and text:
            text, self._is_first = text.removeprefix(_BOM), False
        position = 0
        while position < len(text):
            if not self._begun and (skipped := self._skipped(text, position)):
                position = skipped
                continue
            end, is_whole = self._record_end(text, position)
            self._begun.append(text[position:end])
            position = end
            if not is_whole:
                self._length += len(self._begun[-1])
                if self._length > MOST_CHARACTERS:
                    reason = "a quotation mark that is not closed for more than 256 MB"
                    raise LoadError(reason, path=self._file, line=self._line)
                continue
            record = "".join(self._begun)
            self._begun, self._length = [], 0
            yield from self._accepted(record.removesuffix("\n").removesuffix("\r"))
            self._line += record.count("\n") + record.count("\r") - record.count("\r\n")

    def _record_end(self, text: str, position: int) -> tuple[int, bool]:
        """Where the record that goes on at the position ends, or else the text."""
        last = len(text) - (2 if text.endswith("\r\n") else 1)
        if not self._begun and self._special.search(text, position, last) is None:
            return len(text), True
        found = (self._inside if self._begun else self._outside).match(text, position)
        return (found.end(), True) if found else (len(text), False)

    def _skipped(self, text: str, position: int) -> int:
        """The end of a line that is outside of a record, 0 for one inside."""
        comment = self._reader.dialect.comment
        if not self._skip and (comment is None or not text.startswith(comment, position)):
            return 0
        found = _LINE.match(text, position)
        assert found is not None
        self._skip = max(0, self._skip - 1)
        self._line += 1
        return found.end()

    def _accepted(self, record: str) -> Iterator[str]:
        if not record:
            return
        if self._header is None:
            yield record
        elif record != self._header:
            raise LoadError(f"begins with {record!r} and not with the header {self._header!r}", path=self._file)
        else:
            # Only the first record is the header.
            self._header = None


def _encoded(record: str) -> bytes:
    """A record as UTF-8. Bytes that are not UTF-8 come out as they are: what reads the row tells so."""
    try:
        return record.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # UTF-7 for instance has a way to write half a pair
        return record.encode("utf-8", "surrogatepass")


def _batch(records: list[bytes]) -> Any:
    return pa.record_batch([pa.array(records, pa.binary())], names=["value"])
