"""A document and columns as one file, which is mapped into memory: nothing of the columns is copied.

The file is an Arrow IPC file with one record batch of one row, so that columns may have any lengths:

* ``document``, a text: JSON with all that is small, and with references to the columns;
* ``0``, ``1``, ...: each a large list, without gaps, of numbers (``uint8`` to ``uint64``, ``int32``, ``int64``) or of
  texts (``string``, ``large_string``), not compressed.

A reference is ``[column, first, count]``: short columns lie together in one list for each type of their elements. A
writer of a value turns it into plain JSON and columns (`ColumnWriter`); a reader asks for each column with
the type that it must have (`ColumnReader`). A file holds only data: numbers, texts, and arrays in the memory of the
file. It names types only by words that the reader knows, and nothing in it is called.

Cost: writing copies no long column; reading looks at the document, at the bounds of each column, and at the texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike, NDArray

from kgreason.dictionary.arrow_columns import numbers_of, text_column
from kgreason.disk import disk_tuning
from kgreason.disk.arrow_messages import read_batches
from kgreason.disk.checked_files import Bytes
from kgreason.disk.json_documents import expect, expect_number, parse_document
from kgreason.errors import DamageError, WriteError, one_line

Json: TypeAlias = Any
"""A value of a JSON document: texts, whole numbers, flags, None, lists, objects."""

DOCUMENT: Final = "document"

_NUMBERS: Final = {
    **{np.dtype(np.uint8): pa.uint8(), np.dtype(np.uint32): pa.uint32(), np.dtype(np.uint64): pa.uint64()},
    **{np.dtype(np.int32): pa.int32(), np.dtype(np.int64): pa.int64()},
}
_TEXTS: Final = (pa.string(), pa.large_string())
_MOST: Final = 1 << 48


class Sink(Protocol):
    """Takes bytes, one part after the other."""

    def write(self, data: Bytes, /) -> object:
        """Take some bytes."""


class ColumnWriter:
    """Collects columns, by reference: they must not change before they are written."""

    def __init__(self) -> None:
        self._kinds: list[pa.DataType] = []
        self._parts: list[list[pa.Array]] = []
        self._lengths: list[int] = []
        self._shared: dict[pa.DataType, int] = {}

    def numbers(self, column: NDArray[Any]) -> Json:
        """A reference to an array of one dimension; flags become bytes."""
        if column.dtype == np.bool_:
            column = column.view(np.uint8)
        column = np.ascontiguousarray(column)
        kind = _NUMBERS.get(column.dtype)
        if kind is None or column.ndim != 1:
            raise WriteError(f"an array of {column.dtype} in {column.ndim} dimensions cannot be kept in a file")
        values = pa.Array.from_buffers(kind, len(column), [None, pa.py_buffer(column)])
        return self._put(values, kind, shared=column.nbytes < disk_tuning.LONG_COLUMN)

    def table(self, rows: NDArray[np.int64]) -> Json:
        """A reference to an array of two dimensions, with its shape."""
        return [self.numbers(np.ascontiguousarray(rows).reshape(-1)), *rows.shape]

    def data(self, data: Bytes) -> Json:
        """A reference to bytes."""
        return self.numbers(np.frombuffer(data, dtype=np.uint8))

    def texts(self, column: pa.Array) -> Json:
        """A reference to a column of texts without nulls."""
        if column.type not in _TEXTS or column.null_count:
            raise WriteError(f"a column of {column.type} cannot be kept in a file")
        return self._put(column, column.type, shared=False)

    def _put(self, values: pa.Array, kind: pa.DataType, *, shared: bool) -> Json:
        number = self._shared.get(kind) if shared else None
        if number is None:
            number = len(self._kinds)
            self._kinds.append(kind)
            self._parts.append([])
            self._lengths.append(0)
            if shared:
                self._shared[kind] = number
        first = self._lengths[number]
        self._parts[number].append(values)
        self._lengths[number] += len(values)
        return [number, first, len(values)]

    def file(self, document: Json) -> Callable[[Sink], None]:
        """A function that writes the file, with a document that refers to the columns so far."""
        text = json.dumps(document)
        fields = [pa.field(DOCUMENT, pa.large_string(), nullable=False)]
        fields += [_field(number, kind) for number, kind in enumerate(self._kinds)]
        schema = pa.schema(fields)

        def write(sink: Sink) -> None:
            columns = [text_column([text]).cast(pa.large_string())]
            for field, parts in zip(fields[1:], self._parts, strict=True):
                values = parts[0] if len(parts) == 1 else pa.concat_arrays(parts)
                ends = pa.py_buffer(np.array([0, len(values)], dtype=np.int64))
                columns.append(pa.Array.from_buffers(field.type, 1, [None, ends], children=[values]))
            with pa.ipc.new_file(pa.PythonFile(_Counting(sink), mode="w"), schema) as writer:
                writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))

        return write


class ColumnReader:
    """The document of a file, and its columns as they are asked for."""

    def __init__(self, data: memoryview) -> None:
        """Look at a file and its document; LoadError where it is not what `ColumnWriter.file` writes."""
        try:
            columns = _columns(data)
        except MemoryError:
            raise
        except (pa.ArrowException, ValueError, KeyError, IndexError, OSError, TypeError) as error:
            raise DamageError(f"no columns of kgreason: {one_line(error)}") from error
        self._columns = columns[1:]
        self.document: Json = expect(parse_document(columns[0][0].as_py(), "the document"), dict, "the document")

    def numbers(self, reference: Json, dtype: DTypeLike, what: str) -> NDArray[Any]:
        """A read-only array of that type; flags are checked to be 0 or 1.

        Raises:
            LoadError: the reference is not one, or the column has another type or is shorter.
        """
        wanted = np.dtype(dtype)
        is_flags = wanted == np.bool_
        kind = pa.uint8() if is_flags else _NUMBERS[wanted]
        found = numbers_of(self._slice(reference, (kind,), what))
        if not is_flags:
            return found
        if len(found) and int(found.max()) > 1:
            raise DamageError("a flag that is neither 0 nor 1", part=what)
        flags: NDArray[Any] = found.view(np.bool_)
        return flags

    def table(self, reference: Json, what: str) -> NDArray[np.int64]:
        """An array of two dimensions; LoadError where its shape does not fit."""
        parts = expect_list(reference, 3, what)
        rows, width = expect_number(parts[1], what, 0, _MOST), expect_number(parts[2], what, 0, 1 << 16)
        found = self.numbers(parts[0], np.int64, what)
        if len(found) != rows * width:
            raise DamageError(f"{len(found)} numbers", part=what, expected=f"{rows} rows of {width}")
        return found.reshape(rows, width)

    def data(self, reference: Json, what: str) -> memoryview:
        """Bytes; LoadError as for `numbers`."""
        return self.numbers(reference, np.uint8, what).data

    def texts(self, reference: Json, what: str) -> pa.Array:
        """A column of texts; LoadError as for `numbers`."""
        return self._slice(reference, _TEXTS, what)

    def _slice(self, reference: Json, kinds: tuple[pa.DataType, ...], what: str) -> pa.Array:
        number, first, count = expect_list(reference, 3, what)
        expect_number(number, f"{what}: its column", 0, len(self._columns) - 1)
        values = self._columns[number]
        if values.type not in kinds:
            raise DamageError(f"a column of {values.type}", part=what, expected=str(kinds[0]))
        expect_number(first, f"{what}: its first element", 0, len(values))
        expect_number(count, f"{what}: its length", 0, len(values) - first)
        return values.slice(first, count)


def expect_list(value: Json, length: int, what: str) -> list[Any]:
    """The value, if it is a list of that length; LoadError otherwise."""
    found: list[Any] = expect(value, list, what)
    if len(found) != length:
        raise DamageError(f"{len(found)} parts", part=what, expected=str(length))
    return found


def _field(number: int, kind: pa.DataType) -> pa.Field:
    return pa.field(str(number), pa.large_list(pa.field("item", kind, nullable=False)), nullable=False)


def _columns(data: memoryview) -> list[pa.Array]:
    """The elements of the lists of a file, after a look at all that the file says of memory."""
    schema, batches = read_batches(data, compressed=False)
    _check_schema(schema)
    batch, more = next(batches, None), next(batches, None)
    if batch is None or more is not None:
        raise DamageError("no batches of columns, or several", expected="one")
    if batch.num_rows != 1:
        raise DamageError(f"{batch.num_rows} rows of columns", expected="one")
    batch.validate(full=True)
    buffer = pa.py_buffer(data)
    found: list[pa.Array] = []
    for column in batch.columns:
        values = column if not found else column.flatten()
        if column.null_count or values.null_count:
            raise DamageError("a column with gaps")
        if not all(_is_inside(part, buffer) for part in values.buffers()):
            raise DamageError("a column that is compressed", expected="one in the memory of the file")
        found.append(values)
    return found


def _is_inside(part: pa.Buffer | None, whole: pa.Buffer) -> bool:
    """Whether the memory of a column is that of a file."""
    return part is None or not part.size or whole.address <= part.address <= whole.address + whole.size - part.size


def _check_schema(schema: pa.Schema) -> None:
    """Raise DamageError unless there is a document, and then columns of numbers or texts."""
    kinds = (*_NUMBERS.values(), *_TEXTS)
    if not len(schema) or schema.field(0) != pa.field(DOCUMENT, pa.large_string(), nullable=False):
        raise DamageError("the first column of a snapshot is not its document")
    for number in range(len(schema) - 1):
        field = schema.field(number + 1)
        if not pa.types.is_large_list(field.type) or field.type.value_type not in kinds:
            raise DamageError(f"column {number} holds something else than numbers or texts")
        if field != _field(number, field.type.value_type):
            raise DamageError(f"column {number} has another name, or gaps")


class _Counting:
    """A sink as Arrow wants it: it asks where it is."""

    closed = False

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._size = 0

    def write(self, data: Bytes) -> int:
        """Hand bytes on."""
        view = memoryview(data).cast("B")
        self._sink.write(view)
        self._size += len(view)
        return len(view)

    def tell(self) -> int:
        """How many bytes there were so far."""
        return self._size

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """The sink is closed by its owner."""
