"""The part of `ReasoningStore` that treats graphs as wholes: by name, each call one change."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from rdflib.term import IdentifiedNode

from kgreason.errors import LoadError
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.store.triple_view import View
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import DEFAULT, Scope, Scopes

if TYPE_CHECKING:
    from kgreason.dictionary.dictionary import Dictionary
    from kgreason.io.load_report import Loaded


class GraphManagement:
    """What the SPARQL 1.1 Graph Store HTTP Protocol asks of a store. `DEFAULT` names the default graph."""

    _contents: Contents
    _scopes: Scopes

    def graph_names(self) -> list[IdentifiedNode]:
        """The named graphs that there are, with or without triples."""
        names = dict.fromkeys([*self._scopes, *self._contents.graphs()])
        names.pop(DEFAULT, None)
        return [*names]

    def has_graph(self, name: IdentifiedNode) -> bool:
        """Whether there is a graph of that name; the default graph is always there."""
        return name == DEFAULT or name in self.graph_names()

    def graph_view(self, name: IdentifiedNode, *, inferred: bool = False) -> View:
        """The explicit triples of a graph, and with `inferred` all that only follows, by ids."""
        return self._contents.view(Scope((name,), inferred))

    def load_graph(self, load: Callable[[Dictionary], Loaded], name: IdentifiedNode, *, replaced: bool = False) -> None:
        """Add the triples that a function loads over the dictionary of `knowledge_base` to a graph, or put them in the
        place of its explicit ones. The graph is there from now on, also without triples.

        Raises:
            LoadError: there are named graphs in what is loaded; nothing has changed.
            ReadOnlyError: the graph is read-only; the same.
        """
        self._scopes.check_writable(name)
        contents = self._contents
        with contents.attempt():
            quads = load(contents.knowledge.dictionary).quads
            if any(graph != DEFAULT_GRAPH for graph in quads.graph_names()):
                raise LoadError("it has named graphs (expected triples alone)")
            gone = contents.explicit_of(name) if replaced else Quads.empty()
            contents.change((gone, quads.without_default(contents.graph_id(name))))
        self._scopes.register(name)

    def add_loaded(self, load: Callable[[Dictionary], Loaded]) -> None:
        """Add the quads that a function loads over the dictionary of `knowledge_base`, each to its graph; where it
        raises, nothing has changed."""
        contents = self._contents
        with contents.attempt():
            quads = load(contents.knowledge.dictionary).quads
            contents.change((Quads.empty(), quads.without_default(contents.graph_id(DEFAULT))))
            names = [contents.name(graph) for graph in quads.graph_names() if graph != DEFAULT_GRAPH]
        for name in names:
            self._scopes.register(name)

    def drop_graph(self, name: IdentifiedNode) -> None:
        """Take the explicit triples of a graph away, and the graph from the named ones: O(triples of the graph).

        Raises:
            ReadOnlyError: the graph is read-only; nothing has changed.
        """
        self._scopes.check_writable(name)
        with self._contents.lock:
            self._contents.change((self._contents.explicit_of(name), Quads.empty()))
        self._scopes.forget(name)
