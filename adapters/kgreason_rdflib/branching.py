"""The part of `ReasoningStore` that makes branches, compares them with their origin, and takes them over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rdflib.graph import Graph
from rdflib.term import IdentifiedNode, URIRef

from kgreason.program.rules import Rule
from kgreason.rdf.vocabulary import STANDARD_PREFIXES
from kgreason_rdflib.change_graphs import ChangeStore
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import Scopes
from kgreason_rdflib.notebook_cells import cell_of_difference
from kgreason_rdflib.prefixes import Prefixes
from kgreason_rdflib.read_only_views import ReadOnlyView

if TYPE_CHECKING:
    from kgreason.store.state_difference import Sides, StateDifference
    from kgreason_rdflib.store import ReasoningStore


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """Triples that a branch has and its origin lacks, and the other way round: read-only graphs."""

    added: Graph
    removed: Graph

    def __bool__(self) -> bool:
        return bool(len(self.added) or len(self.removed))


class Difference:
    """The difference between a branch and the store that it came from, as that was when the branch began.

    A snapshot of the branch: it stays as it is when the branch changes. Graphs are read-only, and are worked out when
    they are first read.
    """

    def __init__(
        self,
        state: StateDifference,
        graph_of: Callable[[Sides], GraphDifference],
        name_of: Callable[[int], IdentifiedNode],
        namespaces: Mapping[str, str],
    ) -> None:
        self._state = state
        self._graph_of = graph_of
        self._name_of = name_of
        self._namespaces = namespaces
        self._all: GraphDifference | None = None

    @property
    def added(self) -> Graph:
        """The triples that the branch has in addition, explicit and inferred, each once."""
        return self._everything().added

    @property
    def removed(self) -> Graph:
        """The triples that the branch lacks, explicit and inferred, each once."""
        return self._everything().removed

    @property
    def explicit(self) -> GraphDifference:
        """The triples that are explicit in some graph of the one and in none of the other."""
        return self._graph_of(self._state.explicit())

    @property
    def inferred(self) -> GraphDifference:
        """The triples that follow in the one, and neither follow nor are explicit in the other."""
        return self._graph_of(self._state.inferred())

    @property
    def graphs(self) -> Mapping[IdentifiedNode, GraphDifference]:
        """The explicit triples of each graph where there is a difference, by its name; the default graph among them."""
        return {self._name_of(graph): self._graph_of(sides) for graph, sides in self._state.graphs().items()}

    @property
    def added_rules(self) -> tuple[Rule, ...]:
        """The rules that the branch has in addition."""
        return self._state.rules().added

    @property
    def removed_rules(self) -> tuple[Rule, ...]:
        """The rules that the branch lacks."""
        return self._state.rules().removed

    def _repr_html_(self) -> str:
        """Counts for a notebook, with triples and rules to be unfolded, the first ones where there are many."""
        return cell_of_difference(self, self._namespaces)

    def __bool__(self) -> bool:
        return bool(self._everything() or self._state.graphs() or self._state.rules())

    def _everything(self) -> GraphDifference:
        if self._all is None:
            self._all = self._graph_of(self._state.all())
        return self._all


@dataclass(frozen=True, slots=True)
class Names:
    """The named graphs and the prefixes of a store at some time."""

    named: frozenset[IdentifiedNode]
    prefixes: Mapping[str, URIRef]

    @classmethod
    def of(cls, scopes: Scopes, prefixes: Prefixes) -> Names:
        """Those of a store now: O(named graphs + prefixes)."""
        return cls(frozenset(scopes), dict(prefixes))


class Branching:
    """The part of `ReasoningStore` that makes branches."""

    _contents: Contents
    _scopes: Scopes
    _prefixes: Prefixes
    # The names that a branch began with; None for a store that is not a branch.
    _began: Names | None

    def _begin_branch(self) -> ReasoningStore:
        raise NotImplementedError

    @property
    def is_branch(self) -> bool:
        """Whether the store began as a branch of another one."""
        return self._began is not None

    def branch(self) -> ReasoningStore:
        """A store that begins as this one, and may be changed, queried and explained without touching it.

        It shares everything with this one: its cost does not depend on the number of triples. Triples, graphs, schema,
        rules and prefixes of either may change from then on, and each is unaware of the other. The branch lives in
        memory, also where this store is open in a directory, and goes on when this one is closed. Nothing is
        subscribed to it. What is queued here is maintained first.

            branch = store.branch()
            Graph(store=branch).add((EX.p, RDF.type, OWL.TransitiveProperty))
            for triple in branch.difference().added: ...
            store.adopt(branch)
        """
        with self._contents.lock:
            branch = self._begin_branch()
            for name in self._scopes:
                branch._scopes.register(name)
            branch._prefixes.replace(self._prefixes)
            branch._began = Names.of(self._scopes, self._prefixes)
        return branch

    def difference(self) -> Difference:
        """The triples, graphs and rules that this branch would add to the store that it came from, and remove from it.

        Compared with that store as it was when the branch began, or was adopted last: O(facts of the relations that
        changed).

        Raises:
            BranchError: this store is not a branch.
        """
        contents = self._contents
        with contents.lock:
            state, border = contents.knowledge.difference(), contents.border

        def graph_of(sides: Sides) -> GraphDifference:
            return GraphDifference(*(ReadOnlyView(ChangeStore(side, border)) for side in (sides.added, sides.removed)))

        namespaces = STANDARD_PREFIXES | {prefix: str(namespace) for prefix, namespace in self._prefixes}
        return Difference(state, graph_of, contents.name, namespaces)

    def adopt(self, branch: ReasoningStore) -> None:
        """Become what a branch of this store is: with its triples, graphs, rules and prefixes.

        Nothing is derived again. Subscribers hear of the net change, and a directory that is open gets it with the next
        `commit`. The branch begins anew from here: it may be changed and adopted again. A branch of a branch can be
        adopted by that branch alone.

        Raises:
            BranchError: it is not a branch of this store, or the explicit triples or the rules of this store have
                changed since it began; nothing has changed.
            TypeError: it is not a store, but a graph over one, for example.
        """
        if not isinstance(branch, Branching):
            kind = type(branch).__name__
            raise TypeError(f"the branch is of type {kind} (expected the store that `branch` gave)")
        with self._contents.lock:
            self._contents.knowledge.adopt(branch._contents.knowledge)
            self._contents.take_stock()
            began, now = branch._began, Names.of(branch._scopes, branch._prefixes)
            if began is not None:
                self._rename(began, now)
            branch._began = now

    def _rename(self, began: Names, now: Names) -> None:
        """Have the named graphs and the prefixes that a branch has in addition, and not those that it dropped."""
        for name in began.named - now.named:
            self._scopes.forget(name)
        for name in now.named - began.named:
            self._scopes.register(name)
        dropped = began.prefixes.keys() - now.prefixes.keys()
        fresh = {prefix: space for prefix, space in now.prefixes.items() if began.prefixes.get(prefix) != space}
        if dropped or fresh:
            kept = {prefix: space for prefix, space in self._prefixes if prefix not in dropped}
            self._prefixes.replace((kept | fresh).items())
