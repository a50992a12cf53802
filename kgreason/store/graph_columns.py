"""The facts of all named graphs together, with a column for the graph.

A pattern in ``GRAPH ?g`` reads them as it reads the triples of one graph, where to ask one graph after the other would
take some 0.1 ms for each. A table is made when something first asks for it, and kept up with few changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kgreason import memory
from kgreason.algebra.row_keys import is_member
from kgreason.checkpoints import passes
from kgreason.columns.id_columns import repeated
from kgreason.engine.facts import Facts
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.relations.codes import AUXILIARY, CLASS, identifier_of, kind_of, property_code
from kgreason.relations.plain import empty_table, table_of, union_of
from kgreason.relations.table import Columns, Ids, Table
from kgreason.store import store_tuning
from kgreason.store.explicit_triples import Graphs

TYPES: Final = -1
QUADS: Final = -2


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Known:
    """A table, and the graphs whose facts have changed since it was made."""

    table: Table
    changed: frozenset[int] = field(default_factory=frozenset)


@dataclass(slots=True, eq=False, repr=False)
class _Gathered:
    """The facts of relations of one arity, and of each relation the graph, the identifier and how many facts it has."""

    facts: list[Columns] = field(default_factory=list)
    graphs: list[int] = field(default_factory=list)
    identifiers: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)

    def add(self, graph: int, identifier: int, columns: Columns) -> None:
        """Those of one relation of a graph."""
        self.facts.append(columns)
        self.graphs.append(graph)
        self.identifiers.append(identifier)
        self.lengths.append(len(columns[0]))

    def columns(self) -> tuple[Columns, Ids, Ids]:
        """The facts, and of each fact the graph and the identifier."""
        memory.check(16 * sum(self.lengths), "the facts of all graphs")
        whole = tuple(map(np.concatenate, zip(*self.facts, strict=True)))
        graphs, identifiers = (np.array(each, dtype=np.uint32) for each in (self.graphs, self.identifiers))
        return whole, graphs.repeat(self.lengths), identifiers.repeat(self.lengths)


class GraphColumns:
    """The tables of one state, by what they are of: the code of a class (members and graphs) or a property (subjects,
    graphs, objects), `TYPES` (members, graphs, classes: the triples of rdf:type), or `QUADS` (subjects, graphs,
    predicates, objects).

    They are caches: two threads that ask at once make the same table twice.
    """

    __slots__ = ("_graphs", "_known", "_sizes", "_type")

    def __init__(self, graphs: Graphs, type_id: int, known: dict[int, _Known] | None = None) -> None:
        """`type_id` is the id of rdf:type; `known` are tables of a state before."""
        self._graphs = graphs
        self._type = type_id
        self._known = known or {}
        self._sizes: dict[int, int] = {}

    @property
    def type_id(self) -> int:
        """The id of rdf:type."""
        return self._type

    def after(self, graphs: Graphs) -> GraphColumns:
        """Those of the next state: O(what has changed)."""
        if not self._known:
            return GraphColumns(graphs, self._type)
        changed: dict[int, set[int]] = {}
        for count, graph in enumerate(graphs.changed_since(self._graphs)):
            if count >= store_tuning.CHANGED_GRAPHS:
                return GraphColumns(graphs, self._type)
            if graph != DEFAULT_GRAPH:
                before, now = self._graphs.get(graph), graphs.get(graph)
                for code in now.changed_since(before) if now and before else now or before or ():
                    for of in self._concerned(code):
                        changed.setdefault(of, set()).add(graph)
        known = {}
        for of, each in [*self._known.items()]:
            late = each.changed.union(changed.get(of, ()))
            if len(late) <= store_tuning.CHANGED_GRAPHS:
                known[of] = _Known(each.table, late) if late else each
        return GraphColumns(graphs, self._type, known)

    def size(self, of: int) -> int:
        """How many facts a table has: for the first time a look at each graph, and for `QUADS` at each relation of
        it."""
        if of in self._known:
            return len(self.table(of))
        if of not in self._sizes:
            tables = (table for _, facts in passes(self._named()) for _, table in self._tables(of, facts))
            self._sizes[of] = sum(map(len, tables))
        return self._sizes[of]

    def table(self, of: int) -> Table:
        """The facts of all named graphs: one sort for the first time."""
        known = self._known.get(of)
        if known is None:
            known = self._known[of] = _Known(self._made(of, self._named()))
        elif known.changed:
            known = self._known[of] = _Known(self._followed(of, known))
        return known.table

    @property
    def nbytes(self) -> int:
        """The bytes of the tables."""
        return sum(known.table.nbytes for known in [*self._known.values()])

    def _followed(self, of: int, known: _Known) -> Table:
        """A table with what the graphs have now whose facts have changed."""
        changed = sorted(known.changed)
        gone = is_member(known.table.columns()[1], np.array(changed, dtype=np.uint32))
        fresh = self._made(of, ((graph, facts) for graph in changed if (facts := self._graphs.get(graph))))
        return union_of([known.table.filter(~gone) if gone.any() else known.table, fresh])

    def _made(self, of: int, graphs: Iterable[tuple[int, Facts]]) -> Table:
        members, pairs = _Gathered(), _Gathered()
        for graph, facts in passes(graphs):
            for code, table in self._tables(of, facts):
                (members if kind_of(code) == CLASS else pairs).add(graph, identifier_of(code), table.columns())
        found: list[Columns] = []
        if members.graphs:
            (subjects,), names, classes = members.columns()
            whole = (subjects, names, repeated(self._type, len(names)), classes)
            found.append({TYPES: (subjects, names, classes), QUADS: whole}.get(of, (subjects, names)))
        if pairs.graphs:
            (subjects, objects), names, predicates = pairs.columns()
            found.append((subjects, names, predicates, objects) if of == QUADS else (subjects, names, objects))
        if not found:
            return empty_table(_arity(of))
        return table_of(found[0] if len(found) == 1 else tuple(map(np.concatenate, zip(*found, strict=True))))

    def _tables(self, of: int, facts: Facts) -> Sequence[tuple[int, Table]]:
        """The relations of a graph that a table is of."""
        if of >= 0:
            table = facts.get(of)
            return ((of, table),) if table else ()
        if of == QUADS:
            return [*facts.items()]
        return [(code, table) for code, table in facts.items() if of in self._concerned(code)]

    def _concerned(self, code: int) -> tuple[int, ...]:
        """The tables that the facts of a relation are in."""
        if kind_of(code) == AUXILIARY:
            return ()
        is_type = kind_of(code) == CLASS or code == property_code(self._type)
        return (code, TYPES, QUADS) if is_type else (code, QUADS)

    def _named(self) -> Iterator[tuple[int, Facts]]:
        return ((graph, facts) for graph, facts in self._graphs.items() if graph != DEFAULT_GRAPH)

    def _check(self) -> None:
        for of in [*self._known]:
            found = self.table(of)
            assert found.difference(self._made(of, self._named())).estimate == 0, "a fact is in no graph"
            assert len(found) == len(self._made(of, self._named())), "a fact of a graph is missing"


def _arity(of: int) -> int:
    if of >= 0:
        return 2 if kind_of(of) == CLASS else 3
    return 3 if of == TYPES else 4
