"""Which graphs have a triple: found graph by graph for single triples, and by one sort of a relation for many."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgreason.columns import pairs
from kgreason.columns.id_columns import repeated
from kgreason.columns.pairs import Keys
from kgreason.relations.codes import CLASS, class_code, kind_of, property_code
from kgreason.relations.table import Ids, Table
from kgreason.store import store_tuning
from kgreason.store.explicit_triples import Graphs
from kgreason.store.triple_view import Run, chunk_of, run_length


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Holding:
    """The facts of a relation in all graphs: sorted keys, and beside each its graph."""

    keys: Keys
    graphs: Ids

    @classmethod
    def of(cls, parts: Sequence[tuple[int, Table]]) -> Holding:
        """That of tables by graph: one sort, of one graph alone none."""
        keys = [_keys(table.columns()) for _, table in parts]
        if len(parts) == 1:
            return cls(keys[0], np.broadcast_to(np.uint32(parts[0][0]), len(keys[0])))
        together = np.concatenate(keys)
        graphs = np.repeat(np.array([graph for graph, _ in parts], dtype=np.uint32), [len(each) for each in keys])
        order = np.argsort(together, kind="stable")
        return cls(together[order], graphs[order])

    def of_key(self, wanted: int) -> list[int]:
        """The graphs of one key: O(log n), a microsecond."""
        fast = self.keys.data
        begin = end = bisect_left(fast, wanted)
        while end < len(fast) and fast[end] == wanted:
            end += 1
        graphs: list[int] = self.graphs[begin:end].tolist()
        return graphs

    def of_keys(self, wanted: Keys) -> list[Sequence[int]]:
        """The graphs of each key: O(n log m)."""
        begin = self.keys.searchsorted(wanted)
        end = self.keys.searchsorted(wanted, side="right")
        if (end - begin == 1).all():
            return [(graph,) for graph in self.graphs[begin].tolist()]
        borders = zip(begin.tolist(), end.tolist(), strict=True)
        return [tuple(self.graphs[first:last].tolist()) for first, last in borders]


class Holdings:
    """The graphs of the triples of one state. Holdings are caches: two threads that ask at once make the same twice."""

    __slots__ = ("_asked", "_graphs", "_known", "_type")

    def __init__(self, graphs: Graphs, type_id: int, known: dict[int, Holding] | None = None) -> None:
        """`type_id` is the id of rdf:type; `known` are holdings that are made already, by relation."""
        self._graphs = graphs
        self._type = type_id
        self._known = known or {}
        self._asked: dict[int, int] = {}

    def after(self, graphs: Graphs) -> Holdings:
        """Those of the next state: O(what has changed)."""
        changed: set[int] = set()
        for graph in graphs.changed_since(self._graphs) if self._known else ():
            before, now = self._graphs.get(graph), graphs.get(graph)
            changed.update(now.changed_since(before) if before and now else now or before or ())
        known = {code: holding for code, holding in self._known.items() if code not in changed}
        return Holdings(graphs, self._type, known)

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit: microseconds."""
        found = self._of_fact(property_code(predicate), (subject, object))
        return found + self._of_fact(class_code(object), (subject,)) if predicate == self._type else found

    def graphs_of_run(self, run: Run) -> list[Sequence[int]]:
        """The graphs of each triple of a run."""
        subjects, predicate, objects = run
        if not isinstance(predicate, int) or (predicate == self._type and not isinstance(objects, int)):
            rows = zip(*(part.tolist() for part in chunk_of(run)), strict=True)
            return [tuple(self.graphs_of(*triple)) for triple in rows]
        columns: tuple[int | Ids, ...] = (subjects, objects)
        code = property_code(predicate)
        if predicate == self._type and isinstance(objects, int) and self._parts(class_code(objects)):
            code, columns = class_code(objects), (subjects,)
        holding, length = self._holding(code), run_length(run)
        if holding is None:
            return [()] * length
        full = (repeated(each, length) if isinstance(each, int) else each for each in columns)
        return holding.of_keys(_keys([*full]))

    @property
    def nbytes(self) -> int:
        """The bytes of what was sorted."""
        return sum(each.keys.nbytes + each.graphs.nbytes for each in self._known.values() if each.graphs.strides[0])

    def _of_fact(self, code: int, fact: tuple[int, ...]) -> list[int]:
        if code not in self._known and len(self._graphs) > store_tuning.FEW_GRAPHS:
            asked = self._asked[code] = self._asked.get(code, 0) + 1
            if asked > store_tuning.ASKED_TRIPLES:
                self._holding(code)
        holding = self._known.get(code)
        if holding is None:
            return [graph for graph, table in self._parts(code) if table.has(fact)]
        return holding.of_key(fact[0] << 32 | fact[1] if kind_of(code) != CLASS else fact[0])

    def _holding(self, code: int) -> Holding | None:
        holding = self._known.get(code)
        if holding is None and (parts := self._parts(code)):
            holding = self._known[code] = Holding.of(parts)
        return holding

    def _parts(self, code: int) -> list[tuple[int, Table]]:
        """The tables of a relation by graph."""
        return [(graph, table) for graph, facts in self._graphs.items() if (table := facts.get(code))]


def _keys(columns: Sequence[Ids]) -> Keys:
    """The keys of facts: of members of a class the members."""
    return pairs.pack(*columns) if len(columns) == 2 else columns[0].astype(np.uint64)
