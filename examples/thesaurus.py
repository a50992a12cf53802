"""A SKOS thesaurus: what its links imply, a search that uses them, a mistake that the rules find."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import SKOS, Graph, Namespace
from rdflib.term import Node

from kgreason import ReasoningStore

THESAURUS = """
@prefix : <http://example.org/instruments#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

:instruments skos:hasTopConcept :stringInstrument, :windInstrument .
:stringInstrument skos:prefLabel "string instrument"@en, "Saiteninstrument"@de ;
    skos:narrower :bowedInstrument, :pluckedInstrument .
:bowedInstrument skos:prefLabel "bowed instrument"@en ; skos:narrower :violin, :cello .
:pluckedInstrument skos:prefLabel "plucked instrument"@en ; skos:narrower :guitar, :harp .
:windInstrument skos:prefLabel "wind instrument"@en ; skos:narrower :brass, :flute .
:brass skos:prefLabel "brass instrument"@en ; skos:narrower :trumpet ; skos:related :brassBand .
:violin skos:prefLabel "violin"@en, "Geige"@de ; skos:altLabel "fiddle"@en .
:cello skos:prefLabel "cello"@en ; skos:related :violin .
"""
# Two records that point into the thesaurus.
CATALOGUE = """
@prefix : <http://example.org/instruments#> .
@prefix dcterms: <http://purl.org/dc/terms/> .

:sonatas dcterms:title "Sonatas and Partitas, BWV 1001 to 1006" ; dcterms:subject :violin .
:suites dcterms:title "Cello Suites, BWV 1007 to 1012" ; dcterms:subject :cello .
"""
SEARCH = """
SELECT ?title ?label {
    ?wanted rdfs:label "Saiteninstrument"@de .
    ?subject skos:broaderTransitive ?wanted ; skos:prefLabel ?label FILTER(LANG(?label) = "en")
    ?record dcterms:subject ?subject ; dcterms:title ?title .
} ORDER BY ?title
"""
INSTRUMENT = Namespace("http://example.org/instruments#")


def main() -> None:
    """Load, look, search, check."""
    store = ReasoningStore(rules="skos")
    graph = Graph(store=store)
    graph.parse(data=THESAURUS, format="kg-turtle").parse(data=CATALOGUE, format="kg-turtle")
    print(f"{len(store.explicit)} triples asserted, {len(store.inferred)} inferred")

    print("broader than violin:", *names(graph.objects(INSTRUMENT.violin, SKOS.broaderTransitive)))
    print("related to violin:", *names(graph.objects(INSTRUMENT.violin, SKOS.related)))
    print("concepts:", len(list(graph.subjects(None, SKOS.Concept))))
    print("records about string instruments:")
    for row in graph.query(SEARCH):
        print(f"  {row.title} ({row.label})")

    print("related to what is broader, which S27 forbids:")
    graph.add((INSTRUMENT.violin, SKOS.related, INSTRUMENT.stringInstrument))
    for violation in store.inconsistencies():
        print(f"  {violation.rule}:", "; ".join(" ".join(names(triple)) for triple in violation.triples))
    graph.remove((INSTRUMENT.violin, SKOS.related, INSTRUMENT.stringInstrument))
    print("violations after taking that back:", len(store.inconsistencies()))


def names(nodes: Iterable[Node]) -> list[str]:
    """What stands after the namespaces."""
    return [str(node).rpartition("#")[2] for node in nodes]


if __name__ == "__main__":
    main()
