"""Results of queries and graphs as the suites compare them: literals by lexical forms, blank nodes up to their names.

Terms are pyoxigraph's, and its readers read what is expected, so nothing of what is tested takes part in the judgement.
Language tags come in lower case, and a plain literal is one of xsd:string.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

import pyoxigraph as ox
from rdflib import BNode, Dataset, Graph, URIRef
from rdflib.query import Result
from rdflib.term import Node

from kgreason_rdflib import DirectedLiteral, TripleTerm

RS = "http://www.w3.org/2001/sw/DataAccess/tests/result-set#"
XSD = "http://www.w3.org/2001/XMLSchema#"
FORMATS = {
    ".srx": ox.QueryResultsFormat.XML,
    ".srj": ox.QueryResultsFormat.JSON,
    ".tsv": ox.QueryResultsFormat.TSV,
}
RDF_FORMATS = {
    ".ttl": ox.RdfFormat.TURTLE,
    ".rdf": ox.RdfFormat.RDF_XML,
    ".nt": ox.RdfFormat.N_TRIPLES,
    ".nq": ox.RdfFormat.N_QUADS,
    ".trig": ox.RdfFormat.TRIG,
}

Term: TypeAlias = ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple
Row: TypeAlias = Mapping[str, Term]


@dataclass(frozen=True)
class Answer:
    """The answer to an ASK, or the solutions to a SELECT; `ordered` says whether their order counts."""

    truth: bool | None
    variables: frozenset[str]
    rows: Sequence[Row]
    ordered: bool = False


# -- reading ---------------------------------------------------------------------------------------------------


def expected_answer(path: Path, base: str) -> Answer:
    """What a file of results says: XML, JSON, TSV, or a result set in RDF."""
    if path.suffix not in FORMATS:
        return _result_set(quads_of(path, base))
    found = ox.parse_query_results(path.read_bytes(), format=FORMATS[path.suffix])
    if isinstance(found, ox.QueryBoolean):
        return Answer(bool(found), frozenset(), ())
    names = [variable.value for variable in found.variables]
    rows = [{name: row[name] for name in names if row[name] is not None} for row in found]
    return Answer(None, frozenset(names), rows)


def answer_of(result: Result) -> Answer:
    """What a store answered."""
    if result.type == "ASK":
        return Answer(result.askAnswer, frozenset(), ())
    rows = [{str(name): term_of(node) for name, node in row.items()} for row in result.bindings]
    return Answer(None, frozenset(map(str, result.vars or ())), rows)


def quads_of(path: Path, base: str) -> list[ox.Quad]:
    """The quads of a file, in the format that its name tells."""
    return list(ox.parse(path.read_bytes(), format=RDF_FORMATS[path.suffix], base_iri=base))


def in_graph(quad: ox.Quad, name: str) -> ox.Quad:
    """A triple of a file, in a graph by its name."""
    return ox.Quad(quad.subject, quad.predicate, quad.object, ox.NamedNode(name))


def quads_in(graph: Graph) -> list[ox.Quad]:
    """The quads of an rdflib graph or dataset."""
    if not isinstance(graph, Dataset):
        return [ox.Quad(*map(term_of, triple)) for triple in graph]
    default = graph.default_graph.identifier
    return [
        ox.Quad(*map(term_of, triple), ox.DefaultGraph() if name in (None, default) else term_of(name))
        for *triple, name in graph.quads()
    ]


def term_of(node: Node) -> Term:
    """pyoxigraph's term for rdflib's, which has the same lexical form."""
    if isinstance(node, URIRef):
        return ox.NamedNode(str(node))
    if isinstance(node, BNode):
        return ox.BlankNode(str(node))
    if isinstance(node, TripleTerm):
        return ox.Triple(*map(term_of, node))
    if isinstance(node, DirectedLiteral):
        direction = ox.BaseDirection.LTR if node.direction == "ltr" else ox.BaseDirection.RTL
        return ox.Literal(str(node), language=node.tag, direction=direction)
    if node.language:
        return ox.Literal(str(node), language=node.language)
    return ox.Literal(str(node), datatype=None if node.datatype is None else ox.NamedNode(str(node.datatype)))


def _result_set(quads: Iterable[ox.Quad]) -> Answer:
    """A result set in RDF; with an index for each solution, their order counts."""
    graph = ox.Dataset(quads)

    def objects(subject: Term, name: str) -> list[Term]:
        return [quad.object for quad in graph.quads_for_subject(subject) if quad.predicate.value == RS + name]

    (root,) = {quad.subject for quad in graph if quad.object == ox.NamedNode(RS + "ResultSet")}
    truth = objects(root, "boolean")
    if truth:
        return Answer(truth[0].value in ("true", "1"), frozenset(), ())
    solutions = objects(root, "solution")
    ordered = all(objects(solution, "index") for solution in solutions)
    if ordered:
        solutions.sort(key=lambda solution: int(objects(solution, "index")[0].value))
    rows = [
        {objects(node, "variable")[0].value: objects(node, "value")[0] for node in objects(solution, "binding")}
        for solution in solutions
    ]
    return Answer(None, frozenset(name.value for name in objects(root, "resultVariable")), rows, ordered)


# -- comparing -------------------------------------------------------------------------------------------------


def same_answers(found: Answer, expected: Answer) -> bool:
    """Whether two answers are the same, in order where the order of what is expected counts."""
    if (found.truth, found.variables) != (expected.truth, expected.variables):
        return False
    shapes = [_shape(row) for row in found.rows], [_shape(row) for row in expected.rows]
    if expected.ordered and shapes[0] != shapes[1]:
        return False
    return Counter(shapes[0]) == Counter(shapes[1]) and same_quads(_quads(found.rows), _quads(expected.rows))


def same_quads(found: Iterable[ox.Quad], expected: Iterable[ox.Quad]) -> bool:
    """Whether two sets of quads are isomorphic."""
    return _canonical(found) == _canonical(expected)


def _canonical(quads: Iterable[ox.Quad]) -> set[ox.Quad]:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return set(dataset)


def _shape(row: Row) -> frozenset[tuple[str, Term | None]]:
    """A solution with its blank nodes reduced to being blank."""
    return frozenset((name, _ground(term)) for name, term in row.items())


def _ground(term: Term) -> Term | None:
    """A term with None for its blank nodes."""
    if isinstance(term, ox.BlankNode):
        return None
    if isinstance(term, ox.Triple) and any(_ground(part) != part for part in term):
        return None
    return term


def _quads(rows: Iterable[Row]) -> Iterable[ox.Quad]:
    """The solutions with blank nodes as a graph: one node for each distinct one, with how often it is there."""
    counts = Counter(frozenset(row.items()) for row in rows)
    for row, count in counts.items():
        if any(_ground(term) != term for _, term in row):
            node = ox.BlankNode()
            yield ox.Quad(node, ox.NamedNode("urn:count"), ox.Literal(count))
            for name, term in row:
                yield ox.Quad(node, ox.NamedNode(f"urn:variable:{name}"), term)


def by_value(term: Term) -> Term:
    """The same literal for numbers of one datatype that are equal."""
    if not isinstance(term, ox.Literal):
        return term
    datatype = term.datatype.value.removeprefix(XSD)
    try:
        if datatype in ("decimal", "integer"):
            return ox.Literal(str(Decimal(term.value).normalize()), datatype=term.datatype)
        if datatype in ("double", "float"):
            return ox.Literal(repr(float(term.value)), datatype=term.datatype)
    except (ArithmeticError, ValueError):
        return term
    return term


def answer_by_value(answer: Answer) -> Answer:
    """An answer with the literals of `by_value`."""
    return replace(answer, rows=[{name: by_value(term) for name, term in row.items()} for row in answer.rows])
