"""A look at what a Parquet file says of memory, before Arrow believes it.

Arrow allocates as many bytes for a page as its header says, and a page of some bytes may stand for billions of rows, or
for a text of a dictionary many times over. So the headers of all pages are read first. Source: ``parquet.thrift`` and
"Thrift compact protocol encoding".
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from kgreason import memory
from kgreason.arrow import pa, pc
from kgreason.checkpoints import checkpoint
from kgreason.errors import LoadError
from kgreason.io import file_tuning

if TYPE_CHECKING:
    import pyarrow.parquet as pq

Read: TypeAlias = Callable[[int, int], bytes]
"""From an offset and a count to so many bytes of a file, fewer at its end."""

_DATA: Final = 0
_DICTIONARY: Final = 2
_DATA_2: Final = 3
# The field of a page's header that has its own header, and in that the field of the encoding.
_HEADERS: Final = {_DATA: (5, 2), _DICTIONARY: (7, 2), _DATA_2: (8, 4)}
_BY_DICTIONARY: Final = (2, 8)
_HEADER: Final = 1 << 10
_LONGEST_HEADER: Final = 16 << 20
_DEEPEST: Final = 8
"""The header of a page is looked for in so many bytes first, in so many at most, and so deeply nested at most."""


@dataclass(frozen=True, slots=True)
class _Pages:
    """What the pages of a column of a row group say: bytes, rows, bytes of a dictionary and rows that refer to it."""

    size: int = 0
    rows: int = 0
    dictionary: int = 0
    referring: int = 0


def check_pages(file: pq.ParquetFile, source: Path | bytes, names: Sequence[str]) -> None:
    """Make sure that some columns of a file do not take more memory than a file of so many bytes may.

    Args:
        file: the file, of which nothing was read but its footer.
        source: where it is, or its content.
        names: of the columns that are read.

    Raises:
        LoadError: they take more, or a header is invalid.
        MemoryError: there is less memory than one column of a row group takes.

    Cost: some 20 microseconds for a page; a second look at dictionaries whose texts might be repeated too often.
    """
    if isinstance(source, bytes):
        _check(file, source, names, len(source), lambda at, count: source[at : at + count])
        return
    with source.open("rb") as stream:

        def read(at: int, count: int) -> bytes:
            stream.seek(at)
            return stream.read(count)

        _check(file, source, names, stream.seek(0, os.SEEK_END), read)


def _check(file: pq.ParquetFile, source: Path | bytes, names: Sequence[str], size: int, read: Read) -> None:
    most = memory.most_decompressed(size)
    left = most
    metadata = file.metadata
    for group in range(metadata.num_row_groups):
        checkpoint()
        columns = metadata.row_group(group)
        for number in range(columns.num_columns):
            column = columns.column(number)
            if column.path_in_schema.split(".")[0] not in names:
                continue
            pages = _pages_of(column, size, read)
            left -= max(pages.size, 8 * pages.rows)
            if left < 0:
                raise LoadError(f"it decompresses to more than {most:,} bytes")
            memory.check(pages.size, "a column of Parquet")
            if column.physical_type == "BYTE_ARRAY" and pages.dictionary * pages.referring > most:
                _check_texts(source, group, column.path_in_schema, pages, most)


def _check_texts(source: Path | bytes, group: int, name: str, pages: _Pages, most: int) -> None:
    """Raise LoadError where the texts of a dictionary, each as often as it is referred to, take too much."""
    # Parquet takes 0.1 seconds to import, and most stores never read any.
    import pyarrow.parquet as pq

    reader = pa.BufferReader(source) if isinstance(source, bytes) else source
    coded = pq.ParquetFile(reader, read_dictionary=[name])
    left = most
    for batch in coded.iter_batches(file_tuning.INDEX_ROWS, row_groups=[group], columns=[name], use_threads=False):
        checkpoint()
        column = batch.column(0)
        if not hasattr(column, "dictionary"):
            return
        lengths = pc.binary_length(column.dictionary)
        if (pc.max(lengths).as_py() or 0) * pages.referring <= most:
            return
        left -= pc.sum(pc.cast(lengths.take(column.indices), "int64")).as_py() or 0
        if left < 0:
            raise LoadError(f"its texts decompress to more than {most:,} bytes")


def _pages_of(column: Any, size: int, read: Read) -> _Pages:
    """The pages of a column of a row group, as Arrow reads them: until there are as many values as the footer says."""
    if not column.num_values:
        return _Pages()
    at = column.data_page_offset
    if column.has_dictionary_page and 0 < column.dictionary_page_offset < at:
        at = column.dictionary_page_offset
    end = at + column.total_compressed_size
    if not 0 < at <= end <= size:
        raise LoadError("a column lies outside of the file")
    bytes_, rows, dictionary, referring = 0, 0, 0, 0
    while rows < column.num_values and at < end:
        header, length = _header(read, at, end)
        kind, page, packed = (header.get(field, -1) for field in (1, 2, 3))
        own, encoding = _HEADERS.get(kind, (0, 0))
        inner = header.get(own, {})
        values = inner.get(1, 0) if isinstance(inner, dict) else -1
        if not all(isinstance(each, int) and each >= 0 for each in (kind, page, packed, values)):
            raise LoadError("a page without a length")
        at += length + packed
        bytes_ += page
        if kind == _DICTIONARY:
            dictionary += page
        else:
            rows += values
            referring += values if inner.get(encoding) in _BY_DICTIONARY else 0
    if at > end:
        raise LoadError("a page is longer than its column")
    return _Pages(bytes_, rows, dictionary, referring)


def _header(read: Read, at: int, end: int) -> tuple[dict[int, Any], int]:
    """The header of a page by the numbers of its fields, and its length."""
    count = _HEADER
    while True:
        data = read(at, min(count, end - at))
        try:
            return _Compact(data).structure(0)
        except IndexError:
            if count >= min(end - at, _LONGEST_HEADER):
                raise LoadError("the header of a page breaks off") from None
            count *= 16


class _Compact:
    """A structure of Thrift's compact protocol; IndexError where it breaks off."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def structure(self, depth: int) -> tuple[dict[int, Any], int]:
        """Its fields by their numbers, and how many bytes have been read."""
        if depth > _DEEPEST:
            raise LoadError("the header of a page is nested too deeply")
        fields: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            fields[number] = self._value(head & 15, depth)
        return fields, self._at

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._zigzag()
            case 7:
                return struct.unpack("<d", self._bytes(8))[0]
            case 8:
                return self._bytes(self._number())
            case 12:
                return self.structure(depth + 1)[0]
        raise LoadError("the header of a page has a field of an unknown kind")

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        if count > len(self._data) - self._at:
            raise IndexError
        self._at += count
        return self._data[self._at - count : self._at]

    def _number(self) -> int:
        found = shift = 0
        while (byte := self._byte()) >= 0x80:
            found |= (byte & 0x7F) << shift
            shift += 7
            if shift > 63:
                raise LoadError("the header of a page has a number that is too long")
        return found | byte << shift

    def _zigzag(self) -> int:
        found = self._number()
        return found >> 1 ^ -(found & 1)
