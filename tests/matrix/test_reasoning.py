"""What follows does not depend on the doors by which ontology and data came, nor on how either writes a term."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import OWL, RDF, Graph, Literal, URIRef

from kgreason import ReasoningStore
from kgreason.rdf.model import Literal as Text
from tests.matrix.doors import DOORS
from tests.matrix.format_documents import P
from tests.matrix.terms import XSD, E, to_rdflib

FORMS = {
    "plain": ('"x"', f'"x"^^<{XSD}string>'),
    "tagged": ('"x"@en-GB', '"x"@EN-gb'),
}
ONTOLOGY = """@prefix e: <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
e:p a owl:InverseFunctionalProperty .
e:C owl:onProperty e:p ; owl:hasValue {} .
e:other e:p {} .
"""


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("parser", ["turtle", "kg-turtle"])
@pytest.mark.parametrize("door", ["add", "bulk_load many.nt", "bulk_load ttl", "INSERT DATA"])
@pytest.mark.parametrize("rules", ["owl-rl", "owl-rl-full"])
def test_axioms_meet_data(rules: str, door: str, parser: str, form: str, swap: bool, tmp_path: Path) -> None:
    graph = Graph(store=ReasoningStore(rules=rules))
    written = FORMS[form][not swap]
    term = Text("x") if form == "plain" else Text("x", None, "en-GB")
    DOORS[door](graph, {"data": term}, tmp_path)
    graph.parse(data=ONTOLOGY.format(written, FORMS[form][swap]), format=parser)
    data, other = URIRef(f"{E}s0"), URIRef(f"{E}other")
    assert (data, OWL.sameAs, other) in graph
    assert (data, RDF.type, URIRef(f"{E}C")) in graph
    assert len([*graph.triples((data, URIRef(P), None))]) == 1


def test_a_rule_meets_data_by_any_form() -> None:
    rule = f"""<{E}q>(?x, "new"^^<{XSD}string>) :- <{P}>(?x, "x"^^<{XSD}string>) .
        <{E}t>(?x, "T"@EN) :- <{P}>(?x, "y"@EN-gb) ."""
    graph = Graph(store=ReasoningStore(rules=rule))
    subject = URIRef(f"{E}s")
    graph.add((subject, URIRef(P), Literal("x")))
    graph.add((subject, URIRef(P), Literal("y", lang="en-GB")))
    assert (subject, URIRef(f"{E}q"), to_rdflib(Text("new"))) in graph
    assert (subject, URIRef(f"{E}t"), Literal("T", lang="en")) in graph
