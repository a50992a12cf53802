"""The door for updates that rdflib parsed and whose text it did not keep: from its algebra to operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Update
from rdflib.term import URIRef, Variable

from kgreason.sparql import algebra
from kgreason.sparql.rewrites import rewritten
from kgreason_rdflib.sparql.expression_translation import operand
from kgreason_rdflib.sparql.fallback import UntranslatableError
from kgreason_rdflib.sparql.prepared_requests import clauses_of
from kgreason_rdflib.sparql.questions import Clauses, Question
from kgreason_rdflib.sparql.translation import Translation
from kgreason_rdflib.sparql.update_operations import Clear, Create, Load, Operation, Quad, Rewrite, Transfer


def operations_of_prepared(update: Update) -> tuple[Operation, ...]:
    """The operations of a parsed request.

    Raises:
        UntranslatableError: one of them has a construct that is not known here.
    """
    return tuple(_operation(part) for part in update.algebra)


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
        variables=tuple(names),
        clauses=clauses,
        goes_over_graphs=translation.goes_over_graphs,
        graph_names=frozenset(translation.graph_names),
        foreign=translation.foreign,
        base=translation.base,
    )
