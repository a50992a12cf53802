"""Files that Spark has written, with rows, bytes and checksums, none of them read on the driver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from kgreason.encoded.manifest import EncodedFile

if TYPE_CHECKING:
    from kgreason_spark.directories import Directory


def list_files(directory: Directory, section: str) -> tuple[EncodedFile, ...]:
    """The Parquet files below a folder of the directory, ordered by path."""
    reader = directory.spark.read.option("recursiveFileLookup", "true").option("pathGlobFilter", "*.parquet")
    folder = str(directory / section)
    rows = reader.parquet(folder).groupBy(F.col("_metadata.file_path").alias("path")).agg(F.count("*").alias("rows"))
    contents = reader.format("binaryFile").load(folder)
    sums = contents.select(F.col("_metadata.file_path").alias("path"), "length", F.sha2("content", 256).alias("sha256"))
    marker = f"/{section}/"
    found = [
        EncodedFile(f"{section}/{path.rpartition(marker)[2]}", count, length, checksum)
        for path, length, checksum, count in sums.join(rows, "path").collect()
    ]
    return tuple(sorted(found, key=lambda file: file.path))
