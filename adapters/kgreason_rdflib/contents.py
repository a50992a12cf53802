"""The contents of a store: the quads of a knowledge base, changed and read by rdflib terms and scopes."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from rdflib.term import IdentifiedNode, Node

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import StoreError, TermError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.overlays import Quad
from kgreason.store.triple_view import View
from kgreason_rdflib.graph_scopes import DEFAULT, EVERYTHING, Scope
from kgreason_rdflib.graph_views import few_matches, view_of
from kgreason_rdflib.quad_rows import Named, QuadRow
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.scope_snapshots import AnswerCache, Snapshot
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.triple_rows import Pattern, ids_of

if TYPE_CHECKING:
    from kgreason.io.load_report import ChangeReport, Loaded, LoadReport
    from kgreason.sparql.source import Source
    from kgreason.store.overlays import Overlay
    from kgreason.store.state import State


_TAKEN: Final = 1 << 12
"""So many triples of an iterable are encoded at once."""

SetAside: TypeAlias = Callable[[Triple, IdentifiedNode, TermError], None]
"""Takes a triple that is not an RDF triple, its graph and the error, or raises that error."""


class Contents:
    """Quads under scopes.

    One lock guards changes and the maintenance that reads bring; what a read gives is a snapshot.
    """

    def __init__(self, begin: Callable[[], KnowledgeBase]) -> None:
        """`begin` makes the knowledge base when something first needs it: a store that is opened in a directory first
        compiles no rules that those of the directory replace."""
        self._begin = begin
        self.lock = RLock()
        self._last: Snapshot | None = None
        self._snapshots: dict[Scope, Snapshot] = {}
        """What was asked of what the knowledge base shows now."""
        self._cache: AnswerCache
        """That of the snapshots, made with the first of them."""

    @classmethod
    def of(cls, knowledge: KnowledgeBase) -> Contents:
        """The contents of a knowledge base that is there already."""
        contents = cls(lambda: knowledge)
        contents.knowledge = knowledge
        return contents

    @cached_property
    def knowledge(self) -> KnowledgeBase:
        """The knowledge base under the store."""
        with self.lock:
            known = vars(self).get("knowledge")
            if known is None:
                known = vars(self)["knowledge"] = self._begin()
            return known

    @property
    def has_begun(self) -> bool:
        """Whether there is a knowledge base yet; without one there are no triples, and no other rules than at first."""
        return "knowledge" in vars(self)

    @property
    def is_closed(self) -> bool:
        """Whether changes are refused, since the directory that they were kept in is closed."""
        return self.has_begun and self.knowledge.history.is_closed

    @cached_property
    def _border(self) -> TermBorder:
        return TermBorder(self.knowledge.dictionary)

    @cached_property
    def _graphs(self) -> tuple[TermBorder, dict[int, None]]:
        """The graphs that something was written to, by the ids that the border of then knows."""
        return self._border, {}

    @property
    def border(self) -> TermBorder:
        """The border of the dictionary that the knowledge base has now. A read keeps the one that it began with."""
        dictionary = self.knowledge.dictionary
        if self._border.dictionary is not dictionary:
            self._border = self._border.over(dictionary)
        return self._border

    def forget(self) -> None:
        """Let go of the terms that the knowledge base has forgotten; otherwise the next read does."""
        with self.lock:
            self._last, self._snapshots = None, {}
            self._written()

    def become(self, knowledge: KnowledgeBase) -> None:
        """Show another knowledge base from now on; its listeners hear of the changes of that one."""
        with self.lock:
            if self.has_begun:
                knowledge.history.take_listeners(self.knowledge.history)
            self.knowledge, self._border = knowledge, TermBorder(knowledge.dictionary)
            self._graphs = (self._border, {})
            self.take_stock()

    def branch(self) -> Contents:
        """Contents that begin as these, over a branch of the knowledge base: O(graphs)."""
        with self.lock:
            branch = Contents.of(self.knowledge.branch())
            branch._graphs = (branch._border, dict(self._written()))
            return branch

    def take_stock(self) -> list[IdentifiedNode]:
        """Record the graphs that the knowledge base has already, and name them."""
        with self.lock:
            self._written().update(dict.fromkeys(self.knowledge.graphs()))
            return self.graphs()

    # -- changes ---------------------------------------------------------------------------------------------

    def add(self, triple: tuple[Node, Node, Node], target: IdentifiedNode) -> None:
        """Queue one triple for a graph; TermError when it is not an RDF triple."""
        with self.lock:
            border = self.border
            s, p, o = border.encode_triple(*triple)
            self.knowledge.add(self._graph_id(target, border), s, p, o)

    def add_many(
        self, quads: Iterable[tuple[Node, Node, Node, IdentifiedNode]], set_aside: SetAside | None = None
    ) -> None:
        """Queue many triples, all of them or, when one is refused, none. The iterable is read once."""
        knowledge, waiting = self.knowledge, iter(quads)
        columns = tuple(array("I") for _ in range(4))
        with knowledge.making_terms():
            # What brings them may wait for other threads, and change the store: nothing is locked meanwhile.
            while True:
                some = list(islice(waiting, _TAKEN))
                with self.lock:
                    if self.knowledge is not knowledge:
                        raise StoreError("the store has other contents than when the first of the triples came")
                    for column, values in zip(columns, self._encoded(some, set_aside), strict=True):
                        column.extend(values)
                    if len(some) < _TAKEN:
                        self.add_quads(Quads(*(np.array(column, dtype=np.uint32) for column in columns)))
                        return

    def _encoded(
        self, quads: Iterable[tuple[Node, Node, Node, IdentifiedNode]], set_aside: SetAside | None
    ) -> tuple[list[int], ...]:
        """The ids of triples and of the graphs that they are for, by columns; TermError when one is not an RDF triple
        and `set_aside`, which is given it with that error, does not take it."""
        rows: list[Quad] = []
        graph, last = DEFAULT_GRAPH, None
        for subject, predicate, object, target in quads:
            try:
                encoded = self.border.encode_triple(subject, predicate, object)
            except TermError as refusal:
                if set_aside is None:
                    raise
                set_aside((subject, predicate, object), target, refusal)
                continue
            if target is not last:
                graph, last = self.graph_id(target), target
            rows.append((graph, *encoded))
        return tuple(map(list, zip(*rows, strict=True))) if rows else ([], [], [], [])

    def load(self, load: Callable[[Dictionary], Quads], target: IdentifiedNode) -> list[IdentifiedNode]:
        """Queue what a loader gives, its default graph for `target`; which other graphs it was."""
        from kgreason.io.load_report import Loaded, LoadReport

        with self.attempt():
            quads = load(self.knowledge.dictionary)
            graphs = [graph for graph in quads.graph_names() if graph != DEFAULT_GRAPH]
            names = [self.name(graph) for graph in graphs]
            self._written().update(dict.fromkeys(graphs))
            self.knowledge.take_in(Loaded(quads, LoadReport(())), self.graph_id(target))
            return names

    def take_in(
        self, load: Callable[[Dictionary], Loaded], target: IdentifiedNode
    ) -> tuple[LoadReport, list[IdentifiedNode]]:
        """Queue or take over what was loaded, its default graph for `target`; the report, and which other graphs it
        was."""
        with self.attempt():
            loaded = load(self.knowledge.dictionary)
            graphs = loaded.quads.graph_names()
            names = [self.name(graph) for graph in graphs if graph != DEFAULT_GRAPH]
            self._written().update(dict.fromkeys(graph for graph in graphs if graph != DEFAULT_GRAPH))
            return self.knowledge.take_in(loaded, self.graph_id(target)), names

    def apply(
        self, added: Callable[[Dictionary], Loaded], removed: Callable[[Dictionary], Loaded], target: IdentifiedNode
    ) -> tuple[ChangeReport, list[IdentifiedNode]]:
        """Queue what is loaded for removal and for addition as one change, the default graph of both for `target`; the
        report, and to which other graphs it adds."""
        with self.attempt():
            gone, come = (load(self.knowledge.dictionary) for load in (removed, added))
            graphs = [graph for graph in come.quads.graph_names() if graph != DEFAULT_GRAPH]
            self._written().update(dict.fromkeys(graphs))
            names = [self.name(graph) for graph in graphs]
            return self.knowledge.apply(come, gone, self.graph_id(target)), names

    def add_quads(self, quads: Quads) -> None:
        """Queue quads of ids."""
        self.change((Quads.empty(), quads))

    def change(self, *changes: tuple[Quads, Quads]) -> None:
        """Queue changes, each of a removal and an addition after it: all of them or, when that is stopped, none."""
        with self.lock:
            for _, added in changes:  # first, so that there is no graph with triples that is not known
                self._written().update(dict.fromkeys(added.graph_names()))
            self.knowledge.change_quads((added, removed) for removed, added in changes)

    def explicit_of(self, name: IdentifiedNode) -> Quads:
        """The explicit quads of a graph."""
        with self.lock:
            graph = DEFAULT_GRAPH if name == DEFAULT else self.border.lookup(name)
            if graph is None:
                return Quads.empty()
            return Quads.of_chunks(graph, self.knowledge.graph(graph).match(None, None, None))

    def remove(self, pattern: Any, scope: Scope) -> None:
        """Queue the removal of the explicit triples in a scope that match a pattern.

        One triple is queued as it is, without a look at what is there; a pattern is a read."""
        with self.lock:
            ids = self.ids(pattern)
            if ids is None:
                return
            graphs = self._graph_ids(scope)
            few, many = self._explicit_matches(graphs, *ids)
            # All are known before the first is queued: to look for more would be a change by itself.
            if many:
                self.knowledge.remove_quads(Quads.concatenated([*many, Quads.of_rows(few)]))
            elif len(few) == 1:
                self.knowledge.remove(*few[0])
            else:
                self.knowledge.remove_few(few)

    # -- reading ---------------------------------------------------------------------------------------------

    def read(self, pattern: Any, scope: Scope) -> Iterator[Triple]:
        """The triples of a scope that match a pattern, each once, from a snapshot."""
        return self.snapshot(scope).read(pattern)

    def view(self, scope: Scope) -> View:
        """The triples of a scope by ids, from a snapshot."""
        with self.lock, self.knowledge.paused():
            return self.snapshot(scope).view

    def snapshot(self, scope: Scope) -> Snapshot:
        """What a scope shows now: for free where that was asked last, and nothing has changed."""
        shown, known = self.knowledge.shown(), self._last
        if known is not None and known.shown is shown and known.scope is scope:
            return known
        known = self._snapshots.get(scope)
        if known is None or known.shown is not shown:
            known = self._new_snapshot(scope)
        self._last = known
        return known

    def _new_snapshot(self, scope: Scope) -> Snapshot:
        with self.lock, self.knowledge.reading() as shown:
            if all(known.shown is not shown for known in islice(self._snapshots.values(), 1)):
                self._snapshots, self._cache = {}, AnswerCache(len(self.knowledge.dictionary))
            # The terms last, because maintenance may bring one that the dictionary has not seen.
            view = self._view(shown, scope)
            known = self._snapshots[scope] = Snapshot(shown, scope, view, self.border, self._cache)
            return known

    def source(self, scope: Scope) -> Source:
        """The snapshot of a scope that a query reads."""
        knowledge = self.knowledge
        with self.lock:
            if scope.graphs is None:
                return knowledge.all() if scope.inferred else knowledge.explicit()
            return knowledge.together(self._graph_ids(scope), inferred=scope.inferred)

    def identifier(self, name: IdentifiedNode) -> int | None:
        """The id of the name of a graph, None for what is not a name."""
        try:
            with self.lock:
                return self.border.encode(name)
        except TermError:
            return None

    @staticmethod
    def decoded(quads: Quads, border: TermBorder) -> Iterator[tuple[Node, Node, Node, IdentifiedNode]]:
        """Quads as rdflib terms."""
        for graph, some in quads.by_graph():
            columns = (border.decode(column) for column in (some.subject, some.predicate, some.object))
            name = DEFAULT if graph == DEFAULT_GRAPH else border.name(graph)
            yield from ((*triple, name) for triple in zip(*columns, strict=True))

    def size(self, scope: Scope) -> int:
        """How many triples a scope has."""
        return self.snapshot(scope).view.count()

    def graphs(self) -> list[IdentifiedNode]:
        """The graphs that have explicit triples."""
        with self.lock:
            return [self.name(graph) for graph in self.knowledge.graphs()]

    def graphs_of(self, triple: Triple) -> list[IdentifiedNode]:
        """The graphs that show a triple in a list of quads: an inferred one belongs to the default graph."""
        snapshot = self.snapshot(EVERYTHING)
        known = [part for part in ids_of(triple, snapshot.border) or () if part is not None]
        if len(known) < len(triple):
            return []
        graphs = snapshot.holders.graphs_of(*known)
        if not graphs:
            return [DEFAULT] if snapshot.view.contains(*known) else []
        return [self.name(graph) for graph in graphs]

    def quads(self, pattern: Any, named: Named) -> Iterator[QuadRow]:
        """The triples of all graphs that match a pattern, each once, and the graphs that show it."""
        subject, _, object = pattern
        if subject is None and object is None:  # many rows are read faster where no change waits
            self.knowledge.flush()
        return self.snapshot(EVERYTHING).read_quads(pattern, named)

    def _view(self, shown: State | Overlay, scope: Scope) -> View:
        graphs = None if scope.graphs is None else frozenset(self._graph_ids(scope))
        return view_of(shown, graphs, scope.inferred)

    def _explicit_matches(
        self, graphs: Sequence[int], s: int | None, p: int | None, o: int | None
    ) -> tuple[list[Quad], list[Quads]]:
        """The explicit triples of graphs that match a pattern, of some one by one and of others as columns; a triple
        of each, whether it is there or not."""
        if s is not None and p is not None and o is not None:
            return [(graph, s, p, o) for graph in graphs], []
        few: list[Quad] = []
        many: list[Quads] = []
        shown = self.knowledge.shown()
        for graph in graphs:
            found = few_matches(view_of(shown, frozenset((graph,)), False), s, p, o)
            if found is None:
                many.append(Quads.of_chunks(graph, self.knowledge.graph(graph).match(s, p, o)))
            else:
                few += ((graph, *triple) for triple in found)
        return few, many

    def ids(self, pattern: Any) -> Pattern | None:
        """The ids of a pattern; None if it has a term that was never seen."""
        return ids_of(pattern, self.border)

    def _graph_ids(self, scope: Scope) -> list[int]:
        if scope.graphs is None:
            return list(self._written())
        found = (DEFAULT_GRAPH if name == DEFAULT else self.border.lookup(name) for name in scope.graphs)
        return [graph for graph in found if graph is not None]

    def graph_id(self, name: IdentifiedNode) -> int:
        """The id of a graph by its name, which it has from now on."""
        return self._graph_id(name, self.border)

    def _graph_id(self, name: IdentifiedNode, border: TermBorder) -> int:
        graph = DEFAULT_GRAPH if name is DEFAULT or name == DEFAULT else border.encode(name)
        written = self._written()
        if graph not in written:
            written[graph] = None
            # A scope whose name had no id yet has one now.
            self._last, self._snapshots = None, {}
        return graph

    def _written(self) -> dict[int, None]:
        """The graphs that something was written to: all that have explicit triples, and perhaps others."""
        (before, graphs), border = self._graphs, self.border
        if before is not border:
            names = (graph if graph == DEFAULT_GRAPH else border.lookup(before.name(graph)) for graph in graphs)
            graphs = dict.fromkeys(graph for graph in names if graph is not None)
            self._graphs = (border, graphs)
        return graphs

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Let no other thread change anything; the terms that the body brings are forgotten if it raises."""
        with self.lock, self.knowledge.attempt():
            yield

    def name(self, graph: int) -> IdentifiedNode:
        """The name of a graph by its id."""
        return DEFAULT if graph == DEFAULT_GRAPH else self.border.name(graph)
