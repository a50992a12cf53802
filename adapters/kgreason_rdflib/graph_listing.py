"""The part of `ReasoningStore` that lists, makes and removes graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from rdflib.graph import Graph
from rdflib.store import Store
from rdflib.term import IdentifiedNode

from kgreason_rdflib.contents import Contents
from kgreason_rdflib.generalised_triples import GeneralisedTriples
from kgreason_rdflib.graph_scopes import (
    DEFAULT,
    EVERYTHING,
    EXPLICIT,
    INFERRED,
    NamedGraph,
    Scope,
    Scopes,
    asked_graph,
    called_by_a_parser,
)
from kgreason_rdflib.quad_rows import QuadRow
from kgreason_rdflib.read_only_views import ReadOnlyView


class GraphListing(Store):
    """The part of `ReasoningStore` that lists, makes and removes graphs."""

    _contents: Contents
    _scopes: Scopes
    _generalised: GeneralisedTriples
    _listed: dict[IdentifiedNode, Graph]
    """The graphs that were listed, by name."""
    _all: tuple[tuple[object, object, Graph | None], list[Graph]]
    """A state, the version of the names then, the graph that stood for the default graph, and all graphs."""

    def contexts(self, triple: Any = None) -> Iterator[Graph]:  # type: ignore[override]  # rdflib asks for a Generator
        """The graphs that have explicit triples or were registered, without the pseudo-graphs.

        With a triple or a pattern, those of them that show a match."""
        default = self._scopes.default_graph_of(asked_graph(self))
        if triple is not None and None not in triple:
            return self._graphs_of(triple, default)
        graphs = self._all_graphs(default)
        if triple is None or triple == (None, None, None):
            return iter(graphs)
        names = dict.fromkeys([DEFAULT, *(DEFAULT if graph is default else graph.identifier for graph in graphs)])
        scopes = [(name, self._scopes.of_name(name)) for name in names]
        return (self._listed_graph(name, default) for name, scope in scopes if self._shows(triple, scope))

    def add_graph(self, graph: Graph) -> None:
        """Make a graph one of a Dataset's named graphs, with or without triples.

        Raises:
            StoreError: the directory was closed, and there is no such graph.
        """
        if not self._contents.is_closed:
            self._scopes.register(graph.identifier)
        elif graph.identifier != DEFAULT and graph.identifier not in {*self._scopes, *self._contents.graphs()}:
            self._contents.knowledge.history.check_open()

    def remove_graph(self, graph: Graph | None) -> None:
        """Remove the explicit triples of a graph, and the graph from the named ones.

        rdflib's parsers of N-Quads and Hextuples begin by removing the default graph of any store that they
        fill, which they take for an empty one of their own; from them this is ignored.
        """
        if graph is not None and graph.identifier == DEFAULT and called_by_a_parser():
            return
        self.remove((None, None, None), graph)
        if graph is not None:
            self._scopes.forget(graph.identifier)
            self._listed.pop(graph.identifier, None)

    @property
    def explicit(self) -> Graph:
        """All explicit triples, of any graph: a read-only graph that stays up to date."""
        return ReadOnlyView(self, EXPLICIT)

    @property
    def inferred(self) -> Graph:
        """All triples that follow and are not explicit anywhere: a read-only graph that stays up to date."""
        return ReadOnlyView(self, INFERRED)

    def _all_graphs(self, default: Graph | None) -> list[Graph]:
        """The graphs, in the order in which they came: for free where nothing has changed."""
        now = (self._contents.knowledge.flushed(), self._scopes.version, default)
        known, graphs = self._all
        if any(one is not other for one, other in zip(now, known, strict=True)):
            names = dict.fromkeys([*self._scopes, *self._contents.graphs()])
            self._all = now, [self._listed_graph(name, default) for name in names]
            return self._all[1]
        return graphs

    def _quad_rows(self, pattern: Any, default: Graph | None) -> Iterator[QuadRow]:
        """The triples of all graphs that match a pattern, with the graphs that show them; the default graph is
        `default` where there is one."""
        rows = self._contents.quads(pattern, partial(self._named_graphs, default))
        if not self._generalised.graphs:
            return rows
        aside = self._generalised.read(pattern, EVERYTHING)
        return chain(rows, ((triple, self._graphs_of(triple, default)) for triple in aside))

    def _named_graphs(self, default: Graph | None, graphs: Sequence[int]) -> list[Graph]:
        """The graphs that show a triple which is explicit in some."""
        names = [self._contents.name(graph) for graph in graphs] or [DEFAULT]
        return [self._listed_graph(name, default) for name in names]

    def _graphs_of(self, triple: Any, default: Graph | None = None) -> Iterator[Graph]:
        names = self._contents.graphs_of(triple)
        if not names and self._generalised.graphs:
            names = list(self._generalised.graphs_of(triple))
        return (self._listed_graph(name, default) for name in names)

    def _listed_graph(self, name: IdentifiedNode, default: Graph | None) -> Graph:
        """A graph by its name; the default graph is `default` where there is one."""
        if default is not None and name == DEFAULT:
            return default
        graph = self._listed.get(name)
        if graph is None:
            graph = self._listed[name] = NamedGraph(store=self, identifier=name)
        return graph

    def _shows(self, pattern: Any, scope: Scope) -> bool:
        """Whether a triple of a scope matches a pattern."""
        return any(self._contents.read(pattern, scope)) or any(self._generalised.read(pattern, scope))
