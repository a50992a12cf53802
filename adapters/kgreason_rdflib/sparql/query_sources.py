"""The graphs that a query is asked: what it reads by default, and the named ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from rdflib.term import IdentifiedNode

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.sparql.source import Graphs, Source, Together
from kgreason.store.views import Views
from kgreason_rdflib.contents import Contents
from kgreason_rdflib.graph_scopes import DEFAULT, EXPLICIT, INFERRED, Scope, Scopes
from kgreason_rdflib.sparql.questions import Clauses, Question


def graphs_for(
    question: Question, scope: Scope, contents: Contents, scopes: Scopes, *, inferred: bool
) -> Graphs:
    """The graphs that a question is asked, of one moment. To be called under the lock of the contents.

    Args:
        scope: what is asked where the query has no FROM.
        inferred: whether what only follows is shown anywhere.
    """
    clauses = question.clauses
    if clauses is not None:
        scope = _scope_of(clauses, scopes)
    default = contents.source(scope if inferred else Scope(scope.graphs, False))
    if not question.goes_over_graphs and not question.graph_names:
        return Graphs(default, {})
    named = _named(question, contents, scopes, inferred)
    return Graphs(default, named, named.together(is_limited=clauses is not None))


def _scope_of(clauses: Clauses, scopes: Scopes) -> Scope:
    return Scope.united([scopes.of_name(name) for name in dict.fromkeys(clauses.default)])


def _named(question: Question, contents: Contents, scopes: Scopes, inferred: bool) -> NamedGraphs:
    views = contents.knowledge.views()

    def sources(names: Iterable[IdentifiedNode]) -> dict[int, Source | None]:
        found: dict[int, Source | None] = {}
        for name in names:
            identifier = contents.identifier(name)
            if identifier is not None:
                scope = scopes.of_name(name)
                is_plain = scope.graphs == (name,) and not scope.inferred
                shown = scope if inferred else Scope(scope.graphs, False)
                found[identifier] = None if is_plain else contents.source(shown)
        return found

    asked = question.graph_names
    if question.clauses is not None:
        names = dict.fromkeys(question.clauses.named)
        return NamedGraphs(views, sources(names if question.goes_over_graphs else names.keys() & asked), {})
    # These are never listed, but may be asked by their names.
    unlisted = {EXPLICIT, INFERRED, DEFAULT} & asked
    if question.goes_over_graphs:
        # Of these each shows what is explicit in it.
        listed: dict[int, Source | None] = dict.fromkeys(chain(scopes.identifiers(contents.border), views.names()))
        listed.pop(DEFAULT_GRAPH, None)
    else:
        listed = sources(name for name in asked - unlisted if name in scopes or contents.has_explicit(name))
    return NamedGraphs(views, listed, sources(unlisted))


class NamedGraphs(Mapping[int, Source]):
    """Named graphs; some are never listed, but may be asked by their names."""

    def __init__(self, views: Views, listed: dict[int, Source | None], unlisted: dict[int, Source | None]) -> None:
        """By the ids of their names what they show, None for the explicit triples of the graph, which `views` have."""
        self._views = views
        self._listed = listed
        self._all = unlisted | listed if unlisted else listed

    def together(self, *, is_limited: bool) -> Together:
        """The graphs that show their explicit triples; `is_limited` where these are not all with triples."""
        special = [identifier for identifier, source in self._all.items() if source is not None]
        plain = self._all.keys() - special if special else self._all.keys()
        return Together(self._views.columns, plain, is_limited)

    def __getitem__(self, identifier: int) -> Source:
        known = self._all[identifier]
        return known if known is not None else self._views.graph(identifier)

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._all

    def __iter__(self) -> Iterator[int]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
