"""Files that Spark has written, with rows, bytes and checksums, none of them read on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason.io.encoded.manifest import EncodedFile
from kgreason_mapping.locations import pattern_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from kgreason_spark.directories import Directory

_PARQUET: Final = {"recursiveFileLookup": "true", "pathGlobFilter": "*.parquet"}


def list_files(directory: Directory, section: str) -> tuple[EncodedFile, ...]:
    """The Parquet files below a folder of the directory, ordered by path."""
    if not (directory / section).exists():
        return ()
    spark, folder = directory.spark, str(directory / section)
    # No column is read, so any name will do; without one Spark would look for the columns.
    tables = spark.read.options(**_PARQUET).schema("nothing int").parquet(pattern_of(folder))
    rows = tables.groupBy(_place()).agg(F.count("*").alias("rows"))
    found = [
        EncodedFile(path_below(section, path), count, length, checksum)
        for path, length, checksum, count in _sums(directory, section).join(rows, "path").collect()
    ]
    return tuple(sorted(found, key=lambda file: file.path))


def checksums(directory: Directory, section: str) -> dict[str, str]:
    """The SHA-256 of each Parquet file below a folder of the directory, by its path from there."""
    if not (directory / section).exists():
        return {}
    return {path_below(section, path): checksum for path, _, checksum in _sums(directory, section).collect()}


def _sums(directory: Directory, section: str) -> DataFrame:
    contents = directory.spark.read.options(**_PARQUET).format("binaryFile").load(pattern_of(str(directory / section)))
    return contents.select(_place(), "length", F.sha2("content", 256).alias("sha256"))


def _place() -> Column:
    return F.col("_metadata.file_path").alias("path")


def path_below(section: str, path: str) -> str:
    """The path of a file below a folder of a directory, from its URI in Spark's lists."""
    return f"{section}/{path.rpartition(f'/{section}/')[2]}"
