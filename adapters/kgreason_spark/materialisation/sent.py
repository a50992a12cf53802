"""Virtual tables sent to every executor as they are, where they are small enough for that.

Executors expand, a batch of rows at a time, just the pairs that a join asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa

from kgreason.relations.table import Ids, Index, Table
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.fact_columns import Numbers, schema_text
from kgreason_spark.materialisation.parameter_frames import Codes
from kgreason_spark.materialisation.term_ids import Terms

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession

Batches: TypeAlias = Iterator[pa.RecordBatch]

ID_BYTES: Final = 20
"""Bytes of an id in both directions, beside the tables themselves."""


@dataclass(frozen=True, slots=True)
class SentTables:
    """Tables of the driver with the way from the cluster's ids to theirs and back: what executors get.

    `cluster` is sorted, `local` belongs to it row by row, and `back` are the cluster's ids by the driver's.
    """

    tables: Mapping[int, Table]
    cluster: Numbers
    local: Ids
    back: Numbers

    def lookup(self, relation: int, bound: Mapping[int, Numbers]) -> tuple[Index, tuple[Numbers, ...]]:
        """For each row of the bound columns the facts that agree with it: row numbers, and columns of facts."""
        ids, known = self._known(bound)
        rows = np.flatnonzero(known)
        table = self.tables[relation]
        columns = {position: column[rows] for position, column in ids.items()}
        index, found = table.lookup(columns)
        return rows[index], tuple(self.back[column] for column in found)

    def contains(self, relation: int, columns: Mapping[int, Numbers]) -> np.ndarray:
        """For each row whether it is a fact."""
        ids, known = self._known(columns)
        rows = np.flatnonzero(known)
        chosen = tuple(ids[position][rows] for position in range(len(ids)))
        known[rows] = self.tables[relation].contains(chosen)
        return known

    def _known(self, columns: Mapping[int, Numbers]) -> tuple[dict[int, Ids], np.ndarray]:
        """The driver's ids, and for each row whether it has such ids."""
        found: dict[int, Ids] = {}
        known = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
        for position, column in columns.items():
            at = np.minimum(self.cluster.searchsorted(column), len(self.cluster) - 1)
            known &= self.cluster[at] == column
            found[position] = self.local[at]
        return found, known


@dataclass(frozen=True, slots=True)
class Sent:
    """Virtual tables of which every executor has all."""

    codes: frozenset[int]
    sent: Broadcast[SentTables]

    @classmethod
    def of(cls, spark: SparkSession, tables: Mapping[int, Table], terms: Terms) -> Sent:
        """Send tables of pairs, by the cluster's codes."""
        return cls(frozenset(tables), spark.sparkContext.broadcast(SentTables(tables, *terms.mapping())))

    def expanded(
        self, rows: DataFrame, codes: Codes, relation: str, bound: Mapping[int, str], free: Mapping[int, str]
    ) -> DataFrame:
        """As `Virtual` has it: no shuffle."""
        schema = ", ".join([schema_text(rows), *(f"`{name}` long" for name in free.values())])
        return rows.mapInArrow(_expander(self.sent, relation, dict(bound), dict(free)), schema)

    def without(self, rows: DataFrame, codes: Codes, relation: str, columns: Mapping[int, str]) -> DataFrame:
        """As `Virtual` has it: no shuffle."""
        return rows.mapInArrow(_denier(self.sent, relation, dict(columns)), rows.schema)


def _expander(
    sent: Broadcast[SentTables], relation: str, bound: dict[int, str], free: dict[int, str]
) -> Callable[[Batches], Batches]:
    def expand(batches: Batches) -> Batches:
        most = 1
        for batch, code, all_rows in _by_relation(batches, relation):
            begin = 0
            while begin < len(all_rows):
                rows = all_rows[begin : begin + most]
                begin += most
                keys = {position: _numbers(batch, name)[rows] for position, name in bound.items()}
                if free:
                    index, found = sent.value.lookup(code, keys)
                    index = rows[index]
                else:
                    index, found = rows[sent.value.contains(code, keys)], ()
                taken = batch.take(pa.array(index))
                for position, name in free.items():
                    taken = taken.append_column(name, pa.array(found[position]))
                yield taken
                most = _next_most(most, taken.num_rows)

    return expand


def _denier(sent: Broadcast[SentTables], relation: str, columns: dict[int, str]) -> Callable[[Batches], Batches]:
    def deny(batches: Batches) -> Batches:
        for batch, code, rows in _by_relation(batches, relation):
            keys = {position: _numbers(batch, name)[rows] for position, name in columns.items()}
            yield batch.take(pa.array(rows[~sent.value.contains(code, keys)]))

    return deny


def _next_most(most: int, found: int) -> int:
    """How many keys to expand next, after `most` of them gave so many pairs."""
    if found * 4 < spark_tuning.SENT_PAIRS:
        return min(2 * most, spark_tuning.SENT_KEYS)
    return max(1, most // 4) if found > spark_tuning.SENT_PAIRS else most


def _by_relation(batches: Batches, relation: str) -> Iterator[tuple[pa.RecordBatch, int, Index]]:
    """The rows of each relation in each batch."""
    for batch in batches:
        codes = _numbers(batch, relation)
        for code in np.unique(codes).tolist():
            yield batch, code, np.flatnonzero(codes == code)


def _numbers(batch: pa.RecordBatch, name: str) -> Numbers:
    return np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=np.int64)
