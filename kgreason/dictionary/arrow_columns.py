"""Columns of numpy as columns of Arrow, and back.

`pyarrow.array`, `pyarrow.scalar` and `to_numpy` import pandas where it is installed, which takes as long as to load a
million encoded triples, and 40 MB; what is here goes by the buffers.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kgreason import memory
from kgreason.arrow import pa, pc
from kgreason.dictionary import term_tuning

Mask: TypeAlias = NDArray[np.bool_]

_FLOATS: Final = {"float": np.float32, "double": np.float64}


def row_column(rows: NDArray[np.int64]) -> pa.Array:
    """Numbers of rows, in the same memory."""
    return pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(np.ascontiguousarray(rows))])


def mask_column(mask: Mask) -> pa.Array:
    """A mask, a bit for each row: O(n)."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(mask), [None, bits])


def text_column(texts: Sequence[str]) -> pa.Array:
    """Few texts as a string column: O(n), with a Python object for each; UnicodeEncodeError for a lone surrogate."""
    memory.check(100 * len(texts), "a column of texts")
    encoded = [text.encode() for text in texts]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=offsets[1:])
    memory.check(2 * int(offsets[-1]), "a column of texts")
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
    column = pa.Array.from_buffers(pa.large_string(), len(encoded), buffers)
    return column.cast(pa.string())


def optional_texts(texts: Sequence[str | None]) -> pa.Array:
    """Few texts, or none of some, as a string column."""
    known = mask_column(np.array([text is not None for text in texts], dtype=np.bool_))
    return pc.if_else(known, text_column([text or "" for text in texts]), pa.nulls(len(texts), pa.string()))


def text_scalar(text: str) -> pa.Scalar:
    """A text as an argument of a function on string columns."""
    return text_column([text])[0]


def mask_of(column: pa.Array) -> Mask:
    """A column of booleans without nulls as a mask: O(n)."""
    _, bits = column.buffers()
    if not len(column):
        return np.zeros(0, dtype=np.bool_)
    begin, end = column.offset, column.offset + len(column)
    some = np.frombuffer(bits, dtype=np.uint8)[begin >> 3 : (end + 7) >> 3]
    unpacked = np.unpackbits(some, count=(begin & 7) + len(column), bitorder="little")
    return unpacked[begin & 7 :].view(np.bool_)


def numbers_of(column: pa.Array) -> NDArray[Any]:
    """A column of numbers without nulls, in the same memory, read-only."""
    dtype = np.dtype(_FLOATS.get(str(column.type)) or str(column.type))
    if not len(column):
        return np.empty(0, dtype=dtype)
    return np.frombuffer(column.buffers()[1], dtype=dtype, count=len(column), offset=column.offset * dtype.itemsize)


def texts_of(column: pa.Array) -> Sequence[str]:
    """The texts of a string column without nulls: 0.1 to 0.2 microseconds each."""
    if len(column) > term_tuning.PANDAS_TEXTS or "pandas" in sys.modules:
        texts: Sequence[str] = column.to_numpy(zero_copy_only=False)
        return texts
    if not len(column):
        return []
    _, offsets, data = column.buffers()
    dtype = np.int64 if column.type == pa.large_string() else np.int32
    ends = np.frombuffer(offsets, dtype=dtype)[column.offset : column.offset + len(column) + 1]
    first, last = int(ends[0]), int(ends[-1])
    if len(column) > term_tuning.SLICED_TEXTS and last - first <= term_tuning.DECODED_BYTES:
        # One text with zeros in between, split at these, takes half the time of a slice for each.
        parts = _joined(column).split("\0")
        if len(parts) == len(column):  # no text has a zero of its own
            return parts
    encoded = b"" if first == last else bytes(memoryview(data)[first:last])
    bounds = pairwise((ends - first).tolist())
    if encoded.isascii():
        text = encoded.decode("ascii")
        return [text[begin:end] for begin, end in bounds]
    return [encoded[begin:end].decode() for begin, end in bounds]


def joined_runs(texts: pa.Array, bounds: NDArray[np.int64], separator: str) -> pa.Array:
    """The texts of each run of a string column, joined: runs lie between two of the bounds, one after the other."""
    buffers = [None, pa.py_buffer(bounds.astype(np.int32))]
    runs = pa.Array.from_buffers(pa.list_(texts.type), len(bounds) - 1, buffers, children=[texts])
    return pc.binary_join(runs, text_scalar(separator).cast(texts.type))


def _joined(column: pa.Array) -> str:
    """All texts of a column with a zero between each two of them."""
    text: str = joined_runs(column, np.array([0, len(column)]), "\0")[0].as_py()
    return text
