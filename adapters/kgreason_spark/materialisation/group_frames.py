"""Grouping rules on the cluster: a group comes to one executor, which makes of it what every store's engine does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kgreason.dictionary.dictionary import Dictionary
from kgreason.engine.meter import Meter
from kgreason.engine.rules.grouping import Grouping
from kgreason.engine.rules.rule_templates import RuleTemplate
from kgreason.relations.plain import table_of
from kgreason.store.column_operations import Operations
from kgreason_spark.materialisation.fact_columns import RELATION, Numbers, argument
from kgreason_spark.materialisation.operation_frames import Values, keys_of
from kgreason_spark.materialisation.sent import Batches

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from kgreason.relations.table import Ids

_TERM: Final = "term of "
_VALUE: Final = "value"


def grouped(facts: DataFrame, template: RuleTemplate, head: int, values: Values, width: int) -> DataFrame:
    """What a grouping rule derives from all facts of its body's relation: facts of `head` with `width` arguments."""
    assert template.head is not None
    made = len(template.summaries)
    group = [argument(position) for position in range(len(template.head.arguments) - made)]
    rows = facts.select(*map(argument, range(len(template.body[0].arguments))))
    for position in _positions(template):
        terms = values.dictionary().selectExpr(f"id AS {argument(position)}", f"term AS `{_TERM}{position}`")
        rows = rows.join(terms, argument(position))
    spread = rows.repartition(*group).sortWithinPartitions(*group) if group else rows.repartition(1)
    schema = [*(f"{name} long" for name in group), *(f"{_VALUE}{number} string" for number in range(made))]
    found, here = values.keep(spread.mapInArrow(_summariser(template, len(group)), ", ".join(schema)))
    for number in range(made):
        found, here = values.identified(found, here, f"{_VALUE}{number}", argument(len(group) + number))
    known = [*group, *(argument(len(group) + number) for number in range(made))]
    padding = [f"0L AS {argument(position)}" for position in range(len(known), width)]
    return found.selectExpr(f"{head}L AS {RELATION}", *known, *padding)


def _positions(template: RuleTemplate) -> list[int]:
    """The arguments whose terms are needed."""
    return sorted({summary.argument for summary in template.summaries if summary.function != "count"})


def _summariser(template: RuleTemplate, width: int) -> Callable[[Batches], Batches]:
    """From rows in the order of their groups to the groups with their values, a batch of whole groups at a time."""

    def summarise(batches: Batches) -> Batches:
        waiting: list[pa.RecordBatch] = []
        for batch in batches:
            if not batch.num_rows:
                continue
            begin = _last_group(batch, width)
            if begin or (waiting and width and not _is_one_group(waiting[-1], batch, width)):
                yield _values(template, width, pa.Table.from_batches([*waiting, batch.slice(0, begin)]))
                waiting = []
            waiting.append(batch.slice(begin))
        if waiting:
            yield _values(template, width, pa.Table.from_batches(waiting))

    return summarise


def _last_group(batch: pa.RecordBatch, width: int) -> int:
    """The row that the last group of a batch begins with."""
    changes = np.zeros(batch.num_rows, dtype=np.bool_)
    for position in range(width):
        column = batch.column(argument(position)).to_numpy(zero_copy_only=False)
        changes[1:] |= column[1:] != column[:-1]
    found = np.flatnonzero(changes)
    return int(found[-1]) if len(found) else 0


def _is_one_group(before: pa.RecordBatch, after: pa.RecordBatch, width: int) -> bool:
    """Whether a batch begins with the group that the one before it ends with."""
    columns = [argument(position) for position in range(width)]
    return all(before.column(name)[-1] == after.column(name)[0] for name in columns)


def _values(template: RuleTemplate, width: int, rows: pa.Table) -> pa.RecordBatch:
    dictionary, terms = Dictionary(), {*_positions(template)}
    columns: list[Ids] = []
    known: list[Numbers] = []
    for position in range(len(template.body[0].arguments)):
        distinct, numbers = np.unique(rows[argument(position)].to_numpy(), return_inverse=True)
        local = np.arange(len(distinct), dtype=np.uint32)
        if position in terms:
            first = np.unique(numbers, return_index=True)[1]
            local = dictionary.encode_keys(rows[f"{_TERM}{position}"].take(pa.array(first)).to_pylist())
        by_id = np.zeros(int(local.max(initial=0)) + 1, dtype=np.int64)
        by_id[local] = distinct
        columns.append(local[numbers.reshape(-1)])
        known.append(by_id)
    table = table_of(tuple(columns))
    found = Grouping.of(template, table, Operations(dictionary), Meter()).values(table)
    made = found.columns() if found is not None else (np.empty(0, dtype=np.uint32),) * (width + len(template.summaries))
    arrays = [pa.array(known[position][column]) for position, column in enumerate(made[:width])]
    arrays += [keys_of(dictionary, column) for column in made[width:]]
    names = [*map(argument, range(width)), *(f"{_VALUE}{number}" for number in range(len(template.summaries)))]
    return pa.RecordBatch.from_arrays(arrays, names=names)
