"""The rows of `tests.benchmarks.versions`, run in a process of one version: its public names and rdflib alone.

``python version_rows.py FOLDER`` prints a JSON object: for each row, seconds of the clock and of the processor.
FOLDER has lubm10.nt, univ-bench.owl, edges.nt and queries.json.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from rdflib import OWL, RDF, RDFS, Graph, Namespace, URIRef
from rdflib.term import Node

from kgreason import ReasoningStore

Triple = tuple[Node, Node, Node]

UB, NEW = Namespace("http://swat.cse.lehigh.edu/onto/univ-bench.owl#"), Namespace("http://example.org/")
SINGLE, BATCH, COMMITS, QUERY_RUNS = 300, 2_000, 100, 5
TIMES: dict[str, tuple[float, float]] = {}


@contextmanager
def row(name: str) -> Iterator[None]:
    """Times what is done in it; of rows with the same name the quickest counts."""
    gc.collect()
    clock, processor = time.perf_counter(), time.process_time()
    yield
    found = (time.perf_counter() - clock, time.process_time() - processor)
    known = TIMES.get(name, found)
    TIMES[name] = (min(found[0], known[0]), min(found[1], known[1]))


def each(change: Callable[[Triple], object], triples: list[Triple], graph: Graph) -> None:
    """Make single changes, each with two reads."""
    for triple in triples:
        change(triple)
        assert triple in graph or change == graph.remove
        list(islice(graph.triples((triple[0], None, None)), 10))


def together(change: Callable[[Triple], object], triples: list[Triple], graph: Graph) -> None:
    """Make changes at once, and read."""
    for triple in triples:
        change(triple)
    assert len(graph)


def reasoning(folder: Path) -> None:
    """LUBM(10,0) under OWL 2 RL: load, changes, an axiom, queries, reads."""
    for _ in range(3):
        store = ReasoningStore(rules="owl-rl")
        graph = Graph(store=store)
        with row("LUBM(10,0) under owl-rl, loaded and derived"):
            store.bulk_load(folder / "univ-bench.owl", folder / "lubm10.nt")
            begin = time.perf_counter(), time.process_time()
            before = len(graph)
            found = (time.perf_counter() - begin[0], time.process_time() - begin[1])
        known = TIMES.get("of that, deriving", found)
        TIMES["of that, deriving"] = (min(found[0], known[0]), min(found[1], known[1]))
    people = [each for each in islice(store.explicit.triples((None, None, None)), 0, None, 37)
              if str(each[0]).startswith("http://www.Department")]  # fmt: skip
    chosen = random.Random(1).sample(people, SINGLE)
    for _ in range(2):
        with row(f"{SINGLE} single triples removed, two reads each"):
            each(graph.remove, chosen, graph)
        with row(f"{SINGLE} single triples added, two reads each"):
            each(graph.add, chosen, graph)
    chosen = random.Random(2).sample(people, BATCH)
    for _ in range(3):
        with row(f"a batch of {BATCH} triples removed"):
            together(graph.remove, chosen, graph)
        with row(f"a batch of {BATCH} triples added"):
            together(graph.add, chosen, graph)
    axiom = (UB.Publication, RDFS.subClassOf, NEW.Output)
    for _ in range(3):
        with row("a subclass axiom added, with 60,000 instances below"):
            together(graph.add, [axiom], graph)
        with row("a subclass axiom removed, with 60,000 instances below"):
            together(graph.remove, [axiom], graph)
    assert len(graph) == before
    queries(folder, store)
    subjects = [triple[0] for triple in people[:5000]]
    for _ in range(3):
        with row("5,000 reads of all triples of a subject by rdflib"):
            for subject in subjects:
                list(graph.triples((subject, None, None)))


def queries(folder: Path, store: ReasoningStore) -> None:
    """LUBM's 14 queries, and all of them together."""
    texts: dict[str, str] = json.loads((folder / "queries.json").read_text(encoding="utf-8"))
    for _ in range(QUERY_RUNS):
        for name, text in texts.items():
            with row(f"LUBM {name}"):
                store.query_table(text)
    found = [TIMES[f"LUBM {name}"] for name in texts]
    TIMES["LUBM, all 14 queries"] = (sum(clock for clock, _ in found), sum(processor for _, processor in found))


def closure(folder: Path) -> None:
    """A transitive property over a random graph without cycles: its closure, and edges that go and come."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.add((NEW.below, RDF.type, OWL.TransitiveProperty))
    with row("closure of 50,000 edges over 10,000 nodes"):
        store.bulk_load(folder / "edges.nt")
        assert len(graph)
    edges = random.Random(3).sample(sorted(store.explicit.triples((None, NEW.below, None))), 40)
    for _ in range(2):
        with row("40 edges of the closure removed, one at a time"):
            each(graph.remove, edges, graph)
        with row("40 edges of the closure added, one at a time"):
            each(graph.add, edges, graph)
        with row("40 edges of the closure removed at once"):
            together(graph.remove, edges, graph)
        with row("40 edges of the closure added at once"):
            together(graph.add, edges, graph)


def loading(folder: Path) -> None:
    """Loading without rules."""
    for _ in range(2):
        store = ReasoningStore(rules="none")
        with row("load LUBM(10,0) without rules"):
            store.bulk_load(folder / "lubm10.nt")
            assert len(Graph(store=store))


def disk(folder: Path) -> None:
    """A store on disk: loading, commits, opening."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = str(Path(place) / "store")
        store = ReasoningStore(rules="owl-rl")
        graph = Graph(store=store)
        graph.open(path, create=True)
        with row("load LUBM(10,0) into a store on disk, owl-rl"):
            store.bulk_load(folder / "univ-bench.owl", folder / "lubm10.nt")
            graph.commit()
        time.sleep(2)  # for the snapshot of it
        for turn in range(3):
            with row(f"{COMMITS} commits of one triple"):
                for number in range(COMMITS):
                    graph.add((NEW[f"person{turn}-{number}"], RDF.type, UB.GraduateStudent))
                    graph.commit()
            time.sleep(1)
        graph.close()
        for _ in range(5):
            with row("open the store, and a first answer"):
                again = Graph(store=ReasoningStore())
                again.open(path)
                assert (NEW["person1-1"], RDF.type, UB.Person) in again
            again.close()


def start() -> None:
    """What a process does first."""
    with row("first graph under owl-rl, a triple added and all read"):
        graph = Graph(store=ReasoningStore(rules="owl-rl"))
        graph.add((URIRef(NEW.a), URIRef(NEW.b), URIRef(NEW.c)))
        assert list(graph)


def warm_up(folder: Path) -> None:
    """Do a little of everything, so that what a version imports late does not count as what imports it."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        for _ in range(2):
            store = ReasoningStore(rules="owl-rl")
            graph = Graph(store=store)
            graph.open(str(Path(place) / "store"), create=True)
            store.bulk_load(folder / "univ-bench.owl")
            graph.commit()
            graph.add((NEW.a, RDF.type, UB.GraduateStudent))
            graph.commit()
            queries(folder, store)
            graph.close()
    TIMES.clear()


if __name__ == "__main__":
    place = Path(sys.argv[1])
    start()
    first = dict(TIMES)
    warm_up(place)
    TIMES.update(first)
    for part in (reasoning, closure, loading, disk):
        part(place)
    print(json.dumps(TIMES))
