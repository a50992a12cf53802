"""RDF formats beside pyoxigraph and rdflib: ``python -m tests.benchmarks.formats [FORMAT ...]``.

The Sequence Ontology, in OWL with many blank nodes, and LUBM(1,0), each parsed into an empty store, and written from
it. Parsing is over when a read can begin. Nothing is inferred. Each task runs once with rdflib, three times with the
others, and the fastest counts.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Callable, Iterator
from time import perf_counter

import pyoxigraph as ox
from rdflib import Dataset, Graph

from kgreason import ReasoningStore
from tests.benchmarks.usage import show_help
from tests.shared_data import unpacked

FORMATS = {
    "nt": (ox.RdfFormat.N_TRIPLES, "nt"),
    "nq": (ox.RdfFormat.N_QUADS, "nquads"),
    "ttl": (ox.RdfFormat.TURTLE, "turtle"),
    "trig": (ox.RdfFormat.TRIG, "trig"),
    "xml": (ox.RdfFormat.RDF_XML, "xml"),
    "n3": (ox.RdfFormat.N3, "n3"),
    "jsonld": (ox.RdfFormat.JSON_LD, "json-ld"),
}
SOURCES = {"Sequence Ontology": ("onto-owl/so_obo.owl.xz", "xml"), "LUBM(1)": ("lubm/lubm1.nt.bz2", "nt")}
HEAD = "| triples | kgreason, s | pyoxigraph, s | rdflib, s | times rdflib | times pyoxigraph |"


def parsed_by_kgreason(document: bytes, format: str) -> Dataset:
    """A dataset over a store without rules."""
    store = ReasoningStore(rules="none")
    store.bulk_load(document, format=format)
    dataset = Dataset(store=store, default_union=True)
    len(dataset)
    return dataset


def parsed_by_oxigraph(document: bytes, format: str) -> ox.Store:
    """A store in memory."""
    store = ox.Store()
    store.bulk_load(document, format=FORMATS[format][0])
    return store


def parsed_by_rdflib(document: bytes, format: str) -> Dataset:
    """A dataset over rdflib's own store."""
    return Dataset(default_union=True).parse(data=document, format=FORMATS[format][1])


def written_by_oxigraph(store: ox.Store, format: str) -> object:
    """The default graph, or all graphs, as bytes."""
    chosen = FORMATS[format][0]
    return store.dump(format=chosen, from_graph=None if chosen.supports_datasets else ox.DefaultGraph())


def fastest(runs: int, task: Callable[[], object]) -> float:
    """Seconds of the fastest run."""
    times = []
    for _ in range(runs):
        begin = perf_counter()
        task()
        times.append(perf_counter() - begin)
    return min(times)


def rows(name: str, formats: list[str]) -> Iterator[list[str]]:
    """For each format a row of parsing and a row of writing."""
    source, written = SOURCES[name]
    original = parsed_by_oxigraph(unpacked(source).read_bytes(), written)
    for format in formats:
        document = written_by_oxigraph(original, format)
        assert isinstance(document, bytes)
        ours, theirs = parsed_by_kgreason(document, format), parsed_by_rdflib(document, format)
        ours_graph, theirs_graph = Graph(ours.store), theirs.default_graph
        is_of_datasets = FORMATS[format][0].supports_datasets
        yield row(f"{name}, {format}, read", len(original), [
            fastest(3, lambda d=document, f=format: parsed_by_kgreason(d, f)),
            fastest(3, lambda d=document, f=format: parsed_by_oxigraph(d, f)),
            fastest(1, lambda d=document, f=format: parsed_by_rdflib(d, f)),
        ])  # fmt: skip
        one, other = (ours, theirs) if is_of_datasets else (ours_graph, theirs_graph)
        yield row(f"{name}, {format}, written", len(original), [
            fastest(3, lambda g=one, f=format: g.serialize(format=f"kg-{f}")),
            fastest(3, lambda f=format: written_by_oxigraph(original, f)),
            fastest(1, lambda g=other, f=format: g.serialize(format=FORMATS[f][1])),
        ])  # fmt: skip


def row(title: str, triples: int, seconds: list[float]) -> list[str]:
    """A row of the table."""
    ours, oxigraph, rdflib = seconds
    times = [f"{each:,.3f}" for each in seconds]
    return [title, f"{triples:,}", *times, f"{rdflib / ours:.1f}", f"{oxigraph / ours:.2f}"]


def main(formats: list[str]) -> None:
    """Measure and print."""
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    print(f"{datetime.date.today()}, {machine}\n")
    print(HEAD.replace("| triples", "| | triples", 1))
    print("|---|" + "---:|" * 6)
    for name in SOURCES:
        for each in rows(name, formats or [*FORMATS]):
            print(f"| {' | '.join(each)} |", flush=True)


if __name__ == "__main__":
    show_help(__doc__)
    main(sys.argv[1:])
