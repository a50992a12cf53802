"""What the contents of a store show, read by rdflib terms and scopes, and the names of their graphs.

A read gives a snapshot, which later changes leave as it is. Each scope has one for what the knowledge base shows now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from threading import RLock
from typing import TYPE_CHECKING, Any

from rdflib.term import IdentifiedNode, Node

from kgreason.errors import TermError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_view import View
from kgreason_rdflib.graph_scopes import DEFAULT, EVERYTHING, Scope
from kgreason_rdflib.graph_views import view_of
from kgreason_rdflib.quad_rows import Named, QuadRow
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.scope_snapshots import AnswerCache, Snapshot
from kgreason_rdflib.term_border import TermBorder
from kgreason_rdflib.triple_rows import Pattern, ids_of

if TYPE_CHECKING:
    from kgreason.sparql.source import Source
    from kgreason.store.overlays import Overlay
    from kgreason.store.state import State


class ContentReads:
    """Quads under scopes, as they are read.

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

    # -- what there is -------------------------------------------------------------------------------------------

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

    def has_explicit(self, name: IdentifiedNode) -> bool:
        """Whether a graph has explicit triples."""
        with self.lock:
            graph = DEFAULT_GRAPH if name == DEFAULT else self.border.lookup(name)
            return graph is not None and self.knowledge.views().has_graph(graph)

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

    def explicit_of(self, name: IdentifiedNode) -> Quads:
        """The explicit quads of a graph."""
        with self.lock:
            graph = DEFAULT_GRAPH if name == DEFAULT else self.border.lookup(name)
            if graph is None:
                return Quads.empty()
            return Quads.of_chunks(graph, self.knowledge.graph(graph).match(None, None, None))

    # -- ids and names -------------------------------------------------------------------------------------------

    def ids(self, pattern: Any) -> Pattern | None:
        """The ids of a pattern; None if it has a term that was never seen."""
        return ids_of(pattern, self.border)

    def _graph_ids(self, scope: Scope) -> list[int]:
        if scope.graphs is None:
            return list(self._written())
        found = (DEFAULT_GRAPH if name == DEFAULT else self.border.lookup(name) for name in scope.graphs)
        return [graph for graph in found if graph is not None]

    def _written(self) -> dict[int, None]:
        """The graphs that something was written to: all that have explicit triples, and perhaps others."""
        (before, graphs), border = self._graphs, self.border
        if before is not border:
            names = (graph if graph == DEFAULT_GRAPH else border.lookup(before.name(graph)) for graph in graphs)
            graphs = dict.fromkeys(graph for graph in names if graph is not None)
            self._graphs = (border, graphs)
        return graphs

    def name(self, graph: int) -> IdentifiedNode:
        """The name of a graph by its id."""
        return DEFAULT if graph == DEFAULT_GRAPH else self.border.name(graph)
