"""ReasoningStore: the rdflib Store that shows what follows from what it was told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, product, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rdflib.graph import Graph
from rdflib.store import TripleAddedEvent, TripleRemovedEvent
from rdflib.term import IdentifiedNode, Identifier, URIRef

from kgreason.access import NOTHING, Access
from kgreason.disk.open_options import OpenOptions
from kgreason.engine.budget import Budget
from kgreason.engine.strategy import Strategy
from kgreason.errors import OptionError, TermError
from kgreason.program.rules import Program
from kgreason.relations.catalogue import Catalogue
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import Rules
from kgreason.store.rule_warnings import warn_of_unknown_relations
from kgreason_rdflib.branching import Branching, Names
from kgreason_rdflib.bulk_loading import Loading
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.disk_transactions import Durable
from kgreason_rdflib.events import Events
from kgreason_rdflib.generalised_triples import DROP, GeneralisedTriples
from kgreason_rdflib.graph_listing import GraphListing
from kgreason_rdflib.graph_management import GraphManagement
from kgreason_rdflib.graph_scopes import DEFAULT, Scope, Scopes, asked_graph
from kgreason_rdflib.notebook_cells import cell_of_store
from kgreason_rdflib.packed_quads import State, pack, unpack
from kgreason_rdflib.prefixes import Prefixed, Prefixes
from kgreason_rdflib.querying import Querying
from kgreason_rdflib.rdflib_terms import Triple
from kgreason_rdflib.reasoning import Reasoning

if TYPE_CHECKING:
    from kgreason.disk.durable_knowledge import DurableKnowledge
    from kgreason.io.imports import ImportsOption
    from kgreason.store.triple_view import View
    from kgreason_rdflib.configuration import Configured


class ReasoningStore(Reasoning, Branching, Querying, Loading, GraphManagement, Durable, Prefixed, GraphListing):
    """An rdflib Store in which every read shows explicit and inferred triples alike.

    Changes are buffered and maintained in one batch when something next reads: a change that cannot be maintained (a
    closure beyond its budget, for example) raises there, and is undone. A change that Ctrl-C or a lack of memory
    stops is undone, too, and still queued for the next read. Rules work on the triples of all graphs.

    An RDF list that is cut off or cyclic stops nothing: the axioms that name it say nothing until it is whole again.
    The change that leaves it so warns (`ListWarning`), and `inconsistencies` names the list, or with `strict` the
    change raises ListError, and is undone.

    What a graph shows, alike for iteration, patterns, ``in``, ``len`` and SPARQL:

    * The union of all graphs, which is what ``Dataset(store=..., default_union=True)`` queries and what the
      ``len`` of any Dataset counts: all explicit triples and all inferred ones.
    * A Dataset's default graph, and a Graph without a name (``Graph(store=store)``), which is the same graph:
      the explicit triples of the default graph and all inferred ones.
    * A named graph of a Dataset: its explicit triples only. These are the graphs that a Dataset hands out
      (``dataset.graph(name)``, ``get_context``, ``graphs()``), and every graph under a name that a Dataset
      has used in ``graph()`` or to add quads.
    * Any other graph with a name (``Graph(store=store, identifier=name)``): its own explicit triples and all
      inferred ones.
    * ``urn:x-kgreason:explicit`` and ``urn:x-kgreason:inferred``, that is `explicit` and `inferred`, also
      as names in FROM, FROM NAMED and GRAPH: what was asserted in any graph; what only follows. They are
      read-only, and never listed.

    An inferred triple is one that is explicit in no graph; where quads are listed it belongs to the default
    graph. `remove` takes explicit triples away and leaves what still follows. Iterations go over a snapshot,
    so that the graph may be changed meanwhile, also by another thread.

    The store lives in memory, or with `open` in a directory, where `commit` and `close` put changes on disk.
    """

    context_aware = True
    graph_aware = True
    formula_aware = True  # rdflib parses N3 into no other store; a formula itself is refused
    transaction_aware = False

    def __init__(
        self,
        configuration: Configured | None = None,
        identifier: Identifier | None = None,
        *,
        rules: Rules | None = None,
        schemes: str | Catalogue | None = None,
        strategy: str | Strategy | None = None,
        budget: Budget | None = None,
        access: Access = NOTHING,
        imports: ImportsOption = None,
        strict: bool = False,
        generalised: str = DROP,
    ) -> None:
        """Make an empty store, or open one in a directory.

        Args:
            configuration: what to `open`: the path of a directory, or a mapping or a URL, whose options take the place
                of the others. ``ReasoningStore(tomllib.load(file)["store"])``, for example.
            rules: the name of a rule set, rules as text, a path, or a sequence of these; without any, "owl-rl", or when
                a directory is opened the rules that were committed there.
            schemes: "auto" keeps transitive, symmetric, equivalent and united relations in compressed schemes;
                "plain" writes every inferred triple out; a `Catalogue` says what to do with which relation.
            strategy: "modular", or "plain" for seminaive materialisation and DRed without modules and schemes, to
                compare with; a `Strategy` has a switch for each part. Without a name for one of these two, "auto"
                and "modular", or when a directory is opened the names that were committed there.
            budget: how much one change may derive, for programs whose closure may explode; see `Budget`. It is not
                kept in a directory, and holds also when one is opened and has something to be derived again.
            access: which servers and folders LOAD and SERVICE may reach for, and which servers `bulk_load` may for
                URLs; none unless given. A query or an update may have an `access` of its own. rdflib's parsers follow
                their own rules: `parse` opens what it is told to, and the one of JSON-LD fetches remote contexts,
                which `kg-jsonld` does not.
            imports: what `bulk_load` does about ``owl:imports``, unless it is told otherwise: folders and catalogues in
                which it looks; True for the folders of the documents; False for nothing. Without, it warns of what is
                missing.
            strict: refuse a change, with ListError, that leaves a list cut off or cyclic which it concerns. It is not
                kept in a directory, and says nothing of what was committed there.
            generalised: what becomes of triples that rdflib takes and RDF does not have, with a literal as subject, or
                a blank node or a literal as predicate, as owlrl adds them: "refuse" them, "drop" them with one warning,
                or "keep" them for rdflib's reads alone; see `kgreason_rdflib.generalised_triples`.

        Raises:
            RuleError: rules that cannot be used.
            OptionError: an option that is none of these.
        """
        for name, given, kind in (("budget", budget, Budget), ("access", access, Access)):
            if given is not None and not isinstance(given, kind):
                raise OptionError(f"{name}={given!r}", name, given, expected=f"{kind.__name__}(...)")
        self._open_options = OpenOptions(rules, schemes=schemes, strategy=strategy, budget=budget, strict=strict)
        self._has_own_rules = rules is not None
        self._contents = self._first_contents(rules)
        self._scopes = Scopes(self)
        self._listed, self._all = {}, ((None, None, None), [])
        self._events = Events(self)
        self._prefixes = Prefixes()
        self._durable: DurableKnowledge | None = None
        self._path: Path | None = None
        self._start_prefixes: list[tuple[str, URIRef]] = []
        self._began: Names | None = None
        self._generalised = GeneralisedTriples(generalised)
        self.access = access
        self.imports = imports
        super().__init__(cast("str | None", configuration), identifier)

    def _first_contents(self, rules: Rules | None) -> Contents:
        if rules is not None:
            base = self._open_options.base(rules)
            warn_of_unknown_relations(base.rules)
            return Contents.of(base)
        self._open_options.check()
        return Contents(lambda: self._open_options.base(self._open_options.default))

    @classmethod
    def over(cls, knowledge: KnowledgeBase) -> ReasoningStore:
        """A store that shows and changes a knowledge base which is there already; its graphs are named graphs."""
        store = cls(rules="none")
        store._contents = Contents.of(knowledge)
        for name in store._contents.take_stock():
            store._scopes.register(name)
        return store

    def _begin_branch(self) -> ReasoningStore:
        """A store over a branch of this one's knowledge base."""
        store = ReasoningStore(rules="none", access=self.access, imports=self.imports)
        store._open_options = replace(self._open_options, rules=None)
        store._contents = self._contents.branch()
        if "_queries" in vars(self):
            store._queries = self._queries.over(store._contents, store._scopes)
        return store

    @property
    def knowledge_base(self) -> KnowledgeBase:
        """The knowledge base under the store: the same triples by ids, without rdflib."""
        return self._contents.knowledge

    @property
    def budget(self) -> Budget:
        """How much one change may derive, be it a load, a triple or a rule. Another budget counts from the next
        maintenance on; one that is exceeded there raises BudgetError, which names the rules that produced most, and the
        change is dropped."""
        return self._contents.knowledge.budget

    @budget.setter
    def budget(self, budget: Budget | None) -> None:
        self._contents.knowledge.budget = budget or Budget()
        self._open_options = replace(self._open_options, budget=budget)

    def _repr_html_(self) -> str:
        """The counts of the store for a notebook, and of a branch what sets it apart from its origin."""
        return cell_of_store(self)

    # -- triples ---------------------------------------------------------------------------------------------

    def add(self, triple: Any, context: Graph | None, quoted: bool = False) -> None:
        """Add an explicit triple to a graph.

        Raises:
            TermError: a variable, an IRI with a line break, ...; nothing has changed.
            KGReasonError: a quoted triple, or a graph that is read-only.
        """
        if quoted:
            raise TermError("a quoted formula of N3 cannot be stored", expected="a triple of RDF 1.1")
        scope, target = self._scopes.for_writing(context)
        try:
            self._contents.add(triple, target)
        except TermError as refusal:
            self._generalised.check(triple, refusal)
            self._generalised.add(triple, target)
        self._scopes.written(scope)
        self._events.announce(TripleAddedEvent, triple, context)

    def addN(self, quads: Iterable[Any]) -> None:  # noqa: N802 - the name is rdflib's
        """Add many explicit triples at once: all, or when one is refused none. The iterable is read once."""
        aside: list[tuple[Triple, IdentifiedNode]] = []

        def set_aside(triple: Triple, target: IdentifiedNode, refusal: TermError) -> None:
            self._generalised.check(triple, refusal)
            aside.append((triple, target))

        scopes: dict[Scope, None] = {}
        announced: list[tuple[Any, Graph]] | None = [] if self._events.has_subscribers(TripleAddedEvent) else None
        self._contents.add_many(self._targeted(quads, scopes, announced), set_aside)
        for triple, target in aside:
            self._generalised.add(triple, target)
        for scope in scopes:
            self._scopes.written(scope)
        for triple, context in announced or ():
            self._events.announce(TripleAddedEvent, triple, context)

    def _targeted(
        self, quads: Iterable[Any], scopes: dict[Scope, None], announced: list[tuple[Any, Graph]] | None
    ) -> Iterator[tuple[Any, Any, Any, IdentifiedNode]]:
        last: Graph | None = None
        target: IdentifiedNode = DEFAULT
        for subject, predicate, object, context in quads:
            if last is None or context is not last:
                (scope, target), last = self._scopes.for_writing(context), context
                scopes[scope] = None
            if announced is not None:
                announced.append(((subject, predicate, object), context))
            yield subject, predicate, object, target

    def remove(self, triple: Any, context: Graph | None = None) -> None:
        """Remove the explicit triples that match a pattern, from one graph or all; what still follows stays.

        Raises:
            KGReasonError: the graph is read-only.
        """
        if context is not None:
            self._scopes.for_writing(context)
        scope = self._scopes.of(context)
        self._contents.remove(triple, scope)
        if self._generalised.graphs:
            self._generalised.remove(triple, scope)
        self._events.announce(TripleRemovedEvent, triple, context)

    def triples(
        self, triple_pattern: Any, context: Graph | None = None
    ) -> Iterator[tuple[Any, Iterator[Graph | None]]]:
        """The triples of a graph, or of all, that match a pattern: each once, with the graphs that show it.

        A read of few triples costs tens of microseconds, a long one less than a microsecond per triple."""
        if context is None:
            return self._quad_rows(triple_pattern, self._scopes.default_graph_of(asked_graph(self)))
        scope = self._scopes.of(context)
        rows = self._contents.snapshot(scope).read(triple_pattern)
        if self._generalised.graphs:
            rows = chain(rows, self._generalised.read(triple_pattern, scope))
        return zip(rows, map(iter, repeat((context,))))  # noqa: B905 - the second is endless

    def view(self, graph: Graph | IdentifiedNode | str | None = None) -> View:
        """The triples that a graph, or all together, shows now, by the ids of `knowledge_base.dictionary`; `graph` by
        its name is a named graph.

        Raises:
            OptionError: `graph` is neither a graph nor the name of one.
        """
        return self._contents.view(self._scopes.of(self._sink(graph)))

    def triples_choices(self, triple: Any, context: Graph | None = None) -> Iterator[Any]:  # type: ignore[override]  # rdflib asks for a Generator
        """The triples that match a pattern with a list or a set of terms in one place, each once.

        An empty list matches every term."""
        choices = [dict.fromkeys(part) or (None,) if isinstance(part, list | set) else (part,) for part in triple]
        for pattern in product(*choices):
            yield from self.triples(pattern, context)

    def __len__(self, context: Graph | None = None) -> int:
        scope = self._scopes.of(context)
        aside = self._generalised.size(scope) if self._generalised.graphs else 0
        return self._contents.size(scope) + aside

    @property
    def generalised_triples(self) -> int:
        """How many generalised triples, of those added, were dropped or kept apart."""
        return len(self._generalised)

    # -- pickles ---------------------------------------------------------------------------------------------

    def __getstate__(self) -> tuple[Program, State]:
        with self._contents.lock:
            return self._contents.knowledge.rule_additions, self._state()

    def __setstate__(self, kept: tuple[Program, State]) -> None:
        rules, state = kept
        self.__init__(rules=rules)  # type: ignore[misc]  # unpickled, it begins as a new store
        self._take(state)

    def _state(self) -> State:
        return State(*pack(self._contents.knowledge), tuple(self._scopes), tuple(self._prefixes))

    def _take(self, state: State) -> None:
        with self._contents.lock:
            self._contents.add_quads(unpack(self._contents.knowledge.dictionary, state.keys, state.quads))
        for name in state.named:
            self._scopes.register(name)
        for prefix, namespace in state.prefixes:
            self.bind(prefix, namespace)
