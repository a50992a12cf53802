"""What a knowledge base shows between two changes: views, each made when something first asks and kept until then."""

from __future__ import annotations

from collections.abc import Iterable

from kgreason.engine.engine import Engine
from kgreason.engine.facts import Facts
from kgreason.knowledge.explicit import Explicit
from kgreason.knowledge.indexes import Indexes
from kgreason.knowledge.view import Difference, Relations, TripleView, United
from kgreason.schemes.relations import class_code, property_code


class Views:
    """Views of what an engine and the graphs have; `changed` says that they have something else now."""

    def __init__(self, engine: Engine, explicit: Explicit, type_id: int) -> None:
        """`type_id` is the id of rdf:type."""
        self._engine = engine
        self._explicit = explicit
        self._type = type_id
        # Made when something first asks for all triples, and from then on kept up with the facts.
        self.indexes: Indexes | None = None
        self._known: dict[object, TripleView] = {}

    def changed(self) -> None:
        """Take note of a change of the facts."""
        if self.indexes is not None:
            self.indexes = self.indexes.updated(self._engine.stored())

    def forget(self) -> None:
        """Show what there is from now on. The views that were given out stay as they are."""
        self._known = {}

    def all(self) -> TripleView:
        """Explicit and inferred triples, each once."""
        if "all" not in self._known:
            facts = self._engine.facts.copy()
            if self.indexes is None:
                self.indexes = Indexes(self._engine.stored())
            self._known["all"] = TripleView(facts, self._type, self.indexes)
        return self._known["all"]

    def explicit(self) -> TripleView:
        """The explicit triples of all graphs, each once."""
        if "explicit" not in self._known:
            self._known["explicit"] = TripleView(self._engine.explicit.copy(), self._type)
        return self._known["explicit"]

    def inferred(self) -> TripleView:
        """The triples that only follow."""
        if "inferred" not in self._known:
            difference = Difference(self._engine.facts.copy(), self._engine.explicit.copy())
            self._known["inferred"] = TripleView(difference, self._type)
        return self._known["inferred"]

    def graph(self, graph: int) -> TripleView:
        """The explicit triples of one graph."""
        if graph not in self._known:
            facts = self._explicit.graphs.get(graph, Facts())
            self._known[graph] = TripleView(facts.copy(), self._type)
        return self._known[graph]

    def together(self, graphs: Iterable[int], *, inferred: bool) -> TripleView:
        """What is explicit in some graphs, and with `inferred` also what is explicit in none; each triple once."""
        wanted = frozenset(graphs)
        if wanted >= self._explicit.graphs.keys():
            return self.all() if inferred else self.explicit()
        if not wanted:
            return self.inferred() if inferred else TripleView(Facts(), self._type)
        if len(wanted) == 1 and not inferred:
            return self.graph(*wanted)
        if (wanted, inferred) not in self._known:
            parts = [facts.copy() for graph, facts in self._explicit.graphs.items() if graph in wanted]
            found: Relations = United(parts)
            if inferred:
                elsewhere = Difference(self._engine.explicit.copy(), found)
                found = Difference(self._engine.facts.copy(), elsewhere)
            self._known[wanted, inferred] = TripleView(found, self._type)
        return self._known[wanted, inferred]

    def graphs_of(self, subject: int, predicate: int, object: int) -> list[int]:
        """The graphs in which a triple is explicit."""
        found = list(self._explicit.graphs_of(property_code(predicate), subject, object))
        if predicate == self._type:
            found += self._explicit.graphs_of(class_code(object), subject, None)
        return found

    def _check(self) -> None:
        if self.indexes is not None:
            self.indexes._check()
