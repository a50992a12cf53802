"""Explicit triples by graph, and the effect of a batch of changes on the union of all graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, TypeAlias

from kgreason.engine.facts import Changes, Facts
from kgreason.engine.persistent_map import Draft, PersistentMap
from kgreason.io.quad_steps import Step, condensed
from kgreason.io.quads import Quads
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.plain import union_of
from kgreason.relations.table import Mask, Table
from kgreason.store.quad_relations import tables_of


@dataclass(slots=True, eq=False, repr=False)
class Buffer:
    """Changes in the order in which they came, until something reads.

    Of single triples the last word counts, so they meet in a dictionary; bulk loads stay columns.
    """

    singles: dict[tuple[int, int, int, int], bool] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.singles or self.steps)

    def bulk(self, steps: Sequence[Step]) -> None:
        """Queue steps of columns of quads, all of them or, when that is stopped, none."""
        some = [step for step in steps if any(map(len, step))]
        if some:
            self._close()
            self.steps += some

    def waiting(self) -> list[Step]:
        """Few steps with the effect of all, which stay in the buffer: what stops their maintenance must not lose them.

        A step costs as much as the tables that it concerns, however few its quads are."""
        self._close()
        if len(self.steps) > 1:
            self.steps = condensed(self.steps)
        return self.steps

    def terms(self) -> int:
        """One more than the highest id of a term in it, 0 where it has none: O(changes)."""
        quads = [Quads.of_rows([*self.singles]), *chain.from_iterable(self.steps)]
        return max(each.terms() for each in quads)

    def clear(self) -> None:
        """Forget everything."""
        self.singles, self.steps = {}, []

    def _close(self) -> None:
        if self.singles:
            added = [quad for quad, is_added in self.singles.items() if is_added]
            removed = [quad for quad, is_added in self.singles.items() if not is_added]
            self.steps.append((Quads.of_rows(added), Quads.of_rows(removed)))
            self.singles = {}


Graphs: TypeAlias = PersistentMap[Facts]
"""A version of the explicit triples of every graph that has some, by the id of its name."""


def staged(steps: Iterable[Step], graphs: Graphs, union: Facts, type_id: int, literals: Mask) -> Staged:
    """The changes of graphs by steps; `union` are the explicit facts of all graphs, `type_id` is rdf:type's id."""
    found = Staged(graphs)
    for added, removed in steps:
        for graph, code, table in tables_of(removed, type_id, literals):
            found.remove(graph, code, table)
        for graph, code, table in tables_of(added, type_id, literals):
            found.add(graph, code, table)
    found.finish(union)
    return found


def check_graphs(graphs: Graphs, union: Facts) -> None:
    """Raise AssertionError unless the union of the graphs has the facts that it should have."""
    graphs._check()
    codes = {code for _, facts in graphs.items() for code in facts}
    assert codes == {code for code in union if kind_of(code) != AUXILIARY}, "the union has other relations"
    for code in codes:
        tables = [table for _, facts in graphs.items() if (table := facts.get(code))]
        whole = union_of(tables)
        known = union.get(code)
        assert known is not None, "the union lacks a relation"
        assert len(whole) == len(known), "the union has another size"
        assert not len(known.difference(whole)), "the union has other facts"


class Staged:
    """New versions of graph tables, and the net change of their union.

    `asserted` are the next versions of the union's own tables, where they are those of the only graph.
    """

    def __init__(self, graphs: Graphs) -> None:
        self._graphs = graphs
        self._gained: dict[int, list[Table]] = {}
        self._lost: dict[int, list[Table]] = {}
        self.tables: dict[tuple[int, int], Table | None] = {}
        self.asserted: dict[int, Table | None] = {}
        self.changes = Changes()

    def add(self, graph: int, code: int, table: Table) -> None:
        """Stage an addition to a graph."""
        known = self._table(graph, code)
        self.tables[graph, code], fresh = known.insert(table) if known else (table, table)
        self._gained.setdefault(code, []).append(fresh)

    def remove(self, graph: int, code: int, table: Table) -> None:
        """Stage a removal from a graph."""
        known = self._table(graph, code)
        if known:
            self.tables[graph, code], gone = known.delete(table)
            self._lost.setdefault(code, []).append(gone)

    def _net_loss(self, code: int, parts: Sequence[Table], known: Table, is_alone: bool) -> Table:
        """The facts of a relation that no graph has any more."""
        if code not in self._gained and (is_alone or self._graphs_with(code) < 2):
            return union_of(parts)
        # What came and went in one batch was never there.
        lost = union_of(parts).intersection(known)
        for table in self._after(code):
            lost = lost.difference(table)
        return lost

    def _net_gain(self, code: int, parts: Sequence[Table], known: Table | None, is_alone: bool) -> Table:
        """The facts of a relation that no graph had before."""
        gained = union_of(parts)
        if known and (code in self._lost or not is_alone):
            gained = gained.difference(known)
        if code in self._lost:
            staying = [gained.intersection(table) for table in self._after(code)]
            gained = union_of(staying) if staying else gained.difference(gained)
        return gained

    def finish(self, union: Facts) -> None:
        """Work out the net change of the union, given as it was before."""
        is_alone = self._is_alone()
        for code, parts in self._lost.items():
            known = union.get(code)
            lost = self._net_loss(code, parts, known, is_alone) if known else None
            if lost:
                self.changes.removed[code] = lost
        for code, parts in self._gained.items():
            gained = self._net_gain(code, parts, union.get(code), is_alone)
            if gained:
                self.changes.added[code] = gained
        if is_alone:
            self.asserted = {code: table for (_, code), table in self.tables.items()}

    def graphs(self, union: Facts) -> Graphs:
        """The graphs after the change; `union` are the explicit facts of all of them then.

        A table that has as many facts as the union's is the same set, and is shared with it.
        """
        changed: dict[int, Draft[Table]] = {}
        for (graph, code), table in self.tables.items():
            if graph not in changed:
                changed[graph] = (self._graphs.get(graph) or _NO_FACTS).draft()
            whole = union.get(code)
            changed[graph].put(code, whole if table and whole and len(table) == len(whole) else table)
        draft = self._graphs.draft()
        for graph, facts in changed.items():
            draft.put(graph, facts.version())
        return draft.version()

    def _table(self, graph: int, code: int) -> Table | None:
        if (graph, code) in self.tables:
            return self.tables[graph, code]
        facts = self._graphs.get(graph)
        return facts.get(code) if facts is not None else None

    def _is_alone(self) -> bool:
        """Whether no more than one graph has facts, before or after."""
        return len(self._graphs) < 2 and len({*self._graphs, *(graph for graph, _ in self.tables)}) < 2

    def _graphs_with(self, code: int) -> int:
        """How many graphs have facts of a relation, before or after."""
        graphs = {graph for graph, facts in self._graphs.items() if facts.get(code)}
        return len(graphs | {graph for graph, other in self.tables if other == code})

    def _after(self, code: int) -> Iterator[Table]:
        graphs = {*self._graphs, *(graph for graph, other in self.tables if other == code)}
        for graph in graphs:
            table = self._table(graph, code)
            if table:
                yield table


_NO_FACTS: Final[Facts] = PersistentMap()
