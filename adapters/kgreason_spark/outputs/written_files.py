"""Files that Spark has written, with rows, bytes and checksums, none of them read on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from kgreason.io.encoded.manifest import EncodedFile

if TYPE_CHECKING:
    from kgreason_spark.directories import Directory


def list_files(directory: Directory, section: str) -> tuple[EncodedFile, ...]:
    """The Parquet files below a folder of the directory, ordered by path."""
    if not (directory / section).exists():
        return ()
    options = {"recursiveFileLookup": "true", "pathGlobFilter": "*.parquet"}
    spark, folder = directory.spark, str(directory / section)
    place = F.col("_metadata.file_path").alias("path")
    # No column is read, so any name will do; without one Spark would look for the columns.
    tables = spark.read.options(**options).schema("nothing int").parquet(folder)
    rows = tables.groupBy(place).agg(F.count("*").alias("rows"))
    contents = spark.read.options(**options).format("binaryFile").load(folder)
    sums = contents.select(place, "length", F.sha2("content", 256).alias("sha256"))
    marker = f"/{section}/"
    found = [
        EncodedFile(f"{section}/{path.rpartition(marker)[2]}", count, length, checksum)
        for path, length, checksum, count in sums.join(rows, "path").collect()
    ]
    return tuple(sorted(found, key=lambda file: file.path))
