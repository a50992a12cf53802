"""Why a triple holds: proofs down to what was asserted, and what takes a conclusion away."""

from __future__ import annotations

from rdflib import RDF, Graph, Namespace

from kgreason import ReasoningStore, UnknownTripleError

ONTOLOGY = """
@prefix : <http://example.org/firm#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .

:worksFor a owl:TransitiveProperty ; owl:inverseOf :employs ; rdfs:domain :Agent .
:memberOf rdfs:subPropertyOf :worksFor ; rdfs:domain :Person .
"""
DATA = """
@prefix : <http://example.org/firm#> .

:research :employs :ada .
:ada :memberOf :union .
:research :worksFor :company .
:company :worksFor :group .
"""
FIRM = Namespace("http://example.org/firm#")


def main() -> None:
    """Explain three triples, then take away what one of them rests on."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.parse(data=ONTOLOGY, format="kg-turtle").parse(data=DATA, format="kg-turtle")

    conclusion = (FIRM.ada, FIRM.worksFor, FIRM.group)
    for triple in ((FIRM.ada, FIRM.worksFor, FIRM.research), conclusion, (FIRM.ada, RDF.type, FIRM.Person)):
        print(store.explain(triple), end="\n\n")

    proof = store.explain(conclusion)
    print(f"{len(proof.steps)} steps from {len(proof.asserted())} asserted triples")
    needed = next(triple for triple in proof.asserted() if triple[1] == FIRM.employs)
    print("take away:", " ".join(term.n3(graph.namespace_manager) for term in needed))
    graph.remove(needed)
    try:
        store.explain(conclusion)
    except UnknownTripleError as error:
        print("without it:", error)


if __name__ == "__main__":
    main()
