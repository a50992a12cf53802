"""Arrow files that may come from anywhere: their batches, after a look at what each says of memory.

Arrow allocates as many bytes for a compressed buffer as the file says that it has, and a file of a kilobyte may say,
and have, a gigabyte. So a message is looked at before Arrow decompresses anything of it; then Arrow reads the bytes
that were looked at. Source: "IPC file format" and ``Message.fbs`` of the Arrow columnar format.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, TypeAlias

import pyarrow as pa

from kgreason import memory
from kgreason.errors import DamageError

MAGIC: Final = b"ARROW1\0\0"

_RECORD_BATCH: Final = 3

Part: TypeAlias = memoryview | bytes


def read_batches(
    data: memoryview, rows: int | None = None, *, compressed: bool = True
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema of a file, and its batches; each is decompressed when it is asked for.

    Args:
        data: the bytes of the file, which batches that are not compressed go on to use.
        rows: how many rows there are at most.
        compressed: whether batches may be compressed.

    Raises:
        LoadError: there are more rows, or they take more memory than they may.
        pyarrow.ArrowException, OSError, ValueError: it is not such a file.
    """
    if bytes(data[: len(MAGIC)]) != MAGIC:
        raise ValueError("no file of Arrow")
    messages = pa.ipc.MessageReader.open_stream(pa.py_buffer(data)[len(MAGIC) :])
    first = next(iter(messages), None)
    if first is None:
        raise ValueError("no schema")
    _expect(first, "schema")
    schema = pa.ipc.read_schema(first)
    return schema, _decoded(messages, schema, rows, memory.most_decompressed(len(data)), compressed=compressed)


def _decoded(
    messages: pa.ipc.MessageReader, schema: pa.Schema, rows: int | None, most: int, *, compressed: bool
) -> Iterator[pa.RecordBatch]:
    left = most
    for message in messages:
        _expect(message, "record batch")
        count, size = _declared(memoryview(message.metadata), memoryview(message.body), compressed=compressed)
        if rows is not None:
            rows -= count
        left -= size
        if rows is not None and rows < 0:
            raise DamageError("more rows than were written")
        if left < 0:
            raise DamageError(f"it decompresses to more than {most:,} bytes")
        memory.check(size, "decompressing a column")
        yield pa.ipc.read_record_batch(message, schema)


def _expect(message: pa.Message, kind: str) -> None:
    """Arrow checks the parts of a message as those of the kind that it says it is, and reads them as the asked one."""
    if message.type != kind:
        raise DamageError(f"a message of the kind {message.type}", expected=f"a {kind}")


def _declared(metadata: Part, body: Part, *, compressed: bool) -> tuple[int, int]:
    """The rows of a batch, and the bytes that its buffers have once they are decompressed, as the file says."""
    try:
        message = _Table(metadata, struct.unpack_from("<I", metadata)[0])
        if message.scalar(1, "<B", 0) != _RECORD_BATCH:
            raise DamageError("a message that is not a record batch")
        batch = message.table(2)
        count: int = batch.scalar(0, "<q", 0)
        if batch.at(3) is None:
            return count, 0
        if not compressed:
            raise DamageError("a column that is compressed", expected="one in the memory of the file")
        size = 0
        for offset, length in batch.structs(2, "<qq"):
            if length:
                (declared,) = struct.unpack_from("<q", body, offset)
                size += length if declared == -1 else declared
                if declared < -1:
                    raise DamageError("a column of a length below zero")
    except struct.error as error:
        raise DamageError("a record batch that breaks off") from error
    if count < 0:
        raise DamageError("a record batch of fewer rows than none")
    return count, size


class _Table:
    """A table of a flatbuffer: each field by its number."""

    def __init__(self, data: Part, position: int) -> None:
        self._data = data
        self._position = position
        self._fields = position - struct.unpack_from("<i", data, position)[0]
        if self._fields < 0:
            raise struct.error("a table before the beginning")
        self._end = struct.unpack_from("<H", data, self._fields)[0]

    def at(self, field: int) -> int | None:
        """Where a field is; None where it has its default value."""
        entry = 4 + 2 * field
        if entry >= self._end:
            return None
        offset: int = struct.unpack_from("<H", self._data, self._fields + entry)[0]
        return self._position + offset if offset else None

    def scalar(self, field: int, kind: str, default: int) -> int:
        """A number."""
        place = self.at(field)
        return default if place is None else int(struct.unpack_from(kind, self._data, place)[0])

    def table(self, field: int) -> _Table:
        """A table that this one refers to."""
        return _Table(self._data, self._target(field))

    def structs(self, field: int, kind: str) -> Iterator[tuple[int, ...]]:
        """The elements of a vector of structures."""
        begin = self._target(field)
        (count,) = struct.unpack_from("<I", self._data, begin)
        for number in range(count):
            yield struct.unpack_from(kind, self._data, begin + 4 + number * struct.calcsize(kind))

    def _target(self, field: int) -> int:
        place = self.at(field)
        if place is None:
            raise struct.error("a field is missing")
        return place + int(struct.unpack_from("<I", self._data, place)[0])
