"""SPARQL queries with FROM and FROM NAMED, answered from views of the store.

rdflib's evaluator copies every graph that such a query names into memory, fetches from the web those that
are empty, and ignores the clause on a graph that is not a Dataset. Here the query runs on a read-only Dataset
whose graphs are the ones named, uncopied; its default graph shows what all FROM graphs together show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rdflib.graph import Dataset, Graph
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.processor import SPARQLProcessor, SPARQLResult
from rdflib.plugins.sparql.sparql import Query
from rdflib.query import Result
from rdflib.store import Store
from rdflib.term import IdentifiedNode, Identifier

from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graphs import DEFAULT, NamedGraph, Scope, Scopes

_FROM: Final = re.compile(r"\bFROM\b", re.IGNORECASE)


def answer(
    contents: Contents,
    scopes: Scopes,
    query: str | Query,
    *,
    namespaces: Mapping[str, Any],
    bindings: Mapping[str, Identifier],
    options: Mapping[str, Any],
) -> Result:
    """The result of a query with FROM; NotImplementedError for any other, which rdflib then answers."""
    if isinstance(query, str) and not _FROM.search(query):
        raise NotImplementedError("rdflib's evaluator answers queries without FROM")
    if isinstance(query, str):
        query = translateQuery(parseQuery(query), options.get("base"), dict(namespaces))
    clauses = query.algebra.datasetClause
    if not clauses:
        raise NotImplementedError("rdflib's evaluator answers queries without FROM")
    default = Scope((), False)
    for clause in clauses:
        if clause.default:
            default |= scopes.of_name(clause.default)
    named: dict[IdentifiedNode, Scope] = {
        clause.named: scopes.of_name(clause.named) for clause in clauses if clause.named
    }
    dataset = Dataset(store=SelectedGraphs(contents, default, named))
    processor = SPARQLProcessor(dataset)  # type: ignore[no-untyped-call]
    return SPARQLResult(processor.query(_without_clauses(query), dict(bindings), **options))


def _without_clauses(query: Query) -> Query:
    algebra = CompValue(query.algebra.name, **query.algebra)
    algebra["datasetClause"] = None
    return Query(query.prologue, algebra)


class SelectedGraphs(Store):
    """The read-only store of one query: a default graph and the named graphs that its FROM clauses chose."""

    context_aware = True
    graph_aware = True

    def __init__(self, contents: Contents, default: Scope, named: Mapping[IdentifiedNode, Scope]) -> None:
        self._contents = contents
        self._scopes: dict[IdentifiedNode, Scope] = {DEFAULT: default}
        self._scopes.update(named)
        super().__init__()

    def triples(
        self, triple_pattern: Any, context: Graph | None = None
    ) -> Iterator[tuple[Any, Iterator[Graph | None]]]:
        """The matching triples of one of the graphs."""
        scope = self._scopes.get(DEFAULT if context is None else context.identifier)
        rows = () if scope is None else self._contents.read(triple_pattern, scope)
        return ((row, iter((context,))) for row in rows)

    def contexts(self, triple: Any = None) -> Any:
        """The FROM NAMED graphs."""
        for name in self._scopes:
            if name != DEFAULT:
                yield NamedGraph(store=self, identifier=name)

    def add_graph(self, graph: Graph) -> None:
        """Nothing: rdflib adds the default graph whenever it lists the graphs."""

    def __len__(self, context: Graph | None = None) -> int:
        scope = self._scopes.get(DEFAULT if context is None else context.identifier)
        return 0 if scope is None else self._contents.size(scope)
