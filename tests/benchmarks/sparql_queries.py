"""The queries of the SPARQL benchmark: LUBM's 14, and 20 each for a set of archives and for thesauri."""

from __future__ import annotations

import re

from tests.shared_data import shared

_RICO = """
PREFIX rico: <https://www.ica.org/standards/RiC/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
"""
_SKOS = """
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX dcterms: <http://purl.org/dc/terms/>
"""

RICO = {
    "records and titles": "SELECT ?r ?t { ?r a rico:Record ; rico:title ?t }",
    "parts of parts": "SELECT ?a ?b ?c { ?a rico:hasOrHadPart ?b . ?b rico:hasOrHadPart ?c }",
    "all parts, counted": "SELECT ?a (COUNT(?b) AS ?n) { ?a rico:hasPartTransitive ?b } GROUP BY ?a ORDER BY DESC(?n) LIMIT 20",
    "instances of classes": "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c } GROUP BY ?c ORDER BY DESC(?n) ?c",
    "predicates": "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p ORDER BY DESC(?n)",
    "related persons": "SELECT ?p ?n { ?p a rico:Person ; rico:name ?n . ?p rico:isRelatedTo ?r . ?r a rico:RecordResource }",
    "optional dates": "SELECT ?r ?b ?e { ?r a rico:RecordResource OPTIONAL { ?r rico:beginningDate ?b } OPTIONAL { ?r rico:endDate ?e } }",
    "titles with a word": 'SELECT ?r ?t { ?r rico:title ?t FILTER CONTAINS(LCASE(STR(?t)), "papers") }',
    "titles by regex": 'SELECT ?r ?t { ?r rico:title ?t FILTER REGEX(STR(?t), "^(Acte|Vente|Inventaire)", "i") }',
    "languages of labels": "SELECT ?l (COUNT(?x) AS ?n) { ?x rdfs:label ?y BIND (LANG(?y) AS ?l) } GROUP BY ?l ORDER BY ?l",
    "without a date": "SELECT ?r { ?r a rico:RecordResource FILTER NOT EXISTS { ?r rico:date ?d } }",
    "minus": "SELECT ?x { ?x a rico:Agent MINUS { ?x a rico:Person } }",
    "sequence followed": "SELECT ?a ?b { ?a rico:directlyPrecedesInSequence+ ?b } LIMIT 1000",
    "subclasses of a class": "SELECT ?c ?d { ?c rdfs:subClassOf* ?d . ?d rdfs:subClassOf rico:Thing }",
    "instances by path": "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x a/rdfs:subClassOf* rico:Agent }",
    "either way": "SELECT ?a ?b { ?a rico:hasOrHadPart|rico:isOrWasIncludedIn ?b }",
    "distinct places": "SELECT DISTINCT ?p ?n { ?x rico:isAssociatedWithPlace ?p . ?p rico:name ?n } ORDER BY ?n",
    "dates compared": 'SELECT ?r ?d { ?r rico:beginningDate ?d FILTER (STR(?d) >= "1800" && STR(?d) < "1850") } ORDER BY ?d LIMIT 100',
    "years": "SELECT ?y (COUNT(*) AS ?n) { ?r rico:date ?d BIND (SUBSTR(STR(?d), 1, 4) AS ?y) } GROUP BY ?y HAVING (COUNT(*) > 10) ORDER BY ?y",
    "triangle": "SELECT ?a ?b ?c { ?a rico:isOrWasPartOf ?b . ?b rico:isRelatedTo ?c . ?a rico:isRelatedTo ?c } LIMIT 10000",
}

SKOS = {
    "labels": "SELECT ?c ?l { ?c a skos:Concept ; skos:prefLabel ?l }",
    "broader and labels": "SELECT ?l ?m { ?c skos:broader ?d . ?c skos:prefLabel ?l . ?d skos:prefLabel ?m }",
    "ancestors counted": "SELECT ?c (COUNT(?d) AS ?n) { ?c skos:broaderTransitive ?d } GROUP BY ?c ORDER BY DESC(?n) ?c LIMIT 10",
    "descendants counted": "SELECT ?d (COUNT(?c) AS ?n) { ?c skos:broaderTransitive ?d } GROUP BY ?d ORDER BY DESC(?n) ?d LIMIT 10",
    "pairs counted": "SELECT (COUNT(*) AS ?n) { ?c skos:broaderTransitive ?d }",
    "chains counted": "SELECT (COUNT(*) AS ?n) { ?c skos:broaderTransitive ?d . ?d skos:broaderTransitive ?e }",
    "path up": "SELECT ?c ?d { ?c skos:broader+ ?d }",
    "path up or here": "SELECT (COUNT(*) AS ?n) { ?c skos:broader* ?d . ?d skos:topConceptOf ?s }",
    "top concepts of labels": "SELECT ?l ?s { ?c skos:topConceptOf ?s . ?c skos:prefLabel ?l } ORDER BY ?s ?l",
    "siblings": "SELECT ?a ?b { ?a skos:broader ?p . ?b skos:broader ?p FILTER (?a != ?b) }",
    "optional definitions": "SELECT ?c ?l ?d { ?c skos:prefLabel ?l OPTIONAL { ?c skos:definition ?d } }",
    "without definitions": "SELECT ?c { ?c a skos:Concept FILTER NOT EXISTS { ?c skos:definition ?d } }",
    "words in definitions": 'SELECT ?c ?d { ?c skos:definition ?d FILTER CONTAINS(LCASE(STR(?d)), "rock") }',
    "labels by regex": 'SELECT ?c ?l { ?c skos:prefLabel|skos:altLabel ?l FILTER REGEX(STR(?l), "^[aeiou].*(ite|ine)$", "i") }',
    "languages": "SELECT ?g (COUNT(*) AS ?n) { ?c skos:prefLabel ?l } GROUP BY (LANG(?l) AS ?g) ORDER BY ?g",
    "long labels": "SELECT ?l { ?c skos:prefLabel ?l FILTER (STRLEN(STR(?l)) > 60) } ORDER BY DESC(STRLEN(STR(?l))) ?l",
    "schemes and sizes": "SELECT ?s (COUNT(DISTINCT ?c) AS ?n) { ?c skos:inScheme ?s } GROUP BY ?s HAVING (COUNT(DISTINCT ?c) > 100) ORDER BY DESC(?n)",
    "matches": "SELECT ?a ?b { ?a skos:exactMatch ?b } ",
    "related or matched": "SELECT DISTINCT ?a { { ?a skos:related ?b } UNION { ?a skos:mappingRelation ?b } }",
    "alternatives joined": 'SELECT ?c (GROUP_CONCAT(?a; separator="; ") AS ?all) { ?c skos:altLabel ?a } GROUP BY ?c',
}

WRONG = {
    ("rdflib_rows", "subclasses of a class"): "rdflib gives a node of a cycle twice with itself, where the ends that a"
    " path with * connects are a set (SPARQL 1.1, section 18.4); Oxigraph and maplib agree with this engine",
}
"""Why a peer is wrong to have another number of rows for a query."""


def lubm() -> dict[str, str]:
    """The 14 queries by their names."""
    head, queries = [], {}
    for line in shared("lubm/queries.sparql.txt").read_text().splitlines():
        found = re.match(r"(Q\d+)\s+(.*)", line)
        if found:
            queries[found.group(1)] = "\n".join(head) + f"\nSELECT * WHERE {{ {found.group(2)} }}"
        else:
            head.append(line)
    return queries


def sets() -> dict[str, dict[str, str]]:
    """All queries by the data that they are for."""
    return {
        "lubm": lubm(),
        "rico": {name: _RICO + query for name, query in RICO.items()},
        "gsq": {name: _SKOS + query for name, query in SKOS.items()},
    }
