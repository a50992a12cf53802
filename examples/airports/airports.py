"""Raw data to a store that reasons: CSV and JSON through an RML mapping on Spark, and queries over what follows.

The data are those of two packages: 28,000 airports (airportsdata, a CSV file) and the countries of ISO 3166-1
(pycountry, a JSON document). It needs `kgreason[spark]`, both packages and Java 17.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from rdflib import Graph

from kgreason import ReasoningStore
from kgreason_mapping.run_outputs import Outputs
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.pipeline import run
from kgreason_spark.session import spark_session

HERE = Path(__file__).parent
RULES = """
@prefix geo: <http://example.org/geography#> .
geo:HighAirport(?x) :- geo:Airport(?x), geo:elevation(?x, ?feet), ?feet >= 8000 .
"""
PREFIX = "PREFIX geo: <http://example.org/geography#> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"


def data_of(package: str, path: str) -> str:
    """A file of an installed package."""
    found = find_spec(package)
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / path)


def main() -> None:
    """Ingest, load, reason, ask."""
    inputs = {
        "airports.csv": data_of("airportsdata", "airports.csv"),
        "iso3166-1.json": data_of("pycountry", "databases/iso3166-1.json"),
    }
    source = MappedSources.of(HERE / "airports.rml.ttl", inputs, None, None)
    with TemporaryDirectory() as folder:
        begin = perf_counter()
        encoded = str(Path(folder) / "encoded")
        session = spark_session("local[2]")
        print(f"Spark started in {perf_counter() - begin:.1f} s")
        report = run(session, source, encoded, Outputs())
        session.stop()
        for name, counts in report.sources.items():
            print(f"{name}: {counts.rows:,} rows, {counts.triples:,} triples, {counts.quarantined:,} quarantined")
        print(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in report.seconds.items()))

        begin = perf_counter()
        store = ReasoningStore(rules=["owl-rl", RULES])
        store.bulk_load(encoded)
        store.bulk_load(HERE / "geography.ttl")
        graph = Graph(store=store)
        loaded, inferred = len(store.explicit), len(store.inferred)
        print(f"{loaded:,} triples loaded, {inferred:,} inferred, {perf_counter() - begin:.2f} s")

    ask(graph, "Nordic airports", "SELECT (COUNT(?x) AS ?n) { ?x a geo:Airport ; geo:within geo:Nordic }")
    ask(graph, "airports in Europe", "SELECT (COUNT(?x) AS ?n) { geo:Europe geo:contains ?x . ?x a geo:Airport }")
    ask(
        graph,
        "the highest airport in the Andes",
        "SELECT ?name ?feet { ?x a geo:HighAirport ; geo:within geo:Andes ; rdfs:label ?name ; geo:elevation ?feet }"
        " ORDER BY DESC(?feet) LIMIT 1",
    )


def ask(graph: Graph, question: str, query: str) -> None:
    """Print the first answer of a query."""
    begin = perf_counter()
    answer = ", ".join(map(str, next(iter(graph.query(PREFIX + query)))))
    print(f"{question}: {answer} ({(perf_counter() - begin) * 1000:.0f} ms)")


if __name__ == "__main__":
    main()
