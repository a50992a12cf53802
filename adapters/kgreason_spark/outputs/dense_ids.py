"""Terms to dense ids, on as many executors as there are.

The terms of all pieces (`local_id_frames`) are spread by ranges and sorted within them, so that equal ones come
together, and an id is the place of its term in the order of all. Only the counts of the ranges meet in one place. The
order is that of `kgreason.io.encoded`: kinds, then UTF-8 bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyspark
from pyspark import TaskContext
from pyspark.sql import functions as F

from kgreason.errors import SparkError
from kgreason.io.encoded.manifest import TermCounts
from kgreason.rdf.keys import BLANK_KIND, IRI_KIND, LITERAL_KIND, TRIPLE_KIND
from kgreason.rdf.triple_keys import OPENING
from kgreason_mapping.locations import pattern_of
from kgreason_spark.directories import UNMARKED, Directory
from kgreason_spark.local_id_frames import PIECE, PLACE, TERM, USES

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

ID: Final = "id"
MOST_TERMS: Final = (1 << 32) - 1

_KIND: Final = "kind"
_NUMBER: Final = "number"
_NUMBER_BITS: Final = 33
_NUMBERED: Final = f"{_NUMBER} long, {PIECE} long, {PLACE} int, {USES} int, {_KIND} int, {TERM} string"
_SCHEMA: Final = f"{ID} bigint, {TERM} string"


@dataclass(frozen=True, slots=True)
class WrittenDictionary:
    """A dictionary in its files: `terms` has ID and TERM; `places` the ID of each PLACE of a PIECE, and its USES."""

    terms: DataFrame
    places: DataFrame
    counts: TermCounts


@contextmanager
def written_dictionary(terms: DataFrame, target: Directory, ranges: int) -> Iterator[WrittenDictionary]:
    """Number terms in so many ranges, and write one file for each range, each ordered by id. `places` can be read until
    the context ends.

    Args:
        terms: the columns TERM, PIECE, PLACE and USES; the last three are null for terms of the dictionary alone.

    Raises:
        SparkError: more terms than ids have room for.

    Cost: a shuffle of the terms; in order, they stay on the disks of the executors while they are counted and written.
    """
    ordered = (
        terms.select(_kind().alias(_KIND), TERM, PIECE, PLACE, USES)
        .repartitionByRange(ranges, _KIND, TERM)
        .sortWithinPartitions(_KIND, TERM)
        .mapInArrow(_numbered, _NUMBERED)
        .persist(pyspark.StorageLevel.DISK_ONLY)
    )
    try:
        per_range, counts = _counted(ordered, ranges)
        if len(counts) > MOST_TERMS:
            raise SparkError(f"{len(counts):,} terms are more than ids of 32 bits can number")
        identified = ordered.withColumn(ID, _identifier(per_range))
        distinct = identified.where(F.col(TERM).isNotNull()).select(ID, TERM)
        distinct.write.options(**UNMARKED).parquet(str(target), compression="zstd")
        written = terms.sparkSession.read.schema(_SCHEMA).parquet(pattern_of(str(target)))
        places = identified.where(F.col(PIECE).isNotNull()).select(PIECE, PLACE, ID, USES)
        yield WrittenDictionary(written, places, counts)
    finally:
        ordered.unpersist()


def _numbered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of a range with the number of their term: that of the range, and the place in it. Only the first row of
    a term keeps the term."""
    task = TaskContext.get()
    place = ((0 if task is None else task.partitionId()) << _NUMBER_BITS) - 1
    before: str | None = None
    for batch in batches:
        if not batch.num_rows:
            continue
        terms = batch.column(TERM)
        is_new = np.ones(len(terms), dtype=bool)
        is_new[0] = before is None or terms[0].as_py() != before
        is_new[1:] = pc.not_equal(terms[1:], terms[:-1]).to_numpy(zero_copy_only=False)
        numbers = place + np.cumsum(is_new)
        place, before = int(numbers[-1]), terms[-1].as_py()
        kept = terms.take(pa.array(np.arange(len(terms)), mask=~is_new))
        others = [batch.column(name) for name in (PIECE, PLACE, USES, _KIND)]
        names = [_NUMBER, PIECE, PLACE, USES, _KIND, TERM]
        yield pa.RecordBatch.from_arrays([pa.array(numbers), *others, kept], names)


def _kind() -> Column:
    return (
        F.when(F.startswith(TERM, F.lit('"')), LITERAL_KIND)
        .when(F.startswith(TERM, F.lit("_:")), BLANK_KIND)
        .when(F.startswith(TERM, F.lit(OPENING)), TRIPLE_KIND)
        .otherwise(IRI_KIND)
    )


def _counted(ordered: DataFrame, ranges: int) -> tuple[list[int], TermCounts]:
    """How many terms each range has, and how many there are of each kind."""
    number = F.shiftright(_NUMBER, _NUMBER_BITS)
    per_range = [0] * ranges
    per_kind = dict.fromkeys((IRI_KIND, BLANK_KIND, LITERAL_KIND, TRIPLE_KIND), 0)
    first = ordered.where(F.col(TERM).isNotNull())
    for range_number, kind, count in first.groupBy(number, _KIND).count().collect():
        per_range[range_number] += count
        per_kind[kind] += count
    return per_range, TermCounts.of_sizes([*per_kind.values()])


def _identifier(per_range: list[int]) -> Column:
    """How many terms the ranges before have, and the place in its own."""
    before = ",".join(map(str, accumulate(per_range[:-1], initial=0)))
    # As one text, because an array of columns for ten thousand ranges is a plan of ten thousand columns.
    offsets = F.split(F.lit(before), ",").cast("array<bigint>")
    offset = F.element_at(offsets, F.shiftright(_NUMBER, _NUMBER_BITS).cast("int") + 1)
    return offset + F.col(_NUMBER).bitwiseAND(F.lit((1 << _NUMBER_BITS) - 1))
