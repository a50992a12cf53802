"""The operations of an update request as inert data, from rdflib's parsed ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Update
from rdflib.term import Identifier, URIRef, Variable

from kgreason.sparql import algebra
from kgreason.sparql.rewrites import rewritten
from kgreason_rdflib.sparql.expression_translation import UntranslatableError, operand
from kgreason_rdflib.sparql.lexical_grammar import parsed_request
from kgreason_rdflib.sparql.parsed_requests import Clauses, Question, clauses_of, marked
from kgreason_rdflib.sparql.rdflib_algebra import translate_update
from kgreason_rdflib.sparql.syntax_errors import reported
from kgreason_rdflib.sparql.translation import Translation

Quad: TypeAlias = tuple[Identifier | None, Identifier, Identifier, Identifier]
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


def parsed_update(text: str, base: str | None, namespaces: Mapping[str, Any]) -> Update | None:
    """A request as rdflib parses it, None for one without any operation."""
    tree = parsed_request(marked(text), base, namespaces)
    with reported():
        found = translate_update(tree, base, dict(namespaces))
    return found if isinstance(found, Update) else None


def operations_of(update: Update | None) -> tuple[Operation, ...]:
    """The operations of a parsed request.

    Raises:
        UntranslatableError: one of them has a construct that is not known here.
    """
    return () if update is None else tuple(_operation(part) for part in update.algebra)


def _operation(part: CompValue) -> Operation:
    silent = bool(part.silent)
    match part.name:
        case "InsertData":
            return Rewrite((), _quads(part))
        case "DeleteData":
            return Rewrite(_quads(part), ())
        case "DeleteWhere":
            return _delete_where(part)
        case "Modify":
            return _modify(part)
        case "Load":
            return Load(part.iri, part.graphiri, silent)
        case "Clear" | "Drop":
            return Clear(part.graphiri, part.name == "Drop", silent)
        case "Create":
            return Create(part.graphiri, silent)
        case "Add" | "Copy" | "Move":
            source, target = (None if name == "DEFAULT" else name for name in part.graph)
            return Transfer(source, target, part.name != "Add", part.name == "Move", silent)
    raise UntranslatableError(part.name)


def _quads(part: Any) -> tuple[Quad, ...]:
    if not part:
        return ()
    named = ((graph, *triple) for graph, triples in part.quads.items() for triple in triples)
    return (*((None, *triple) for triple in part.triples), *named)


def _delete_where(part: CompValue) -> Rewrite:
    quads = _quads(part)
    translation = Translation(part.prologue)
    names = {graph for graph, *_ in quads if isinstance(graph, URIRef)}
    nodes: list[algebra.Node] = []
    for graph, *triple in quads:
        pattern = algebra.Basic((algebra.TriplePattern(*map(operand, triple)),))
        nodes.append(pattern if graph is None else algebra.Graph(operand(graph), pattern))
    translation.graph_names |= names
    translation.goes_over_graphs = any(isinstance(graph, Variable) for graph, *_ in quads)
    return Rewrite(quads, (), _question(translation, algebra.Join(tuple(nodes)), quads, None))


def _modify(part: CompValue) -> Rewrite:
    translation = Translation(part.prologue)
    delete, insert = _quads(part.delete), _quads(part.insert)
    question = _question(translation, translation.node(part.where), delete + insert, clauses_of(part.using))
    return Rewrite(delete, insert, question, part.withClause)


def _question(
    translation: Translation, node: algebra.Node, quads: Iterable[Quad], clauses: Clauses | None
) -> Question:
    names = dict.fromkeys(str(term) for quad in quads for term in quad if isinstance(term, Variable))
    return Question(
        form="SELECT",
        node=rewritten(node),
        translated=node,
        variables=tuple(names),
        clauses=clauses,
        goes_over_graphs=translation.goes_over_graphs,
        graph_names=frozenset(translation.graph_names),
        foreign=translation.foreign,
        base=translation.base,
    )
