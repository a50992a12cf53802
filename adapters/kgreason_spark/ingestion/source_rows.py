"""The rows of a logical source of any format, and the columns that references mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kgreason_spark.ingestion.term_expressions import Resolve

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_spark.ingestion.arrow_scans import ArrowRows

ROW_NUMBER: Final = "__row_number"
ROW: Final = "__row"
FAULT: Final = "__fault"


@dataclass(frozen=True, slots=True)
class SourceRows:
    """A logical source as a DataFrame.

    `row` is a row as JSON, evaluated for rows in quarantine only. `fault` is why a row cannot be read, or null for
    sources without such rows. `arrow` is what the Arrow engine reads in executors, None where it cannot.
    """

    name: str
    frame: DataFrame
    resolve: Resolve
    row: Column
    fault: Column | None = None
    arrow: ArrowRows | None = None

    def numbered(self) -> DataFrame:
        """The rows with a number of their own: the same for the same files, however often they are read."""
        return self.frame.withColumn(ROW_NUMBER, F.monotonically_increasing_id())

    def of_session(self, session: SparkSession) -> SourceRows:
        """The same with frames of a session, where they are of another one: what is observed there would be counted for
        nobody who waits here, as Spark tells the session that runs a plan."""
        arrow = self.arrow and replace(self.arrow, frame=_moved(self.arrow.frame, session))
        return replace(self, frame=_moved(self.frame, session), arrow=arrow)


def _moved(frame: DataFrame, session: SparkSession) -> DataFrame:
    if frame.sparkSession is session:
        return frame
    nothing = (F.lit(None).cast(field.dataType).alias(field.name) for field in frame.schema.fields)
    # A union is of the session of its first frame, which plans leave out when it is known to be empty.
    return session.range(1).where(F.lit(False)).select(*nothing).union(frame)


def quoted(name: str) -> Column:
    """The column of exactly this name, which may have any characters."""
    return F.col("`" + name.replace("`", "``") + "`")
