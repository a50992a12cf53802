"""The parts of a large commit as Arrow files (the IPC format), which other tools read as well.

Terms are a column of keys; quads are four columns of ids, with the number of the step that each row belongs to and
whether the step adds or removes it. A batch of rows is of one step, and of one of its sides. The columns are
compressed with Zstandard, which takes less time than a disk takes for the bytes that are saved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason import memory
from kgreason.columns.id_columns import repeated
from kgreason.dictionary.arrow_columns import mask_column, mask_of, numbers_of
from kgreason.disk import disk_tuning
from kgreason.disk.arrow_messages import read_batches
from kgreason.disk.commit_records import Keys
from kgreason.errors import DamageError, one_line
from kgreason.io.quad_steps import Step
from kgreason.io.quads import Quads

_KEY: Final = "key"
_COLUMNS: Final = ("graph", "subject", "predicate", "object")
_STEPS: Final = pa.schema({**dict.fromkeys((*_COLUMNS, "step"), pa.uint32()), "added": pa.bool_()})
_KEYS: Final = [pa.schema({_KEY: kind}) for kind in (pa.string(), pa.large_string(), pa.large_binary())]
_COMPRESSED: Final = pa.ipc.IpcWriteOptions(compression="zstd")


def keys_file(keys: Keys) -> pa.Buffer:
    """Keys as the bytes of a file; a column goes there as it is."""
    column = key_column(keys)
    return _file(pa.schema({_KEY: column.type}), lambda: [[column]])


def key_column(keys: Keys) -> pa.Array:
    """Keys as a column, if they are not one already."""
    if isinstance(keys, pa.Array):
        return keys
    texts = [key.encode("utf-8", "surrogatepass") for key in keys]
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
    # Binary and not text: a lone surrogate is not Unicode.
    return pa.Array.from_buffers(pa.large_binary(), len(texts), buffers)


def keys_of_file(data: memoryview, count: int | None = None) -> pa.Array:
    """The keys again, as a column of strings or binary; LoadError for what `keys_file` did not write, or for more keys
    than `count`."""
    found = [*_read(data, _KEYS, count)]
    if len(found) != 1:
        raise DamageError("no one column of terms")
    return found[0][0]


def steps_file(steps: Sequence[Step]) -> pa.Buffer:
    """Steps as the bytes of a file."""
    return _file(_STEPS, lambda: (batch for number, step in enumerate(steps) for batch in _batches(number, step)))


def _batches(number: int, step: Step) -> Iterator[list[pa.Array]]:
    for is_added, quads in zip((True, False), step, strict=True):
        for begin in range(0, len(quads), disk_tuning.COMMIT_BATCH):
            part = quads.rows(slice(begin, begin + disk_tuning.COMMIT_BATCH))
            numbers = repeated(number, len(part))
            flags = mask_column(np.full(len(part), is_added))
            yield [*(_ids(getattr(part, name)) for name in _COLUMNS), _ids(numbers), flags]


def steps_of_file(data: memoryview, count: int | None = None) -> list[Step]:
    """The steps again, but those without quads; LoadError for what `steps_file` did not write, or for more quads than
    `count`."""
    steps: dict[int, tuple[list[Quads], list[Quads]]] = {}
    for batch in _read(data, [_STEPS], count):
        graph, subject, predicate, object, step = (numbers_of(column) for column in batch[:5])
        if len(step):
            sides = steps.setdefault(int(step[0]), ([], []))
            sides[0 if mask_of(batch[5])[0] else 1].append(Quads(graph, subject, predicate, object))
    return [(Quads.concatenated(added), Quads.concatenated(removed)) for added, removed in steps.values()]


def _ids(column: NDArray[np.uint32]) -> pa.Array:
    return pa.Array.from_buffers(pa.uint32(), len(column), [None, pa.py_buffer(np.ascontiguousarray(column))])


def _file(schema: pa.Schema, batches: Callable[[], Iterable[Sequence[pa.Array]]]) -> pa.Buffer:
    """The bytes of a file: compressed, unless they would decompress to more than a reader takes from a stranger."""
    found, size = _written(schema, batches(), _COMPRESSED)
    return found if size <= memory.most_decompressed(found.size) else _written(schema, batches(), None)[0]


def _written(
    schema: pa.Schema, batches: Iterable[Sequence[pa.Array]], options: pa.ipc.IpcWriteOptions | None
) -> tuple[pa.Buffer, int]:
    """The bytes of a file, and how many its columns have, with room for how they are aligned."""
    sink = pa.BufferOutputStream()
    size = 0
    with pa.ipc.new_file(sink, schema, options=options) as writer:
        for columns in batches:
            batch = pa.RecordBatch.from_arrays(columns, schema=schema)
            size += batch.nbytes + 64 * len(columns)
            writer.write_batch(batch)
    return sink.getvalue(), size


def _read(data: memoryview, schemas: Sequence[pa.Schema], rows: int | None) -> Iterator[Sequence[pa.Array]]:
    """The columns of each batch of a file that has one of some schemas, after a look at what the file says of memory,
    which Arrow believes unless it is asked for that."""
    try:
        schema, batches = read_batches(data, rows)
        if schema not in schemas:
            raise DamageError("no columns of kgreason")
        for batch in batches:
            batch.validate(full=True)
            if any(column.null_count for column in batch.columns):
                raise DamageError("a column with gaps")
            yield batch.columns
    except MemoryError:
        raise
    except (pa.ArrowException, ValueError, KeyError, IndexError, OSError) as error:
        raise DamageError(f"no columns of kgreason: {one_line(error)}") from error
