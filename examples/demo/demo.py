"""The main job in one minute: load a small knowledge graph, see what follows, ask SPARQL, change it.

Run it with ``make demo``, or ``python examples/demo/demo.py`` where kgreason is installed. The facts are the
countries of the Americas and the writers from there who won the Nobel Prize; geography.ttl says in OWL what
the facts mean, and rules.dl what OWL cannot say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from rdflib import RDF, Graph, Namespace
from rdflib.term import Node

from kgreason import ReasoningStore

HERE = Path(__file__).parent
FILES = [HERE / name for name in ("geography.ttl", "countries.ttl", "writers.ttl")]
PLACE = Namespace("http://example.org/americas#")

BORN_WHERE = """
    SELECT ?country (COUNT(?writer) AS ?writers) (GROUP_CONCAT(?name; separator=", ") AS ?names) {
        ?writer :nobelPrize ?year ; :bornIn ?place ; rdfs:label ?name .
        ?place a :Country ; rdfs:label ?country FILTER(LANG(?country) = "en")
    } GROUP BY ?country ORDER BY DESC(?writers) ?country
"""
TWO_OCEANS = "SELECT ?country { ?country a :TwoOceanCountry ; :locatedIn :LatinAmericaAndTheCaribbean }"
CAPITALS = "SELECT ?capital { ?capital :capitalOf/:twoBordersAway :Chile }"


def main() -> None:
    """Tell the whole story on stdout."""
    store = ReasoningStore(rules=["owl-rl", HERE / "rules.dl"])
    graph = Graph(store=store)
    graph.bind("", PLACE)

    headline("Load and reason")
    loading = timed(lambda: store.bulk_load(*FILES))
    reasoning = timed(lambda: len(graph))
    explicit, inferred = len(store.explicit), len(store.inferred)
    print(f"{explicit} triples loaded in {loading:.0f} ms; {inferred} more follow, in {reasoning:.0f} ms.")
    print_by_property(store)

    headline("What followed")
    print("landlocked (a rule with negation):", names(graph.subjects(RDF.type, PLACE.LandlockedCountry)))
    print("no land border (likewise):", names(graph.subjects(RDF.type, PLACE.CountryWithoutLandBorder)))
    print("Lorain is in (transitive):", names(graph.objects(PLACE.Lorain, PLACE.locatedIn)))
    morrison = names(graph.objects(PLACE.ToniMorrison, PLACE.bornIn))
    print("Toni Morrison was born in (property chain):", morrison)
    print("Chile borders (symmetric):", names(graph.objects(PLACE.Chile, PLACE.borders)))
    print("Quito is the capital of (inverse):", names(graph.objects(PLACE.Quito, PLACE.capitalOf)))

    headline("SPARQL over explicit and inferred triples")
    print("Latin American countries on both oceans:", names(row.country for row in graph.query(TWO_OCEANS)))
    print("capitals two borders away from Chile:", names(row.capital for row in graph.query(CAPITALS)))
    print("Nobel Prizes in Literature, by country of birth:")
    for row in graph.query(BORN_WHERE):
        print(f"  {row.writers} {row.country}: {row.names}")

    headline("Add a triple, remove a triple: the net effect")
    glueck = (PLACE.LouiseGlueck, PLACE.bornIn, PLACE.NewYorkCity)
    canal = (PLACE.Panama, PLACE.borders, PLACE.Colombia)
    inferred_triple = (PLACE.Quito, PLACE.capitalOf, PLACE.Ecuador)
    print_effect("add Louise Glück, born in New York City", graph, lambda: graph.add(glueck))
    print_effect("cut the Americas in two at Panama", graph, lambda: graph.remove(canal))
    print_effect("mend it", graph, lambda: graph.add(canal))
    print_effect("remove an inferred triple: nothing happens", graph, lambda: graph.remove(inferred_triple))


def print_by_property(store: ReasoningStore) -> None:
    """How many triples each property of the graph has, asserted and inferred."""
    asserted = Counter(store.explicit.predicates(unique=False))
    followed = Counter(store.inferred.predicates(unique=False))
    print(f"{'':20}{'asserted':>10}{'inferred':>10}")
    for name, count in followed.most_common():
        if name in PLACE or name == RDF.type:
            print(f"{local_name(name):20}{asserted[name]:>10}{count:>10}")


def print_effect(title: str, graph: Graph, change: Callable[[], Any]) -> None:
    """Make a change, and print what it took and what is different afterwards."""
    before = set(graph)

    def change_and_read() -> None:
        change()
        len(graph)

    milliseconds = timed(change_and_read)
    after = set(graph)
    appear, disappear = after - before, before - after
    print(f"* {title} ({milliseconds:.1f} ms): {len(appear)} triples appear, {len(disappear)} disappear")
    for sign, triples in (("+", appear), ("-", disappear)):
        for predicate, count in sorted(Counter(predicate for _, predicate, _ in triples).items()):
            some = sorted(" ".join(map(local_name, triple)) for triple in triples if triple[1] == predicate)
            print(f"  {sign}{count:4} {local_name(predicate)}: {', '.join(some[:3] + ['...'] * (count > 3))}")


def headline(text: str) -> None:
    """A line that stands out."""
    print(f"\n== {text}")


def timed(work: Callable[[], Any]) -> float:
    """How many milliseconds some work takes."""
    start = perf_counter()
    work()
    return (perf_counter() - start) * 1000


def names(nodes: Iterable[Node]) -> str:
    """Local names, in alphabetical order."""
    return ", ".join(sorted(map(local_name, nodes)))


def local_name(node: Node) -> str:
    """What stands after the namespace."""
    return str(node).rpartition("#")[2]


if __name__ == "__main__":
    main()
