"""Nodes of instances (`rule_instances`), and what instances make of their levels: on the driver or in an executor.

What an instance reads, denies and derives are *nodes*: the codes of relations, a number for each list of a relation
along lists (`rule_instances.list_node`), and for what it does not name

* SOME_CLASS or SOME_RELATION, any of those that there are;
* a place (`ranging`), where a variable ranges over all classes or properties: one instance for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from kgreason.relations.codes import AUXILIARY, CLASS, PROPERTY, auxiliary_code
from kgreason_spark import spark_tuning
from kgreason_spark.materialisation.fact_columns import Numbers

SOME_CLASS: Final = auxiliary_code(-1)
SOME_RELATION: Final = auxiliary_code(-2)
HEAD: Final = "head"
"""The column of the node that an instance derives; those that it reads and denies are SOURCE and DENIED with numbers,
NONE where there are fewer."""
NEEDED: Final = "needed"
SOURCE: Final = "source"
DENIED: Final = "denied"
NONE: Final = auxiliary_code(-3)
RAISED: Final = pa.schema([(HEAD, pa.int64()), (NEEDED, pa.int64())])

_FIRST: Final = -8
_PLACES: Final = 1 << 10
_KIND_BITS: Final = 2
_KINDS: Final = 3


def ranging(number: int, over: int, kind: int) -> int:
    """The node of a relation of a kind that is named by variable `number`, which ranges over classes or properties."""
    return auxiliary_code(_FIRST - (number << 2 | (over == PROPERTY) << 1 | (kind == PROPERTY)))


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes that are possible or not at level 0: sorted `codes`, with their levels, and whether they may have
    facts. Variables that range over properties leave out `type_id`."""

    codes: Numbers
    levels: Numbers
    possible: NDArray[np.bool_]
    type_id: int

    def raised(self, instances: pa.Table | pa.RecordBatch) -> pa.Table:
        """HEAD, and the level NEEDED, of those instances that raise it or make it possible: each head once for about a
        million instances."""
        found = [table for columns in self._ranged(instances) if (table := self._raised(columns)).num_rows]
        return pa.concat_tables([RAISED.empty_table(), *found])

    def denied(self, instances: pa.Table | pa.RecordBatch) -> Numbers:
        """The nodes that instances deny, each once."""
        parts = [columns[name] for columns in self._ranged(instances) for name in columns if name.startswith(DENIED)]
        found = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *parts]))
        return np.asarray(found[found != NONE])

    def _raised(self, columns: dict[str, Numbers]) -> pa.Table:
        head = columns[HEAD]
        needed = np.zeros(len(head), dtype=np.int64)
        kept = np.ones(len(head), dtype=np.bool_)
        for name, nodes in columns.items():
            if name != HEAD:
                there, levels, possible = self._look_up(nodes)
                levels = levels + name.startswith(DENIED)
                needed = np.maximum(needed, np.where(nodes == NONE, 0, levels))
                if name.startswith(SOURCE):
                    kept &= (there & possible) | (nodes == NONE)
        there, levels, possible = self._look_up(head)
        kept &= ~possible | (needed > levels)
        order = np.lexsort((needed[kept], head[kept]))
        head, needed = head[kept][order], needed[kept][order]
        last = np.append(head[1:] != head[:-1], True) if len(head) else np.empty(0, dtype=np.bool_)
        return pa.table({HEAD: head[last], NEEDED: needed[last]}, schema=RAISED)

    def _look_up(self, nodes: Numbers) -> tuple[NDArray[np.bool_], Numbers, NDArray[np.bool_]]:
        """For each node whether it is there, its level, and whether it is possible."""
        at = np.minimum(self.codes.searchsorted(nodes), len(self.codes) - 1)
        there = self.codes[at] == nodes
        return there, np.where(there, self.levels[at], 0), there & self.possible[at]

    def _ranged(self, instances: pa.Table | pa.RecordBatch) -> Iterator[dict[str, Numbers]]:
        """The columns of instances, with each class or property that a variable ranges over in its place."""
        columns = {name: instances.column(name).to_numpy(zero_copy_only=False) for name in instances.schema.names}
        yield from self._without_places({name: np.asarray(each, dtype=np.int64) for name, each in columns.items()})

    def _without_places(self, columns: dict[str, Numbers]) -> Iterator[dict[str, Numbers]]:
        last = max(_number_of(each) for each in columns.values())
        if last < 0:
            yield columns
            return
        others = np.ones(len(columns[HEAD]), dtype=np.bool_)
        for over in (CLASS, PROPERTY):
            mine, values = {ranging(last, over, kind): kind for kind in (CLASS, PROPERTY)}, self._values(over)
            has_place = np.logical_or.reduce([np.isin(each, [*mine]) for each in columns.values()])
            rows = np.flatnonzero(has_place)
            others &= ~has_place
            step = max(1, spark_tuning.INSTANCE_ROWS // max(1, len(values)))
            for begin in range(0, len(rows), step):
                some = rows[begin : begin + step]
                yield from self._without_places(_filled({name: e[some] for name, e in columns.items()}, mine, values))
        if others.any():
            yield from self._without_places({name: each[others] for name, each in columns.items()})

    def _values(self, over: int) -> Numbers:
        """The possible classes, or properties but rdf:type, by their ids."""
        codes = self.codes[self.possible & (self.codes & _KINDS == over)]
        ids = codes >> _KIND_BITS
        return np.asarray(ids if over == CLASS else ids[ids != self.type_id])


def _number_of(nodes: Numbers) -> int:
    """The highest number of a place among nodes, -1 where there is none."""
    numbers = _FIRST - (nodes >> _KIND_BITS)
    is_place = (nodes & _KINDS == AUXILIARY) & (numbers >= 0) & (numbers < _PLACES)
    return int((numbers[is_place] >> _KIND_BITS).max(initial=-1))


def _filled(columns: dict[str, Numbers], places: Mapping[int, int], values: Numbers) -> dict[str, Numbers]:
    """Each row for each value, whose codes, of the kinds that places have, take the places."""
    many = np.tile(values, len(columns[HEAD]))
    found: dict[str, Numbers] = {}
    for name, column in columns.items():
        repeated = np.repeat(column, len(values))
        for place, kind in places.items():
            repeated = np.where(repeated == place, many << _KIND_BITS | kind, repeated)
        found[name] = repeated
    return found
