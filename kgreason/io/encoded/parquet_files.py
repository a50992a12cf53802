"""Parquet files that a manifest names, checked against it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason.dictionary.arrow_columns import numbers_of
from kgreason.errors import LoadError, located, one_line
from kgreason.io import file_tuning
from kgreason.io.encoded.manifest import MANIFEST, EncodedFile
from kgreason.io.parquet_pages import check_pages


def batches_of(directory: Path, file: EncodedFile, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a file that is what the manifest says it is, so many rows at a time that they stay in the cache:
    memory that is asked for anew costs more than what is done with it.

    Raises:
        LoadError: the file cannot be read, or has other bytes, rows or columns than the manifest says.
    """
    path = directory / file.path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LoadError(f"{MANIFEST} names it, and it cannot be read: {one_line(error)}", path=path) from error
    if len(content) != file.bytes:
        raise LoadError(f"{len(content)} bytes, and {MANIFEST} says {file.bytes}", path=path)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise LoadError(f"its SHA-256 is not the one in {MANIFEST}", path=path)
    try:
        parquet = pq.ParquetFile(pa.BufferReader(content))
        missing = [name for name in names if name not in parquet.schema_arrow.names]
        if missing:
            raise LoadError(f"there is no column {', '.join(missing)}", path=path)
        with located(path=path):
            check_pages(parquet, content, names)
        rows = parquet.metadata.num_rows
        if rows != file.rows:
            raise LoadError(f"{rows} rows, and {MANIFEST} says {file.rows}", path=path)
        rows = 0
        for batch in parquet.iter_batches(file_tuning.PARQUET_ROWS, columns=list(names), use_threads=False):
            rows += len(batch)
            if rows > file.rows:
                break
            yield batch
    except MemoryError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise LoadError(f"not readable as Parquet: {one_line(error)}", path=path) from error
    if rows != file.rows:
        raise LoadError(f"{rows} rows, and {MANIFEST} says {file.rows}", path=path)


def numbers_in(column: pa.Array, path: Path) -> NDArray[np.int64]:
    """A column of ids; LoadError where one is null or no integer."""
    if column.null_count or not pa.types.is_integer(column.type):
        raise LoadError("an id is not a number", path=path)
    return numbers_of(column.cast(pa.int64()))
