"""Would catch: a document of N3 that rdflib's parser refuses because of the store, goes to another graph, or has a
formula whose triples are taken for asserted ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import OWL, RDF, Dataset, Graph, Literal, Namespace
from rdflib.compare import isomorphic

from kgreason import ReasoningStore, TermError

EX = Namespace("http://example.org/")
DOCUMENT = """@prefix ex: <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@keywords a, is, of . ex:part a owl:TransitiveProperty . ex:a ex:part ex:b . ex:c is ex:part of ex:b .
ex:d ex:label "d", 1.5 . ex:same = ex:other . ex:list ex:of (1 2) .
"""


@pytest.mark.parametrize("format", ["n3", "text/n3"])
def test_n3_without_formulas_is_read_as_by_the_memory_store(format: str, tmp_path: Path) -> None:
    file = tmp_path / "data.n3"
    file.write_text(DOCUMENT)
    plain = Graph(store=ReasoningStore(rules="none")).parse(data=DOCUMENT, format=format)
    reasoning = Graph(store=ReasoningStore(rules="owl-rl")).parse(file)

    expected = Graph().parse(data=DOCUMENT, format="n3")
    assert len(plain) == len(expected) == 11
    assert isomorphic(plain, expected)
    assert (EX.a, EX.part, EX.c) in reasoning
    assert (EX.same, OWL.sameAs, EX.other) in reasoning
    assert dict(reasoning.namespaces())["ex"] == EX[""]


def test_n3_goes_to_the_graph_that_parses_it() -> None:
    dataset = Dataset(store=ReasoningStore(rules="none"))
    dataset.graph(EX.g).parse(data=DOCUMENT, format="n3")
    assert (EX.d, EX.label, Literal("d")) in dataset.graph(EX.g)
    assert len(dataset.default_graph) == 0
    dataset.parse(data="<http://e/s> a <http://e/C> .", format="n3")
    assert {p for _, p, _ in dataset.default_graph} == {RDF.type}


@pytest.mark.parametrize("rule", ["{ ?x ex:part ?y } => { ?y ex:whole ?x } .", "ex:bob ex:says { ex:a ex:b ex:c } ."])
def test_formula_is_refused(rule: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))

    with pytest.raises(TermError, match="formula"):
        graph.parse(data=f"@prefix ex: <{EX}> . {rule}", format="n3")

    assert len(graph) == 0


def test_empty_formula_is_refused() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    with pytest.raises(TermError, match="formula"):
        graph.parse(data="{} => {} .", format="n3")
    assert len(graph) == 0
