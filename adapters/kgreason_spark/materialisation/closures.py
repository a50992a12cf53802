"""The tables of closures as the tables of `kgreason.encoded.closures`, which says what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from kgreason.encoded.closures import (
    EDGES_SCHEMA,
    KINDS,
    NODES_SCHEMA,
    REACHED_SCHEMA,
    WrittenDefinition,
    WrittenRelation,
)
from kgreason.schemes.catalogue import Definition, Oriented
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.relations import AUXILIARY, CLASS, kind_of
from kgreason.schemes.scheme import Table
from kgreason.schemes.transitive.table import TransitiveTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgreason.schemes.scheme import Ids
    from kgreason_spark.materialisation.dataset import Numbers
    from kgreason_spark.materialisation.reasoner import Reasoner


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of closures as tables of EDGES_SCHEMA, NODES_SCHEMA and REACHED_SCHEMA."""

    edges: pa.Table
    nodes: pa.Table
    reached: pa.Table


def labels_of(tables: Mapping[int, Table], identify: Callable[[Ids], Numbers]) -> Labels:
    """The labels of the transitive relations and the components of the equivalences among the tables.

    `identify` gives the ids to write for the ids in the tables. O(bytes of the labels).
    """
    edges = [_edges(relation, table, identify) for relation, table in tables.items()]
    nodes = [part for relation, table in tables.items() for part in _nodes(relation, table, identify)]
    reached = [_reached(relation, table) for relation, table in tables.items() if isinstance(table, TransitiveTable)]
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


def _edges(relation: int, table: Table, identify: Callable[[Ids], Numbers]) -> pa.Table:
    assert isinstance(table, TransitiveTable | EquivalenceTable)
    ends = [np.asarray(identify(column), dtype=np.int64) for column in table.edges.columns()]
    columns = [np.full(len(ends[0]), relation, dtype=np.int64), *ends]
    return pa.table([pa.array(column) for column in columns], schema=EDGES_SCHEMA)


def _nodes(relation: int, table: Table, identify: Callable[[Ids], Numbers]) -> Iterator[pa.Table]:
    if isinstance(table, TransitiveTable):
        closure = table.closure
        nodes, components = closure.labelling.nodes, closure.component.astype(np.int64)
    elif isinstance(table, EquivalenceTable):
        nodes, components = table.components()
    else:
        return
    columns = [np.full(len(nodes), relation), identify(nodes), np.arange(len(nodes)), components]
    yield pa.table([pa.array(np.asarray(column, dtype=np.int64)) for column in columns], schema=NODES_SCHEMA)


def _reached(relation: int, table: TransitiveTable) -> pa.Table:
    closure = table.closure
    components = np.unique(closure.component).tolist()
    written = [closure.reached.get(component).serialize() for component in components]
    codes = pa.array(np.full(len(components), relation, dtype=np.int64))
    return pa.table([codes, pa.array(components, pa.int64()), pa.array(written, pa.binary())], schema=REACHED_SCHEMA)
