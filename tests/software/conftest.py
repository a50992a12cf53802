"""What the programs work on: a small ontology with data, on rdflib's memory store and on kgreason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rdflib import Graph, Namespace

from kgreason import ReasoningStore

EX = Namespace("http://e/")
PETS = """@prefix ex: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix dcterms: <http://purl.org/dc/terms/> .
<http://e/> a owl:Ontology ; dcterms:title "Pets" ; owl:imports <http://other/> .
ex:Dog a owl:Class ; rdfs:subClassOf ex:Animal ; rdfs:label "Dog" . ex:Animal a owl:Class ; rdfs:label "Animal" .
ex:hasPet a owl:ObjectProperty ; rdfs:range ex:Dog ; rdfs:label "has pet" .
ex:ancestor a owl:TransitiveProperty . ex:rex ex:ancestor ex:b . ex:b ex:ancestor ex:c . ex:c ex:ancestor ex:d .
ex:joe ex:hasPet ex:sam . ex:rex a ex:Dog ; ex:name "Rex" .
"""
MakeGraph = Callable[[str | None], Graph]


@pytest.fixture
def pets() -> MakeGraph:
    """The ontology in a graph over rules by name, or with None over rdflib's memory store."""

    def make(rules: str | None) -> Graph:
        graph = Graph() if rules is None else Graph(store=ReasoningStore(rules=rules))
        return graph.parse(data=PETS, format="turtle")

    return make
