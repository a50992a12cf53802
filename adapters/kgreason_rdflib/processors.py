"""Processors of queries and updates, which rdflib finds as plugins by their names.

``kgreason`` answers SPARQL and does updates for a graph over any store, by this engine::

    graph.query(text, processor="kgreason")

Those with the name of a rule set reason, in the way of the processors ``owlrl`` and ``rdfs`` of rdflib 8: the text is
more axioms in Turtle, or nothing. A query gives what follows, and an update adds it, with the axioms::

    graph += graph.query("", processor="kgreason-owl-rl").graph
    graph.update(axioms, processor="kgreason-owl-rl")

The data of another store are copied for each call; a `ReasoningStore` answers without a copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from rdflib.graph import Dataset, Graph
from rdflib.plugins.sparql.sparql import Query, Update
from rdflib.query import Processor, UpdateProcessor
from rdflib.term import Identifier

from kgreason.errors import LoadError
from kgreason.rdf.prefixes import declarations
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.store import ReasoningStore

RULE_SETS: Final = ("rdfs", "rdfs-plus", "owl-rl", "owl-rl-full", "skos")
"""The rule sets with processors, each of which is named ``kgreason-`` and then as its rule set."""


class QueryProcessor(Processor):
    """SPARQL 1.2 over a graph. SERVICE and FROM have the access of the graph's own store; other stores have none."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.graph = graph

    def query(  # type: ignore[override]  # rdflib's own has more names than its signature says
        self,
        strOrQuery: str | Query,
        initBindings: Mapping[str, Identifier] | None = None,
        initNs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Mapping[str, Any]:
        """What rdflib's `SPARQLResult` is made of; `options` as of `ReasoningStore.query`."""
        found = copied(self.graph).query(strOrQuery, initNs=initNs, initBindings=initBindings, **options)
        if found.type == "SELECT":
            return {"type_": found.type, "vars_": found.vars, "bindings": found.bindings}
        return {"type_": found.type, "askAnswer": found.askAnswer, "graph": found.graph}


class QueryUpdateProcessor(UpdateProcessor):
    """SPARQL updates of a graph: all operations of a request, or none. LOAD has the access of the graph's own store;
    other stores have none."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.graph = graph

    def update(
        self,
        strOrQuery: str | Update,
        initBindings: Mapping[str, Identifier] | None = None,
        initNs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> None:
        """Do an update; `options` as `ReasoningStore.update`."""
        copy = copied(self.graph)
        before = set() if copy is self.graph else _statements(copy)
        copy.update(strOrQuery, initNs=initNs, initBindings=initBindings, **options)
        if copy is not self.graph:
            after = _statements(copy)
            for statement in before - after:
                self.graph.remove(statement)
            for statement in after - before:
                self.graph.add(statement)


class _ClosureProcessor:
    """What the processors of a rule set have in common: a graph and the name of the rules."""

    def __init__(self, graph: Graph, rules: str) -> None:
        self.graph = graph
        self.rules = rules

    def closure(self, axioms: str | Graph, prefixes: Mapping[str, Any] | None, base: str | None) -> ReasoningStore:
        """A store with the triples of the graph, or of a dataset's default graph, and axioms, under the rules.

        Args:
            axioms: Turtle, a graph, or an empty text for none.
            prefixes: those that the text may use without declaring them.
        """
        store = ReasoningStore(rules=self.rules)
        copy = Graph(store=store)
        copy.addN((*triple, copy) for triple in _triples(self.graph))
        if isinstance(axioms, Graph):
            copy.addN((*triple, copy) for triple in _triples(axioms))
        elif axioms:
            declared = declarations(prefixes or {})
            try:
                copy.parse(data=declared + axioms, format="kg-n3", publicID=base)
            except LoadError as error:
                lines = declared.count("\n")
                if error.line is not None and error.line > lines:
                    error.line -= lines
                raise
        return store


class RuleProcessor(_ClosureProcessor, Processor):
    """What follows from a graph, and from axioms, under a rule set."""

    def query(  # type: ignore[override]  # rdflib's own has more names than its signature says
        self,
        strOrQuery: str | Graph,
        initBindings: Mapping[str, Identifier] | None = None,
        initNs: Mapping[str, Any] | None = None,
        base: str | None = None,
        **_: Any,
    ) -> Mapping[str, Any]:
        """A graph of the triples that follow and are not there: neither in the graph, which stays as it is, nor among
        the axioms. `initNs` are prefixes that the text may use."""
        return {"type_": "CONSTRUCT", "graph": self.closure(strOrQuery, initNs, base).inferred}


class RuleUpdateProcessor(_ClosureProcessor, UpdateProcessor):
    """Adds axioms to a graph, and what follows under a rule set."""

    def update(  # type: ignore[override]  # rdflib's own has more names than its signature says
        self,
        strOrQuery: str | Graph,
        initBindings: Mapping[str, Identifier] | None = None,
        initNs: Mapping[str, Any] | None = None,
        base: str | None = None,
        **_: Any,
    ) -> None:
        """Add the axioms, and what follows, to the graph, or to a dataset's default graph."""
        graph = self.graph.default_graph if isinstance(self.graph, Dataset) else self.graph
        graph.addN((*triple, graph) for triple in Graph(store=self.closure(strOrQuery, initNs, base)))


def copied(graph: Graph) -> Graph:
    """The graph itself where its store is a `ReasoningStore`, otherwise a copy over one."""
    if isinstance(graph.store, ReasoningStore):
        return graph
    store = ReasoningStore(rules="none")
    if not isinstance(graph, Dataset):
        copy = Graph(store=store, identifier=graph.identifier)
        copy.addN((*triple, copy) for triple in graph)
        return copy
    dataset = Dataset(store=store, default_union=graph.default_union)
    dataset.addN((s, p, o, dataset.graph(name)) for s, p, o, name in graph.quads())
    return dataset


def _statements(graph: Graph) -> set[tuple[Any, ...]]:
    return set(graph.quads()) if isinstance(graph, Dataset) else set(graph)


def _triples(graph: Graph) -> Iterator[Triple]:
    """The triples of a graph; of a dataset, which iterates over quads, those that its default graph shows."""
    return graph.triples((None, None, None))


RDFS, RDFS_PLUS, OWL_RL, FULL_OWL_RL, SKOS = (partial(RuleProcessor, rules=name) for name in RULE_SETS)
RDFS_UPDATE, RDFS_PLUS_UPDATE, OWL_RL_UPDATE, FULL_OWL_RL_UPDATE, SKOS_UPDATE = (
    partial(RuleUpdateProcessor, rules=name) for name in RULE_SETS
)
