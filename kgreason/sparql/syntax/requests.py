"""Parsed requests as inert data: queries with their pattern in the algebra, and the operations of updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kgreason.algebra.expressions.tree import Variable
from kgreason.rdf.model import IRI, Term
from kgreason.sparql.algebra import Node

Place: TypeAlias = Variable | Term
TemplateTriple: TypeAlias = tuple[Place, Place, Place]
Quad: TypeAlias = tuple[IRI | Variable | None, Place, Place, Place]
"""A graph, None for the default one, and a triple; variables and blank nodes of it are to be filled in."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """FROM and FROM NAMED, or USING and USING NAMED."""

    default: tuple[IRI, ...]
    named: tuple[IRI, ...]


@dataclass(frozen=True, slots=True)
class OddIri:
    """An IRI that follows the grammar and is not valid: no document has it, but a store may, from rdflib."""

    value: str
    reason: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Query:
    """A query, or the WHERE of an update."""

    form: Literal["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"]
    node: Node | None
    """None for a DESCRIBE of IRIs alone."""
    variables: tuple[str, ...]
    """What an answer needs: what is selected or described, or in a template."""
    dataset: Dataset | None
    graph_names: frozenset[IRI]
    """Those that GRAPH names."""
    goes_over_graphs: bool
    """Whether there is a GRAPH with a variable."""
    fallbacks: tuple[str, ...]
    """What others evaluate."""
    base: str | None
    template: tuple[TemplateTriple, ...] = ()
    described: tuple[IRI, ...] = ()
    odd_iris: tuple[OddIri, ...] = ()
    """Those of the query, or of the operation of an update as far as its WHERE."""


@dataclass(frozen=True, slots=True)
class Service:
    """A SERVICE clause: what a server is asked."""

    server: IRI | Variable
    variables: tuple[str, ...]
    """Those that its solutions may bind."""
    query: str
    """With its prologue."""
    silent: bool


# -- updates -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rewrite:
    """DELETE and INSERT, for each solution of a pattern, or once where there is none."""

    delete: tuple[Quad, ...]
    insert: tuple[Quad, ...]
    where: Query | None = None
    graph: IRI | None = None
    """WITH: the graph that stands for the default one."""


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD: a document, into a graph or the default one."""

    source: IRI
    target: IRI | None
    silent: bool


@dataclass(frozen=True, slots=True)
class Clear:
    """CLEAR, or with `forgotten` DROP."""

    graph: IRI | Literal["DEFAULT", "NAMED", "ALL"]
    forgotten: bool
    silent: bool


@dataclass(frozen=True, slots=True)
class Create:
    """CREATE: a graph without triples."""

    graph: IRI
    silent: bool


@dataclass(frozen=True, slots=True)
class Transfer:
    """ADD, COPY or MOVE from one graph to another; None is the default graph."""

    operation: Literal["ADD", "COPY", "MOVE"]
    source: IRI | None
    target: IRI | None
    silent: bool


Operation: TypeAlias = Rewrite | Load | Clear | Create | Transfer
