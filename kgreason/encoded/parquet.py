"""Parquet files that a manifest names, checked against it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from kgreason.encoded.manifest import MANIFEST, EncodedFile
from kgreason.errors import LoadError, one_line
from kgreason.terms.arrow import numbers_of

_ROWS: Final = 1 << 15


def batches_of(directory: Path, file: EncodedFile, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Some columns of a file that is what the manifest says it is, so many rows at a time that they stay in the cache:
    memory that is asked for anew costs more than what is done with it."""
    path = directory / file.path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise LoadError(f"cannot read {path}, which {MANIFEST} names: {error.strerror}") from error
    if len(content) != file.bytes:
        raise LoadError(f"{path}: {len(content)} bytes, and {MANIFEST} says {file.bytes}")
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise LoadError(f"{path}: its SHA-256 is not the one in {MANIFEST}")
    try:
        parquet = pq.ParquetFile(pa.BufferReader(content))
        missing = [name for name in names if name not in parquet.schema_arrow.names]
        if missing:
            raise LoadError(f"{path}: there is no column {', '.join(missing)}")
        rows = 0
        for batch in parquet.iter_batches(_ROWS, columns=list(names), use_threads=False):
            rows += len(batch)
            if rows <= file.rows:
                yield batch
    except (pa.ArrowException, OSError) as error:
        raise LoadError(f"{path}: not readable as Parquet: {one_line(error)}") from error
    if rows != file.rows:
        raise LoadError(f"{path}: {rows} rows, and {MANIFEST} says {file.rows}")


def numbers_in(column: pa.Array, path: Path) -> NDArray[np.int64]:
    """A column of ids; LoadError where one is null or no integer."""
    if column.null_count or not pa.types.is_integer(column.type):
        raise LoadError(f"{path}: an id is no number")
    return numbers_of(column.cast(pa.int64()))
