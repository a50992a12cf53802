"""The parts of a large commit as Arrow files (the IPC format), which other tools read as well, and mapped here.

Terms are a column of keys; quads are four columns of ids, with the number of the step that each row belongs to and
whether the step adds or removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.durable.records import Keys, Step
from kgreason.errors import LoadError
from kgreason.loading.quads import Quads
from kgreason.terms.arrow import mask_column, mask_of, numbers_of

_COLUMNS: Final = ("graph", "subject", "predicate", "object")
_CHUNK: Final = 1 << 20


def keys_file(keys: Keys) -> pa.Buffer:
    """Keys as the bytes of a file; a column goes there as it is."""
    return _file({"key": key_column(keys)})


def key_column(keys: Keys) -> pa.Array:
    """Keys as a column, if they are not one already."""
    if isinstance(keys, pa.Array):
        return keys
    texts = [key.encode("utf-8", "surrogatepass") for key in keys]
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    # Binary and not text: a lone surrogate is no Unicode.
    return pa.Array.from_buffers(pa.large_binary(), len(texts), buffers)


def keys_of_file(data: memoryview) -> pa.Array:
    """The keys again, as a column of strings or binary: in the same memory."""
    return _read(data, ("key",))["key"]


def steps_file(steps: Sequence[Step]) -> pa.Buffer:
    """Steps as the bytes of a file."""
    sides = (True, False)
    numbered = [(number, *side) for number, step in enumerate(steps) for side in zip(sides, step, strict=True)]
    sizes = [len(quads) for _, _, quads in numbered]
    every = Quads.concatenated([quads for _, _, quads in numbered])
    columns = {name: _ids(getattr(every, name)) for name in _COLUMNS}
    columns["step"] = _ids(np.repeat(np.array([number for number, _, _ in numbered], dtype=np.uint32), sizes))
    columns["added"] = mask_column(np.repeat(np.array([added for _, added, _ in numbered], dtype=np.bool_), sizes))
    return _file(columns)


def steps_of_file(data: memoryview) -> list[Step]:
    """The steps again, but those without quads."""
    columns = _read(data, (*_COLUMNS, "step", "added"))
    every = Quads(*(numbers_of(columns[name]) for name in _COLUMNS))
    step, added = numbers_of(columns["step"]), mask_of(columns["added"])
    if not len(step):
        return []
    borders = [0, *(np.flatnonzero((step[1:] != step[:-1]) | (added[1:] != added[:-1])) + 1).tolist(), len(step)]
    steps: dict[int, dict[bool, Quads]] = {}
    for begin, end in pairwise(borders):
        steps.setdefault(int(step[begin]), {})[bool(added[begin])] = every.rows(slice(begin, end))
    return [(sides.get(True, Quads.empty()), sides.get(False, Quads.empty())) for sides in steps.values()]


def _ids(column: NDArray[np.uint32]) -> pa.Array:
    return pa.Array.from_buffers(pa.uint32(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))])


def _file(columns: dict[str, pa.Array]) -> pa.Buffer:
    batch = pa.RecordBatch.from_arrays([*columns.values()], names=[*columns])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue()


def _read(data: memoryview, names: Sequence[str]) -> dict[str, pa.Array]:
    try:
        batch = pa.ipc.open_file(pa.py_buffer(data)).get_batch(0)
        return {name: batch.column(name) for name in names}
    except (pa.ArrowException, KeyError, IndexError, OSError) as error:
        raise LoadError(f"damaged: no columns of kgreason: {' '.join(str(error).split())}") from error
