"""The tables of closures as the tables of `kgreason.io.encoded.label_tables`, which says what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kgreason.io.encoded.label_tables import (
    EDGES_SCHEMA,
    KINDS,
    NODES_SCHEMA,
    REACHED_SCHEMA,
    WrittenDefinition,
    WrittenRelation,
)
from kgreason.relations.catalogue import Definition, Oriented
from kgreason.relations.codes import AUXILIARY, CLASS, kind_of
from kgreason.relations.free_closures import transitive_closure
from kgreason.relations.labels import ReachabilityLabels
from kgreason.relations.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgreason.relations.table import Ids
    from kgreason_spark.materialisation.fact_columns import Numbers
    from kgreason_spark.materialisation.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of closures as tables of EDGES_SCHEMA, NODES_SCHEMA and REACHED_SCHEMA."""

    edges: pa.Table
    nodes: pa.Table
    reached: pa.Table


def labels_of(tables: Mapping[int, Table], identify: Callable[[Ids], Numbers]) -> Labels:
    """The labels of the transitive relations and the components of the equivalences among the tables.

    `identify` gives the ids to write for the ids in the tables. O(bytes of the labels); a table of a scheme without
    labels is closed again, from its generators.
    """
    labels = {relation: _labels_of(table) for relation, table in tables.items()}
    edges = [_edges(relation, each, identify) for relation, each in labels.items()]
    nodes = [_nodes(relation, each, identify) for relation, each in labels.items()]
    reached = [_reached(relation, each) for relation, each in labels.items() if not tables[relation].is_symmetric]
    return Labels(
        pa.concat_tables([EDGES_SCHEMA.empty_table(), *edges]),
        pa.concat_tables([NODES_SCHEMA.empty_table(), *nodes]),
        pa.concat_tables([REACHED_SCHEMA.empty_table(), *reached]),
    )


def written_definition(
    definition: Definition, labels: int | None, inverse_labels: int | None, reasoner: Reasoner
) -> WrittenDefinition:
    """A definition by the names of its relations, with the numbers of its labels."""

    def oriented(relations: Sequence[Oriented]) -> tuple[WrittenRelation, ...]:
        return tuple(_written(reasoner, relation) for relation in relations)

    return WrittenDefinition(
        definition.closure,
        labels,
        inverse_labels,
        oriented(definition.members),
        oriented(definition.sources),
        oriented(definition.left),
        oriented(definition.right),
    )


def _written(reasoner: Reasoner, relation: Oriented) -> WrittenRelation:
    code = relation.code
    number = kind_of(code)
    kind = KINDS[2] if number == AUXILIARY else KINDS[0] if number == CLASS else KINDS[1]
    return WrittenRelation(reasoner.name(code), kind, reasoner.arity(code), relation.inverse)


def _labels_of(table: Table) -> ReachabilityLabels:
    found = table.reachability_labels() or transitive_closure(table.generators()).reachability_labels()
    assert found is not None, "a closure has labels"
    return found


def _edges(relation: int, labels: ReachabilityLabels, identify: Callable[[Ids], Numbers]) -> pa.Table:
    ends = [np.asarray(identify(column), dtype=np.int64) for column in labels.edges.columns()]
    columns = [np.full(len(ends[0]), relation, dtype=np.int64), *ends]
    return pa.table([pa.array(column) for column in columns], schema=EDGES_SCHEMA)


def _nodes(relation: int, labels: ReachabilityLabels, identify: Callable[[Ids], Numbers]) -> pa.Table:
    nodes = labels.nodes
    columns = [np.full(len(nodes), relation), identify(nodes), np.arange(len(nodes)), labels.components]
    return pa.table([pa.array(np.asarray(column, dtype=np.int64)) for column in columns], schema=NODES_SCHEMA)


def _reached(relation: int, labels: ReachabilityLabels) -> pa.Table:
    found = list(labels.sets())
    components = pa.array([component for component, _ in found], pa.int64())
    sets = pa.array([members.serialize() for _, members in found], pa.binary())
    codes = pa.array(np.full(len(found), relation, dtype=np.int64))
    return pa.table([codes, components, sets], schema=REACHED_SCHEMA)
