"""The labels of closures as rows on the cluster, none of them large: a shuffle takes each to where it is needed.

* nodes: `step`, `node`, `label`, `component`: of every id that is at an end of the step's table;
* sets: `step`, `component`, `block`, and either `single`, one label that the component reaches, or `labels`, a Roaring
  bitmap of those of a block.

A block is 65536 labels, the range of a Roaring container: at most 8 KB however much a component reaches. So a row of a
join carries no more than that, and what one joined row becomes is bounded, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pyarrow as pa
from pyroaring import BitMap
from pyspark.sql import functions as F

from kgreason.relations.paths import Step
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.fact_columns import frame_of
from kgreason_spark.materialisation.term_ids import Terms

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from kgreason.relations.table import Ids, Table
    from kgreason_spark.materialisation.fact_columns import Numbers

    Numbered: TypeAlias = Numbers | Sequence[int]

BLOCK_BITS: Final = 16

_NODES_SCHEMA: Final = pa.schema([(name, pa.int64()) for name in ("step", "node", "label", "component")])
_SETS_SCHEMA: Final = pa.schema(
    [*((name, pa.int64()) for name in ("step", "component", "block", "single")), ("labels", pa.binary())]
)


def block_of(column: str) -> Column:
    """The block of the labels in a column."""
    return F.shiftright(column, BLOCK_BITS)


@dataclass(frozen=True, slots=True)
class _Written:
    numbers: frozenset[int]
    nodes: DataFrame
    sets: DataFrame


class WrittenLabels:
    """The labels that were written down, each table's once as long as it stays the same."""

    def __init__(self, spark: SparkSession, terms: Terms, write: Callable[[Iterable[DataFrame]], DataFrame]) -> None:
        """`write` puts rows, of one frame at least, where executors can read them, and reads them back."""
        self._spark = spark
        self._terms = terms
        self._write = write
        self._numbers: dict[Step, int] = {}
        self._written: list[_Written] = []
        self._next = count()

    def retain(self, tables: Iterable[Table]) -> None:
        """Forget what belongs to none of these tables."""
        used = {id(step.table) for table in tables for path in table.paths() for step in path}
        self._numbers = {step: number for step, number in self._numbers.items() if id(step.table) in used}
        left = {*self._numbers.values()}
        self._written = [written for written in self._written if written.numbers & left]

    def rows(self, steps: Iterable[Step]) -> tuple[Mapping[Step, int], DataFrame, DataFrame]:
        """The number of each step, and the nodes and sets of them all; what was not there yet is written now."""
        wanted = list(dict.fromkeys(steps))
        missing = {step: next(self._next) for step in wanted if step not in self._numbers}
        if missing:
            self._written.append(self._write_down(missing))
            self._numbers |= missing
        numbers = {step: self._numbers[step] for step in wanted}
        concerned = [written for written in self._written if written.numbers & {*numbers.values()}]
        nodes, sets = concerned[0].nodes, concerned[0].sets
        for written in concerned[1:]:
            nodes, sets = nodes.unionAll(written.nodes), sets.unionAll(written.sets)
        is_wanted = F.col("step").isin(list(numbers.values()))
        return numbers, nodes.filter(is_wanted), sets.filter(is_wanted)

    def _write_down(self, steps: Mapping[Step, int]) -> _Written:
        numbered = [(number, step.reading) for step, number in steps.items()]
        nodes = (part for number, table in numbered for part in _nodes(number, table, self._terms))
        sets = (part for number, table in numbered for part in _sets(number, table))
        written = (self._write(self._frames(parts)) for parts in (nodes, sets))
        return _Written(frozenset(steps.values()), *written)

    def _frames(self, parts: Iterable[pa.Table]) -> Iterator[DataFrame]:
        """The parts as frames of about LABEL_BYTES bytes, one after the other."""
        waiting: list[pa.Table] = []
        size = 0
        for part in parts:
            waiting.append(part)
            size += part.nbytes
            if size >= spark_tuning.LABEL_BYTES:
                yield frame_of(self._spark, pa.concat_tables(waiting))
                waiting, size = [], 0
        if waiting:
            yield frame_of(self._spark, pa.concat_tables(waiting))


def _nodes(number: int, table: Table, terms: Terms) -> Iterator[pa.Table]:
    nodes, components = _labelled(table)
    for begin in range(0, len(nodes), spark_tuning.LABEL_NODES):
        some = slice(begin, begin + spark_tuning.LABEL_NODES)
        labels = np.arange(begin, begin + len(nodes[some]))
        columns = [np.full(len(labels), number), terms.to_cluster(nodes[some]), labels, components[some]]
        yield pa.table([pa.array(column, pa.int64()) for column in columns], schema=_NODES_SCHEMA)


def _labelled(table: Table) -> tuple[Ids, Numbers]:
    """The nodes in the order of their labels, and the component of each."""
    labels = table.reachability_labels()
    if labels is not None:
        return labels.nodes, labels.components
    nodes = np.union1d(table.distinct(0), table.distinct(1))
    return nodes, np.arange(len(nodes))


def _sets(number: int, table: Table) -> Iterator[pa.Table]:
    """The labels that the components of a table reach: O(bytes of the sets), for a table without labels O(pairs)."""
    known = table.reachability_labels()
    if known is not None:
        found = _blocks(known.sets())
        while rows := list(islice(found, spark_tuning.LABEL_SETS)):
            components, blocks, labels = zip(*rows, strict=True)
            yield _set_rows(number, components, blocks, pa.nulls(len(rows), pa.int64()), pa.array(labels, pa.binary()))
    else:
        nodes, _ = _labelled(table)
        for columns in table.chunks():
            sources, targets = (np.searchsorted(nodes, column) for column in columns)
            no_sets = pa.nulls(len(sources), pa.binary())
            yield _set_rows(number, sources, targets >> BLOCK_BITS, pa.array(targets, pa.int64()), no_sets)


def _blocks(sets: Iterable[tuple[int, BitMap]]) -> Iterator[tuple[int, int, bytes]]:
    """Sets in blocks, serialised."""
    for component, members in sets:
        if not members:
            continue
        first, last = members.min() >> BLOCK_BITS, members.max() >> BLOCK_BITS
        for block in range(first, last + 1):
            within = members
            if first < last:
                within = members & BitMap(range(block << BLOCK_BITS, (block + 1) << BLOCK_BITS))
                within.run_optimize()
            if within:
                yield component, block, within.serialize()


def _set_rows(number: int, components: Numbered, blocks: Numbered, singles: pa.Array, labels: pa.Array) -> pa.Table:
    keys = [np.full(len(labels), number), components, blocks]
    return pa.table([*(pa.array(column, pa.int64()) for column in keys), singles, labels], schema=_SETS_SCHEMA)
