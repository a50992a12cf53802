"""SPARQL over what follows: rows, tables, limits, updates, and the plan that ran.

Run with ``python examples/queries.py``.
"""

from __future__ import annotations

from rdflib import Graph

from kgreason import ReasoningStore

DATA = """
@prefix : <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:Granite skos:broader :Igneous ; skos:prefLabel "granite"@en , "Granit"@de .
:Basalt skos:broader :Igneous ; skos:prefLabel "basalt"@en , "Basalt"@de .
:Igneous skos:broader :Rock ; skos:prefLabel "igneous rock"@en .
:Rock skos:prefLabel "rock"@en .
:sample1 :isOf :Granite ; :mass 12.5 .
:sample2 :isOf :Basalt ; :mass 3 .
:sample3 :isOf :Igneous ; :mass 7.25 .
"""

MASSES = """
PREFIX : <http://example.org/> PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?label (COUNT(?sample) AS ?samples) (SUM(?mass) AS ?total) {
    ?kind skos:narrowerTransitive ?of .
    ?sample :isOf ?of ; :mass ?mass .
    ?kind skos:prefLabel ?label FILTER (LANG(?label) = "en")
} GROUP BY ?label ORDER BY DESC(?total)
"""


def main() -> None:
    """Ask in every way."""
    store = ReasoningStore(rules="skos")
    graph = Graph(store=store)
    graph.parse(data=DATA, format="turtle")

    for row in graph.query(MASSES):
        print(f"{row.label}: {row.samples} samples, {row.total} kg")

    # The same as an Arrow table, for pandas or Polars: numbers are numbers.
    table = store.query_table(MASSES)
    print(table.schema.field("samples").type, table.column("samples").to_pylist())

    # Only what was asserted, and no longer than a second.
    asserted = graph.query(MASSES, include_inferred=False, timeout=1.0)
    print(len(asserted), "rows without what follows")

    graph.update(
        "PREFIX : <http://example.org/> PREFIX skos: <http://www.w3.org/2004/02/skos/core#> "
        "DELETE { :Basalt skos:broader ?k } INSERT { :Basalt skos:broader :Lava } WHERE { :Basalt skos:broader ?k }"
    )
    for row in graph.query(MASSES):
        print(f"{row.label}: {row.samples} samples, {row.total} kg")

    print(store.explain_query(MASSES))


if __name__ == "__main__":
    main()
