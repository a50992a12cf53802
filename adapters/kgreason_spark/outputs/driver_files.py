"""Tables of the driver as Parquet files in a directory on any file system."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from kgreason.errors import WriteError, one_line
from kgreason.io.encoded.manifest import EncodedFile, describe_file

if TYPE_CHECKING:
    import pyarrow as pa

    from kgreason_spark.directories import Directory


def write_tables(directory: Directory, tables: Iterable[tuple[str, pa.Table]]) -> tuple[EncodedFile, ...]:
    """Write tables, each with its path below the directory, which has nothing at the first names of these paths.

    Raises:
        WriteError: the driver's own machine has no room for them.
    """
    found: list[EncodedFile] = []
    with TemporaryDirectory(prefix="kgreason-spark-") as folder:
        for name, table in tables:
            path = Path(folder, name)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(table, path, compression="zstd", write_page_checksum=True)
            except OSError as error:
                raise WriteError(f"cannot be written: {one_line(error)}", path=path) from error
            found.append(describe_file(Path(folder), path, table.num_rows))
        directory.upload(Path(folder))
    return tuple(found)
