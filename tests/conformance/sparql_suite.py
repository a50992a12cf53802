"""W3C's SPARQL 1.0, 1.1 and 1.2 suites: their cases, and how one is run by a store's own evaluation alone."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from rdflib import RDF, RDFS, Dataset, Graph, Namespace, URIRef
from rdflib.collection import Collection
from rdflib.query import Result

from kgreason import ReasoningStore
from kgreason.errors import QueryError
from kgreason_rdflib.sparql.questions import parsed_question
from kgreason_rdflib.sparql.update_operations import parsed_operations
from tests.conformance import sparql_results as results
from tests.conformance.suite import Suite, skip_list
from tests.shared_data import unpacked

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
UT = Namespace("http://www.w3.org/2009/sparql/tests/test-update#")
BASE = "http://suite.example/"
NO_QUERIES = ("entailment", "protocol", "graph-store-protocol", "http-rdf-update", "service-description")

PARSERS = {".rdf": "xml", ".trig": "trig", ".nq": "nquads"}

BY_VALUE = skip_list("sparql-by-value.txt")
Dated = tuple[tuple[str | None, Path], ...]
"""Files of triples by the names of the graphs that they are for; None is the default graph."""


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


@cache
def cases(version: str) -> list[Case]:
    """All cases of ``sparql10``, ``sparql11`` or ``sparql12`` that are about queries and updates."""
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


class NativeStore(ReasoningStore):
    """A store whose graphs are never handed to rdflib's evaluator."""

    def query(self, *args: Any, **kwargs: Any) -> Result:
        try:
            return super().query(*args, **kwargs)
        except NotImplementedError as error:
            raise AssertionError(f"rdflib's evaluator was to answer: {error}") from error

    def update(self, *args: Any, **kwargs: Any) -> None:
        try:
            super().update(*args, **kwargs)
        except NotImplementedError as error:
            raise AssertionError(f"rdflib's evaluator was to do the update: {error}") from error


def suites() -> dict[str, Suite]:
    """The suites by name: evaluation and syntax of each version."""
    listed = skip_list("sparql-skip.txt")
    found = {}
    for version, number in (("sparql10", "1.0"), ("sparql11", "1.1"), ("sparql12", "1.2")):
        for syntax, what in ((False, "evaluation"), (True, "syntax")):
            chosen = [case for case in cases(version) if ("Syntax" in case.kind) == syntax]
            found[f"{version}-{what}"] = Suite(
                f"SPARQL {number} {what}", {case.name: partial(passes, case) for case in chosen}, listed
            )
    return found


def new_dataset() -> Dataset:
    """An empty dataset in a store of its own."""
    return Dataset(store=NativeStore(rules="none"))


def passes(case: Case, make: Callable[[], Dataset] = new_dataset, **options: Any) -> bool:
    """Whether a case comes out as it should; `options` go to the query."""
    text = case.text.read_bytes().decode()
    if "Syntax" in case.kind:
        return _is_accepted(case, text) == case.kind.startswith("Positive")
    dataset = loaded(case.data, make())
    if case.kind == "UpdateEvaluationTest":
        dataset.update(text, base=case.base)
        return results.same_quads(results.quads_in(dataset), _expected_quads(case))
    for clause in _from_clauses(case, text):
        load(dataset, clause, path_of(clause))
    return _same_results(case, dataset.query(text, base=case.base, **options), "ORDER BY" in text.upper())


def loaded(data: Dated, dataset: Dataset) -> Dataset:
    """A dataset with data in its graphs, read by our parsers, which keep lexical forms."""
    for name, path in data:
        load(dataset, name, path)
    return dataset


def load(dataset: Dataset, name: str | None, path: Path) -> None:
    """Triples for a graph; what is there already stays."""
    target = dataset.default_graph if name is None else dataset.graph(URIRef(name))
    target.parse(path, format=f"kg-{PARSERS.get(path.suffix, 'turtle')}", publicID=iri_of(path))


def _is_accepted(case: Case, text: str) -> bool:
    try:
        (parsed_operations if "Update" in case.kind else parsed_question)(text, case.base, {})
    except QueryError:
        return False
    return True


def _from_clauses(case: Case, text: str) -> list[str]:
    """What a query names in FROM and FROM NAMED, that is to be there before it is asked."""
    clauses = parsed_question(text, case.base, {}).clauses
    names = {str(name) for name in (*clauses.default, *clauses.named)} if clauses else set()
    return sorted(names - {name for name, _ in case.data if name is not None})


def _expected_quads(case: Case) -> Iterator[Any]:
    for name, path in case.expected:
        for quad in results.quads_of(path, iri_of(path)):
            yield quad if name is None else results.in_graph(quad, name)


def _same_results(case: Case, found: Result, ordered: bool) -> bool:
    assert case.result is not None
    if found.type in ("CONSTRUCT", "DESCRIBE"):
        assert found.graph is not None
        return results.same_quads(results.quads_in(found.graph), results.quads_of(case.result, iri_of(case.result)))
    if case.result.suffix == ".csv":
        serialised = (found.serialize(format="csv") or b"").decode()
        return _cells(serialised, ordered) == _cells(case.result.read_bytes().decode(), ordered)
    expected = results.expected_answer(case.result, iri_of(case.result))
    if case.result.suffix in results.FORMATS:
        expected = replace(expected, ordered=ordered)
    answer = results.answer_of(found)
    if case.name not in BY_VALUE:
        return results.same_answers(answer, expected)
    assert not results.same_answers(answer, expected), f"{case.name} passes by lexical forms: take it off the list"
    return results.same_answers(results.answer_by_value(answer), results.answer_by_value(expected))


def _cells(text: str, ordered: bool) -> tuple[Sequence[str], Any]:
    """The header and the rows of CSV, where blank nodes have any name."""
    header, *rows = csv.reader(text.splitlines(keepends=True))
    shapes = [tuple("_:" if cell.startswith("_:") else cell for cell in row) for row in rows]
    return header, shapes if ordered else Counter(shapes)
