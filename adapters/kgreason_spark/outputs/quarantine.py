"""Rows that could not become quads, as JSON lines with their reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import Window
from pyspark.sql import functions as F

from kgreason_spark.directories import UNMARKED, Directory
from kgreason_spark.frames import DETAIL, REASON, ROW, SOURCE, TRIPLES_MAP
from kgreason_spark.stage import part_column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_RANK: Final = "__rank"


def write_quarantine(quarantine: DataFrame, target: Directory, samples: int | None) -> None:
    """Write a folder of JSON lines, each with those of the columns PROBLEM that the row has; of each kind of problems
    only so many `samples`."""
    if samples is not None:
        # Spark drops what is behind in each task before rows are shuffled.
        kind = Window.partitionBy(SOURCE, TRIPLES_MAP, REASON, part_column()).orderBy(DETAIL, ROW)
        quarantine = quarantine.withColumn(_RANK, F.row_number().over(kind)).where(F.col(_RANK) <= samples).drop(_RANK)
    quarantine.write.options(**UNMARKED).json(str(target))
