"""One spelling for each tagged literal: ``"x"@en-GB`` and ``"x"@EN-gb`` are one term, and come out as one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_spark.frames import OBJECT, QUAD
from kgreason_spark.token_columns import folded_key, language_tag

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FOLDED: Final = "folded"
_CHOSEN: Final = "chosen"


def with_one_spelling(quads: DataFrame) -> DataFrame:
    """The quads with the least of the spellings of each tagged literal in place of all of them.

    Cost: a pass over the tagged literals, and a join of the quads where one has several spellings.
    """
    spellings = quads.where(language_tag(F.col(OBJECT)).isNotNull()).select(OBJECT).distinct()
    folded = spellings.withColumn(_FOLDED, folded_key(F.col(OBJECT)))
    least = folded.groupBy(_FOLDED).agg(F.min(OBJECT).alias(_CHOSEN), F.count("*").alias("spellings"))
    several = least.where(F.col("spellings") > 1).select(_FOLDED, _CHOSEN)
    replaced = folded.join(several, _FOLDED).where(F.col(OBJECT) != F.col(_CHOSEN)).select(OBJECT, _CHOSEN)
    if replaced.isEmpty():
        return quads
    chosen = F.coalesce(F.col(_CHOSEN), F.col(OBJECT)).alias(OBJECT)
    return quads.join(replaced, OBJECT, "left").select(*(chosen if name == OBJECT else name for name in QUAD))
