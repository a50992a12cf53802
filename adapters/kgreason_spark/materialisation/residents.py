"""Resident relations in the cluster's joins: small ones as rows, closures as the very schemes, sent to every executor.

A closure of billions of pairs is never written out: executors hold its labels and expand, a batch of rows at a
time, just the pairs that a join asks for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa

from kgreason.schemes.scheme import Ids, Index, Table
from kgreason_spark.materialisation.dataset import Numbers, fact_columns
from kgreason_spark.materialisation.terms import Terms

if TYPE_CHECKING:
    from pyspark import Broadcast
    from pyspark.sql import DataFrame, SparkSession

Batches: TypeAlias = Iterator[pa.RecordBatch]

_KEYS_AT_ONCE: Final = 512


@dataclass(frozen=True, slots=True)
class SentTables:
    """Tables of the driver with the way from the cluster's ids to theirs and back: what executors get.

    `cluster` is sorted, `local` belongs to it row by row, and `back` are the cluster's ids by the driver's.
    """

    tables: Mapping[int, Table]
    cluster: Numbers
    local: Ids
    back: Numbers

    def expand(self, relation: int, bound: Mapping[int, Numbers]) -> tuple[Index, tuple[Numbers, ...]]:
        """For each row of the bound columns the facts that agree with it: row numbers, and columns of facts."""
        ids, known = self._known(bound)
        rows = np.flatnonzero(known)
        table = self.tables[relation]
        columns = {position: column[rows] for position, column in ids.items()}
        index, found = table.expand(columns)
        return rows[index], tuple(self.back[column] for column in found)

    def contains(self, relation: int, columns: Mapping[int, Numbers]) -> np.ndarray:
        """For each row whether it is a fact."""
        ids, known = self._known(columns)
        rows = np.flatnonzero(known)
        chosen = tuple(ids[position][rows] for position in range(len(ids)))
        known[rows] = self.tables[relation].contains(chosen)
        return known

    def _known(self, columns: Mapping[int, Numbers]) -> tuple[dict[int, Ids], np.ndarray]:
        found: dict[int, Ids] = {}
        known = np.ones(len(next(iter(columns.values()))), dtype=np.bool_)
        for position, column in columns.items():
            at = np.minimum(self.cluster.searchsorted(column), max(len(self.cluster) - 1, 0))
            known &= self.cluster[at] == column if len(self.cluster) else False
            found[position] = self.local[at] if len(self.cluster) else np.zeros(len(column), dtype=np.uint32)
        return found, known


@dataclass(frozen=True, slots=True)
class Residents:
    """The resident relations of one round: `rows` those that are written out, `sent` those that are not."""

    codes: frozenset[int]
    rows: DataFrame
    sent: Broadcast[SentTables] | None
    virtual: frozenset[int]


def send(
    spark: SparkSession, tables: Mapping[int, Table], terms: Terms, codes: set[int], width: int, limit: int
) -> Residents:
    """Make resident relations ready for joins.

    Args:
        tables: the tables that joins need, by the cluster's codes.
        codes: all resident relations.
        width: arguments of a row.
        limit: a virtual table with more facts is sent as it is.
    """
    virtual = {code: table for code, table in tables.items() if table.is_virtual and table.estimate > limit}
    written = {code: table for code, table in tables.items() if code not in virtual}
    sent = None
    if virtual:
        sent = spark.sparkContext.broadcast(SentTables(virtual, *terms.mapping()))
    return Residents(frozenset(codes), rows_of(spark, written, terms, width), sent, frozenset(virtual))


def rows_of(spark: SparkSession, tables: Mapping[int, Table], terms: Terms, width: int) -> DataFrame:
    """The facts of tables as rows, with the cluster's ids."""
    parts: list[list[Numbers]] = []
    for code, table in tables.items():
        for columns in table.chunks():
            count = len(columns[0])
            rows = [np.full(count, code, dtype=np.int64), *(terms.to_cluster(column) for column in columns)]
            parts.append(rows + [np.zeros(count, dtype=np.int64)] * (width + 1 - len(rows)))
    names = fact_columns(width)
    none = np.empty(0, dtype=np.int64)
    merged = [np.concatenate([part[i] for part in parts]) if parts else none for i in range(width + 1)]
    return spark.createDataFrame(pa.table(dict(zip(names, merged, strict=True))))


def expanded(
    rows: DataFrame, sent: Broadcast[SentTables], relation: str, bound: Mapping[int, str], free: Mapping[int, str]
) -> DataFrame:
    """Join rows with the relations that their column `relation` names: argument `position` of a fact equals the column
    `bound[position]`, or becomes the new column `free[position]`. With nothing free, rows without a fact go."""
    schema = ", ".join([*(f"{field.name} {field.dataType.simpleString()}" for field in rows.schema),
                        *(f"{name} long" for name in free.values())])  # fmt: skip
    return rows.mapInArrow(_expander(sent, relation, dict(bound), dict(free)), schema)


def without(rows: DataFrame, sent: Broadcast[SentTables], relation: str, columns: Mapping[int, str]) -> DataFrame:
    """The rows that are no facts of the relations that their column `relation` names."""
    return rows.mapInArrow(_denier(sent, relation, dict(columns)), rows.schema)


def _expander(
    sent: Broadcast[SentTables], relation: str, bound: dict[int, str], free: dict[int, str]
) -> Callable[[Batches], Batches]:
    def expand(batches: Batches) -> Batches:
        for batch, code, rows in _by_relation(batches, relation, _KEYS_AT_ONCE):
            keys = {position: _numbers(batch, name)[rows] for position, name in bound.items()}
            if free:
                index, found = sent.value.expand(code, keys)
                index = rows[index]
            else:
                index, found = rows[sent.value.contains(code, keys)], ()
            taken = batch.take(pa.array(index))
            for position, name in free.items():
                taken = taken.append_column(name, pa.array(found[position]))
            yield taken

    return expand


def _denier(
    sent: Broadcast[SentTables], relation: str, columns: dict[int, str]
) -> Callable[[Batches], Batches]:
    def deny(batches: Batches) -> Batches:
        for batch, code, rows in _by_relation(batches, relation):
            keys = {position: _numbers(batch, name)[rows] for position, name in columns.items()}
            yield batch.take(pa.array(rows[~sent.value.contains(code, keys)]))

    return deny


def _by_relation(
    batches: Batches, relation: str, most: int | None = None
) -> Iterator[tuple[pa.RecordBatch, int, Index]]:
    """The rows of each relation in each batch, not more than `most` at a time."""
    for batch in batches:
        codes = _numbers(batch, relation)
        for code in np.unique(codes).tolist():
            rows = np.flatnonzero(codes == code)
            for begin in range(0, len(rows), most or len(rows)):
                yield batch, code, rows[begin : begin + (most or len(rows))]


def _numbers(batch: pa.RecordBatch, name: str) -> Numbers:
    return np.asarray(batch.column(name).to_numpy(zero_copy_only=False), dtype=np.int64)
