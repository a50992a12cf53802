"""Files that cannot be split: each is read from beginning to end by one task, a line at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_mapping.locations import of_iri, pattern_of
from kgreason_spark import spark_tuning
from kgreason_spark.session import session_with

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

VALUE: Final = "value"
FILE: Final = "file"

_WHOLE: Final = 1 << 50
"""Bytes that one task may read, and that opening a file is worth, where no file is to be split or share a task."""
_BLOCK: Final = 1 << 16
_BIG_ENDIAN: Final = (b"\xfe\xff", b"\x00<")
"""How a document in UTF-16 begins whose line feeds end in a byte that is one."""


def whole_files(session: SparkSession, files: Sequence[str]) -> DataFrame:
    """The lines of files, unpacked, in VALUE as bytes without their line feeds, beside the name of the FILE; files are
    named as `DataFrame.inputFiles` does. Empty files have no lines, and lines of one file are of one partition, in
    order."""
    settings = {f"spark.sql.files.{name}": str(_WHOLE) for name in ("maxPartitionBytes", "openCostInBytes")}
    lines = session_with(session, settings).read.text([pattern_of(of_iri(one)) for one in files], lineSep="\n")
    return lines.select(F.col("value").cast("binary").alias(VALUE), F.col("_metadata.file_path").alias(FILE))


def documents(session: SparkSession, path: str) -> DataFrame:
    """The content of the files at a location, which may be a pattern: their lines, as `whole_files` gives them. Of more
    than STREAMED_FILES files, each is one row of at most 2 GB, and many share a task."""
    lines = session.read.text(path)
    files = lines.inputFiles()
    if len(files) <= spark_tuning.STREAMED_FILES:
        return whole_files(session, files)
    held = session.read.text(path, wholetext=True).where(F.octet_length("value") > 0)
    return held.select(F.col("value").cast("binary").alias(VALUE), F.col("_metadata.file_path").alias(FILE))


def contents(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files of a task: each with its content in blocks, to be read before the next file is. A line feed at the end
    of a file is left out, unless it is the whole file."""
    lines = (line for batch in batches for line in _lines(batch))
    for file, own in groupby(lines, itemgetter(0)):
        yield file, _blocks(line for _, line in own)


def _blocks(lines: Iterator[bytes]) -> Iterator[bytes]:
    first = next(lines)
    waiting, size, total = [first], len(first), 0
    for line in lines:
        waiting += (b"\n", line)
        size += 1 + len(line)
        if size >= _BLOCK:
            yield b"".join(waiting)
            waiting, size, total = [], 0, total + size
    is_half = first.startswith(_BIG_ENDIAN) and (total + size) % 2
    if is_half or not total + size:
        # The line feed at the end was half of a character, or all that there is.
        waiting.append(b"\n")
    yield b"".join(waiting)


def _lines(batch: pa.RecordBatch) -> Iterator[tuple[str, bytes]]:
    return zip(batch.column(FILE).to_pylist(), batch.column(VALUE).to_pylist(), strict=True)
