"""Structured Streaming into a store on disk: each batch once, also when a process is killed.

    with StoreSink("store/", rules="owl-rl") as sink:
        query = triples.writeStream.foreachBatch(sink).option("checkpointLocation", "checkpoint/").start()
        query.awaitTermination()

Spark gives a batch again, under the same number, where it does not know that the batch has arrived. So the number of
the last batch is committed to the store with the triples of it, in one transaction, and a batch of a number up to that
is passed over.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

import numpy as np
import pyarrow.compute as pc
from pyspark.sql import Observation
from pyspark.sql import functions as F

from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.json_documents import expect, parse_document
from kgreason.errors import DamageError, SparkError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason_spark.arrow_frames import to_arrow
from kgreason_spark.caller_session import caller_session
from kgreason_spark.frames import GRAPH, QUAD
from kgreason_spark.observations import values_of
from kgreason_spark.outputs.key_checks import check_keys, no_keys, normal_quads

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from kgreason.store.rule_sets import Rules

STREAMS: Final = "streams"
"""The setting of a store with the number of the last batch of each stream."""
REMOVED: Final = "removed"
MOST_ROWS: Final = 5_000_000
"""Rows of a batch that come to the driver."""


class StoreSink:
    """Takes batches of triples into a store on this machine, which it holds as its only writer until it is closed.

    A batch has the columns of triples (`triple_frames`), and perhaps `removed`: rows where that is true are taken away,
    before the others are added. A triple that a batch both removes and adds is there afterwards.
    """

    def __init__(
        self, path: str | Path, *, rules: Rules | None = None, stream: str = "stream", most_rows: int = MOST_ROWS
    ) -> None:
        """Open a store, or make one.

        Args:
            rules: those of the store from now on; for None the committed ones, or owl-rl in a new store.
            stream: a name that tells this stream from others into the same store.
            most_rows: a larger batch is refused.

        Raises:
            KGReasonError: the store cannot be opened: another writer has it, or it is damaged.
        """
        self._durable = DurableKnowledge(Path(path), OpenOptions(rules=rules), create=True)
        self._stream, self._most = stream, most_rows
        try:
            self._batches = _last_batches(self._durable.settings.get(STREAMS, "{}"))
        except BaseException:
            self._durable.close()
            raise

    @property
    def last_batch(self) -> int | None:
        """The number of the last batch that is in the store; None before the first."""
        return self._batches.get(self._stream)

    def __call__(self, batch: DataFrame, number: int) -> None:
        """Commit a batch, unless it is in the store already.

        Raises:
            TermError: a value that is not a term; names it and the column.
            SparkError: more rows than come to the driver.
            KGReasonError: it is not on disk; the store is as it was, and Spark gives the batch again.

        Cost: a job that brings the rows to the driver, and one commit with what follows from them.
        """
        if number <= self._batches.get(self._stream, -1):
            return
        table = self._collected(batch)
        knowledge = self._durable.knowledge
        batches = {**self._batches, self._stream: number}
        try:
            if REMOVED in table.schema.names:
                goes = table[REMOVED].fill_null(False)
                knowledge.remove_quads(self._quads(table.filter(goes)))
                table = table.filter(pc.invert(goes))
            knowledge.add_quads(self._quads(table))
            self._durable.commit({STREAMS: json.dumps(batches, sort_keys=True)})
        except BaseException:
            self._durable.roll_back()
            raise
        self._batches = batches

    def close(self) -> None:
        """Give the store back."""
        self._durable.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _collected(self, batch: DataFrame) -> pa.Table:
        caller_session(batch.sparkSession)
        columns = [F.col(REMOVED).cast("boolean").alias(REMOVED)] if REMOVED in batch.columns else []
        graph = F.col(GRAPH) if GRAPH in batch.columns else F.lit(None).cast("string")
        observed = Observation()
        terms = batch.withColumn(GRAPH, graph).observe(observed, *no_keys())
        table = to_arrow(normal_quads(terms, *columns).limit(self._most + 1))
        if table.num_rows > self._most:
            expected = "smaller batches (maxFilesPerTrigger, maxOffsetsPerTrigger), or most_rows="
            raise SparkError(f"a batch has more than {self._most:,} rows", expected=expected)
        check_keys(values_of(observed))
        return table

    def _quads(self, table: pa.Table) -> Quads:
        dictionary = self._durable.knowledge.dictionary
        subject, predicate, object_ = (dictionary.encode_column(table[name].combine_chunks()) for name in QUAD[:3])
        graph = np.full(table.num_rows, DEFAULT_GRAPH, dtype=np.uint32)
        named = table[GRAPH].combine_chunks()
        if named.null_count < len(named):
            graph[named.is_valid().to_numpy(zero_copy_only=False)] = dictionary.encode_column(named.drop_null())
        return Quads(graph, subject, predicate, object_)


def _last_batches(text: str) -> dict[str, int]:
    what = "the last batches of streams"
    found = expect(parse_document(text, what), dict, what)
    if not all(type(number) is int for number in found.values()):
        raise DamageError(what, expected="numbers")
    return dict(found)
