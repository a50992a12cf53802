"""An OWL ontology, data that contradict it in four ways, and a repair, violation by violation."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import RDF, Graph, Namespace
from rdflib.term import Node

from kgreason import ReasoningStore

ONTOLOGY = """
@prefix : <http://example.org/library#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

:Person owl:disjointWith :Book .
:wrote rdfs:domain :Person ; rdfs:range :Book .
:sequelOf a owl:AsymmetricProperty ; rdfs:domain :Book ; rdfs:range :Book .
:shelf a owl:FunctionalProperty .
:shelf1 owl:differentFrom :shelf2 .
[] a owl:AllDisjointClasses ; owl:members ( :Lent :Present :Lost ) .
"""
DATA = """
@prefix : <http://example.org/library#> .

:tolstoy :wrote :warAndPeace .
:warAndPeace :wrote :annaKarenina ; :shelf :shelf1, :shelf2 .
:twentyYearsAfter :sequelOf :theThreeMusketeers ; a :Lent .
:theThreeMusketeers :sequelOf :twentyYearsAfter ; a :Present, :Lost .
"""
LIBRARY = Namespace("http://example.org/library#")
REPAIR = {
    "a novel does not write novels": (LIBRARY.warAndPeace, LIBRARY.wrote, LIBRARY.annaKarenina),
    "a book stands on one shelf": (LIBRARY.warAndPeace, LIBRARY.shelf, LIBRARY.shelf2),
    "the sequel is the later one": (LIBRARY.theThreeMusketeers, LIBRARY.sequelOf, LIBRARY.twentyYearsAfter),
    "the lost book was found": (LIBRARY.theThreeMusketeers, RDF.type, LIBRARY.Lost),
}


def main() -> None:
    """Load, show the violations, repair, and show after each step what is left."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.parse(data=ONTOLOGY, format="kg-turtle").parse(data=DATA, format="kg-turtle")
    print_violations(store)

    for reason, triple in REPAIR.items():
        graph.remove(triple)
        print(f"\nremove {short(triple)} ({reason})")
        print_violations(store)

    right = (LIBRARY.tolstoy, LIBRARY.wrote, LIBRARY.annaKarenina)
    graph.add(right)
    print(f"\nadd {short(right)}")
    print_violations(store)


def print_violations(store: ReasoningStore) -> None:
    """Each rule that is violated, under its W3C name, with the triples, asserted or inferred, that clash."""
    violations = store.inconsistencies()
    print(f"violations: {len(violations)}" if violations else "consistent")
    for violation in violations:
        print(f"  {violation.rule}: {'; '.join(map(short, violation.triples))}")


def short(triple: Iterable[Node]) -> str:
    """A triple without namespaces."""
    return " ".join(str(term).rpartition("#")[2] or str(term) for term in triple)


if __name__ == "__main__":
    main()
