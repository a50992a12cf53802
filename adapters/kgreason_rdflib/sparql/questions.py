"""Questions: parsed queries as they are put to a store, with the terms that results and templates need as rdflib's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rdflib.term import Node, URIRef, Variable

from kgreason.algebra.expressions import tree
from kgreason.sparql import algebra
from kgreason.sparql.rewrites import rewritten
from kgreason.sparql.syntax.queries import parse_query
from kgreason.sparql.syntax.requests import Dataset, OddIri, Place, Query
from kgreason_rdflib.rdflib_terms import from_model
from kgreason_rdflib.sparql.query_extensions import RdflibExtensions
from kgreason_rdflib.sparql.syntax_errors import as_malformed

Triples = tuple[tuple[Node, Node, Node], ...]


@dataclass(frozen=True, slots=True)
class Clauses:
    """FROM and FROM NAMED."""

    default: tuple[URIRef, ...]
    named: tuple[URIRef, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A translated query: which form it has, what it asks, and of which graphs."""

    form: str
    node: algebra.Node | None
    """Rewritten."""
    variables: tuple[str, ...]
    clauses: Clauses | None
    goes_over_graphs: bool
    """Whether it has GRAPH with a variable."""
    graph_names: frozenset[URIRef]
    """Those of GRAPH."""
    foreign: tuple[str, ...]
    base: str | None = None
    template: Triples = ()
    described: tuple[URIRef, ...] = ()
    odd_iris: tuple[OddIri, ...] = ()


def parsed_question(text: str, base: str | None, namespaces: Mapping[str, Any]) -> Question:
    """The question of a text.

    Raises:
        MalformedRequestError: it is not a query; with line and column.
        QueryError: it is nested too deeply.
    """
    with as_malformed():
        return question_of(parse_query(text, base, namespaces, RdflibExtensions()))


def question_of(query: Query) -> Question:
    """The question of a parsed query."""
    return Question(
        form=query.form,
        node=None if query.node is None else rewritten(query.node),
        variables=query.variables,
        clauses=_clauses(query.dataset),
        goes_over_graphs=query.goes_over_graphs,
        graph_names=frozenset(URIRef(name.value) for name in query.graph_names),
        foreign=query.fallbacks,
        base=query.base,
        template=tuple((rdflib_term(s), rdflib_term(p), rdflib_term(o)) for s, p, o in query.template),
        described=tuple(URIRef(name.value) for name in query.described),
        odd_iris=query.odd_iris,
    )


def rdflib_term(place: Place) -> Node:
    """What stands in a template, as rdflib has it."""
    return Variable(place.name) if isinstance(place, tree.Variable) else from_model(place)


def _clauses(dataset: Dataset | None) -> Clauses | None:
    if dataset is None:
        return None
    default, named = ([URIRef(name.value) for name in names] for names in (dataset.default, dataset.named))
    return Clauses(tuple(default), tuple(named))
