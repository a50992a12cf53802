"""Small Parquet files, read by the driver without a job of Spark; plans know their exact size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.fact_columns import RELATION

if TYPE_CHECKING:
    from kgreason_spark.directories import Directory
    from kgreason_spark.materialisation.fact_columns import Numbers

_VERIFIED: Final = ds.ParquetFileFormat(
    default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
)


def small_table(directory: Directory, schema: pa.Schema | None, partition: str = "") -> pa.Table | None:
    """The rows of the Parquet files in a directory in the columns of a schema, or in all; `partition` names the column
    that folders stand for. None where the files have more than SMALL_TABLE_BYTES, or cannot be read here: then Spark
    says why.
    """
    if schema is not None and not directory.exists():  # no rows, no files
        return schema.empty_table()
    if directory.size() > spark_tuning.SMALL_TABLE_BYTES:
        return None
    folders = ds.partitioning(pa.schema([(partition, pa.int64())]), flavor="hive") if partition else None
    with directory.on_this_machine(*directory.names()) as folder:
        try:
            found = ds.dataset(folder, schema=schema, format=_VERIFIED, partitioning=folders)
            return found.to_table(columns=None if schema is None else schema.names)
        except (OSError, pa.ArrowInvalid, pa.ArrowTypeError):
            return None


def of_codes(facts: pa.Table, codes: Numbers) -> pa.Table:
    """The facts of some relations."""
    return facts.filter(pc.is_in(facts[RELATION], value_set=pa.array(codes, pa.int64())))
