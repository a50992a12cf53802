"""SKOS: what each statement of the SKOS Reference entails, and which data it finds inconsistent.

The examples are those of the Reference where it has one. https://www.w3.org/TR/skos-reference/
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from kgreason.io.readers import read_stream
from kgreason.rdf.vocabulary import RDF, RDFS, SKOS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import RuleSource, resolve_rules
from tests.facade import show, triples

PREFIXES = "".join(
    f"@prefix {name}: <{iri}> .\n"
    for name, iri in {"": "http://example.org/", "rdf": RDF, "rdfs": RDFS, "skos": SKOS, "xsd": XSD}.items()
)
ENTAILMENTS = [
    ("S4", ":x skos:inScheme :s .", ":s a skos:ConceptScheme ."),
    ("S5", ":s skos:hasTopConcept :x .", ":s a skos:ConceptScheme ."),
    ("S6", ":s skos:hasTopConcept :x .", ":x a skos:Concept ."),
    ("S7", ":x skos:topConceptOf :s .", ":x skos:inScheme :s ."),
    ("S8", ":x skos:topConceptOf :s .", ":s skos:hasTopConcept :x ."),
    ("S8", ":s skos:hasTopConcept :x .", ":x skos:topConceptOf :s ; skos:inScheme :s ."),
    ("S11", ':x skos:prefLabel "a"@en ; skos:altLabel "b" .', ':x rdfs:label "a"@en , "b" .'),
    ("S11", ':x skos:hiddenLabel "c"@de .', ':x rdfs:label "c"@de .'),
    ("S17", ':x skos:changeNote "a" ; skos:definition "b" ; skos:editorialNote :n .', ':x skos:note "a" , "b" , :n .'),
    ("S17", ':x skos:example "a" ; skos:historyNote "b" ; skos:scopeNote "c" .', ':x skos:note "a" , "b" , "c" .'),
    ("S19", ":x skos:semanticRelation :y .", ":x a skos:Concept ."),
    ("S20", ":x skos:semanticRelation :y .", ":y a skos:Concept ."),
    ("S21", ":x skos:broaderTransitive :y .", ":x skos:semanticRelation :y ."),
    ("S21", ":x skos:narrowerTransitive :y .", ":x skos:semanticRelation :y ."),
    ("S21", ":x skos:related :y .", ":x skos:semanticRelation :y ."),
    ("S22", ":x skos:broader :y .", ":x skos:broaderTransitive :y ."),
    ("S22", ":x skos:narrower :y .", ":x skos:narrowerTransitive :y ."),
    ("S23", ":x skos:related :y .", ":y skos:related :x ."),
    ("S24", ":x skos:broader :y . :y skos:broader :z .", ":x skos:broaderTransitive :z ."),
    ("S24", ":x skos:narrowerTransitive :y . :y skos:narrower :z .", ":x skos:narrowerTransitive :z ."),
    ("S25", ":x skos:broader :y .", ":y skos:narrower :x ."),
    ("S25", ":x skos:narrower :y .", ":y skos:broader :x ."),
    ("S26", ":x skos:broaderTransitive :y .", ":y skos:narrowerTransitive :x ."),
    ("S26", ":x skos:narrowerTransitive :y .", ":y skos:broaderTransitive :x ."),
    ("S29", ":c a skos:OrderedCollection .", ":c a skos:Collection ."),
    ("S31", ":c skos:member :x .", ":c a skos:Collection ."),
    ("S33", ":c skos:memberList (:x) .", ":c a skos:OrderedCollection ."),
    ("S34", ":c skos:memberList :l . :l rdf:first :x ; rdf:rest () .", ":l a rdf:List ."),
    ("S36", ":c skos:memberList (:x :y :z) .", ":c skos:member :x , :y , :z ."),
    ("S39", ":x skos:mappingRelation :y .", ":x skos:semanticRelation :y ."),
    ("S40", ":x skos:closeMatch :y ; skos:broadMatch :z .", ":x skos:mappingRelation :y , :z ."),
    ("S40", ":x skos:narrowMatch :y ; skos:relatedMatch :z .", ":x skos:mappingRelation :y , :z ."),
    ("S41", ":x skos:broadMatch :y .", ":x skos:broader :y ."),
    ("S41", ":x skos:narrowMatch :y .", ":x skos:narrower :y ."),
    ("S41", ":x skos:relatedMatch :y .", ":x skos:related :y ."),
    ("S42", ":x skos:exactMatch :y .", ":x skos:closeMatch :y ."),
    ("S43", ":x skos:broadMatch :y .", ":y skos:narrowMatch :x ."),
    ("S43", ":x skos:narrowMatch :y .", ":y skos:broadMatch :x ."),
    ("S44", ":x skos:relatedMatch :y .", ":y skos:relatedMatch :x ."),
    ("S44", ":x skos:closeMatch :y .", ":y skos:closeMatch :x ."),
    ("S44", ":x skos:exactMatch :y .", ":y skos:exactMatch :x ."),
    ("S45", ":x skos:exactMatch :y . :y skos:exactMatch :z .", ":x skos:exactMatch :z ."),
]
# A top concept's scheme is one by S8, S7 and S4 as well.
IMPLIED = {"S5"}
# Sections 7 to 10 of the Reference show by examples that these do not follow.
NOT_ENTAILED = [
    (":x skos:broader :y . :y skos:broader :z .", ":x skos:broader :z ."),
    (":x skos:broaderTransitive :y .", ":x skos:broader :y ."),
    (":x skos:related :y . :y skos:related :z .", ":x skos:related :z ."),
    (":x skos:closeMatch :y . :y skos:closeMatch :z .", ":x skos:closeMatch :z ."),
    (":x skos:broadMatch :y . :y skos:broadMatch :z .", ":x skos:broadMatch :z ."),
    (":x skos:broader :y .", ":x skos:broadMatch :y ."),
    (":x skos:inScheme :s .", ":x a skos:Concept ."),
    (":c skos:member :x .", ":x a skos:Concept ."),
    (":x skos:exactMatch :y .", ":x <http://www.w3.org/2002/07/owl#sameAs> :y ."),
]
CLASHES = [
    ("S9", ":x a skos:Concept . :y skos:inScheme :x ."),
    ("S13", ':x skos:prefLabel "Animals"@en ; skos:altLabel "Animals"@en .'),
    ("S13", ':x skos:prefLabel "a"@en ; skos:hiddenLabel "a"@en .'),
    ("S13", ':x skos:altLabel "a"@en ; skos:hiddenLabel "a"@en .'),
    ("S14", ':x skos:prefLabel "Animals"@en , "Fauna"@en .'),
    ("S14", ':x skos:prefLabel "Animals"@en-GB , "Fauna"@EN-gb .'),
    ("S14", ':x skos:prefLabel "Animals" , "Fauna"^^xsd:string .'),
    ("S27", ":x skos:broader :y ; skos:related :y ."),
    ("S27", ":x skos:broader :y . :y skos:broader :z . :z skos:related :x ."),
    ("S37", ":x skos:member :y . :x a skos:Concept ."),
    ("S37", ":c skos:memberList (:x) . :c skos:hasTopConcept :x ."),
    ("S46", ":x skos:exactMatch :y ; skos:broadMatch :y ."),
    ("S46", ":x skos:exactMatch :y ; skos:narrowMatch :y ."),
    ("S46", ":x skos:exactMatch :y . :y skos:relatedMatch :x ."),
]
CONSISTENT = [
    ':x skos:prefLabel "Animals"@en , "Tiere"@de , "Animals"@en-GB , "A" .',
    ':x skos:prefLabel "Animals"@en ; skos:altLabel "Animals"@fr , "Fauna"@en .',
    ':x skos:prefLabel "Animals" , "Animals"^^xsd:string .',
    ":x skos:broader :y . :y skos:broader :x .",
    ":x skos:broader :x .",
    ":x skos:exactMatch :y ; skos:closeMatch :z ; skos:related :w .",
    ":c skos:memberList (:x :y :x) ; skos:member :d . :d skos:member :z .",
]


def knowledge(rules: RuleSource, text: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    base.add_quads(read_stream((PREFIXES + text).encode(), base.dictionary, format="turtle"))
    return base


def missing(rules: RuleSource, premise: str, conclusion: str) -> str:
    """The triples of the conclusion that do not follow from the premise."""
    base, wanted = knowledge(rules, premise), knowledge("none", conclusion)
    return show(triples(wanted, wanted.all()) - triples(base, base.all()))


def test_every_statement_has_a_case() -> None:
    tested = {name for name, *_ in (*ENTAILMENTS, *CLASHES)}
    assert {rule.name for rule in resolve_rules("skos").rules} == tested


@pytest.mark.parametrize(("name", "premise", "conclusion"), ENTAILMENTS)
def test_statement_entails_its_conclusion_and_nothing_else_does(name: str, premise: str, conclusion: str) -> None:
    assert not missing("skos", premise, conclusion)
    program = resolve_rules("skos")
    rest = replace(program, rules=tuple(rule for rule in program.rules if rule.name != name))
    assert missing(rest, premise, conclusion) or name in IMPLIED, "it follows without the statement"
    assert not knowledge("skos", premise).inconsistencies()


@pytest.mark.parametrize(("premise", "conclusion"), NOT_ENTAILED)
def test_no_entailment(premise: str, conclusion: str) -> None:
    assert missing("skos", premise, conclusion)


@pytest.mark.parametrize(("name", "premise"), CLASHES)
def test_inconsistent_data_violates_its_statement_alone(name: str, premise: str) -> None:
    assert {clash.rule for clash in knowledge("skos", premise).inconsistencies()} == {name}


@pytest.mark.parametrize("premise", CONSISTENT)
def test_consistent_data_violates_nothing(premise: str) -> None:
    assert not knowledge("skos", premise).inconsistencies()
