"""The columns that facts have, as rows of Spark and of Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import frame_of_arrow, to_arrow

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RELATION: Final = "relation"
Numbers = NDArray[np.int64]


def argument(position: int) -> str:
    """The name of the column of an argument."""
    return f"a{position}"


def fact_columns(width: int) -> list[str]:
    """The columns of facts of at most `width` arguments; a relation with fewer has 0 in the others."""
    return [RELATION, *map(argument, range(width))]


def facts_schema(width: int) -> str:
    """The same, as Spark writes a schema."""
    return ", ".join(f"{name} long" for name in fact_columns(width))


def arrow_schema(width: int) -> pa.Schema:
    """The same for Arrow."""
    return pa.schema([(name, pa.int64()) for name in fact_columns(width)])


def schema_text(rows: DataFrame) -> str:
    """The columns of rows, as Spark writes a schema."""
    return ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in rows.schema)


def padded(facts: pa.Table, width: int) -> pa.Table:
    """Facts with 0 in the columns that they lack."""
    for name in fact_columns(width)[len(facts.column_names) :]:
        facts = facts.append_column(name, pa.array(np.zeros(len(facts), dtype=np.int64)))
    return facts


def frame_of(spark: SparkSession, facts: pa.Table) -> DataFrame:
    """Rows that are here, for plans. PySpark 4.3 stops at an empty chunk of a table, so there is one chunk."""
    return frame_of_arrow(spark, facts.combine_chunks())


def is_listed(codes: Numbers) -> bool:
    """Whether relations, each given once, are listed in a filter."""
    return len(codes) <= spark_tuning.LISTED_RELATIONS


def of_relations(facts: DataFrame, codes: Numbers) -> DataFrame:
    """The facts of some relations; where they are many, all: the join itself sees to it."""
    distinct = np.unique(codes)
    if not is_listed(distinct):
        return facts
    return facts.filter(is_among(RELATION, distinct))


def is_among(column: str, numbers: Numbers) -> str:
    """A condition of Spark: that a column has one of some numbers, of which there may be none."""
    return f"{column} IN ({', '.join(map(str, numbers.tolist()))})" if len(numbers) else "false"


def gathered(facts: DataFrame, codes: Numbers) -> pa.Table:
    """The facts of some relations here: a job."""
    if is_listed(codes):
        found = of_relations(facts, codes)
    else:
        listed = frame_of_arrow(facts.sparkSession, pa.table({RELATION: pa.array(codes)}))
        found = facts.join(listed.hint("broadcast"), RELATION, "left_semi")
    return to_arrow(found).cast(arrow_schema(len(facts.columns) - 1))
