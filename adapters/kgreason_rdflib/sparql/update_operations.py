"""The operations of an update request as they are carried out, with rdflib's terms in their templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rdflib.term import Node, URIRef

from kgreason.rdf.model import IRI
from kgreason.sparql.syntax import requests
from kgreason.sparql.syntax.updates import parse_update
from kgreason_rdflib.sparql.query_extensions import RdflibExtensions
from kgreason_rdflib.sparql.questions import Question, question_of, rdflib_term
from kgreason_rdflib.sparql.syntax_errors import as_malformed

Quad: TypeAlias = tuple[Node | None, Node, Node, Node]
"""A graph, None for the default one, and a triple; with variables and blank nodes that are filled in."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """DELETE and INSERT, for each solution of a question, or once where there is none."""

    delete: tuple[Quad, ...]
    insert: tuple[Quad, ...]
    question: Question | None = None
    graph: URIRef | None = None
    """WITH: the graph that stands for the default one."""
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD: what a document says, into a graph."""

    source: URIRef
    target: URIRef | None
    silent: bool


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR, or with `forgotten` DROP; `graph` is a name, or which ones: "DEFAULT", "NAMED" or "ALL"."""

    graph: str
    forgotten: bool
    silent: bool


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE: a graph without triples."""

    graph: URIRef
    silent: bool


@dataclass(frozen=True, slots=True)
class Transfer:
    """ADD, COPY or MOVE from one graph to another; None is the default graph."""

    source: URIRef | None
    target: URIRef | None
    replaced: bool
    moved: bool
    silent: bool


Operation: TypeAlias = Rewrite | Load | Clear | Create | Transfer


def parsed_operations(text: str, base: str | None, namespaces: Mapping[str, Any]) -> tuple[Operation, ...]:
    """The operations of a text.

    Raises:
        MalformedRequestError: it is not an update request; with line and column.
        QueryError: it is nested too deeply.
    """
    with as_malformed():
        return tuple(map(_operation, parse_update(text, base, namespaces, RdflibExtensions())))


def _operation(parsed: requests.Operation) -> Operation:
    match parsed:
        case requests.Rewrite(delete, insert, where, graph):
            question = None if where is None else question_of(where)
            return Rewrite(tuple(map(_quad, delete)), tuple(map(_quad, insert)), question, _name(graph))
        case requests.Load(source, target, silent):
            return Load(URIRef(source.value), _name(target), silent)
        case requests.Clear(graphs, forgotten, silent):
            return Clear(URIRef(graphs.value) if isinstance(graphs, IRI) else graphs, forgotten, silent)
        case requests.Create(graph, silent):
            return Create(URIRef(graph.value), silent)
        case requests.Transfer(operation, source, target, silent):
            return Transfer(_name(source), _name(target), operation != "ADD", operation == "MOVE", silent)


def _name(iri: IRI | None) -> URIRef | None:
    return None if iri is None else URIRef(iri.value)


def _quad(quad: requests.Quad) -> Quad:
    graph, subject, predicate, object = quad
    name = None if graph is None else rdflib_term(graph)
    return name, rdflib_term(subject), rdflib_term(predicate), rdflib_term(object)
