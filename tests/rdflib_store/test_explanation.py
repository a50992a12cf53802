"""Proofs in rdflib's terms."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from rdflib import RDF, RDFS, BNode, Dataset, Graph, Literal, Namespace, URIRef, Variable

from kgreason import ReasoningStore, UnknownTripleError
from kgreason.errors import TermError

EX = Namespace("http://example.org/")
SAM = (EX.sam, RDF.type, EX.Animal)


@pytest.fixture
def store() -> ReasoningStore:
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.bind("ex", EX)
    graph.add((EX.sam, RDF.type, EX.Dog))
    graph.add((EX.Dog, RDFS.subClassOf, EX.Animal))
    return store


def test_text_has_the_prefixes_of_the_store(store: ReasoningStore) -> None:
    proof = store.explain(SAM)
    assert str(proof).splitlines() == [
        "ex:sam a ex:Animal  [cax-sco]",
        "  ex:Dog rdfs:subClassOf ex:Animal  [asserted]",
        "  ex:sam a ex:Dog  [asserted]",
    ]
    assert proof.to_markdown().startswith("- `ex:sam a ex:Animal` (**cax-sco**)\n  - ")
    assert json.loads(proof.to_json())["conclusion"]["triple"][0] == "<http://example.org/sam>"


def test_terms_are_those_of_rdflib(store: ReasoningStore) -> None:
    proof = store.explain(SAM)
    assert proof.triple == SAM
    assert set(proof.asserted()) == set(Graph(store=store)) - {SAM}
    assert {type(term) for step in proof.steps for term in step.conclusion.arguments} == {URIRef}
    assert proof.steps[-1].rule is not None
    assert proof.steps[-1].rule.name == "cax-sco"
    assert pickle.loads(pickle.dumps(proof)) == proof


def test_what_was_added_is_explained_at_once(store: ReasoningStore) -> None:
    graph = Graph(store=store)
    lines = Literal("one\ntwo")
    graph.add((EX.Animal, RDFS.subClassOf, EX.Being))
    graph.add((EX.sam, RDFS.comment, lines))
    assert len(store.explain((EX.sam, RDF.type, EX.Being)).asserted()) == 3
    assert str(store.explain((EX.sam, RDFS.comment, lines))) == 'ex:sam rdfs:comment "one\\ntwo"  [asserted]'
    graph.remove((EX.Dog, RDFS.subClassOf, EX.Animal))
    with pytest.raises(UnknownTripleError, match="neither is asserted nor follows"):
        store.explain(SAM)


def test_named_graphs_count(store: ReasoningStore) -> None:
    Dataset(store=store).graph(EX.g).add((EX.rex, RDF.type, EX.Dog))
    assert str(store.explain((EX.rex, RDF.type, EX.Animal))).endswith("ex:rex a ex:Dog  [asserted]")


@pytest.mark.parametrize(
    "triple", [(EX.sam, RDF.type, EX.Cat), (EX.nobody, EX.knows, BNode()), (EX.Dog, EX.name, Literal("Dog"))]
)
def test_what_does_not_hold(store: ReasoningStore, triple: tuple) -> None:
    with pytest.raises(UnknownTripleError, match="neither is asserted nor follows"):
        store.explain(triple)


@pytest.mark.parametrize("part", [None, Variable("x"), "sam"])
def test_what_is_no_term(store: ReasoningStore, part: object) -> None:
    with pytest.raises(TermError):
        store.explain((part, RDF.type, EX.Dog))


@pytest.mark.parametrize("given", [None, 3, (EX.a, EX.b), (EX.a, EX.p, EX.b, EX.c)])
def test_what_has_not_three_parts_is_refused(store: ReasoningStore, given: Any) -> None:
    for call in (store.explain, store.why_not):
        with pytest.raises(TypeError, match=r"is not a triple \(expected a subject, a predicate and an object\)$"):
            call(given)
