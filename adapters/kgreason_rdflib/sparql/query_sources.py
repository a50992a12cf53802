"""The graphs that a query is asked: what it reads by default, and the named ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rdflib.term import IdentifiedNode

from kgreason.sparql.source import Graphs, Source
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
    return Graphs(default, _named(question, contents, scopes, inferred))


def _scope_of(clauses: Clauses, scopes: Scopes) -> Scope:
    return Scope.united([scopes.of_name(name) for name in dict.fromkeys(clauses.default)])


def _named(question: Question, contents: Contents, scopes: Scopes, inferred: bool) -> Mapping[int, Source]:
    if not question.goes_over_graphs and not question.graph_names:
        return {}

    def sources(names: Iterable[IdentifiedNode]) -> dict[int, Source]:
        found: dict[int, Source] = {}
        for name in names:
            identifier = contents.identifier(name)
            if identifier is not None:
                scope = scopes.of_name(name)
                found[identifier] = contents.source(scope if inferred else Scope(scope.graphs, False))
        return found

    names = dict.fromkeys(question.clauses.named if question.clauses else [*scopes, *contents.graphs()])
    if question.clauses is None:
        names.pop(DEFAULT, None)
    listed = names if question.goes_over_graphs else names.keys() & question.graph_names
    # These are never listed, but may be asked by their names.
    unlisted = set() if question.clauses else {EXPLICIT, INFERRED, DEFAULT} & question.graph_names
    return NamedGraphs(sources(listed), sources(unlisted))


class NamedGraphs(Mapping[int, Source]):
    """Named graphs; some are never listed, but may be asked by their names."""

    def __init__(self, listed: dict[int, Source], unlisted: dict[int, Source]) -> None:
        self._listed = listed
        self._all = unlisted | listed

    def __getitem__(self, identifier: int) -> Source:
        return self._all[identifier]

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._all

    def __iter__(self) -> Iterator[int]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)
