"""The difference of two states: what one has and the other lacks, as views and as rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kgreason.engine.facts import Changes, Facts
from kgreason.engine.facts import difference as facts_difference
from kgreason.engine.persistent_map import PersistentMap
from kgreason.relations.codes import AUXILIARY, kind_of
from kgreason.relations.table import Table
from kgreason.store.explicit_triples import Graphs
from kgreason.store.relation_sets import Difference
from kgreason.store.specialised_program import RuleEdit
from kgreason.store.state import State
from kgreason.store.triple_view import TripleView


@dataclass(frozen=True, slots=True)
class Sides:
    """Triples that one state has and another one lacks, and the other way round."""

    added: TripleView
    removed: TripleView

    def __bool__(self) -> bool:
        return bool(len(self.added) or len(self.removed))


@dataclass(frozen=True, slots=True)
class StateDifference:
    """The difference of a state from an earlier one; each part is computed when it is asked for.

    Args:
        before, after: the two states.
        type_id: the id of rdf:type.
    """

    before: State
    after: State
    type_id: int

    def all(self) -> Sides:
        """Explicit and inferred triples."""
        return self._sides(self.before.engine.facts, self.after.engine.facts)

    def explicit(self) -> Sides:
        """Triples that are explicit in some graph."""
        return self._sides(self.before.engine.explicit, self.after.engine.explicit)

    def inferred(self) -> Sides:
        """Triples that follow in one state, and neither follow nor are explicit in the other."""
        changes = facts_difference(self.before.engine.facts, self.after.engine.facts)
        return Sides(
            self._view(_without(changes.added, self.after.engine.explicit)),
            self._view(_without(changes.removed, self.before.engine.explicit)),
        )

    def graphs(self) -> Mapping[int, Sides]:
        """The explicit triples of each graph where there is a difference."""
        codes = self.after.graphs.changed_since(self.before.graphs)
        sides = {graph: self._sides(*_facts_of(graph, self.before.graphs, self.after.graphs)) for graph in codes}
        return {graph: found for graph, found in sides.items() if found}

    def rules(self) -> RuleEdit:
        """The rules that were added and removed."""
        return RuleEdit.between(self.before.program.counts, self.after.program.counts)

    def _sides(self, before: Facts, after: Facts) -> Sides:
        changes = facts_difference(before, after)
        return Sides(self._view(changes.added), self._view(changes.removed))

    def _view(self, tables: Mapping[int, Table]) -> TripleView:
        found = {code: table for code, table in tables.items() if kind_of(code) != AUXILIARY}
        return TripleView(PersistentMap(found), self.type_id)


def is_same(before: State, now: State) -> bool:
    """Whether two states have the same explicit triples in the same graphs, and the same rules: O(1) for the same
    state, otherwise O(facts of the relations that were touched)."""
    if before is now:
        return True
    if dict(before.program.counts) != dict(now.program.counts):
        return False
    for graph in now.graphs.changed_since(before.graphs):
        changes: Changes = facts_difference(*_facts_of(graph, before.graphs, now.graphs))
        if any(len(table) for table in (*changes.added.values(), *changes.removed.values())):
            return False
    return True


def _without(tables: Mapping[int, Table], explicit: Facts) -> Mapping[int, Table]:
    """Tables without the facts that are explicit."""
    difference = Difference(PersistentMap(tables), explicit)
    return {code: table for code in tables if (table := difference.get(code))}


def _facts_of(graph: int, before: Graphs, after: Graphs) -> tuple[Facts, Facts]:
    return before.get(graph) or PersistentMap(), after.get(graph) or PersistentMap()
