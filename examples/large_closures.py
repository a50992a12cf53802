"""Closures that fit: ten thousand nested parts, fifty million pairs, and where they are.

Run with: python examples/large_closures.py
"""

from __future__ import annotations

from rdflib import OWL, RDF, Graph, Namespace

from kgreason import ReasoningStore

ex = Namespace("http://example.org/")
LENGTH = 10_000


def main() -> None:
    """Nest parts in parts, look from both ends, cut one link, mend it, and ask what it takes to keep."""
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.add((ex.partOf, RDF.type, OWL.TransitiveProperty))
    graph.add((ex.partOf, OWL.inverseOf, ex.hasPart))
    for number in range(LENGTH):
        graph.add((ex[f"part{number}"], ex.partOf, ex[f"part{number + 1}"]))
    print(f"{len(graph):,} triples")

    innermost, outermost = ex.part0, ex[f"part{LENGTH}"]
    print("the innermost is part of the outermost:", (innermost, ex.partOf, outermost) in graph)
    print("wholes of the third from outside:", len(list(graph.objects(ex[f"part{LENGTH - 2}"], ex.partOf))))
    print("parts of the third from inside:", len(list(graph.objects(ex.part2, ex.hasPart))))

    middle = (ex[f"part{LENGTH // 2}"], ex.partOf, ex[f"part{LENGTH // 2 + 1}"])
    graph.remove(middle)
    print("without the middle link:", (innermost, ex.partOf, outermost) in graph, f"and {len(graph):,} triples")
    graph.add(middle)
    print("with it:", (innermost, ex.partOf, outermost) in graph, f"and {len(graph):,} triples")

    for relation in graph.store.statistics().relations:
        if relation.name in (str(ex.partOf), str(ex.hasPart)):
            size = f"{relation.facts:,} pairs in {relation.bytes / 1e6:.2f} MB"
            print(f"{relation.name}: {relation.scheme}, {size}")


if __name__ == "__main__":
    main()
