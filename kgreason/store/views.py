"""The views of a state, each made when it is first read."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.engine.engine_state import EngineState
from kgreason.engine.facts import Changes
from kgreason.engine.persistent_map import PersistentMap
from kgreason.store.explicit_triples import Graphs
from kgreason.store.graph_columns import GraphColumns
from kgreason.store.graph_holdings import Holdings
from kgreason.store.indexes import Indexes
from kgreason.store.relation_sets import Relations, Remainder, United
from kgreason.store.triple_view import TripleView


class Views:
    """Views of one state. They are caches: two threads that ask at once make the same view twice."""

    __slots__ = ("_engine", "_graphs", "_known", "_type", "columns", "holdings", "indexes")

    def __init__(
        self,
        engine: EngineState,
        graphs: Graphs,
        type_id: int,
        indexes: Indexes | None = None,
        holdings: Holdings | None = None,
        columns: GraphColumns | None = None,
    ) -> None:
        """`type_id` is the id of rdf:type."""
        self._engine = engine
        self._graphs = graphs
        self._type = type_id
        # Made with the first view, and kept up with the facts by the states that follow.
        self.indexes = indexes
        self.holdings = Holdings(graphs, type_id) if holdings is None else holdings
        self.columns = GraphColumns(graphs, type_id) if columns is None else columns
        self._known: dict[object, TripleView] = {}

    def after(self, engine: EngineState, graphs: Graphs, stored: Changes | None) -> Views:
        """The views of the next state; `stored` is the net change of what is written out, None for no change."""
        indexes = self.indexes
        if indexes is not None and stored is not None:
            indexes = indexes.updated(engine, stored)
        return Views(engine, graphs, self._type, indexes, self.holdings.after(graphs), self.columns.after(graphs))

    @property
    def nbytes(self) -> int:
        """The bytes of the indexes and of the tables of all graphs, as far as they are made."""
        return self.holdings.nbytes + self.columns.nbytes + (0 if self.indexes is None else self.indexes.nbytes)

    def all(self) -> TripleView:
        """Explicit and inferred triples, each once."""
        view = self._known.get("all")
        if view is None:
            view = self._known["all"] = self._view(self._engine.facts)
        return view

    def survey(self) -> None:
        """Have at hand what the first queries ask of all relations: some microseconds for each."""
        view = self.all()
        view.survey()
        if self.indexes is not None:
            self.indexes.survey()

    def explicit(self) -> TripleView:
        """The explicit triples of all graphs, each once."""
        if "explicit" not in self._known:
            self._known["explicit"] = self._view(self._engine.explicit)
        return self._known["explicit"]

    def inferred(self) -> TripleView:
        """The triples that only follow."""
        if "inferred" not in self._known:
            self._known["inferred"] = self._view(Remainder(self._engine.facts, self._engine.explicit))
        return self._known["inferred"]

    def names(self) -> Iterable[int]:
        """The graphs that have explicit triples."""
        return self._graphs

    def has_graph(self, graph: int) -> bool:
        """Whether a graph has explicit triples."""
        return graph in self._graphs

    def graph(self, graph: int) -> TripleView:
        """The explicit triples of one graph."""
        if graph not in self._known:
            facts = self._graphs.get(graph)
            self._known[graph] = self._view(PersistentMap() if facts is None else facts)
        return self._known[graph]

    def together(self, graphs: Iterable[int], *, inferred: bool) -> TripleView:
        """The explicit triples of some graphs, and with `inferred` also those that are explicit in no graph; each
        once."""
        wanted = frozenset(graphs)
        if wanted.issuperset(self._graphs):
            return self.all() if inferred else self.explicit()
        if not wanted:
            return self.inferred() if inferred else TripleView(PersistentMap(), self._type)
        if len(wanted) == 1 and not inferred:
            return self.graph(*wanted)
        if (wanted, inferred) not in self._known:
            parts = [facts for graph, facts in self._graphs.items() if graph in wanted]
            found: Relations = United(parts)
            if inferred:
                elsewhere = Remainder(self._engine.explicit, found)
                found = Remainder(self._engine.facts, elsewhere)
            self._known[wanted, inferred] = self._view(found)
        return self._known[wanted, inferred]

    def _view(self, relations: Relations) -> TripleView:
        """A view of some of the facts: what the indexes know of all facts is enough for it."""
        if self.indexes is None:
            self.indexes = Indexes(self._engine)
        return TripleView(relations, self._type, self.indexes)

    def _check(self) -> None:
        if self.indexes is not None:
            self.indexes._check()
        self.columns._check()
        for view in self._known.values():
            view._check()
