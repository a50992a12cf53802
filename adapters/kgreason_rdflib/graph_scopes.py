"""The scope of each rdflib graph over the store: the graphs whose explicit triples it shows, and whether inferred ones.

This is the one place where that is decided (`Scopes.of`): reading, counting, membership, additions, removals
and the FROM of a SPARQL query all follow the `Scope` that comes out.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from weakref import ref

from rdflib.graph import DATASET_DEFAULT_GRAPH_ID, ConjunctiveGraph, Graph
from rdflib.namespace import NamespaceManager
from rdflib.store import Store
from rdflib.term import BNode, IdentifiedNode, URIRef

from kgreason.errors import ReadOnlyError, TermError
from kgreason_rdflib import rdflib_tuning

if TYPE_CHECKING:
    from kgreason_rdflib.term_border import TermBorder

EXPLICIT: Final = URIRef("urn:x-kgreason:explicit")
INFERRED: Final = URIRef("urn:x-kgreason:inferred")
DEFAULT: Final = DATASET_DEFAULT_GRAPH_ID


@dataclass(frozen=True, slots=True)
class Scope:
    """The triples that a graph shows: what is explicit in `graphs` (None: in any graph), and with `inferred`
    also everything that only follows."""

    graphs: tuple[IdentifiedNode, ...] | None
    inferred: bool

    @classmethod
    def united(cls, scopes: Sequence[Scope]) -> Scope:
        """What all of them show: O(graphs), since a query may name a great many."""
        inferred = any(scope.inferred for scope in scopes)
        names: dict[IdentifiedNode, None] = {}
        for scope in scopes:
            if scope.graphs is None:
                return cls(None, inferred)
            names.update(dict.fromkeys(scope.graphs))
        return cls(tuple(names), inferred)


EVERYTHING: Final = Scope(None, True)
DEFAULT_SCOPE: Final = Scope((DEFAULT,), True)
_MANAGER: Final = "_Graph__namespace_manager"
_MADE_UP: Final = re.compile("N[0-9a-f]{32}")
_PSEUDO_GRAPHS: Final[dict[IdentifiedNode, Scope]] = {EXPLICIT: Scope(None, False), INFERRED: Scope((), True)}


class NamedGraph(Graph):
    """A graph as the store lists it: one of a Dataset's, so it shows its explicit triples only."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A graph, its namespace manager, the default graph of that one's graph, the version of the names, and what it
    shows as long as these are the same."""

    graph: ref[Graph]
    manager: ref[NamespaceManager] | None
    default: ref[Graph] | None
    version: object
    scope: Scope

    @classmethod
    def now(cls, graph: Graph, version: object, scope: Scope) -> _Asked:
        """What it shows now."""
        manager = graph.__dict__.get(_MANAGER)
        if manager is None:
            return cls(ref(graph), None, None, version, scope)
        return cls(ref(graph), ref(manager), ref(_default_of(manager.graph)), version, scope)

    def holds(self, graph: Graph, version: object) -> bool:
        """Whether it is still so."""
        if self.graph() is not graph or self.version is not version:
            return False
        manager = graph.__dict__.get(_MANAGER)
        if manager is None or self.manager is None or self.default is None:
            return manager is None and self.manager is None
        default = _default_of(manager.graph)
        return self.manager() is manager and self.default() is default


class Scopes:
    """Knows which graphs are named graphs of a Dataset, and so what every graph over the store shows."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._named: dict[IdentifiedNode, None] = {}
        self.version = object()
        """Another object after each change of the names."""
        self._asked: dict[int, _Asked] = {}
        self._identifiers: tuple[object, TermBorder, Sequence[int]] | None = None
        # The same name has the same scope, as an object: `Contents` then knows that it was asked before.
        self._scopes: dict[tuple[IdentifiedNode, bool], Scope] = {}

    def of(self, context: Graph | None) -> Scope:
        """The scope of a graph, as the docstring of ReasoningStore describes it. O(1)."""
        if context is None:
            return EVERYTHING
        asked = self._asked.get(id(context))
        if asked is not None and asked.holds(context, self.version):
            return asked.scope
        if isinstance(context, ConjunctiveGraph):
            return EVERYTHING if context.default_union else self.of(context._default_context)
        version, identifier = self.version, context.identifier
        if self._handed_out(context):
            scope = self.of_name(identifier)
        else:
            named = identifier in self._named or isinstance(context, NamedGraph)
            scope = self.of_name(identifier if named or _is_name(identifier) else DEFAULT, named)
        if len(self._asked) >= rdflib_tuning.KEPT_SCOPES:
            self._asked = {}
        self._asked[id(context)] = _Asked.now(context, version, scope)
        return scope

    def default_graph_of(self, owner: Graph | None) -> Graph | None:
        """The graph that stands for the default graph in what a ConjunctiveGraph lists, which has a blank node for its
        name; None for others, in which the default graph is `DEFAULT`."""
        if not isinstance(owner, ConjunctiveGraph):
            return None
        default: Graph = owner._default_context
        return default if default.identifier != DEFAULT and self.of(default) == DEFAULT_SCOPE else None

    def of_name(self, identifier: IdentifiedNode, named: bool = True) -> Scope:
        """The scope of a graph of that name, as a named graph of a Dataset or as a graph of its own. O(1)."""
        if identifier == DEFAULT:
            return DEFAULT_SCOPE
        scope = self._scopes.get((identifier, named))
        if scope is None:
            if len(self._scopes) >= rdflib_tuning.KEPT_SCOPES:
                self._scopes = {}
            scope = _PSEUDO_GRAPHS.get(identifier) or Scope((identifier,), not named)
            self._scopes[identifier, named] = scope
        return scope

    def of_name_asked(self, name: str) -> Scope:
        """The scope that rdflib means by the name of the graph that a query asks."""
        if name == "__UNION__":
            return EVERYTHING
        identifier = name if isinstance(name, IdentifiedNode) else URIRef(name)
        named = identifier in self._named
        return self.of_name(identifier if named or _is_name(identifier) else DEFAULT, named)

    def for_writing(self, context: Graph | None) -> tuple[Scope, IdentifiedNode]:
        """The scope of a graph, and the name of the graph that additions to it go to.

        Raises:
            KGReasonError: the graph is read-only.
        """
        if isinstance(context, ConjunctiveGraph):
            return self.for_writing(context._default_context)
        scope = DEFAULT_SCOPE if context is None else self.of(context)
        if not scope.graphs:
            raise ReadOnlyError(f"the graph <{'' if context is None else context.identifier}> is read-only")
        return scope, scope.graphs[0]

    def is_read_only(self, context: Graph | None) -> bool:
        """Whether a graph is `EXPLICIT` or `INFERRED`, of any class of rdflib's. O(1)."""
        if context is None or isinstance(context, ConjunctiveGraph):
            return False
        return context.identifier in _PSEUDO_GRAPHS

    def check_asked(self, context: Graph | None) -> None:
        """Raise ReadOnlyError where the graph that asks for something to be done with the store is read-only."""
        if context is not None and self.is_read_only(context):
            self.check_writable(context.identifier)

    def check_writable(self, identifier: IdentifiedNode) -> None:
        """Raise ReadOnlyError for the name of a graph that is read-only."""
        if identifier in _PSEUDO_GRAPHS:
            raise ReadOnlyError(f"the graph <{identifier}> is read-only")

    def written(self, scope: Scope) -> None:
        """Record an addition: a graph that a Dataset adds to by its name is one of its named graphs."""
        if scope.graphs and not scope.inferred and scope.graphs[0] not in self._named:
            self._named[scope.graphs[0]] = None
            self.version = object()

    def register(self, identifier: IdentifiedNode) -> None:
        """Make it a named graph of a Dataset, with or without triples. O(1)."""
        if identifier not in self._named and identifier != DEFAULT and identifier not in _PSEUDO_GRAPHS:
            self._named[identifier] = None
            self.version = object()

    def forget(self, identifier: IdentifiedNode) -> None:
        """Take it from the named graphs, if it is one of them. O(1)."""
        self._named.pop(identifier, None)
        self.version = object()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Know the same named graphs as before when the body fails: O(named graphs)."""
        before = dict(self._named)
        try:
            yield
        except BaseException:
            self._named, self.version = before, object()
            raise

    def __iter__(self) -> Iterator[IdentifiedNode]:
        return iter(tuple(self._named))

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._named

    def identifiers(self, border: TermBorder) -> Sequence[int]:
        """The ids of the names, but for those that are not valid: O(names) after a change of them."""
        known = self._identifiers
        if known is None or known[0] is not self.version or known[1] is not border:
            version, found = self.version, []
            for name in self:
                with suppress(TermError):
                    found.append(border.encode(name))
            known = self._identifiers = version, border, found
        return known[2]

    def _handed_out(self, context: Graph) -> bool:
        """Whether a Dataset made this graph, to stand for one of its named graphs.

        rdflib gives no better sign than that such a graph shares the namespace manager of its Dataset."""
        manager: NamespaceManager | None = context.__dict__.get(_MANAGER)
        if manager is None or manager.graph is context or manager.graph.store is not self._store:
            return False
        default = _default_of(manager.graph)
        # Parsers for quads make a Dataset whose default graph is the graph that they were told to fill.
        return bool(default.identifier != context.identifier)


def _default_of(owner: Graph) -> Graph:
    """The default graph of a Dataset; another graph itself."""
    default: Graph = owner._default_context if isinstance(owner, ConjunctiveGraph) else owner
    return default


def _is_name(identifier: IdentifiedNode) -> bool:
    """Whether it was chosen for a graph, as a parser of TriG chooses blank nodes. rdflib gives a graph without a
    name a blank node of its own making."""
    return not (isinstance(identifier, BNode) and _MADE_UP.fullmatch(identifier))


def asked_graph(store: Store) -> Graph | None:
    """The graph of that store whose `query` or `update` called the store's method that asks; None for another."""
    # rdflib hands on the name of the graph alone, and with that not whether a Dataset made it.
    frame = sys._getframe(1).f_back
    caller = None if frame is None else frame.f_locals.get("self")
    return caller if isinstance(caller, Graph) and caller.store is store else None


def called_by_a_parser() -> bool:
    """Whether the store's method that asks was called by a Dataset for one of rdflib's parsers."""
    # rdflib gives no other sign than the calls that led here.
    frame = sys._getframe(1).f_back
    caller = frame.f_back if frame is not None else None
    return caller is not None and str(caller.f_globals.get("__name__")).startswith("rdflib.plugins.parsers.")
