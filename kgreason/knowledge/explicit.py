"""What was asserted: explicit triples by graph, and what a batch of changes means for the union of all graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kgreason.durable.coalescing import condensed
from kgreason.engine.facts import Changes, Facts
from kgreason.knowledge.grouping import relations_of
from kgreason.loading.quads import Quads
from kgreason.schemes.binary import BinaryTable
from kgreason.schemes.relations import union_of
from kgreason.schemes.scheme import Mask, Table

Step: TypeAlias = tuple[Quads, Quads]
"""Quads to add, after quads to remove."""


@dataclass(slots=True)
class Buffer:
    """Changes in the order in which they came, until something reads.

    Of single triples the last word counts, so they meet in a dictionary; bulk loads stay columns.
    """

    singles: dict[tuple[int, int, int, int], bool] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.singles or self.steps)

    def bulk(self, added: Quads, removed: Quads) -> None:
        """Queue columns of quads; removals come first."""
        if len(added) or len(removed):
            self._close()
            self.steps.append((added, removed))

    def waiting(self) -> list[Step]:
        """Few steps with the effect of all, which stay in the buffer: what stops their maintenance must not lose them.

        A step costs as much as the tables that it concerns, however few its quads are."""
        self._close()
        if len(self.steps) > 1:
            self.steps = condensed(self.steps)
        return self.steps

    def clear(self) -> None:
        """Forget everything."""
        self.singles, self.steps = {}, []

    def _close(self) -> None:
        if self.singles:
            table = np.array([*self.singles], dtype=np.uint32)
            kept = np.fromiter(self.singles.values(), np.bool_, len(table))
            quads = Quads(*np.ascontiguousarray(table.T))
            self.steps.append((quads.where(kept), quads.where(~kept)))
            self.singles = {}


class Explicit:
    """The explicit triples of every graph."""

    def __init__(self, type_id: int) -> None:
        self.graphs: dict[int, Facts] = {}
        self._type = type_id

    def staged(self, steps: Iterable[Step], union: Facts, literals: Mask) -> Staged:
        """What the steps would change; nothing changes until `commit`."""
        staged = Staged(self)
        for added, removed in steps:
            for graph, quads in removed.by_graph():
                for code, table in relations_of(quads, self._type, literals):
                    staged.remove(graph, code, table)
            for graph, quads in added.by_graph():
                for code, table in relations_of(quads, self._type, literals):
                    staged.add(graph, code, table)
        staged.finish(union)
        return staged

    def commit(self, staged: Staged, union: Facts) -> None:
        """Take over staged changes; `union` are the explicit facts of all graphs after them.

        A table that has as many facts as the union's is the same set, and is shared with it.
        """
        for (graph, code), table in staged.tables.items():
            facts = self.graphs.setdefault(graph, Facts())
            staged.before.setdefault((graph, code), facts.get(code))
            whole = union.get(code)
            facts.put(code, whole if table and whole and len(table) == len(whole) else table)
            if not len(facts):
                del self.graphs[graph]

    def revert(self, staged: Staged) -> None:
        """Go back behind a `commit`, also one that came to nothing halfway."""
        for graph, code in staged.tables:
            if (graph, code) in staged.before:
                self.graphs.setdefault(graph, Facts()).put(code, staged.before[graph, code])
            if graph in self.graphs and not len(self.graphs[graph]):
                del self.graphs[graph]

    def graphs_of(self, code: int, subject: int, object: int | None) -> Iterator[int]:
        """The graphs that have a triple."""
        bound = {0: subject} if object is None else {0: subject, 1: object}
        for graph, facts in self.graphs.items():
            table = facts.get(code)
            if table and len(table.select(bound)[0]):
                yield graph

    def _check(self, union: Facts) -> None:
        codes = {code for facts in self.graphs.values() for code in facts}
        assert codes == set(union), "the union of the graphs has other relations"
        for code in codes:
            tables = [table for facts in self.graphs.values() if (table := facts.get(code))]
            whole = union_of(tables)
            known = union.get(code)
            assert known is not None, "the union lacks a relation"
            assert len(whole) == len(known), "the union has another size"
            assert not len(known.difference(whole)), "the union has other facts"


class Staged:
    """New versions of graph tables, and the net change of their union.

    `asserted` are the next versions of the union's own tables, where they are those of the only graph.
    """

    def __init__(self, explicit: Explicit) -> None:
        self._explicit = explicit
        self._gained: dict[int, list[Table]] = {}
        self._lost: dict[int, list[Table]] = {}
        self.tables: dict[tuple[int, int], Table | None] = {}
        # Those of `tables` as they were before, as far as these have been taken over.
        self.before: dict[tuple[int, int], Table | None] = {}
        self.asserted: dict[int, Table | None] = {}
        self.changes = Changes()

    def add(self, graph: int, code: int, table: Table) -> None:
        """Stage an addition to a graph."""
        known = self._table(graph, code)
        self.tables[graph, code], fresh = _joined(known, table) if known else (table, table)
        self._gained.setdefault(code, []).append(fresh)

    def remove(self, graph: int, code: int, table: Table) -> None:
        """Stage a removal from a graph."""
        known = self._table(graph, code)
        if known:
            self.tables[graph, code], gone = _parted(known, table)
            self._lost.setdefault(code, []).append(gone)

    def finish(self, union: Facts) -> None:
        """Work out the net change of the union, given as it was before."""
        is_alone = self._is_alone()
        for code, parts in self._lost.items():
            known = union.get(code)
            if not known:
                continue
            if code not in self._gained and (is_alone or self._graphs_with(code) < 2):
                lost = union_of(parts)
                if lost:
                    self.changes.removed[code] = lost
                continue
            # What came and went in one batch was never there.
            lost = union_of(parts).intersection(known)
            for table in self._after(code):
                lost = lost.difference(table)
            if lost:
                self.changes.removed[code] = lost
        for code, parts in self._gained.items():
            gained = union_of(parts)
            known = union.get(code)
            if known and (code in self._lost or not is_alone):
                gained = gained.difference(known)
            if code in self._lost:
                staying = [gained.intersection(table) for table in self._after(code)]
                gained = union_of(staying) if staying else gained.difference(gained)
            if gained:
                self.changes.added[code] = gained
        if is_alone:
            self.asserted = {code: table for (_, code), table in self.tables.items()}

    def _table(self, graph: int, code: int) -> Table | None:
        if (graph, code) in self.tables:
            return self.tables[graph, code]
        facts = self._explicit.graphs.get(graph)
        return facts.get(code) if facts is not None else None

    def _is_alone(self) -> bool:
        """Whether no more than one graph has facts, before or after."""
        graphs = self._explicit.graphs
        return len(graphs) < 2 and len({*graphs, *(graph for graph, _ in self.tables)}) < 2

    def _graphs_with(self, code: int) -> int:
        """How many graphs have facts of a relation, before or after."""
        graphs = {graph for graph, facts in self._explicit.graphs.items() if facts.get(code)}
        return len(graphs | {graph for graph, other in self.tables if other == code})

    def _after(self, code: int) -> Iterator[Table]:
        graphs = {*self._explicit.graphs, *(graph for graph, other in self.tables if other == code)}
        for graph in graphs:
            table = self._table(graph, code)
            if table:
                yield table


def _joined(known: Table, more: Table) -> tuple[Table, Table]:
    """The union of two tables, and what the second adds to the first."""
    if isinstance(known, BinaryTable) and isinstance(more, BinaryTable):
        return known.joined(more)
    return known.union(more), more.difference(known)


def _parted(known: Table, less: Table) -> tuple[Table, Table]:
    """What a table has beside another one, and what it has in common with it."""
    if isinstance(known, BinaryTable) and isinstance(less, BinaryTable):
        return known.parted(less)
    return known.difference(less), known.intersection(less)
