"""Python objects with large columns as files that are mapped into memory: a stream of objects, then their buffers.

The stream is a pickle of protocol 5 (PEP 574), whose buffers lie outside it: arrays come back in the memory of the
file, read-only, and nothing is copied. So a table says how it is kept by what Python's own protocol asks of it
(``__reduce__``, ``__getstate__``). A stream may name only the classes and functions that the reader lists: whatever is
in a file, reading it runs nothing else. Arrays and columns are made by functions of this module, which look at what
they are given: numpy and Arrow believe what a stream says of memory.
"""

from __future__ import annotations

import io
import json
import pickle
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.durable.files import Bytes
from kgreason.durable.pickles import check_operations
from kgreason.errors import KGReasonError, LoadError, one_line
from kgreason.terms.hashing import text_buffers

Names: TypeAlias = Mapping[tuple[str, str], Any]
"""What a stream may name, by module and qualified name."""

_ALIGNED: Final = 64
_NUMBERS: Final = frozenset(np.dtype(code).str for code in "?bBhHiIlLqQfd")
_ROWS: Final = re.compile(r"\|S[1-9]\d{0,4}")
_LENGTH: Final = 8
INSIDE = 2048
"""A buffer of fewer bytes is part of the stream, and may be written to when it is read."""


def freeze(found: Any, head: Mapping[str, Any]) -> Iterator[Bytes]:
    """The bytes of a file with an object; `head` is JSON that is read without it. No buffer is copied.

    All is gathered before the first part comes, so that the object may be changed by versions from then on.

    Raises:
        KGReasonError: something in it, a table of somebody else's scheme, say, is not made to be kept.
    """
    buffers: list[memoryview] = []

    def is_inside(buffer: pickle.PickleBuffer) -> bool:
        raw = buffer.raw()
        if len(raw) < INSIDE:
            return True
        buffers.append(raw)
        return False

    stream = io.BytesIO()
    try:
        _Pickler(stream, protocol=5, buffer_callback=is_inside).dump(found)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        raise KGReasonError(f"something cannot be kept in a file: {one_line(error)}") from error
    sizes = [len(stream.getbuffer()), *map(len, buffers)]
    text = json.dumps({**head, "sizes": sizes}).encode()
    return _aligned([len(text).to_bytes(_LENGTH, "little") + text, stream.getbuffer(), *buffers])


def _aligned(parts: list[Bytes]) -> Iterator[Bytes]:
    for part in parts:
        yield part
        yield bytes(-len(part) % _ALIGNED)


def read_head(data: memoryview) -> dict[str, Any]:
    """The head of a file; LoadError if it has none."""
    try:
        length = int.from_bytes(data[:_LENGTH], "little")
        head = json.loads(bytes(data[_LENGTH : _LENGTH + length]))
    except ValueError as error:
        raise LoadError("damaged: no head") from error
    if not isinstance(head, dict) or not isinstance(head.get("sizes"), list):
        raise LoadError("damaged: no head")
    return head


def thaw(data: memoryview, names: Names) -> Any:
    """The object of a file, in the memory of the file.

    Raises:
        LoadError: it is not what `freeze` wrote, or names what it may not.
    """
    begin = _LENGTH + int.from_bytes(data[:_LENGTH], "little")
    parts: list[memoryview] = []
    sizes = read_head(data)["sizes"]
    try:
        for size in sizes:
            begin += -begin % _ALIGNED
            parts.append(data[begin : begin + size])
            begin += size
        check_operations(parts[0])
        return _Unpickler(parts[0], parts[1:], names).load()
    except LoadError:
        raise
    except Exception as error:  # whatever the classes that it names make of what is not theirs
        raise LoadError(f"damaged: {type(error).__name__}: {one_line(error)}") from error


def text_column_of(is_large: bool, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> pa.Array:
    """A string column in the memory of its parts; ValueError where these are none."""
    column_type = pa.large_string() if is_large else pa.string()
    if offsets.dtype != (np.int64 if is_large else np.int32) or data.dtype != np.uint8 or not len(offsets):
        raise ValueError("no parts of a column")
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    column = pa.Array.from_buffers(column_type, len(offsets) - 1, buffers)
    column.validate(full=True)
    return column


def array_of(numbers: str, shape: tuple[int, ...], data: Bytes) -> NDArray[Any]:
    """An array of numbers, or of rows of bytes, in the memory of some bytes; ValueError where these do not fit."""
    if not _is_plain(numbers):
        raise ValueError(f"no numbers: {numbers}")
    return np.frombuffer(data, dtype=numbers).reshape(shape)


def number_of(numbers: str, data: bytes) -> np.generic:
    """A number of numpy's, from its bytes."""
    return cast(np.generic, array_of(numbers, (), data)[()])


MAKERS: Final = (text_column_of, array_of, number_of)
"""What a stream calls beside classes."""


def _is_plain(dtype: str) -> bool:
    return dtype in _NUMBERS or _ROWS.fullmatch(dtype) is not None


class _Pickler(pickle.Pickler):
    def reducer_override(self, found: Any) -> Any:
        match found:
            case pa.Array():
                offsets, data = text_buffers(found)
                begin, end = (int(offsets[0]), int(offsets[-1])) if len(found) else (0, 0)
                return text_column_of, (pa.types.is_large_string(found.type), offsets - begin, data[begin:end])
            case np.ndarray() if _is_plain(found.dtype.str):
                packed = np.ascontiguousarray(found)
                return array_of, (found.dtype.str, found.shape, pickle.PickleBuffer(packed.data))
            case np.generic() if found.dtype.str in _NUMBERS:
                return number_of, (found.dtype.str, found.tobytes())
        return NotImplemented


class _Unpickler(pickle.Unpickler):
    def __init__(self, stream: memoryview, buffers: list[memoryview], names: Names) -> None:
        super().__init__(io.BytesIO(stream), buffers=buffers)
        self._names = names

    def find_class(self, module: str, name: str) -> Any:
        try:
            return self._names[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a snapshot") from None
