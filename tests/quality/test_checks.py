"""Every check finds its faults, and nothing in data without them; SPARQL by rdflib says what qSKOS means by an issue.

A check that finds nothing, or that counts what rules infer as asserted, would be caught here.
"""

from __future__ import annotations

import random
from io import BytesIO
from itertools import chain

import pytest
from rdflib import Graph

from kgreason.io.readers import read_stream
from kgreason.quality.check import Check, Row
from kgreason.quality.graph_columns import GraphColumns
from kgreason.quality.report import CHECKS, report_on
from kgreason.rdf.model import IRI
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.triple_writer import write_triples
from tests.profiles import examples

PREFIXES = """
@prefix : <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
SOUND = """
:s a skos:ConceptScheme ; skos:prefLabel "Scheme"@en ; skos:hasTopConcept :a .
:a a skos:Concept ; skos:prefLabel "A"@en , "A"@de ; skos:definition "the first"@en ; skos:topConceptOf :s ;
    skos:narrower :b , :c ; skos:exactMatch <http://other.org/a> .
:b a skos:Concept ; skos:prefLabel "B"@en , "B"@de ; skos:altLabel "bee"@en ; skos:note "second"@en ; skos:inScheme :s ;
    skos:broader :a ; skos:related :d ; skos:closeMatch <http://other.org/b> .
:c a skos:Concept ; skos:prefLabel "C"@en , "C"@de ; skos:scopeNote "third"@en ; skos:inScheme :s ; skos:broader :a ;
    skos:narrower :d ; skos:exactMatch <http://other.org/c> ; skos:notation "3" .
:d a skos:Concept ; skos:prefLabel "D"@en , "D"@de ; skos:example "fourth"@en ; skos:inScheme :s ; skos:broader :c ;
    skos:related :b ; skos:exactMatch <http://other.org/d> .
:Animal a owl:Class ; rdfs:label "animal" . :Cat a owl:Class ; rdfs:label "cat" ; rdfs:subClassOf :Animal .
:eats a owl:ObjectProperty ; rdfs:label "eats" ; rdfs:domain :Animal . :tom a :Cat ; :eats :jerry .
"""
FAULTS: dict[str, list[tuple[str, list[str]]]] = {
    "unsatisfiable-class": [(":Cat rdfs:subClassOf :None . :None a owl:Class ; rdfs:subClassOf owl:Nothing .",
                             [":Cat", ":None"])],
    "below-disjoint-classes": [
        (":Cat owl:disjointWith :Animal .", [":Cat | :Animal | :Cat"]),
        ("[] a owl:AllDisjointClasses ; owl:members ( :Cat :Animal ) .", [":Cat | :Animal | :Cat"]),
    ],
    "cycle": [
        (":Animal rdfs:subClassOf :Cat .", ["subClassOf | :Animal :Cat"]),
        (":eats rdfs:subPropertyOf :bites . :bites rdfs:subPropertyOf :eats .", ["subPropertyOf | :bites :eats"]),
    ],
    "reflexive-axiom": [(":Cat rdfs:subClassOf :Cat .", [":Cat | subClassOf"])],
    "redundant-axiom": [(":Tiger rdfs:subClassOf :Cat , :Animal .", [":Tiger | :Animal | :Cat"])],
    "undefined-term": [
        (":a skos:preflabel 'x' .", ["skos:preflabel | skos:prefLabel"]),
        (":x a owl:class . :l rdf:_1 :x .", ["owl:class | rdfs:Class, owl:Class"]),
    ],
    "undeclared-term": [(":x a :Dog ; :barks :y .", [":Dog | class", ":barks | property"])],
    "undeclared-namespace": [("<o:x> a <o:Dog> ; <o:barks> :y .", ["o:Dog | class", "o:barks | property"])],
    "unused-term": [
        (":Dog a owl:Class ; rdfs:label 'dog' ; rdfs:comment 'barks' . :barks a owl:ObjectProperty .",
         [":Dog | class", ":barks | property"]),
        (":Dog a owl:Class ; owl:deprecated true .", []),
    ],
    "mixed-kinds": [(":eats a owl:DatatypeProperty .", [":eats | object property and data property"])],
    "wrong-kind-of-value": [
        (":tom :eats 'mice' .", [":eats | a literal | :tom | 'mice'"]),
        (":age a owl:DatatypeProperty . :tom :age :old .", [":age | a resource | :tom | :old"]),
    ],
    "deprecated-term": [(":Cat owl:deprecated true .", [":Cat | :tom"]), (":Cat owl:deprecated false .", [])],
    "several-domains-or-ranges": [(":eats rdfs:domain :Cat .", [":eats | domain | :Animal :Cat"])],
    "unlabelled-term": [(":Dog a owl:Class .", [":Dog | class"])],
    "literal-as-concept": [(":a skos:related 'b' .", [":a | related | 'b'"])],
    "undescribed-concept": [(":a skos:related :e .", [":e | :a"])],
    "orphan-concept": [(":e a skos:Concept .", [":e"]), (":e a skos:Concept ; skos:related :e .", [":e"])],
    "disconnected-cluster": [(":e skos:related :f . :f skos:related :e .", ["2 | :e :f"])],
    "hierarchical-cycle": [
        (":a skos:broader :d .", [":a :c :d"]),
        (":a skos:broader :a .", []),
        (":e skos:broaderTransitive :f . :e skos:narrower :f .", [":e :f"]),
    ],
    "reflexive-relation": [(":a skos:broader :a ; skos:exactMatch :a .", [":a | broader", ":a | exactMatch"])],
    "hierarchical-redundancy": [(":d skos:broader :a .", [":d | :a | :c"])],
    "relation-clash": [(":a skos:related :d .", [":d | :a"])],
    "valueless-associative-relation": [(":b skos:related :c .", [":b | :c | :a"])],
    "solely-transitively-related": [
        (":b skos:broaderTransitive :c .", [":b | :c"]),
        (":a skos:narrowerTransitive :d .", []),
    ],
    "unidirectionally-related": [(":a skos:related :d .", [":a | related | :d | related"])],
    "scheme-without-top-concept": [(":a skos:inScheme :t .", [":t"])],
    "top-concept-with-broader": [(":d skos:topConceptOf :s .", [":d | :s | :c"])],
    "unmarked-top-concept": [(":e skos:narrower :f ; skos:inScheme :s .", [":e | :s"])],
    "concept-without-scheme": [(":e a skos:Concept .", [":e"])],
    "missing-label": [(":e a skos:Concept . :t a skos:ConceptScheme .", [":e | concept", ":t | concept scheme"])],
    "empty-label": [(":a skos:altLabel ' '@en .", [":a | altLabel | ' '@en"])],
    "several-preferred-labels": [(":a skos:prefLabel 'a'@EN .", [":a | 'A'@en 'a'@EN"])],
    "labels-not-disjoint": [
        (":a skos:altLabel 'A'@en .", [":a | 'A'@en | prefLabel and altLabel"]),
        (":b skos:hiddenLabel 'bee'@en .", [":b | 'bee'@en | altLabel and hiddenLabel"]),
    ],
    "overlapping-labels": [
        (":e skos:prefLabel 'a'@en ; skos:inScheme :s .", ["'A'@en | preferred of all | :a :e"]),
        (":a skos:altLabel 'b'@en .", ["'B'@en | preferred of one, alternative of another | :a :b"]),
        (":e skos:prefLabel 'a'@en ; skos:inScheme :t .", []),
    ],
    "ambiguous-notation": [(":a skos:notation '3' .", ["'3' | :s | :a :c"])],
    "unprintable-characters": [(":a skos:altLabel 'a\\u0008'@en .", [":a | altLabel | 'a\b'@en | U+0008"])],
    "surrounding-whitespace": [(":a skos:altLabel ' a'@en .", [":a | altLabel | ' a'@en"])],
    "language-tag": [
        (":a skos:altLabel 'a' .", [":a | altLabel | 'a' | none"]),
        (":a skos:altLabel 'a'@zh-Latn-CN-x-own , 'a'@sl-rozaj-biske , 'a'@es-419 , 'a'@i-klingon .",
         [":a | altLabel | 'a'@i-klingon | invalid"]),
    ],
    "incomplete-language-coverage": [(":e skos:prefLabel 'E'@de ; skos:inScheme :s .", [":e | en"])],
    "no-common-language": [
        (":e skos:prefLabel 'E'@fr ; skos:inScheme :s .", [":s | de | 4 of 5", ":s | en | 4 of 5", ":s | fr | 1 of 5"])
    ],
    "undocumented-concept": [(":e a skos:Concept .", [":e"])],
    "mapping-clash": [
        (":a skos:broadMatch <http://other.org/a> .", [":a | http://other.org/a | broadMatch"]),
        ("<http://other.org/a> skos:relatedMatch :a .", ["http://other.org/a | :a | relatedMatch"]),
    ],
    "mapping-within-scheme": [(":a skos:closeMatch :b .", [":a | closeMatch | :b | :s"])],
    "missing-out-link": [(":e skos:inScheme :s .", [":e"])],
    "not-an-http-iri": [("<urn:e> a skos:Concept .", ["urn:e"])],
}
NAMESPACES = {"http://example.org/": ":", "http://www.w3.org/2004/02/skos/core#": "skos:",
              "http://www.w3.org/2002/07/owl#": "owl:"}
BY_NAME = {check.name: check for check in CHECKS}


def loaded(text: str, rules: str = "owl-rl") -> KnowledgeBase:
    knowledge = KnowledgeBase(rules)
    knowledge.add_quads(read_stream((PREFIXES + text).encode(), knowledge.dictionary, format="turtle"))
    return knowledge


def name(knowledge: KnowledgeBase, term: int) -> str:
    found = knowledge.dictionary.decode(term)
    if isinstance(found, IRI):
        for namespace, prefix in NAMESPACES.items():
            if found.value.startswith(namespace):
                return prefix + found.value.removeprefix(namespace)
        return found.value
    return knowledge.dictionary.key(term).replace('"', "'")


def rows(check: Check, knowledge: KnowledgeBase) -> list[str]:
    """What a check finds; the members of a group in the order of their names."""

    def shown(row: Row) -> str:
        cells = []
        for cell in row:
            if isinstance(cell, tuple):
                cells.append(" ".join(sorted(name(knowledge, term) for term in cell)))
            else:
                cells.append(cell if isinstance(cell, str) else name(knowledge, cell))
        return " | ".join(cells)

    return sorted(shown(row) for row in check.find(GraphColumns(knowledge)))


@pytest.mark.parametrize("rules", ["none", "owl-rl", "skos"])
def test_sound_data_have_no_findings(rules: str) -> None:
    knowledge = loaded(SOUND, rules)
    assert {check.name: rows(check, knowledge) for check in CHECKS if rows(check, knowledge)} == {}
    assert not report_on(knowledge).has_problems


def test_every_check_is_tested() -> None:
    assert set(FAULTS) == set(BY_NAME)


@pytest.mark.parametrize(
    ("check", "text", "expected"), [(key, *case) for key, cases in FAULTS.items() for case in cases]
)
def test_check_finds_its_faults(check: str, text: str, expected: list[str]) -> None:
    assert rows(BY_NAME[check], loaded(SOUND + text)) == sorted(expected)


HIERARCHY = "(skos:broader|^skos:narrower)"
RELATED = "(skos:related|^skos:related)"
DEFINITIONS = {
    "orphan-concept": f"""SELECT ?c {{ ?c a skos:Concept
        FILTER NOT EXISTS {{ ?c {HIERARCHY}|^{HIERARCHY}|{RELATED} ?d FILTER(?c != ?d) }} }}""",
    "relation-clash": f"SELECT DISTINCT ?c ?d {{ ?c {RELATED} ?d . ?c {HIERARCHY}+ ?d }}",
    "valueless-associative-relation": f"""SELECT DISTINCT ?c ?d ?p {{
        ?c {RELATED} ?d . ?c {HIERARCHY} ?p . ?d {HIERARCHY} ?p
        FILTER(STR(?c) < STR(?d)) }}""",
    "hierarchical-cycle": f"SELECT DISTINCT ?c {{ ?c {HIERARCHY} ?x . ?x {HIERARCHY}* ?c FILTER(?x != ?c) }}",
    "hierarchical-redundancy": f"""SELECT DISTINCT ?c ?p {{ ?c {HIERARCHY} ?p , ?q . ?q {HIERARCHY}+ ?p
        FILTER(?c != ?p && ?p != ?q && ?c != ?q) FILTER NOT EXISTS {{ ?p {HIERARCHY}+ ?c }}
        FILTER NOT EXISTS {{ ?q {HIERARCHY}+ ?c }} }}""",
    "scheme-without-top-concept": """SELECT ?s { ?s a skos:ConceptScheme
        FILTER NOT EXISTS { ?s skos:hasTopConcept|^skos:topConceptOf ?c } }""",
    "concept-without-scheme": """SELECT ?c { ?c a skos:Concept
        FILTER NOT EXISTS { ?c skos:inScheme|skos:topConceptOf|^skos:hasTopConcept ?s } }""",
    "several-preferred-labels": """SELECT DISTINCT ?c { ?c skos:prefLabel ?l , ?m
        FILTER(?l != ?m && LCASE(LANG(?l)) = LCASE(LANG(?m))) }""",
    "labels-not-disjoint": "SELECT DISTINCT ?c ?l { ?c skos:prefLabel ?l ; skos:altLabel ?l }",
    "missing-label": "SELECT ?c { ?c a skos:Concept FILTER NOT EXISTS { ?c skos:prefLabel ?l } }",
    "mapping-clash": """SELECT DISTINCT ?c ?d { { ?c skos:exactMatch|^skos:exactMatch ?d }
        { ?c skos:broadMatch|^skos:narrowMatch|skos:relatedMatch ?d } }""",
}


@pytest.mark.parametrize("seed", range(examples(25)))
def test_random_vocabularies_have_the_issues_that_sparql_finds(seed: int) -> None:
    rnd = random.Random(seed)
    concepts = [f":c{n}" for n in range(rnd.randint(3, 12))]
    lines = [f"{concept} a skos:Concept ." for concept in concepts]
    lines += [":s0 a skos:ConceptScheme ; skos:prefLabel 's' .", ":s1 a skos:ConceptScheme ; skos:prefLabel 't' ."]
    for _ in range(rnd.randint(2, 25)):
        relation = rnd.choice(["broader", "broader", "narrower", "related", "exactMatch", "broadMatch"])
        lines.append(f"{rnd.choice(concepts)} skos:{relation} {rnd.choice(concepts)} .")
    for concept in concepts:
        lines += [f"{concept} skos:{relation} '{rnd.choice('abc')}'@{rnd.choice(['en', 'EN', 'de'])} ."
                  for relation in ("prefLabel", "altLabel") for _ in range(rnd.randint(0, 2))]
        lines += [f"{concept} skos:{rnd.choice(['inScheme', 'topConceptOf'])} :s{rnd.randint(0, 1)} ."
                  for _ in range(rnd.randint(0, 1))]
    knowledge = loaded("\n".join(lines), rnd.choice(["none", "skos", "owl-rl"]))
    text = BytesIO()
    write_triples(knowledge.all(), knowledge.dictionary, text, "nt")
    graph = Graph().parse(data=PREFIXES, format="turtle").parse(data=text.getvalue(), format="nt")

    for check, definition in DEFINITIONS.items():
        found = {tuple(row[: definition.count("?", 0, definition.index("{"))]) for row in found_rows(check, knowledge)}
        if check == "orphan-concept":  # qSKOS has mappings among the relations
            mapped = {str(c) for s, p, o in graph if "Match" in p and s != o for c in (s, o)}
            expected = {tuple(map(str, row)) for row in graph.query(definition) if str(row[0]) not in mapped}
        else:
            expected = {tuple(map(str, row)) for row in graph.query(definition)}
        if check == "valueless-associative-relation":
            found = {(*sorted(row[:2]), row[2]) for row in found}
        assert found == expected, check


def found_rows(check: str, knowledge: KnowledgeBase) -> list[tuple[str, ...]]:
    """The rows of a check with plain values; a group is a row for each member."""
    values = []
    for row in BY_NAME[check].find(GraphColumns(knowledge)):
        cells = [cell if isinstance(cell, tuple) else (cell,) for cell in row]
        if isinstance(row[0], tuple):
            values += [(value(knowledge, term),) for term in row[0]]
        else:
            values.append(tuple(value(knowledge, term) for term in chain.from_iterable(cells)))
    return values


def value(knowledge: KnowledgeBase, cell: int | str) -> str:
    if isinstance(cell, str):
        return cell
    term = knowledge.dictionary.decode(cell)
    return term.value if isinstance(term, IRI) else getattr(term, "lexical", str(term))
