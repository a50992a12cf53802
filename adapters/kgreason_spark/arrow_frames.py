"""Tables of Arrow and frames of Spark, in both directions and on all versions of Spark."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def to_arrow(frame: DataFrame) -> pa.Table:
    """The rows of a frame on the driver."""
    if hasattr(frame, "toArrow"):
        return frame.toArrow()
    earlier: Any = frame  # of Spark 3.5
    schema = arrow_schema(frame)
    return pa.Table.from_batches([batch.cast(schema) for batch in earlier._collect_as_arrow()], schema)


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """The types that the rows of a frame have as batches of Arrow: times in the zone of the session."""
    options: dict[str, Any] = {}
    if "timezone" in signature(to_arrow_schema).parameters:  # since Spark 4.1; in UTC before
        options["timezone"] = frame.sparkSession.conf.get("spark.sql.session.timeZone")
    return to_arrow_schema(frame.schema, **options)


def frame_of_arrow(session: SparkSession, table: pa.Table) -> DataFrame:
    """A frame of the rows of a table."""
    if hasattr(DataFrame, "toArrow"):
        return session.createDataFrame(table)
    from pyspark.sql.pandas.types import from_arrow_schema  # Spark 3.5

    schema = from_arrow_schema(table.schema)
    if any(column.null_count for column in table.columns) or not table.num_rows:
        # By way of pandas, numbers that are null would make doubles of the others.
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return session.createDataFrame(rows, schema)
    return session.createDataFrame(table.to_pandas(), schema)
