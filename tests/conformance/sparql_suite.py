"""W3C's SPARQL 1.0 and 1.1 suites: their cases, and how one is run on a dataset of any rdflib store.

As a program it prints which cases rdflib's own engine passes:

    python -m tests.conformance.sparql_suite
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any

from rdflib import RDF, RDFS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.compare import isomorphic
from rdflib.plugins.sparql import prepareQuery, prepareUpdate
from rdflib.query import Result

from kgreason import ReasoningStore
from kgreason_rdflib.sparql.operations import operations_of, parsed_update
from kgreason_rdflib.sparql.parsing import question_of
from tests.shared_data import unpacked

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
RS = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/result-set#")
BASE = "http://suite.example/"
NO_QUERIES = ("entailment", "protocol", "graph-store-protocol", "http-rdf-update", "service-description")
FORMATS = {".srx": "xml", ".srj": "json", ".csv": "csv", ".tsv": "tsv"}

Dated = tuple[tuple[str | None, Path], ...]
"""Files of triples by the names of the graphs that they are for; None is the default graph."""
MakeDataset = Callable[[], Dataset]


@dataclass(frozen=True)
class Case:
    """One case: `kind` is the local name of its class in the manifest."""

    name: str
    kind: str
    text: Path
    data: Dated = ()
    result: Path | None = None
    expected: Dated = ()

    @property
    def base(self) -> str:
        return iri_of(self.text)


def suite_folder() -> Path:
    return unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz") / "sparql"


def iri_of(path: Path) -> str:
    return BASE + str(path.relative_to(suite_folder()))


def path_of(iri: object) -> Path:
    return suite_folder() / str(iri).removeprefix(BASE)


def cases(version: str) -> list[Case]:
    """All cases of ``sparql10`` or ``sparql11`` that are about queries and updates."""
    found = []
    for manifest in sorted((suite_folder() / version).glob("*/manifest.ttl")):
        if manifest.parent.name not in NO_QUERIES:
            found += list(_cases(manifest))
    return found


def _cases(manifest: Path) -> Iterator[Case]:
    graph = Graph().parse(manifest, format="turtle", publicID=iri_of(manifest))
    for entry in Collection(graph, next(graph.objects(None, MF.entries))):
        kind = str(next(graph.objects(entry, RDF.type))).rpartition("#")[2]
        name = f"{manifest.parent.parent.name[-2:]}/{manifest.parent.name}/{str(entry).rpartition('#')[2]}"
        action = next(graph.objects(entry, MF.action), None)
        result = next(graph.objects(entry, MF.result), None)
        if kind == "UpdateEvaluationTest":
            text = path_of(next(graph.objects(action, UT.request)))
            yield Case(name, kind, text, _graphs(graph, action), expected=_graphs(graph, result))
        elif isinstance(action, URIRef):
            yield Case(name, kind, path_of(action))
        else:
            text = path_of(next(graph.objects(action, QT.query)))
            data = [(None, path_of(value)) for value in graph.objects(action, QT.data)]
            data += [(str(value), path_of(value)) for value in graph.objects(action, QT.graphData)]
            yield Case(name, kind, text, tuple(data), None if result is None else path_of(result))


def _graphs(graph: Graph, node: Any) -> Dated:
    found: list[tuple[str | None, Path]] = [(None, path_of(value)) for value in graph.objects(node, UT.data)]
    for value in graph.objects(node, UT.graphData):
        file = next(graph.objects(value, UT.graph), None) or next(graph.objects(value, UT.data), None)
        found.append((str(next(graph.objects(value, RDFS.label))), path_of(file)))
    return tuple(found)


# -- running ---------------------------------------------------------------------------------------------------


def passes(case: Case, make: MakeDataset, *, prefix: str = "", **options: Any) -> bool:
    """Whether a case comes out as it should; data is read by the parsers with a prefix, `options` go to the query."""
    text = case.text.read_text()
    if "Syntax" in case.kind:
        return _is_accepted(case, text, make) == case.kind.startswith("Positive")
    dataset = loaded(case.data, make, prefix)
    if case.kind == "UpdateEvaluationTest":
        dataset.update(f"BASE <{case.base}>\n{text}")
        return _same_graphs(dataset, loaded(case.expected, Dataset))
    for clause in _from_clauses(case, text):
        load(dataset, clause, path_of(clause), prefix)
    return _same_results(case, dataset.query(text, base=case.base, **options), "ORDER BY" in text.upper())


def loaded(data: Dated, make: MakeDataset, prefix: str = "") -> Dataset:
    dataset = make()
    for name, path in data:
        load(dataset, name, path, prefix)
    return dataset


def load(dataset: Dataset, name: str | None, path: Path, prefix: str = "") -> None:
    """Triples for a graph; what is there already stays."""
    target = dataset.default_graph if name is None else dataset.graph(URIRef(name))
    format = "xml" if path.suffix == ".rdf" else "turtle"
    target.parse(path, format=prefix + format, publicID=iri_of(path))


def _is_accepted(case: Case, text: str, make: MakeDataset) -> bool:
    ours = isinstance(make().store, ReasoningStore)
    try:
        if "Update" not in case.kind:
            prepared = prepareQuery(text, base=case.base)
            if ours:
                question_of(prepared)
        elif ours:
            operations_of(parsed_update(text, case.base, {}))
        else:
            prepareUpdate(text, base=case.base)
    except Exception:
        return False
    return True


def _from_clauses(case: Case, text: str) -> list[str]:
    """What a query names in FROM and FROM NAMED, that is to be there before it is asked."""
    clauses = prepareQuery(text, base=case.base).algebra.datasetClause or ()
    names = {str(clause.default or clause.named) for clause in clauses}
    return sorted(names - {name for name, _ in case.data if name is not None})


def _same_graphs(found: Dataset, expected: Dataset) -> bool:
    def graphs(dataset: Dataset) -> dict[str, Graph]:
        default = dataset.default_graph.identifier
        named = {str(g.identifier): g for g in dataset.graphs() if g.identifier != default and len(g)}
        return {"": dataset.default_graph, **named}

    one, other = graphs(found), graphs(expected)
    return one.keys() == other.keys() and all(isomorphic(_plain(one[name]), _plain(other[name])) for name in one)


# -- comparing -------------------------------------------------------------------------------------------------


def _same_results(case: Case, found: Result, ordered: bool) -> bool:
    assert case.result is not None
    if found.type in ("CONSTRUCT", "DESCRIBE"):
        expected = Graph().parse(case.result, format="turtle", publicID=iri_of(case.result))
        assert found.graph is not None
        return isomorphic(_plain(found.graph), _plain(expected))
    wanted = _expected(case.result)
    if case.result.suffix == ".csv":
        found = Result.parse(BytesIO(found.serialize(format="csv") or b""), format="csv")
    if found.type == "ASK":
        return found.askAnswer == wanted.askAnswer
    if ordered and case.result.suffix in FORMATS and _order(found) != _order(wanted):
        return False
    if Counter(_order(found)) != Counter(_order(wanted)):
        return False
    return isomorphic(_as_graph(found), _as_graph(wanted))


def _expected(path: Path) -> Result:
    if path.suffix in FORMATS:
        with path.open("rb") as stream:
            return Result.parse(stream, format=FORMATS[path.suffix])
    graph = Graph().parse(path, format="xml" if path.suffix == ".rdf" else "turtle", publicID=iri_of(path))
    (node,) = graph.subjects(RDF.type, RS.ResultSet)
    answer = next(graph.objects(node, RS.boolean), None)
    result = Result("SELECT" if answer is None else "ASK")
    result.askAnswer = None if answer is None else bool(answer.toPython())
    solutions = sorted(graph.objects(node, RS.solution), key=lambda s: next(graph.objects(s, RS.index), Literal(0)))
    result.bindings = [
        {
            str(next(graph.objects(binding, RS.variable))): next(graph.objects(binding, RS.value))
            for binding in graph.objects(solution, RS.binding)
        }
        for solution in solutions
    ]
    return result


def _order(result: Result) -> list[frozenset[Any]]:
    """The solutions in their order, with blank nodes reduced to being blank."""
    return [
        frozenset((str(v), "blank" if isinstance(term, BNode) else canonical(term)) for v, term in binding.items())
        for binding in result.bindings
    ]


def _as_graph(result: Result) -> Graph:
    graph = Graph()
    for binding in result.bindings:
        row = BNode()
        for variable, term in binding.items():
            graph.add((row, URIRef(f"urn:variable:{variable}"), canonical(term)))
    return graph


def _plain(graph: Graph) -> Graph:
    found = Graph()
    for subject, predicate, object in graph:
        found.add((subject, predicate, canonical(object)))
    return found


def canonical(term: Any) -> Any:
    """The same literal for values that are equal, as rdflib's parsers of results tidy what they read; for plain ones
    and those of xsd:string; and for language tags in any case."""
    if isinstance(term, Literal) and term.language:
        return Literal(str(term), lang=term.language.lower())
    if isinstance(term, Literal) and term.datatype is not None:
        if term.datatype == XSD.string:
            return Literal(str(term))
        value = term.toPython()
        if isinstance(value, Decimal):
            value = value.normalize()
        if not isinstance(value, Literal):
            return Literal(repr(value), datatype=URIRef(f"{term.datatype}#value"))
    return term


if __name__ == "__main__":
    for version in sys.argv[1:] or ("sparql10", "sparql11"):
        for case in cases(version):
            try:
                outcome = "passes" if passes(case, Dataset) else "fails"
            except Exception as error:
                outcome = f"raises {type(error).__name__}"
            print(version, case.name, case.kind, outcome)
