"""Terms to dense ids, on as many executors as there are.

Distinct terms are spread by ranges and sorted within them, so an id is the place of its term in the order of all. Only
the counts of the ranges meet in one place. The order is that of `kgreason.io.encoded`: kinds, then UTF-8 bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import pyspark
from pyspark.sql import functions as F

from kgreason.errors import SparkError
from kgreason.io.encoded.manifest import TermCounts
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND
from kgreason_spark.directories import UNMARKED, Directory
from kgreason_spark.frames import QUAD

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ID: Final = "id"
TERM: Final = "term"
MOST_TERMS: Final = (1 << 32) - 1

_KIND: Final = "kind"
_PLACE: Final = "place"
_PLACE_BITS: Final = 33
_SCHEMA: Final = f"{ID} bigint, {TERM} string"


@dataclass(frozen=True, slots=True)
class WrittenDictionary:
    """A dictionary in its files: `terms` has ID and TERM."""

    terms: DataFrame
    counts: TermCounts


def write_dictionary(quads: DataFrame, target: Directory, ranges: int) -> WrittenDictionary:
    """Number the terms of quads, in so many ranges, and write one file for each range, each ordered by id.

    Raises:
        SparkError: more terms than ids have room for.

    Cost: a shuffle of the distinct terms for the distinction, and one for the order; the ordered terms stay on the
    disks of the executors while they are counted and written.
    """
    terms = quads.select(F.explode(F.array(*QUAD)).alias(TERM)).where(F.col(TERM).isNotNull()).distinct()
    ordered = (
        terms.select(_kind().alias(_KIND), TERM)
        .repartitionByRange(ranges, _KIND, TERM)
        .sortWithinPartitions(_KIND, TERM)
        # The number of the range, and the place in it: what ids are made of.
        .select(_KIND, TERM, F.monotonically_increasing_id().alias(_PLACE))
        .persist(pyspark.StorageLevel.DISK_ONLY)
    )
    try:
        per_range, counts = _counted(ordered, ranges)
        if len(counts) > MOST_TERMS:
            raise SparkError(f"{len(counts):,} terms are more than ids of 32 bits can number")
        numbered = ordered.select(_identifier(per_range).alias(ID), TERM)
        numbered.write.options(**UNMARKED).parquet(str(target), compression="zstd")
    finally:
        ordered.unpersist()
    return WrittenDictionary(quads.sparkSession.read.schema(_SCHEMA).parquet(str(target)), counts)


def _kind() -> Column:
    return (
        F.when(F.startswith(TERM, F.lit('"')), LITERAL_KIND)
        .when(F.startswith(TERM, F.lit("_:")), BLANK_KIND)
        .otherwise(IRI_KIND)
    )


def _counted(ordered: DataFrame, ranges: int) -> tuple[list[int], TermCounts]:
    """How many terms each range has, and how many there are of each kind."""
    number = F.shiftright(_PLACE, _PLACE_BITS)
    per_range = [0] * ranges
    per_kind = dict.fromkeys((IRI_KIND, BLANK_KIND, LITERAL_KIND), 0)
    for range_number, kind, count in ordered.groupBy(number, _KIND).count().collect():
        per_range[range_number] += count
        per_kind[kind] += count
    return per_range, TermCounts(*per_kind.values())


def _identifier(per_range: list[int]) -> Column:
    """How many terms the ranges before have, and the place in its own."""
    before = ",".join(map(str, accumulate(per_range[:-1], initial=0)))
    # As one text, because an array of columns for ten thousand ranges is a plan of ten thousand columns.
    offsets = F.split(F.lit(before), ",").cast("array<bigint>")
    offset = F.element_at(offsets, F.shiftright(_PLACE, _PLACE_BITS).cast("int") + 1)
    return offset + F.col(_PLACE).bitwiseAND(F.lit((1 << _PLACE_BITS) - 1))
