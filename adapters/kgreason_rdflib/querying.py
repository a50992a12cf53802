"""SPARQL as a reasoning store has it: queries and updates for rdflib, tables, plans."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

from rdflib.graph import Graph
from rdflib.query import Result
from rdflib.store import TripleAddedEvent, TripleRemovedEvent
from rdflib.term import IdentifiedNode, Identifier

from kgreason.access import Access
from kgreason.io.quads import Quads
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.events import Events
from kgreason_rdflib.graph_scopes import DEFAULT, DEFAULT_SCOPE, EVERYTHING, NamedGraph, Scopes, asked_graph
from kgreason_rdflib.prefixes import Prefixes
from kgreason_rdflib.term_border import TermBorder

# SPARQL is imported by the first query or update: it takes a quarter of what rdflib and the rest of the store take.
if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    from rdflib.plugins.sparql.sparql import Query, Update

    from kgreason.sparql.limits import Limits
    from kgreason_rdflib.sparql.query_engine import Asking, QueryEngine
    from kgreason_rdflib.sparql.questions import Clauses
    from kgreason_rdflib.sparql.request import Options, Request
    from kgreason_rdflib.sparql.updates import UpdateEngine


class Querying:
    """The part of `ReasoningStore` that answers queries and does updates."""

    _contents: Contents
    _scopes: Scopes
    _events: Events
    _prefixes: Prefixes
    access: Access
    """The servers and folders that LOAD and SERVICE may reach: none, unless the owner of the store allows some."""

    @cached_property
    def _queries(self) -> QueryEngine:
        from kgreason_rdflib.sparql.query_engine import QueryEngine

        return QueryEngine(self._contents, self._scopes)

    @cached_property
    def _updates(self) -> UpdateEngine:
        from kgreason_rdflib.sparql.updates import UpdateEngine

        return UpdateEngine(self._contents, self._scopes, self._queries)

    def query(
        self,
        query: str | Query,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Identifier],
        queryGraph: str,
        **kwargs: Any,
    ) -> Result:
        """Answer a query.

        Args:
            query: its text, or what `rdflib.plugins.sparql.prepareQuery` made of it, whose text is what counts;
                both are parsed once and remembered.
            initBindings: terms for variables, everywhere in the query.
            queryGraph: the name of the graph that is asked.
            kwargs: `base` for relative IRIs; `timeout` in seconds; `max_rows` of the answer and of any one step;
                `include_inferred=False` for what is explicit alone; `access` in the place of the store's.

        Raises:
            NotImplementedError: rdflib's evaluator has to answer, which `Graph.query` then lets it do.
            QueryError: it would have to, but does not know the options.
            QueryLimitError: the query took longer, or made more rows, than it may.
            AccessError: it reaches for what it may not.
        """
        graph = asked_graph(self._events.store)
        scope = self._scopes.of_name_asked(queryGraph) if graph is None else self._scopes.of(graph)
        from kgreason_rdflib.sparql.request import Request

        base = kwargs.pop("base", None)
        options = self._options(kwargs)
        return self._queries.query(Request(query, scope, initNs, initBindings, base, options, options.begun()))

    @overload
    def query_table(
        self,
        query: str | Query,
        graph: Graph | None = None,
        *,
        to: Literal["arrow"] = "arrow",
        initNs: Mapping[str, Any] | None = None,
        initBindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        **options: Any,
    ) -> pa.Table: ...

    @overload
    def query_table(
        self,
        query: str | Query,
        graph: Graph | None = None,
        *,
        to: Literal["pandas"],
        initNs: Mapping[str, Any] | None = None,
        initBindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        **options: Any,
    ) -> pd.DataFrame: ...

    @overload
    def query_table(
        self,
        query: str | Query,
        graph: Graph | None = None,
        *,
        to: Literal["polars"],
        initNs: Mapping[str, Any] | None = None,
        initBindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        **options: Any,
    ) -> pl.DataFrame: ...

    def query_table(
        self,
        query: str | Query,
        graph: Graph | None = None,
        *,
        to: Literal["arrow", "pandas", "polars"] = "arrow",
        initNs: Mapping[str, Any] | None = None,
        initBindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        **options: Any,
    ) -> pa.Table | pd.DataFrame | pl.DataFrame:
        """The solutions of a SELECT as an Arrow table, or as a data frame, without an rdflib term in between.

        A variable whose terms are all of one kind is a column of their values: strings for IRIs, Arrow's numbers, truth
        values, dates and times for literals of these datatypes, strings for others; the field's metadata has ``kind``,
        ``datatype`` and ``language``. Otherwise it is one of structs that say all of this for each term.

        As a data frame it has the types that one computes with: integers that may be null, floats for decimals and for
        numbers of several datatypes, times, and strings for all else; see `kgreason.sparql.data_frames`.

        Args:
            graph: the graph that is asked; by default what ``Graph(store=store)`` shows.
            to: "arrow"; "pandas" or "polars" for a data frame of that library.
            options: as of `query`, where the other arguments are explained, too.

        Raises:
            OptionError: no such kind of table, or its library is not installed; the query has not run.
            QueryError: it is not a SELECT, or only rdflib's evaluator could answer it.
            QueryLimitError: the query took longer, or made more rows, than it may.
        """
        if to == "arrow":
            return self._queries.table(self._request(query, graph, initNs, initBindings, base, options))
        from kgreason.sparql.data_frames import frame_maker

        make_frame = frame_maker(to)
        return make_frame(self._queries.table(self._request(query, graph, initNs, initBindings, base, options)))

    def ask(
        self,
        query: str,
        *,
        union: bool = True,
        dataset: Clauses | None = None,
        base: str | None = None,
        inferred: bool = True,
        limits: Limits | None = None,
    ) -> Asking:
        """A query put to the graphs of this moment, for callers that go on with columns of ids: nothing is evaluated
        yet, and no rdflib result is made. The prefixes of the store are known.

        Args:
            union: whether the default graph is all graphs together, where the query has no FROM.
            dataset: the graphs that are asked, instead of those of FROM and FROM NAMED.
            limits: their time runs already.

        Raises:
            QueryError: it is not a query.
        """
        scope = EVERYTHING if union else DEFAULT_SCOPE
        return self._queries.asked(query, base, dict(self._prefixes), scope, dataset, limits, inferred=inferred)

    def explain_query(
        self,
        query: str | Query,
        graph: Graph | None = None,
        *,
        initNs: Mapping[str, Any] | None = None,
        initBindings: Mapping[str, Identifier] | None = None,
        base: str | None = None,
        **options: Any,
    ) -> str:
        """The plan by which a query runs, as an indented tree: the steps with the rows that were expected of each and
        those that came, and what rdflib evaluates instead. The query runs for that.

        Args:
            graph: the graph that is asked; by default what ``Graph(store=store)`` shows.
            options: as of `query`, where the other arguments are explained, too.
        """
        return self._queries.explain(self._request(query, graph, initNs, initBindings, base, options))

    def _request(
        self,
        query: str | Query,
        graph: Graph | None,
        namespaces: Mapping[str, Any] | None,
        bindings: Mapping[str, Identifier] | None,
        base: str | None,
        options: Mapping[str, Any],
    ) -> Request:
        from kgreason_rdflib.sparql.request import Request

        scope = DEFAULT_SCOPE if graph is None else self._scopes.of(graph)
        known = self._options(options)
        return Request(query, scope, namespaces or dict(self._prefixes), bindings or {}, base, known, known.begun())

    def _options(self, given: Mapping[str, Any]) -> Options:
        from kgreason_rdflib.sparql.request import Options, check_names

        check_names(given)
        return Options(**{"access": self.access, **given}, has_own_access="access" in given)

    def update(
        self,
        update: str | Update,
        initNs: Mapping[str, Any],
        initBindings: Mapping[str, Identifier],
        queryGraph: str,
        **kwargs: Any,
    ) -> None:
        """Carry out the operations of an update request as one change: all of them, or none.

        Takes the same arguments as `query`; its options hold for the WHERE of all operations together. DELETE takes
        explicit triples away, and what still follows stays. ADD, COPY and MOVE take explicit triples along.

        Raises:
            NotImplementedError: rdflib's evaluator has to do it, which `Graph.update` then lets it do.
            QueryError: it would have to, but does not know the options.
            AccessError: an operation reaches for what it may not; nothing has changed.
            QueryLimitError: the request took longer, or a step of it made more rows, than it may; nothing has changed.
            KGReasonError: an operation failed, or what it changed cannot be maintained; nothing has changed.
        """
        from kgreason_rdflib.sparql.update_effects import Place
        from kgreason_rdflib.sparql.updates import UpdateRequest

        graph = asked_graph(self._events.store)
        if graph is None and queryGraph != "__UNION__":
            graph = Graph(store=self._events.store, identifier=queryGraph)
        _, target = self._scopes.for_writing(graph)
        place = Place(self._scopes.of(graph), target)
        base = kwargs.pop("base", None)
        request = UpdateRequest(update, place, initNs, initBindings, base, self._options(kwargs))
        self._updates.update(request, self._announce_quads)

    def carry_out(
        self,
        update: str,
        *,
        union: bool = True,
        dataset: Clauses | None = None,
        graph: IdentifiedNode = DEFAULT,
        base: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Carry out an update request as `update` does, for callers without an rdflib graph.

        Args:
            union: whether WHERE sees all graphs as its default graph, where there is no USING, WITH or `graph`.
            dataset: the graphs that WHERE is asked; then no operation may have USING or WITH.
            graph: the graph that stands for the default one.
            limits: their time runs already; without any, none but those of the store's access.

        Raises:
            QueryError, KGReasonError: as `update`; also, where the request and `dataset` both name graphs.
        """
        from kgreason_rdflib.sparql.update_effects import Place
        from kgreason_rdflib.sparql.updates import UpdateRequest

        self._scopes.check_writable(graph)
        scope = EVERYTHING if union and graph == DEFAULT else self._scopes.of_name(graph)
        prefixes = dict(self._prefixes)
        place, options = Place(scope, graph), self._options({})
        request = UpdateRequest(update, place, prefixes, {}, base, options, dataset, limits)
        self._updates.update(request, self._announce_quads)

    def _announce_quads(self, removed: Quads, added: Quads, border: TermBorder) -> None:
        for event, quads in ((TripleRemovedEvent, removed), (TripleAddedEvent, added)):
            if self._events.has_subscribers(event):
                for *triple, name in self._contents.decoded(quads, border):
                    graph = NamedGraph(store=self._events.store, identifier=name)
                    self._events.announce(event, tuple(triple), graph)
