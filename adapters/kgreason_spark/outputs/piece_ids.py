"""From local ids to those of a dictionary: the ids of each piece meet its quads in one task, and no term moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from kgreason.errors import SparkError
from kgreason_mapping.arrow.local_ids import NO_GRAPH, unpacked
from kgreason_spark.frames import CONTENT, GRAPH, OBJECT, PREDICATE, SUBJECT
from kgreason_spark.local_id_frames import PIECE, PLACE
from kgreason_spark.outputs.dense_ids import ID

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_IDS: Final = ", ".join(f"{name} long" for name in (SUBJECT, PREDICATE, OBJECT, GRAPH))


def with_ids(pieces: DataFrame, places: DataFrame, tasks: int) -> DataFrame:
    """The quads of pieces as ids in the columns QUAD, the graph null in the default graph.

    Args:
        places: the ID of each PLACE of a PIECE.
        tasks: among which pieces are spread.

    Cost: a shuffle of 20 bytes for each term of a piece, and of 16 for each quad.
    """
    nothing = F.lit(None)
    ids = places.select(PIECE, PLACE, ID, nothing.cast("binary").alias(CONTENT))
    quads = pieces.where(F.col(CONTENT).isNotNull()).select(PIECE, PLACE, nothing.cast("long").alias(ID), CONTENT)
    # The ids come first: a part of them that is lost is made anew with its place in the union as its number.
    together = ids.unionByName(quads).repartition(tasks, PIECE)
    return together.sortWithinPartitions(PIECE, PLACE).mapInArrow(_identified, _IDS)


def _identified(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The quads of each piece, which come after its ids in the order of their places."""
    waiting: list[pa.Array] = []
    for batch in batches:
        contents = batch.column(CONTENT)
        start = 0
        for row in np.flatnonzero(contents.is_valid().to_numpy(zero_copy_only=False)).tolist():
            waiting.append(batch.column(ID)[start:row])
            ids = pa.concat_arrays(waiting).to_numpy()
            if len(ids) != batch.column(PLACE)[row].as_py():
                lost = batch.column(PLACE)[row].as_py() - len(ids)
                raise SparkError(f"{lost:,} terms of a piece are not in the dictionary")
            yield _rows(ids, contents[row].as_buffer())
            waiting, start = [], row + 1
        waiting.append(batch.column(ID)[start:])


def _rows(ids: np.ndarray, content: pa.Buffer) -> pa.RecordBatch:
    subject, predicate, object_, graph = unpacked(content)
    columns = [pa.array(ids[one]) for one in (subject, predicate, object_)]
    if (graph == NO_GRAPH).all():
        columns.append(pa.nulls(len(graph), pa.int64()))
    else:
        known = np.append(ids, -1)
        found = known[np.minimum(graph, len(ids))]
        columns.append(pa.array(found, mask=found < 0))
    return pa.RecordBatch.from_arrays(columns, [SUBJECT, PREDICATE, OBJECT, GRAPH])
