"""Columns of terms to columns of ids, by joins with the dictionary that popular terms do not hold up.

A join sends all rows with one term to one task. So the terms that have more than their share of the rows are found in
a sample; their ids come by a broadcast, and their rows are spread evenly over the tasks, in which nothing is left to
find for them. The sample decides how fast it is, not what comes out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_spark.frames import OBJECT, PREDICATE, SUBJECT
from kgreason_spark.outputs.dense_ids import ID, TERM

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SAMPLE: Final = 100_000
POPULAR: Final = 200
"""A term seen so often in the sample is popular: 0.2 % of the rows, and at most a thousand terms of two columns are."""

_KEY: Final = "_key"
_NEAR: Final = "_near"
_NO_TERM: Final = "\x00"


def popular_terms(quads: DataFrame, rows: int, dictionary: DataFrame) -> DataFrame:
    """ID and TERM of those that are the subject or the object of a large part of the rows; there are few."""
    sample = quads.select(SUBJECT, OBJECT)
    if rows > SAMPLE:
        sample = sample.sample(fraction=SAMPLE / rows, seed=0)
    seen = sample.select(F.explode(F.array(SUBJECT, OBJECT)).alias(TERM)).groupBy(TERM).count()
    popular = seen.where(F.col("count") >= POPULAR).select(TERM)
    return dictionary.join(F.broadcast(popular), TERM, "left_semi")


def with_ids(quads: DataFrame, column: str, dictionary: DataFrame, popular: DataFrame) -> DataFrame:
    """The quads with ids in place of the terms of a column; null stays null."""
    near = popular.select(F.col(TERM).alias(column), F.col(ID).alias(_NEAR))
    keyed = quads.join(F.broadcast(near), column, "left").withColumn(_KEY, _key(column))
    far = dictionary.select(F.col(TERM).alias(_KEY), F.col(ID).alias(ID))
    others = [F.col(name) for name in quads.columns if name != column]
    joined = keyed.drop(column).join(far, _KEY, "left")
    return joined.select(F.coalesce(_NEAR, ID).alias(column), *others)


def _key(column: str) -> Column:
    """The term where it is still to be found, and elsewhere what no term is: different for different rows."""
    spread = F.concat(F.lit(_NO_TERM), F.xxhash64(SUBJECT, PREDICATE, OBJECT).cast("string"))
    return F.when(F.col(_NEAR).isNull() & F.col(column).isNotNull(), F.col(column)).otherwise(spread)
