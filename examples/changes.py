"""The change feed: a store tells what each batch of changes added and removed, inferred triples among them.

Run with ``python examples/changes.py``.
"""

from __future__ import annotations

from rdflib import OWL, RDF, RDFS, Graph, Namespace

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")


def tell(added: Graph, removed: Graph) -> None:
    """Print a change, with short names."""
    for sign, side in (("+", added), ("-", removed)):
        for triple in sorted(side):
            print(f"  {sign}", *(str(term).rpartition("/")[2].rpartition("#")[2] for term in triple))


def main() -> None:
    """A team that works for somebody, seen by a subscriber."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.add((EX.worksFor, RDF.type, OWL.TransitiveProperty))
    graph.add((EX.worksFor, RDFS.domain, EX.Worker))
    store.commit()
    cancel = store.subscribe(tell)

    print("Ada joins research, which belongs to the company: one batch, one call")
    graph.add((EX.ada, EX.worksFor, EX.research))
    graph.add((EX.research, EX.worksFor, EX.company))
    store.commit()

    print("somebody says what follows anyway: no triple comes, no call")
    graph.add((EX.ada, EX.worksFor, EX.company))
    store.commit()

    print("Ada leaves research, and stays with the company")
    graph.remove((EX.ada, EX.worksFor, EX.research))
    store.commit()

    print("an axiom goes, and everything that followed only from it")
    graph.remove((EX.worksFor, RDFS.domain, EX.Worker))
    store.commit()

    cancel()


if __name__ == "__main__":
    main()
