"""Resident relations in the cluster's joins: small ones as rows, closures as labels.

A closure of billions of pairs is never written out: its labels are sent to every executor (`sent`), or shuffled
where they are large (`shuffled`), and pairs are made as a join asks for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
import pyarrow as pa

from kgreason.relations.table import Table
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.driver_limits import Limits
from kgreason_spark.materialisation.fact_columns import RELATION, Numbers, argument, fact_columns
from kgreason_spark.materialisation.label_frames import WrittenLabels
from kgreason_spark.materialisation.parameter_frames import Codes
from kgreason_spark.materialisation.sent import ID_BYTES, Sent
from kgreason_spark.materialisation.shuffled import Shuffled
from kgreason_spark.materialisation.term_ids import Terms
from kgreason_spark.materialisation.virtual_paths import fitting

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PAIR: Final = 2


class Virtual(Protocol):
    """Virtual tables of pairs, wherever they are.

    `codes` are the relations that the column `relation` of the rows names; all of them must be among these tables.
    """

    @property
    def codes(self) -> frozenset[int]:
        """The relations whose tables they are."""

    def expanded(
        self, rows: DataFrame, codes: Codes, relation: str, bound: Mapping[int, str], free: Mapping[int, str]
    ) -> DataFrame:
        """Join rows with the relations that their column `relation` names: argument `position` of a fact equals the
        column `bound[position]`, or becomes the new column `free[position]`. At least one is bound; with nothing
        free, rows without a fact go. Equal rows may become one."""

    def without(self, rows: DataFrame, codes: Codes, relation: str, columns: Mapping[int, str]) -> DataFrame:
        """The rows that are not facts of the relations that their column `relation` names."""


@dataclass(frozen=True)
class Residents:
    """The resident relations of one round: `table` those that are written out, `virtual` those that are not.

    `codes` are all resident relations, with facts or without; `tables` the virtual ones; rows have `width` arguments.
    """

    spark: SparkSession
    codes: frozenset[int]
    table: pa.Table
    virtual: tuple[Virtual, ...]
    tables: Mapping[int, Table]
    terms: Terms
    width: int

    @cached_property
    def rows(self) -> DataFrame:
        """The table on the cluster."""
        return frame_of_arrow(self.spark, self.table)

    def subjects(self, codes: Codes) -> DataFrame:
        """The relation and the subject of the pairs of some virtual tables, each once."""
        parts = [(code, self.terms.to_cluster(self.tables[code].distinct(0))) for code in np.unique(codes).tolist()]
        columns = {
            RELATION: np.concatenate([np.full(len(ids), code, dtype=np.int64) for code, ids in parts]),
            argument(0): np.concatenate([ids for _, ids in parts]),
        }
        return frame_of_arrow(self.spark, pa.table(columns))

    def facts(self) -> Iterator[DataFrame]:
        """All facts, those of virtual tables as columns for two arguments: O(their pairs), on the cluster."""
        yield self.rows
        for virtual in self.virtual:
            codes = np.array(sorted(virtual.codes), dtype=np.int64)
            subjects = self.subjects(codes).repartition(self.spark.sparkContext.defaultParallelism * 4)
            yield virtual.expanded(subjects, codes, RELATION, {0: argument(0)}, {1: argument(1)})


@dataclass(frozen=True, slots=True)
class Preparation:
    """Makes resident relations ready for joins; `keep` writes rows down and reads them back."""

    spark: SparkSession
    terms: Terms
    labels: WrittenLabels
    keep: Callable[[DataFrame], DataFrame]
    limits: Limits

    def residents(self, tables: Mapping[int, Table], codes: set[int], width: int) -> Residents:
        """The resident relations of a round.

        Args:
            tables: the tables that joins need, by the cluster's codes.
            codes: all resident relations.
            width: arguments of a row.
        """
        virtual = {code: table for code, table in tables.items() if self._is_large(table)}
        sendable = fitting(virtual, self.limits.sent - ID_BYTES * len(self.terms.dictionary))
        others = {code: table for code, table in virtual.items() if code not in sendable}
        self.labels.retain(others.values())
        found: list[Virtual] = []
        if sendable:
            found.append(Sent.of(self.spark, sendable, self.terms))
        if others:
            found.append(Shuffled(others, self.labels, self.keep))
        rows = rows_of({code: tables[code] for code in tables.keys() - virtual.keys()}, self.terms, width)
        return Residents(self.spark, frozenset(codes), rows, tuple(found), virtual, self.terms, width)

    def _is_large(self, table: Table) -> bool:
        return table.is_virtual and table.arity == _PAIR and table.estimate > self.limits.written


def rows_of(tables: Mapping[int, Table], terms: Terms, width: int) -> pa.Table:
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
    return pa.table(dict(zip(names, merged, strict=True)))
