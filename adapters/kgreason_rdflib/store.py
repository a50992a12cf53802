"""ReasoningStore: an rdflib Store whose every triple pattern sees explicit and inferred triples alike.

Where triples show. A plain ``Graph(store=store)``, which rdflib names by a fresh blank node, is the store's default
graph, as is a Dataset's default graph. Reasoning is over the explicit triples of all graphs together. What follows
belongs to no named graph: it shows in the union of all graphs and in the default graph. A *named* graph of a Dataset shows its explicit triples and nothing else. A graph is named
when it was registered (``Dataset.graph``, ``add_graph``, or a file with named graphs), or when it has an IRI and the
store is used by a Dataset. `store.explicit` and `store.inferred`, and the two pseudo-graphs of the same meaning
(`EXPLICIT`, `INFERRED`), show one kind alone; ``contexts()`` never lists these two.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rdflib.events import Dispatcher
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, Graph
from rdflib.store import Store, TripleAddedEvent, TripleRemovedEvent
from rdflib.term import BNode, Literal, Node, URIRef

from kgreason.errors import KGReasonError, TermError
from kgreason.knowledge.base import KnowledgeBase, Rules
from kgreason.knowledge.loading import Progress, read_files
from kgreason.knowledge.quads import DEFAULT_GRAPH, Quads
from kgreason.knowledge.statistics import Statistics
from kgreason.knowledge.view import TripleView
from kgreason_rdflib.graphs import EXPLICIT, INFERRED, ReadOnlyGraph
from kgreason_rdflib.namespaces import Namespaces
from kgreason_rdflib.terms import NodeTable, NodeTriple, node_of

Pattern = tuple[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """The name of a violated rule, and the triples that clash."""

    rule: str
    triples: tuple[NodeTriple, ...]

    def __str__(self) -> str:
        return f"{self.rule}: " + "; ".join(" ".join(node.n3() for node in t) for t in self.triples)


class ReasoningStore(Store):
    """An in-memory store that reasons; see the module for where inferred triples show."""

    context_aware = True
    graph_aware = True
    formula_aware = False
    transaction_aware = False

    def __init__(self, configuration: str | None = None, identifier: Any = None, *, rules: Rules = "owl-rl") -> None:
        """`rules`: the name of a rule set (none, rdfs, rdfs-plus, owl-rl, owl-rl-full, skos), Datalog text, a
        path, or a list of these."""
        self._base = KnowledgeBase(rules)
        self._nodes = NodeTable(self._base.dictionary)
        self._namespaces = Namespaces()
        self._registered: dict[Node, None] = {}
        self._serves_dataset = False
        super().__init__(configuration, identifier)

    def open(self, configuration: str | tuple[str, str], create: bool = False) -> int | None:
        """Durable directories are not part of this version: KGReasonError for any path."""
        raise KGReasonError(f"cannot open {configuration!r}: this version of kgreason keeps its data in memory")

    # -- changes --------------------------------------------------------------------------------------------------

    def add(self, triple: Pattern, context: Any, quoted: bool = False) -> None:
        """Queue an explicit triple; TermError for a literal as subject or no IRI as predicate."""
        self._base.add(self._graph_id(context), *self._ids(triple))
        self._dispatch(TripleAddedEvent, triple, context)

    def addN(self, quads: Iterable[tuple[Any, Any, Any, Any]]) -> None:  # noqa: N802
        """Queue explicit triples, all or none of them."""
        rows = [(self._graph_id(context), *self._ids((s, p, o)), (s, p, o), context) for s, p, o, context in quads]
        for graph, subject, predicate, object_, triple, context in rows:
            self._base.add(graph, subject, predicate, object_)
            self._dispatch(TripleAddedEvent, triple, context)

    def remove(self, triple: Pattern, context: Any = None) -> None:
        """Retract the explicit triples that match a pattern, from one graph or from all."""
        found = [self._lookup(node) for node in triple]
        if any(known is None and node is not None for known, node in zip(found, triple, strict=True)):
            return
        subject, predicate, object_ = found
        graphs = self._base.graphs() if context is None else [self._graph_id(context)]
        self._dispatch(TripleRemovedEvent, triple, context)
        for graph in graphs:
            if subject is not None and predicate is not None and object_ is not None:
                self._base.remove(graph, subject, predicate, object_)
                continue
            for chunk in self._base.graph(graph).match(subject, predicate, object_):
                self._base.remove_quads(Quads(np.full(len(chunk[0]), graph, dtype=np.uint32), *chunk))
        if context is not None and triple == (None, None, None):
            self._registered.pop(_identifier(context), None)

    def bulk_load(
        self,
        *paths: str | Path,
        format: str | None = None,
        graph: Node | str | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Load files and directories, all or nothing, and give the number of triples read.

        The format is told by each name unless given; triples outside named graphs go to `graph`, which is
        the default graph unless given.

        Raises:
            LoadError: naming file, line and reason; nothing was loaded.
        """
        quads = read_files(paths, self._base.dictionary, format=format, progress=progress)
        self.load_quads(quads, URIRef(graph) if isinstance(graph, str) and not isinstance(graph, Node) else graph)
        return len(quads)

    def load_quads(self, quads: Quads, graph: Node | None = None) -> None:
        """Queue columns of quads over this store's dictionary; `graph` stands for the default graph."""
        for identifier in np.unique(quads.graph).tolist():
            if identifier != DEFAULT_GRAPH:
                self._registered[self._nodes.decode(identifier)] = None
        if graph is not None:
            columns = quads.graph.copy()
            columns[columns == DEFAULT_GRAPH] = self._graph_id(graph)
            quads = Quads(columns, quads.subject, quads.predicate, quads.object)
        self._base.add_quads(quads)

    def add_rules(self, rules: Rules) -> None:
        """Add rules, by text, path or name; refused as a whole when one is wrong."""
        self._base.add_rules(rules)

    def remove_rules(self, rules: Rules) -> None:
        """Remove rules, by the same text, path or name."""
        self._base.remove_rules(rules)

    # -- reading --------------------------------------------------------------------------------------------------

    def triples(
        self, triple_pattern: Pattern, context: Any = None
    ) -> Iterator[tuple[NodeTriple, Iterator[Graph | None]]]:
        """The triples that match a pattern in a snapshot, each once, with the graphs that assert it."""
        ids = [self._lookup(node) for node in triple_pattern]
        views = self._views(context)
        if any(known is None and node is not None for known, node in zip(ids, triple_pattern, strict=True)):
            return
        for view in views:
            if None not in ids:
                if view.contains(*ids):  # type: ignore[arg-type]
                    triple = tuple(map(self._nodes.decode, ids))  # type: ignore[arg-type]
                    yield triple, self._contexts_of(triple)  # type: ignore[misc]
                continue
            for triple in self._nodes.triples(view.match(*ids)):
                yield triple, self._contexts_of(triple)

    def triples_choices(
        self, triple: Pattern, context: Any = None
    ) -> Generator[tuple[NodeTriple, Iterator[Graph | None]], None, None]:
        """Triples with a list of alternatives in one place; an empty list is a wildcard, as rdflib has it."""
        place = next((i for i, part in enumerate(triple) if isinstance(part, list)), None)
        if place is None:
            yield from self.triples(triple, context)
            return
        for choice in triple[place] or [None]:
            yield from self.triples((*triple[:place], choice, *triple[place + 1 :]), context)  # type: ignore[arg-type]

    def __len__(self, context: Any = None) -> int:
        return sum(map(len, self._views(context)))

    def contexts(self, triple: Pattern | None = None) -> Generator[Graph, None, None]:
        """The named graphs, or those that assert a triple. The pseudo-graphs are never among them."""
        if triple is not None and triple != (None, None, None):
            yield from self._contexts_of(triple)
            return
        names = dict.fromkeys(self._registered)
        names |= dict.fromkeys(map(self._graph_node, self._base.graphs()))
        for name in names:
            yield Graph(store=self, identifier=name)  # type: ignore[arg-type]

    @property
    def explicit(self) -> ReadOnlyGraph:
        """What was asserted, in any graph."""
        return ReadOnlyGraph(self, EXPLICIT)

    @property
    def inferred(self) -> ReadOnlyGraph:
        """What only follows."""
        return ReadOnlyGraph(self, INFERRED)

    def inconsistencies(self) -> list[Inconsistency]:
        """The violated integrity conditions, each with the triples that clash; empty when consistent."""
        return [
            Inconsistency(found.rule, tuple(tuple(map(node_of, triple)) for triple in found.triples))  # type: ignore[misc]
            for found in self._base.inconsistencies()
        ]

    def statistics(self) -> Statistics:
        """Sizes: triples, rules, and for each relation its scheme, facts and bytes."""
        return self._base.statistics()

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """What is behind this store, in ids instead of nodes."""
        return self._base

    # -- graphs ---------------------------------------------------------------------------------------------------

    def add_graph(self, graph: Graph) -> None:
        """Register a graph, also an empty one, as named."""
        self._serves_dataset = True
        if graph.identifier != DATASET_DEFAULT_GRAPH_ID:
            self._registered[graph.identifier] = None

    def remove_graph(self, graph: Graph) -> None:
        """Retract all explicit triples of a graph, and forget its name."""
        self._base.remove_graph(self._graph_id(graph))
        self._registered.pop(graph.identifier, None)

    # -- namespaces -----------------------------------------------------------------------------------------------

    def bind(self, prefix: str, namespace: URIRef, override: bool = True) -> None:
        """Bind a prefix; without `override`, only where neither is bound."""
        self._namespaces.bind(prefix, namespace, override)

    def namespace(self, prefix: str) -> URIRef | None:
        """The namespace of a prefix."""
        return self._namespaces.by_prefix.get(prefix)

    def prefix(self, namespace: URIRef) -> str | None:
        """The prefix of a namespace."""
        return self._namespaces.by_namespace.get(namespace)

    def namespaces(self) -> Iterator[tuple[str, URIRef]]:
        """All bindings."""
        yield from list(self._namespaces.by_prefix.items())

    # -- inside ---------------------------------------------------------------------------------------------------

    def _views(self, context: Any) -> Sequence[TripleView]:
        """The disjoint views that make up what a graph shows; this is where visibility is decided."""
        base = self._base
        if context is None:
            return [base.all()]
        name = _identifier(context)
        if name == EXPLICIT:
            return [base.explicit()]
        if name == INFERRED:
            return [base.inferred()]
        graph = self._graph_id(context)
        if self._is_named(name):
            return [base.graph(graph)]
        if base.graphs() in ([graph], []):
            return [base.all()]
        return [base.graph(graph), base.inferred()]

    def _is_default(self, name: Node | None) -> bool:
        """Whether a graph is the default graph: rdflib names a plain ``Graph()`` by a fresh blank node."""
        if name is None or name == DATASET_DEFAULT_GRAPH_ID:
            return True
        return isinstance(name, BNode) and name not in self._registered

    def _is_named(self, name: Node) -> bool:
        if name in self._registered:
            return True
        return self._serves_dataset and not self._is_default(name)

    def _graph_id(self, context: Any) -> int:
        name = _identifier(context)
        if self._is_default(name):
            self._serves_dataset |= name == DATASET_DEFAULT_GRAPH_ID
            return DEFAULT_GRAPH
        if name in (EXPLICIT, INFERRED):
            raise TermError(f"the graph {name} is read-only: triples show in it, and are added elsewhere")
        return self._nodes.encode(name)

    def _graph_node(self, graph: int) -> Node:
        return DATASET_DEFAULT_GRAPH_ID if graph == DEFAULT_GRAPH else self._nodes.decode(graph)

    def _contexts_of(self, triple: Pattern) -> Generator[Graph, None, None]:
        """The graphs that assert a triple; what is only inferred is in the default graph of a Dataset."""
        ids = [self._lookup(node) for node in triple]
        if None in ids:
            return
        graphs = self._base.graphs_of(*ids)  # type: ignore[arg-type]
        if not graphs and self._serves_dataset and self._base.all().contains(*ids):  # type: ignore[arg-type]
            graphs = [DEFAULT_GRAPH]
        for graph in graphs:
            yield Graph(store=self, identifier=self._graph_node(graph))  # type: ignore[arg-type]

    def _lookup(self, node: Node | None) -> int | None:
        return None if node is None else self._nodes.lookup(node)

    def _ids(self, triple: Pattern) -> tuple[int, int, int]:
        subject, predicate, object_ = triple
        if isinstance(subject, Literal):
            raise TermError(f"the literal {subject.n3()} cannot be the subject of a triple")
        if not isinstance(predicate, URIRef):
            raise TermError(f"{predicate!r} is no IRI and cannot be the predicate of a triple")
        encode = self._nodes.encode
        return encode(subject), encode(predicate), encode(object_)

    def _dispatch(self, event: type, triple: Pattern, context: Any) -> None:
        handlers = self.dispatcher.get_map()
        if handlers and event in handlers:
            self.dispatcher.dispatch(event(triple=triple, context=context))

    # -- pickling -------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        keys = self._base.dictionary.key
        quads = [
            (None if graph == DEFAULT_GRAPH else keys(graph), keys(s), keys(p), keys(o))
            for graph in self._base.graphs()
            for chunk in self._base.graph(graph).match(None, None, None)
            for s, p, o in zip(*(column.tolist() for column in chunk), strict=True)
        ]
        return {
            "rules": self._base.program,
            "quads": quads,
            "namespaces": self._namespaces,
            "registered": list(self._registered),
            "serves_dataset": self._serves_dataset,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.dispatcher = Dispatcher()
        self._base = KnowledgeBase(state["rules"])
        self._nodes = NodeTable(self._base.dictionary)
        self._namespaces = state["namespaces"]
        self._registered = dict.fromkeys(state["registered"])
        self._serves_dataset = state["serves_dataset"]
        encode = self._base.dictionary.encode_key
        for graph, subject, predicate, object_ in state["quads"]:
            name = DEFAULT_GRAPH if graph is None else encode(graph)
            self._base.add(name, encode(subject), encode(predicate), encode(object_))


def _identifier(context: Any) -> Any:
    """The name of a graph, which rdflib gives as a Graph or as its identifier."""
    return getattr(context, "identifier", context)
