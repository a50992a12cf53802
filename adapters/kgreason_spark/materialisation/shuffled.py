"""Virtual tables whose labels are too large for one executor: rows are shuffled to the labels that they need.

A step from a node to what it reaches is three joins: by the node, to get its component; by the component, to get the
sets of labels that it reaches; by each label, to get the node. No task holds more of the labels than its part of
a shuffle, of which Spark spills what does not fit in memory. Whether a pair is there is asked of one block of one set.

The other way that was thought of, a slice of each table for each task, would still need for every slice the nodes of
all labels, since what a component reaches lies anywhere; joins also leave popular nodes to Spark, which splits them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyroaring import BitMap
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from kgreason.columns import bitmaps, pairs
from kgreason.relations.paths import Path, reversed_path
from kgreason_spark import spark_tuning
from kgreason_spark.arrow_frames import frame_of_arrow
from kgreason_spark.materialisation.fact_columns import schema_text
from kgreason_spark.materialisation.label_frames import WrittenLabels, block_of

if TYPE_CHECKING:
    from kgreason.relations.table import Ids, Index, Table
    from kgreason_spark.materialisation.parameter_frames import Codes
    from kgreason_spark.materialisation.sent import Batches

Route: TypeAlias = tuple[int, Path]
"""A relation, and one of the paths to its facts."""

_ROUTED: Final = "routed relation"
_HERE: Final = "here"


@dataclass(frozen=True, slots=True)
class Shuffled:
    """Virtual tables of which no executor has all; `keep` writes rows down and reads them back, before something
    looks at them twice."""

    tables: Mapping[int, Table]
    labels: WrittenLabels
    keep: Callable[[DataFrame], DataFrame]

    @property
    def codes(self) -> frozenset[int]:
        """The relations whose tables they are."""
        return frozenset(self.tables)

    def expanded(
        self, rows: DataFrame, codes: Codes, relation: str, bound: Mapping[int, str], free: Mapping[int, str]
    ) -> DataFrame:
        """As `Virtual` has it: three shuffles for a step, and one more where pairs may be found twice."""
        if not free:
            return self._followed(rows, self._routes(codes, False), relation, bound[0], bound[1])
        ((position, key), (target,)) = next(iter(bound.items())), free.values()
        found = self._followed(rows, self._routes(codes, position == 1), relation, key, None)
        return found.withColumnRenamed(_HERE, target)

    def without(self, rows: DataFrame, codes: Codes, relation: str, columns: Mapping[int, str]) -> DataFrame:
        """As `Virtual` has it: rows are written down, since they are looked at twice."""
        rows = self.keep(rows)
        names = list(dict.fromkeys([relation, columns[0], columns[1]]))
        found = self.expanded(rows.select(*names).distinct(), codes, relation, columns, {})
        return rows.join(found, names, "left_anti")

    def _routes(self, codes: Codes, is_inverse: bool) -> list[Route]:
        return [
            (code, reversed_path(path) if is_inverse else path)
            for code in np.unique(codes).tolist()
            for path in self.tables[code].paths()
        ]

    def _followed(
        self, rows: DataFrame, routes: Sequence[Route], relation: str, start: str, end: str | None
    ) -> DataFrame:
        """The rows with the column _HERE, where the routes of their relation lead from the column `start`; or without
        it those that are led to the column `end`."""
        by_length: dict[int, list[Route]] = {}
        for route in routes:
            by_length.setdefault(len(route[1]), []).append(route)
        if len(by_length) > 1:
            rows = self.keep(rows)
        walks = [self._walked(rows, same, relation, start, end) for same in by_length.values()]
        found = reduce(DataFrame.unionAll, walks)
        is_single = by_length.keys() == {1} and len({code for code, _ in routes}) == len(routes)
        return found if is_single else found.distinct()

    def _walked(
        self, rows: DataFrame, routes: Sequence[Route], relation: str, start: str, end: str | None
    ) -> DataFrame:
        """The same for routes of one length."""
        length = len(routes[0][1])
        numbers, nodes, sets = self.labels.rows(step for _, path in routes for step in path)
        columns = {_ROUTED: [code for code, _ in routes]}
        for place in range(length):
            columns[_step(place)] = [numbers[path[place]] for _, path in routes]
        table = F.broadcast(frame_of_arrow(rows.sparkSession, pa.table(columns)))
        found = rows.join(table, F.col(relation) == F.col(_ROUTED)).withColumn(_HERE, F.col(start))
        for place in range(length if end is None else length - 1):
            found = _onward(found, _step(place), nodes, sets)
        if end is not None:
            return _arriving(found, _step(length - 1), end, nodes, sets).select(*rows.columns)
        return found.select(*rows.columns, _HERE)


def _step(place: int) -> str:
    return f"step {place}"


def _onward(rows: DataFrame, step: str, nodes: DataFrame, sets: DataFrame) -> DataFrame:
    """Each row once for each node that a step leads to from the column _HERE, which this node then is."""
    reached = _in_components(rows, step, nodes).join(
        sets.select(F.col("step").alias("set step"), F.col("component").alias("reaching"), "single", "labels"),
        (F.col(step) == F.col("set step")) & (F.col("component") == F.col("reaching")),
    )
    reached = reached.drop(_HERE, "set step", "component", "reaching")
    spelled = reached.mapInArrow(_spelled, schema_text(reached.drop("labels")))
    targets = nodes.select(F.col("step").alias("target step"), "label", F.col("node").alias(_HERE))
    joined = spelled.join(targets, (F.col(step) == F.col("target step")) & (F.col("single") == F.col("label")))
    return joined.drop("target step", "label", "single")


def _arriving(rows: DataFrame, step: str, end: str, nodes: DataFrame, sets: DataFrame) -> DataFrame:
    """The rows whose column `end` is among the nodes that a step leads to from the column _HERE."""
    targets = nodes.select(F.col("step").alias("target step"), "label", F.col("node").alias("target"))
    labelled = _in_components(rows, step, nodes).join(
        targets, (F.col(step) == F.col("target step")) & (F.col(end) == F.col("target"))
    )
    reached = labelled.drop("target step", "target").join(
        sets.withColumnsRenamed({"step": "set step", "component": "reaching"}),
        (F.col(step) == F.col("set step"))
        & (F.col("component") == F.col("reaching"))
        & (block_of("label") == F.col("block"))
        & (F.col("single").isNull() | (F.col("single") == F.col("label"))),
    )
    return reached.mapInArrow(_contained, reached.schema)


def _in_components(rows: DataFrame, step: str, nodes: DataFrame) -> DataFrame:
    """The rows with the component of the node in the column _HERE; without those whose node has none."""
    sources = nodes.select(F.col("step").alias("source step"), F.col("node").alias("source"), "component")
    joined = rows.join(sources, (F.col(step) == F.col("source step")) & (F.col(_HERE) == F.col("source")))
    return joined.drop("source step", "source")


def _spelled(batches: Batches) -> Batches:
    """Each row once for each label of its set, as the column `single`."""
    for batch in batches:
        labels, others = batch.column("labels"), batch.drop_columns(["labels"])
        at = others.schema.get_field_index("single")
        yield others.filter(labels.is_null())
        rows = np.flatnonzero(labels.is_valid().to_numpy(zero_copy_only=False))
        for begin in range(0, len(rows), spark_tuning.SHUFFLED_SETS):
            chosen = rows[begin : begin + spark_tuning.SHUFFLED_SETS]
            for index, members in _members(labels.take(pa.array(chosen))):
                taken = others.take(pa.array(chosen[index]))
                yield taken.set_column(at, "single", pa.array(members, pa.int64()))


def _members(sets: pa.Array) -> Iterator[tuple[Index, Ids]]:
    """The labels of sets, each with the number of its set, about SHUFFLED_LABELS at a time."""
    encoded = sets.dictionary_encode()
    distinct = [bitmaps.to_ids(BitMap.deserialize(written)) for written in encoded.dictionary.to_pylist()]
    labels, lengths = np.concatenate(distinct), np.array(list(map(len, distinct)))
    ends = np.cumsum(lengths)
    of = encoded.indices.to_numpy()
    portions = np.cumsum(lengths[of]) // spark_tuning.SHUFFLED_LABELS
    for rows in np.split(np.arange(len(of)), np.flatnonzero(np.diff(portions)) + 1):
        index, positions = pairs.spread((ends - lengths)[of[rows]], ends[of[rows]])
        yield rows[index], labels[positions]


def _contained(batches: Batches) -> Batches:
    """The rows whose column `label` is in their set, if they have one."""
    for batch in batches:
        sets, wanted = batch.column("labels"), batch.column("label").to_numpy().astype(np.uint32)
        encoded = sets.dictionary_encode()
        kept = np.array(sets.is_null().to_numpy(zero_copy_only=False))
        numbers = encoded.indices.fill_null(-1).to_numpy()
        order = np.argsort(numbers, kind="stable")
        bounds = numbers[order].searchsorted(np.arange(len(encoded.dictionary) + 1))
        for (begin, end), written in zip(pairwise(bounds.tolist()), encoded.dictionary.to_pylist(), strict=True):
            rows = order[begin:end]
            kept[rows] = bitmaps.contains(BitMap.deserialize(written), wanted[rows])
        yield batch.filter(pa.array(kept))
