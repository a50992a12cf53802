"""One spelling for each tagged literal: ``"x"@en-GB`` and ``"x"@EN-gb`` are one term, and come out as one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F

from kgreason_spark.local_id_frames import TERM
from kgreason_spark.token_columns import folded_key, language_tag

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FOLDED: Final = "folded"
_CHOSEN: Final = "chosen"


def with_one_spelling(pieces: DataFrame) -> DataFrame:
    """Pieces (`local_id_frames`) with the least of the spellings of each tagged literal in place of all of them.

    Cost: a pass over the tagged literals, and a join of the terms where one has several spellings.
    """
    spellings = pieces.where(language_tag(F.col(TERM)).isNotNull()).select(TERM).distinct()
    folded = spellings.withColumn(_FOLDED, folded_key(F.col(TERM)))
    least = folded.groupBy(_FOLDED).agg(F.min(TERM).alias(_CHOSEN), F.count("*").alias("spellings"))
    several = least.where(F.col("spellings") > 1).select(_FOLDED, _CHOSEN)
    replaced = folded.join(several, _FOLDED).where(F.col(TERM) != F.col(_CHOSEN)).select(TERM, _CHOSEN)
    if replaced.isEmpty():
        return pieces
    chosen = F.coalesce(F.col(_CHOSEN), F.col(TERM)).alias(TERM)
    return pieces.join(replaced, TERM, "left").select(*(chosen if name == TERM else name for name in pieces.columns))
