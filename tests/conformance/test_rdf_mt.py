"""W3C's RDF 1.1 and 1.2 semantics tests: entailment under the simple, RDF and RDFS regimes.

Without recognised datatypes the RDFS regime is the rule set `rdfs`; with them `owl-rl-full`, whose datatype rules
know their values. A result of ``false`` asks for an inconsistency. An error is a failure.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from rdflib import RDF, Graph, Namespace
from rdflib.collection import Collection

from kgreason.errors import LoadError
from kgreason.io.readers import read_files
from kgreason.rdf.functions import evaluate
from kgreason.rdf.model import Literal, Term, TripleTerm
from kgreason.store.knowledge_base import KnowledgeBase
from tests.conformance.entailment import entails
from tests.conformance.suite import skip_list
from tests.facade import triples
from tests.shared_data import unpacked

MF = Namespace("http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#")
SKIPPED = skip_list("rdf-mt-skip.txt")


@dataclass(frozen=True)
class Case:
    name: str
    suite: str
    positive: bool
    regime: str
    datatypes: bool
    action: str
    result: str | None


OF_1_1, OF_1_2 = "rdf11/rdf-mt", "rdf12/rdf-semantics"


def folder(suite: str) -> Path:
    return unpacked("w3c-rdf-tests/w3c-rdf-tests.tar.xz") / "rdf" / suite


def cases(suite: str) -> list[Case]:
    graph = Graph().parse(folder(suite) / "manifest.ttl", publicID="http://m/")
    found = []
    for entry in Collection(graph, next(graph.objects(None, MF.entries))):
        result = graph.value(entry, MF.result)
        datatypes = list(Collection(graph, graph.value(entry, MF.recognizedDatatypes)))
        found.append(
            Case(
                str(entry).partition("#")[2],
                suite,
                (entry, RDF.type, MF.PositiveEntailmentTest) in graph,
                str(graph.value(entry, MF.entailmentRegime)),
                bool(datatypes),
                str(graph.value(entry, MF.action)).removeprefix("http://m/"),
                None if str(result) == "false" else str(result).removeprefix("http://m/"),
            )
        )
    return found


def load(path: Path, rules: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    base.add_quads(read_files([path], base.dictionary))
    return base


def passes(case: Case) -> bool:
    rules = "none" if case.regime == "simple" else "owl-rl-full" if case.datatypes else "rdfs"
    premise = load(folder(case.suite) / case.action, rules)
    violated = bool(premise.inconsistencies())
    known = triples(premise, premise.all())
    if case.result is None:
        return violated == case.positive
    conclusion = load(folder(case.suite) / case.result, "none")
    wanted = triples(conclusion, conclusion.all())
    if case.datatypes:
        known, wanted = by_value(known), by_value(wanted)
    holds = violated or entails(folded(known), folded(wanted))
    return holds == case.positive


def folded(found: set) -> set:
    """Triples with one spelling for each language tag: two documents may write the same term in two ways."""

    def fold(term: Term) -> Term:
        tagged = isinstance(term, Literal) and term.language is not None
        return Literal(term.lexical, None, term.language.lower(), term.direction) if tagged else term

    return {tuple(map(fold, triple)) for triple in found}


def by_value(found: set) -> set:
    """Triples with one literal for each data value: what recognising a datatype means for simple entailment."""
    return {tuple(map(valued, triple)) for triple in found}


def valued(term: Term) -> Term:
    if isinstance(term, TripleTerm):
        return TripleTerm(term.subject, term.predicate, valued(term.object))
    return evaluate("canonical", [term]) if isinstance(term, Literal) else term


@pytest.mark.parametrize("case", [*cases(OF_1_1), *cases(OF_1_2)], ids=lambda case: case.name)
def test_entailment(case: Case) -> None:
    if case.name in SKIPPED:
        try:
            passed = passes(case)
        except LoadError:
            passed = False
        assert not passed, f"{case.name} passes now: take it off the skip list"
        pytest.skip(SKIPPED[case.name])
    assert passes(case)


@pytest.mark.parametrize(("suite", "count"), [(OF_1_1, 48), (OF_1_2, 29)])
def test_the_cases_are_all_there(suite: str, count: int) -> None:
    names = [case.name for case in cases(suite)]
    assert len(names) == len(set(names)) == count


def test_the_list_names_cases() -> None:
    assert SKIPPED.keys() <= {case.name for suite in (OF_1_1, OF_1_2) for case in cases(suite)}
