"""The parts of a large commit as Arrow files (the IPC format), which other tools read as well.

Terms are a column of keys; quads are four columns of ids, with the number of the step that each row belongs to and
whether the step adds or removes it. A batch of rows is of one step, and of one of its sides. The columns are
compressed with Zstandard, which takes less time than a disk takes for the bytes that are saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.durable.records import Keys, Step
from kgreason.errors import LoadError, one_line
from kgreason.loading.quads import Quads
from kgreason.terms.arrow import mask_column, mask_of, numbers_of

_KEY: Final = "key"
_COLUMNS: Final = ("graph", "subject", "predicate", "object")
_STEPS: Final = pa.schema({**dict.fromkeys((*_COLUMNS, "step"), pa.uint32()), "added": pa.bool_()})
_KEYS: Final = [pa.schema({_KEY: kind}) for kind in (pa.string(), pa.large_string(), pa.large_binary())]
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="zstd")
CHUNK = 1 << 20
"""So many quads are a batch."""


def keys_file(keys: Keys) -> pa.Buffer:
    """Keys as the bytes of a file; a column goes there as it is."""
    column = key_column(keys)
    return _file(pa.schema({_KEY: column.type}), [[column]])


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
    """The keys again, as a column of strings or binary; LoadError for what `keys_file` did not write."""
    found = [*_read(data, _KEYS)]
    if len(found) != 1:
        raise LoadError("damaged: no one column of terms")
    return found[0][0]


def steps_file(steps: Sequence[Step]) -> pa.Buffer:
    """Steps as the bytes of a file."""
    return _file(_STEPS, (batch for number, step in enumerate(steps) for batch in _batches(number, step)))


def _batches(number: int, step: Step) -> Iterator[list[pa.Array]]:
    for is_added, quads in zip((True, False), step, strict=True):
        for begin in range(0, len(quads), CHUNK):
            part = quads.rows(slice(begin, begin + CHUNK))
            numbers = np.full(len(part), number, dtype=np.uint32)
            flags = mask_column(np.full(len(part), is_added))
            yield [*(_ids(getattr(part, name)) for name in _COLUMNS), _ids(numbers), flags]


def steps_of_file(data: memoryview) -> list[Step]:
    """The steps again, but those without quads; LoadError for what `steps_file` did not write."""
    steps: dict[int, tuple[list[Quads], list[Quads]]] = {}
    for batch in _read(data, [_STEPS]):
        graph, subject, predicate, object, step = (numbers_of(column) for column in batch[:5])
        if len(step):
            sides = steps.setdefault(int(step[0]), ([], []))
            sides[0 if mask_of(batch[5])[0] else 1].append(Quads(graph, subject, predicate, object))
    return [(Quads.concatenated(added), Quads.concatenated(removed)) for added, removed in steps.values()]


def _ids(column: NDArray[np.uint32]) -> pa.Array:
    return pa.Array.from_buffers(pa.uint32(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))])


def _file(schema: pa.Schema, batches: Iterable[Sequence[pa.Array]]) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, schema, options=_OPTIONS) as writer:
        for columns in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
    return sink.getvalue()


def _read(data: memoryview, schemas: Sequence[pa.Schema]) -> Iterator[Sequence[pa.Array]]:
    """The columns of each batch of a file that has one of some schemas, after a look at what the file says of memory,
    which Arrow believes unless it is asked for that."""
    try:
        reader = pa.ipc.open_file(pa.py_buffer(data))
        if reader.schema not in schemas:
            raise LoadError("damaged: no columns of kgreason")
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            batch.validate(full=True)
            if any(column.null_count for column in batch.columns):
                raise LoadError("damaged: a column with gaps")
            yield batch.columns
    except (pa.ArrowException, ValueError, KeyError, IndexError, OSError, MemoryError) as error:
        raise LoadError(f"damaged: no columns of kgreason: {one_line(error)}") from error
