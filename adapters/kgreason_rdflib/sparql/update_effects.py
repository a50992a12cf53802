"""One operation of an update: what it takes away and what it adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from rdflib.term import IdentifiedNode, Identifier, URIRef

from kgreason.algebra.local_terms import LocalTerms
from kgreason.errors import QueryError, ReadOnlyError
from kgreason.io.gathered import Gathered
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.sparql.limits import Limits
from kgreason.sparql.solutions import Solutions
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import DEFAULT, EXPLICIT, INFERRED, Scope, Scopes
from kgreason_rdflib.sparql.filled_templates import Filling
from kgreason_rdflib.sparql.query_engine import QueryEngine
from kgreason_rdflib.sparql.update_operations import Clear, Create, Rewrite, Transfer

Change = tuple[Quads, Quads]
"""Quads to remove, and quads to add after that."""


@dataclass(frozen=True, slots=True)
class Place:
    """The triples that an update reads by default, and the graph that it changes by default."""

    scope: Scope
    target: IdentifiedNode


@dataclass(frozen=True, slots=True)
class Fetched:
    """LOAD, once its document is there."""

    document: Gathered
    target: URIRef | None
    silent: bool


Step = Rewrite | Fetched | Clear | Create | Transfer
"""An operation for which nothing is waited."""


def reads(operation: Step) -> bool:
    """Whether what an operation changes depends on what is in the store."""
    match operation:
        case Rewrite(question=None) | Fetched():
            return False
    return True


@dataclass(frozen=True, slots=True)
class Changing:
    """Carries out operations; `limits` count for all of them together."""

    contents: Contents
    scopes: Scopes
    queries: QueryEngine
    place: Place
    bindings: Mapping[str, Identifier]
    limits: Limits

    def change_of(self, operation: Step) -> Change:
        """The quads that an operation removes and adds; nothing has changed yet.

        Raises:
            KGReasonError: it cannot be carried out.
        """
        with self.contents.lock:
            match operation:
                case Rewrite():
                    return self._rewritten(operation)
                case Fetched(document, target, _):
                    graph = self.contents.graph_id(self._place_of(target))
                    loaded = document.into(self.contents.knowledge.dictionary)
                    return Quads.empty(), loaded.quads.without_default(graph)
                case Clear(graph, _, _):
                    return self._all_of(self._meant(graph)), Quads.empty()
                case Create(graph, _):
                    self._absent(graph)
                    return Quads.empty(), Quads.empty()
                case Transfer():
                    return self._transferred(operation)

    def queue(self, *done: tuple[Step, Change]) -> None:
        """Queue the changes that operations make: all of them or, when that is stopped, none."""
        with self.contents.lock:
            self.contents.change(*(change for _, change in done))
            for operation, change in done:
                self._registered(operation, change)

    # -- what changes --------------------------------------------------------------------------------------------

    def _rewritten(self, operation: Rewrite) -> Change:
        question = operation.question
        if question is None:
            solutions, terms = Solutions.unit(), LocalTerms(self.contents.knowledge.dictionary)
        else:
            scope = self.place.scope if operation.graph is None else self.scopes.of_name(operation.graph)
            asking = self.queries.asking(question, scope, self.bindings, self.limits)
            answer = asking.answer(question.variables)
            found = [batch.spread() for batch in answer.batches] or [Solutions.none(answer.variables)]
            solutions, terms = Solutions.concatenated(found), answer.terms
        target = self.contents.graph_id(self._place_of(operation.graph))
        filling = Filling(terms, self.contents.border, target)
        return filling.deleted(operation.delete, solutions), filling.inserted(operation.insert, solutions)

    def _transferred(self, operation: Transfer) -> Change:
        target = self._place_of(operation.target)
        if operation.source in (EXPLICIT, INFERRED) and not operation.moved:
            taken = self._shown(self.scopes.of_name(operation.source))
        else:
            source = self._place_of(operation.source)
            if source == target:
                return Quads.empty(), Quads.empty()
            is_missing = operation.source is not None and operation.source not in self._names()
            if is_missing and not operation.silent:  # with SILENT, as with any other graph without triples
                raise QueryError(f"there is no graph <{operation.source}>")
            taken = self.contents.explicit_of(source)
        graphs = np.full(len(taken), self.contents.graph_id(target), dtype=np.uint32)
        added = Quads(graphs, taken.subject, taken.predicate, taken.object)
        gone = [self.contents.explicit_of(target)] if operation.replaced else []
        return Quads.concatenated([*gone, taken] if operation.moved else gone), added

    def _shown(self, scope: Scope) -> Quads:
        """The triples of a scope that is read alone, as quads of no graph."""
        return Quads.of_chunks(DEFAULT_GRAPH, self.contents.view(scope).match(None, None, None))

    def _all_of(self, names: Iterable[IdentifiedNode]) -> Quads:
        return Quads.concatenated([self.contents.explicit_of(name) for name in names])

    # -- graphs --------------------------------------------------------------------------------------------------

    def _place_of(self, name: URIRef | None) -> IdentifiedNode:
        """The graph of a name, or the one that is changed by default."""
        if name in (EXPLICIT, INFERRED):
            raise ReadOnlyError(f"the graph <{name}> is read-only")
        return self.place.target if name is None else name

    def _names(self) -> dict[IdentifiedNode, None]:
        """The named graphs that there are."""
        names = dict.fromkeys([*self.scopes, *self.contents.graphs()])
        names.pop(DEFAULT, None)
        return names

    def _meant(self, graph: str) -> list[IdentifiedNode]:
        """The graphs of a CLEAR or DROP: a keyword of the grammar is not a term."""
        if isinstance(graph, URIRef):
            return [self._place_of(graph)]
        if graph == "DEFAULT":
            return [self.place.target]
        named = self._names()
        if graph == "NAMED":
            return [name for name in named if name != self.place.target]
        return [*{DEFAULT: None, self.place.target: None, **named}]

    def _absent(self, graph: URIRef) -> None:
        if self._place_of(graph) in self._names():
            raise QueryError(f"there is a graph <{graph}> already")

    def _registered(self, operation: Step, change: Change) -> None:
        """Record the graphs that there are now, and those that are gone."""
        default = self.contents.graph_id(self.place.target)
        for identifier in change[1].graph_names():
            if identifier in (default, DEFAULT_GRAPH):
                self.scopes.written(self.place.scope)
            else:
                self.scopes.register(self.contents.name(identifier))
        match operation:
            case Create(graph, _) | Fetched(_, URIRef() as graph, _):
                self.scopes.register(graph)
            case Clear(graph, True, _):
                for name in self._meant(graph):
                    self.scopes.forget(name)
            case Transfer(source, target, _, moved, _):
                if target is not None:
                    self.scopes.register(target)
                if moved and source is not None and source != target:
                    self.scopes.forget(source)
