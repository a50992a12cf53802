"""The contents of a store: the quads of a knowledge base, changed and read by rdflib terms and scopes.

A change is queued; `content_reads` is what the contents show.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from rdflib.term import IdentifiedNode, Node

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import StoreError, TermError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.overlays import Quad
from kgreason_rdflib import rdflib_tuning
from kgreason_rdflib.content_reads import ContentReads
from kgreason_rdflib.graph_scopes import DEFAULT, Scope
from kgreason_rdflib.graph_views import few_matches, view_of
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.term_border import TermBorder

if TYPE_CHECKING:
    from kgreason.io.load_report import ChangeReport, Loaded, LoadReport


SetAside: TypeAlias = Callable[[Triple, IdentifiedNode, TermError], None]
"""Takes a triple that is not an RDF triple, its graph and the error, or raises that error."""


class Contents(ContentReads):
    """Quads under scopes, as they are changed."""

    @classmethod
    def of(cls, knowledge: KnowledgeBase) -> Contents:
        """The contents of a knowledge base that is there already."""
        contents = cls(lambda: knowledge)
        contents.knowledge = knowledge
        return contents

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
                some = list(islice(waiting, rdflib_tuning.ADDED_TRIPLES))
                with self.lock:
                    if self.knowledge is not knowledge:
                        raise StoreError("the store has other contents than when the first of the triples came")
                    for column, values in zip(columns, self._encoded(some, set_aside), strict=True):
                        column.extend(values)
                    if len(some) < rdflib_tuning.ADDED_TRIPLES:
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

    def take_in(
        self, load: Callable[[Dictionary], Loaded], target: IdentifiedNode
    ) -> tuple[LoadReport, list[IdentifiedNode]]:
        """Queue or take over what was loaded, its default graph for `target`; the report, and which other graphs it
        was."""
        with self.attempt():
            loaded = load(self.knowledge.dictionary)
            graphs = [graph for graph in loaded.quads.graph_names() if graph != DEFAULT_GRAPH]
            names = [self.name(graph) for graph in graphs]
            self._written().update(dict.fromkeys(graphs))
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

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Let no other thread change anything; the terms that the body brings are forgotten if it raises."""
        with self.lock, self.knowledge.attempt():
            yield
