"""Referencing object maps with conditions: the subjects of the parent's rows as objects of the child's rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from kgreason.errors import MappingError
from kgreason_mapping.documents.mapping_model import (
    Expression,
    Mapping,
    PredicateObjectMap,
    ReferencingObjectMap,
    TriplesMap,
)
from kgreason_spark.ingestion.columns import TermColumns
from kgreason_spark.ingestion.entries import ENTRY, ENTRY_TYPE
from kgreason_spark.ingestion.reference_values import as_array, products
from kgreason_spark.ingestion.term_expressions import Row, texts
from kgreason_spark.ingestion.triples import graph_maps, is_default, quads


@dataclass(frozen=True, slots=True)
class Side:
    """The rows that one side of a join reads, without malformed ones."""

    frame: DataFrame
    row: Row


@dataclass(frozen=True, slots=True)
class Join:
    """A referencing object map of a predicate-object map of a triples map."""

    child: TriplesMap
    pairs: PredicateObjectMap
    reference: ReferencingObjectMap
    parent: TriplesMap


def joins_of(mapping: Mapping) -> Iterator[Join]:
    """All referencing object maps with conditions."""
    for child in mapping.triples_maps:
        for pairs in child.predicate_objects:
            for reference in pairs.referencing:
                if reference.conditions:
                    yield Join(child, pairs, reference, mapping.triples_map(reference.parent))


def joined_entries(join: Join, child: Side, parent: Side, base: str | None) -> DataFrame:
    """The quads of a join as one column of entries: an equi-join, which Spark shuffles or broadcasts.

    Terms that are bad give none here, as the triples maps themselves report them.

    Raises:
        MappingError: a condition refers to what does not exist; names the triples map.
    """
    try:
        own, other = TermColumns(child.row, "__child"), TermColumns(parent.row, "__parent")
        own_base, other_base = join.child.base or base, join.parent.base or base
        subject = own.place(join.child.subject, own_base)
        predicates = [own.place(one, own_base) for one in join.pairs.predicates]
        graphs = [(one, own.place(one, own_base)) for one in graph_maps(join.child, join.pairs)]
        object_ = other.place(join.parent.subject, other_base)
        conditions = join.reference.conditions
        left = _keyed(child, own, [one.child for one in conditions], "__child_keys")
        right = _keyed(parent, other, [one.parent for one in conditions], "__parent_keys")
    except MappingError as error:
        raise MappingError(error.reason, error.triples_map or join.child.name) from None
    equal = [F.col(f"__child_keys.k{i}") == F.col(f"__parent_keys.k{i}") for i in range(len(conditions))]
    made = [
        quad
        for predicate in predicates
        for one, graph in graphs
        for quad in quads(subject, predicate, object_, graph, in_default=is_default(one))
    ]
    joined = left.join(right, reduce(Column.__and__, equal))
    return joined.select(F.explode(as_array(made, ENTRY_TYPE)).alias(ENTRY))


def _keyed(side: Side, columns: TermColumns, expressions: Sequence[Expression], name: str) -> DataFrame:
    """The terms of a side with what the conditions compare, a row for each combination of values."""
    made = products(
        [texts(one, columns.row) for one in expressions],
        lambda chosen: F.struct(*(value.text.alias(f"k{i}") for i, value in enumerate(chosen))),
    )
    kind = f"struct<{', '.join(f'k{i}:string' for i in range(len(expressions)))}>"
    keys = made[0].column if len(made) == 1 and not made[0].is_array else F.explode(as_array(made, kind))
    known = [F.col(f"{name}.k{i}").isNotNull() for i in range(len(expressions))]
    return columns.added_to(side.frame).select("*", keys.alias(name)).where(reduce(Column.__and__, known))
