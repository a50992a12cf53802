"""W3C's SPARQL 1.1 entailment cases for the RDF, RDFS and OWL RL regimes, through the rdflib store.

RDF and RDFS cases run under `rdfs`, cases of the OWL 2 RL profile under `owl-rl-full`. An error is a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from rdflib import BNode, Graph, Namespace
from rdflib.collection import Collection
from rdflib.query import Result

from kgreason import ReasoningStore
from tests.conformance.suite import skip_list
from tests.shared_data import unpacked

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
QT = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-query#")
SD = Namespace("http://www.w3.org/ns/sparql-service-description#")
ENT = Namespace("http://www.w3.org/ns/entailment/")
RL = "http://www.w3.org/ns/owl-profile/RL"
SKIPPED = skip_list("sparql-entailment-skip.txt")


@dataclass(frozen=True)
class Case:
    name: str
    rules: str
    query: Path
    data: tuple[Path, ...]
    result: Path


def folder() -> Path:
    (manifest,) = unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz").rglob("sparql11/entailment/manifest.ttl")
    return manifest.parent


def values(graph: Graph, node: object, name: object) -> set[str]:
    found: set[str] = set()
    for value in graph.objects(node, name):
        found |= set(map(str, Collection(graph, value))) if isinstance(value, BNode) else {str(value)}
    return found


def cases() -> list[Case]:
    base = folder()
    graph = Graph().parse(base / "manifest.ttl", publicID="http://m/")

    def path(value: object) -> Path:
        return base / str(value).removeprefix("http://m/")

    found = []
    for entry in Collection(graph, next(graph.objects(None, MF.entries))):
        action = next(graph.objects(entry, MF.action))
        regimes = values(graph, action, SD.entailmentRegime)
        is_rl = RL in values(graph, action, SD.EntailmentProfile)
        if not is_rl and not regimes & {str(ENT.RDF), str(ENT.RDFS)}:
            continue
        data = tuple(path(d) for d in graph.objects(action, QT.data))
        (query,) = graph.objects(action, QT.query)
        (result,) = graph.objects(entry, MF.result)
        name = str(entry).rpartition("#")[2]
        found.append(Case(name, "owl-rl-full" if is_rl else "rdfs", path(query), data, path(result)))
    return found


def rows(result: Result) -> list[frozenset]:
    """The solutions as a multiset, blank nodes reduced to being blank."""
    if result.type == "ASK":
        return [frozenset({("ask", str(result.askAnswer))})]
    found = [
        frozenset((str(v), "blank" if isinstance(t, BNode) else t) for v, t in binding.items())
        for binding in result.bindings
    ]
    return sorted(found, key=lambda row: sorted(map(str, row)))


def passes(case: Case) -> bool:
    graph = Graph(store=ReasoningStore(rules=case.rules))
    for data in case.data:
        graph.parse(data, format="kg-xml" if data.suffix == ".rdf" else "kg-turtle")
    with case.result.open("rb") as stream:
        expected = Result.parse(stream, format="xml" if case.result.suffix == ".srx" else "turtle")
    found = graph.query(case.query.read_text())
    return rows(found) == rows(expected)


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_entailment(case: Case) -> None:
    if case.name in SKIPPED:
        try:
            passed = passes(case)
        except Exception:  # an error is a failure
            passed = False
        assert not passed, f"{case.name} passes now: take it off the skip list"
        pytest.skip(SKIPPED[case.name])
    assert passes(case)


def test_the_cases_are_all_there() -> None:
    names = [case.name for case in cases()]
    assert len(names) == len(set(names)) == 43
    assert SKIPPED.keys() <= set(names)
