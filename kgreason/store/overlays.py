"""Few changes that no rule reads, shown over a state before they are maintained.

To maintain one triple costs as much as to maintain some hundred, and a program that changes one and reads, over and
over, would have each maintained alone. So changes of relations that no rule, scheme or module reads or derives wait in
the buffer while views show them over those of the state, as a memtable lies over the files of a log-structured merge
tree.

Source: O'Neil, Cheng, Gawlick and O'Neil, "The log-structured merge-tree" (1996).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import RLock
from typing import TypeAlias

from kgreason.relations.codes import class_code, property_code
from kgreason.store import store_tuning
from kgreason.store.asserted_triples import is_followed
from kgreason.store.changed_view import ChangedView
from kgreason.store.state import State
from kgreason.store.triple_view import Run, View, chunk_of

Quad: TypeAlias = tuple[int, int, int, int]
"""The id of a graph's name, and those of a triple."""


class Overlay:
    """The changes of single quads that wait in a buffer, over the state that they are to change.

    It is not a value: changes that follow are recorded in it, under the lock of the knowledge base, as long as it takes
    them.
    """

    __slots__ = ("_graphs", "_lock", "_type", "_views", "quads", "reads", "state")

    def __init__(self, state: State, quads: Mapping[Quad, bool], type_id: int, lock: RLock) -> None:
        """`quads` are those of the buffer, and whether each comes or goes; `type_id` is the id of rdf:type."""
        self.state = state
        self.quads = quads
        self.reads = 0
        """How many there were since the last change: a reader of many is better off without an overlay."""
        self._graphs = {quad[0] for quad in quads}
        self._type = type_id
        self._lock = lock
        self._views: dict[tuple[frozenset[int] | None, bool], ChangedView] = {}

    @classmethod
    def of(cls, state: State, quads: Mapping[Quad, bool], type_id: int, lock: RLock) -> Overlay | None:
        """An overlay of changes; None where they are too many, or one is of a relation that rules concern."""
        if len(quads) > store_tuning.OVERLAID_CHANGES:
            return None
        overlay = cls(state, quads, type_id, lock)
        return overlay if all(map(overlay._takes, quads)) else None

    def record(self, quad: Quad, is_added: bool) -> bool:
        """Show another change, which is in the buffer already; False where it has to be maintained."""
        if len(self.quads) > store_tuning.OVERLAID_CHANGES or not self._takes(quad):
            return False
        self.reads = 0
        self._graphs.add(quad[0])
        for (graphs, _), view in self._views.items():
            self._show(view, graphs, quad, is_added)
        return True

    def view(self, graphs: frozenset[int] | None, inferred: bool, base: View) -> ChangedView:
        """What some graphs show, or with None all, now and after each change that is recorded; `base` is what they show
        in the state."""
        with self._lock:
            found = self._views.get((graphs, inferred))
            if found is None:
                found = self._views[graphs, inferred] = ChangedView(base, self._lock)
                for quad, is_added in self.quads.items():
                    self._show(found, graphs, quad, is_added)
            return found

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit."""
        with self._lock:
            found = dict.fromkeys(self.state.views.holdings.graphs_of(subject, predicate, object), True)
            for graph in self._graphs:
                is_there = self.quads.get((graph, subject, predicate, object))
                if is_there is not None:
                    found[graph] = is_there
        return [graph for graph, is_there in found.items() if is_there]

    def graphs_of_run(self, run: Run) -> list[Sequence[int]]:
        """The graphs of each triple of a run."""
        columns = (column.tolist() for column in chunk_of(run))
        return [tuple(self.graphs_of(*triple)) for triple in zip(*columns, strict=True)]

    def _show(self, view: ChangedView, graphs: frozenset[int] | None, quad: Quad, is_added: bool) -> None:
        """Show a quad in the view of some graphs: what goes from one of them may stay in another."""
        if graphs is None or quad[0] in graphs:
            triple = quad[1:]
            if not is_added and (graphs is None or len(graphs) > 1):
                holders = self.graphs_of(*triple)
                is_added = bool(holders) if graphs is None else not graphs.isdisjoint(holders)
            view.record(triple, is_added)

    def _takes(self, quad: Quad) -> bool:
        predicate, object = quad[2:]
        return is_inert(self.state, class_code(object) if predicate == self._type else property_code(predicate))


def is_inert(state: State, code: int) -> bool:
    """Whether facts of a relation that come or go change no other facts, and none of them follows from others."""
    engine = state.engine
    if not (engine.rules.groups or engine.definitions):
        return True
    strata = engine.strata
    if strata is None or strata.is_provisional:
        return False
    if code in engine.rules.guarded or is_followed(state.program.auxiliaries, code):
        return False
    return strata.is_inert(code)
