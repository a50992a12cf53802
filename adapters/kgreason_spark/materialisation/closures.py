"""Closures as labels: what a relation of billions of pairs looks like on disk.

* ``nodes``: `relation`, `node`, `label`, `component`. Relations and nodes are ids; a relation that is no term has a
  negative number instead. Two nodes of an equivalence are related when they have the same component.
* ``reached``: `relation`, `component`, `labels`: the labels that the component of a transitive relation reaches, as a
  Roaring bitmap in the portable format, which every Roaring library reads. x is related to y when the label of y is
  among the labels that the component of x reaches.
* ``definitions.json``: for each of these relations and those that are made of them how they follow: the kind of
  closure, its number in `nodes` and `reached` if it has labels, the relations that copy each other, those that are
  copied into them, and those that continue a chain.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from kgreason.schemes.catalogue import Definition, Oriented
from kgreason.schemes.equivalence import EquivalenceTable
from kgreason.schemes.scheme import Table
from kgreason.schemes.transitive.table import TransitiveTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from kgreason.schemes.scheme import Ids
    from kgreason_spark.materialisation.dataset import Numbers

CLOSURES: Final = "closures"
NODES_SCHEMA: Final = pa.schema([(name, pa.int64()) for name in ("relation", "node", "label", "component")])
REACHED_SCHEMA: Final = pa.schema([("relation", pa.int64()), ("component", pa.int64()), ("labels", pa.binary())])


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of closures as tables of NODES_SCHEMA and REACHED_SCHEMA."""

    nodes: pa.Table
    reached: pa.Table


def labels_of(tables: Mapping[int, Table], identify: Callable[[Ids], Numbers]) -> Labels:
    """The labels of the transitive relations and the components of the equivalences among the tables.

    `identify` gives the ids to write for the ids in the tables. O(bytes of the labels).
    """
    nodes = [part for relation, table in tables.items() for part in _nodes(relation, table, identify)]
    reached = [_reached(relation, table) for relation, table in tables.items() if isinstance(table, TransitiveTable)]
    return Labels(
        pa.concat_tables(nodes) if nodes else NODES_SCHEMA.empty_table(),
        pa.concat_tables(reached) if reached else REACHED_SCHEMA.empty_table(),
    )


def definitions_json(definitions: Mapping[Definition, int | None], name: Callable[[int], str]) -> str:
    """What defines relations, as text; with each definition the number of its labels, if it has any.

    `name` gives the term or the name of a relation by its code.
    """

    def oriented(relations: Sequence[Oriented]) -> list[dict[str, object]]:
        return [{"relation": name(relation.code), "inverse": relation.inverse} for relation in relations]

    content = [
        {
            "closure": definition.closure,
            "labels": labels,
            "members": oriented(definition.members),
            "sources": oriented(definition.sources),
            "left": oriented(definition.left),
            "right": oriented(definition.right),
        }
        for definition, labels in definitions.items()
    ]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


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
