"""Rules of one's own, in Datalog: recursion, negation and arithmetic over the Bach family."""

from __future__ import annotations

from collections.abc import Iterable

from rdflib import Graph, Namespace
from rdflib.term import Node

from kgreason import ReasoningStore

FAMILY = """
@prefix : <http://example.org/bach#> .

:ChristophBach :child :JohannAmbrosius .
:HeinrichBach :child :JohannMichael .
:JohannAmbrosius :born 1645 ; :child :JohannSebastian .
:JohannMichael :born 1648 ; :child :MariaBarbara .
:JohannSebastian :born 1685 ;
    :child :WilhelmFriedemann, :CarlPhilippEmanuel, :JohannChristophFriedrich, :JohannChristian .
:MariaBarbara :born 1684 ; :child :WilhelmFriedemann, :CarlPhilippEmanuel .
:AnnaMagdalena :born 1701 ; :child :JohannChristophFriedrich, :JohannChristian .
:WilhelmFriedemann :born 1710 .
:CarlPhilippEmanuel :born 1714 .
:JohannChristophFriedrich :born 1732 .
:JohannChristian :born 1735 .
"""
RULES = """
@prefix : <http://example.org/bach#> .

:ancestor(?x, ?y) :- :child(?x, ?y) .
:ancestor(?x, ?z) :- :ancestor(?x, ?y), :child(?y, ?z) .

% Auxiliary relations have plain names, any number of places, and never appear as triples.
fullSiblings(?x, ?y) :- :child(?a, ?x), :child(?b, ?x), :child(?a, ?y), :child(?b, ?y), ?a != ?b, ?x != ?y .
:halfSibling(?x, ?y) :- :child(?a, ?x), :child(?a, ?y), ~fullSiblings(?x, ?y), ?x != ?y .

ageAtBirth(?x, ?y, ?age) :- :child(?x, ?y), :born(?x, ?then), :born(?y, ?now), ?age = ?now - ?then .
:youngParentOf(?x, ?y) :- ageAtBirth(?x, ?y, ?age), ?age < 30 .
"""
WITHOUT_DESCENDANTS = """
@prefix : <http://example.org/bach#> .

parent(?x) :- :child(?x, ?y) .
:Childless(?x) :- :child(?y, ?x), ~parent(?x) .
"""
BACH = Namespace("http://example.org/bach#")


def main() -> None:
    """Reason, then change the rules, then the data."""
    store = ReasoningStore(rules=RULES)
    graph = Graph(store=store).parse(data=FAMILY, format="kg-turtle")
    print("ancestors of C.P.E.:", *names(graph.subjects(BACH.ancestor, BACH.CarlPhilippEmanuel)))
    print("half siblings of C.P.E.:", *names(graph.objects(BACH.CarlPhilippEmanuel, BACH.halfSibling)))
    print("parents before they were 30:", *names(graph.subjects(BACH.youngParentOf)))

    store.add_rules(WITHOUT_DESCENDANTS)
    print("without children, by rules added later:", *names(graph.subjects(None, BACH.Childless)))
    graph.add((BACH.CarlPhilippEmanuel, BACH.child, BACH.JohannSebastianTheYounger))
    print("after adding a son of C.P.E.:", *names(graph.subjects(None, BACH.Childless)))
    store.remove_rules(WITHOUT_DESCENDANTS)
    print("after removing those rules:", *names(graph.subjects(None, BACH.Childless)) or ["nobody"])


def names(nodes: Iterable[Node]) -> list[str]:
    """Local names, each once, in alphabetical order."""
    return sorted({str(node).rpartition("#")[2] for node in nodes})


if __name__ == "__main__":
    main()
