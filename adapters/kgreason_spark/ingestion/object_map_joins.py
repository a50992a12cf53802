"""Referencing object maps with conditions: the subjects of the parent's rows as objects of the child's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason_mapping.plan.tree import JoinPlan, TextValue
from kgreason_spark.ingestion.columns import TermColumns
from kgreason_spark.ingestion.entries import ENTRY, ENTRY_TYPE
from kgreason_spark.ingestion.reference_values import as_array, products
from kgreason_spark.ingestion.term_expressions import Row, texts
from kgreason_spark.ingestion.triples import quads


@dataclass(frozen=True, slots=True)
class Side:
    """The rows that one side of a join reads, without malformed ones."""

    frame: DataFrame
    row: Row


def joined_entries(join: JoinPlan, child: Side, parent: Side) -> DataFrame:
    """The quads of a join as one column of entries: an equi-join, which Spark shuffles or broadcasts.

    Terms that are bad give none here, as the plans of the sources report them.

    Raises:
        MappingError: a condition refers to what does not exist; names the triples map.
    """
    try:
        own, other = TermColumns(child.row, "__child"), TermColumns(parent.row, "__parent")
        objects = other.place(join.object)
        made = [
            quad
            for subject, predicate, graph in join.quads
            for quad in quads(own, subject, predicate, objects, graph)
        ]
        left = _keyed(child, own, [one for one, _ in join.conditions], "__child_keys")
        right = _keyed(parent, other, [one for _, one in join.conditions], "__parent_keys")
    except MappingError as error:
        raise MappingError(error.reason, error.triples_map or join.triples_map) from None
    equal = [F.col(f"__child_keys.k{i}") == F.col(f"__parent_keys.k{i}") for i in range(len(join.conditions))]
    joined = left.join(right, reduce(Column.__and__, equal))
    return joined.select(F.explode(as_array(made, ENTRY_TYPE)).alias(ENTRY))


def _keyed(side: Side, columns: TermColumns, values: Sequence[TextValue], name: str) -> DataFrame:
    """The terms of a side with what the conditions compare, a row for each combination of values."""
    made = products(
        [texts(one, columns.row) for one in values],
        lambda chosen: F.struct(*(value.text.alias(f"k{i}") for i, value in enumerate(chosen))),
    )
    kind = f"struct<{', '.join(f'k{i}:string' for i in range(len(values)))}>"
    keys = made[0].column if len(made) == 1 and not made[0].is_array else F.explode(as_array(made, kind))
    known = [F.col(f"{name}.k{i}").isNotNull() for i in range(len(values))]
    return columns.added_to(side.frame).select("*", keys.alias(name)).where(reduce(Column.__and__, known))
