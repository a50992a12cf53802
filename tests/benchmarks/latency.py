"""How long one change and a read take through the rdflib store, on LUBM under OWL 2 RL.

``python -m tests.benchmarks.latency [--size 1|10]`` prints Markdown. A single triple goes or comes, and two reads
follow: whether the triple is there, and a pattern on what follows from it. A subclass axiom goes or comes, with a
hundred thousand instances below it.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from rdflib import RDF, RDFS, Graph, Namespace, URIRef
from rdflib.term import Node

from kgreason import ReasoningStore
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI
from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

Triple = tuple[Node, Node, Node]

UB, NEW = Namespace("http://swat.cse.lehigh.edu/onto/univ-bench.owl#"), Namespace("http://example.org/")
INSTANCES = 100_000
SINGLE, AXIOM = (0.001, 0.020), 0.020


@dataclass(frozen=True, slots=True)
class Samples:
    """Seconds of one kind of change, and what of them must not be exceeded: at the median, at the 99th percentile."""

    title: str
    seconds: list[float]
    targets: tuple[float, float]

    def row(self) -> list[str]:
        """Milliseconds, and whether the targets are met."""
        middle, high, worst = (float(np.percentile(self.seconds, share)) for share in (50, 99, 100))
        met = "met" if middle <= self.targets[0] and high <= self.targets[1] else "MISSED"
        goal = f"{self.targets[0] * 1000:.3g} ms, {self.targets[1] * 1000:.3g} ms: {met}"
        return [self.title, str(len(self.seconds)), *(f"{x * 1000:.3g} ms" for x in (middle, high, worst)), goal]


def timed_once(change: Callable[[Triple], object], triple: Triple, graph: Graph, expected: bool | None) -> float:
    """Seconds for a change, a membership, and a pattern: the types of the subject, or of an object's."""
    begin = time.perf_counter()
    change(triple)
    found = triple in graph
    list(islice(graph.triples((triple[0], RDF.type, None)), 10))
    taken = time.perf_counter() - begin
    assert expected is None or found == expected, triple
    return taken


def single_triples(graph: Graph, triples: list[Triple], title: str, new: bool) -> Iterator[Samples]:
    """Each triple of a list goes and comes back; or, if they are new, comes and goes."""
    before = len(graph)
    first, second = (graph.add, graph.remove) if new else (graph.remove, graph.add)
    there, back = [], []
    for triple in triples:
        # A triple that is removed may still follow.
        there.append(timed_once(first, triple, graph, True if new else None))
        back.append(timed_once(second, triple, graph, None if new else True))
    assert len(graph) == before
    words = ("a new one added", "removed again") if new else ("one removed", "added back")
    yield Samples(f"{title}: {words[0]}", there, SINGLE)
    yield Samples(f"{title}: {words[1]}", back, SINGLE)


def existing(store: ReasoningStore, count: int) -> list[Triple]:
    """Random explicit triples of any predicate."""
    chosen = random.Random(1)
    triples = list(islice(store.explicit.triples((None, None, None)), 0, None, 37))
    return chosen.sample([triple for triple in triples if str(triple[0]).startswith("http://www.Department")], count)


def fresh(count: int) -> list[Triple]:
    """Triples of new people, with properties that have domains, ranges, inverses and super-properties."""
    kinds: list[tuple[Node, Node]] = [
        (UB.takesCourse, NEW.course),
        (UB.memberOf, URIRef("http://www.Department0.University0.edu")),
        (RDF.type, UB.GraduateStudent),
        (UB.advisor, NEW.professor),
        (UB.headOf, URIRef("http://www.Department1.University0.edu")),
        (UB.doctoralDegreeFrom, URIRef("http://www.University0.edu")),
    ]
    return [(NEW[f"person{number}"], *kinds[number % len(kinds)]) for number in range(count)]


def instances(store: ReasoningStore) -> URIRef:
    """A hundred thousand instances of one new class."""
    base = store.knowledge_base
    encode = base.dictionary.encode
    subjects = np.fromiter((encode(IRI(f"{NEW}i{number}")) for number in range(INSTANCES)), dtype=np.uint32)
    constant = [np.full(INSTANCES, each, dtype=np.uint32) for each in
                (DEFAULT_GRAPH, encode(IRI(str(RDF.type))), encode(IRI(str(NEW.Thing))))]  # fmt: skip
    base.add_quads(Quads(constant[0], subjects, constant[1], constant[2]))
    return NEW.Thing


def axioms(graph: Graph, instance: URIRef, lower: URIRef, upper: URIRef, runs: int = 20) -> Iterator[Samples]:
    """A subclass axiom comes and goes; an instance that it concerns is read."""
    axiom, inferred = (lower, RDFS.subClassOf, upper), (instance, RDF.type, upper)
    count = sum(1 for _ in graph.triples((None, RDF.type, lower)))
    there, back = [], []
    present = axiom in graph

    def change(adds: bool) -> float:
        begin = time.perf_counter()
        (graph.add if adds else graph.remove)(axiom)
        assert inferred in graph or not adds  # which may follow from something else, too
        list(graph.triples((instance, RDF.type, None)))
        return time.perf_counter() - begin

    for _ in range(runs):
        gc.collect()
        there.append(change(not present))
        back.append(change(present))
    title = f"{lower.fragment or lower.rpartition('/')[2]} below {upper.fragment or upper.rpartition('/')[2]}"
    for words, times in zip(("removed", "added back") if present else ("added", "removed"), (there, back), strict=True):
        yield Samples(f"{title} ({count:,} instances): {words}", times, (AXIOM, AXIOM))


def one_of(graph: Graph, kind: URIRef) -> URIRef:
    """Any instance of a class."""
    return URIRef(str(next(graph.triples((None, RDF.type, kind)))[0]))


def measure(graph: Graph, store: ReasoningStore, count: int) -> Iterator[Samples]:
    """Everything."""
    yield from single_triples(graph, existing(store, count), "explicit triples", new=False)
    yield from single_triples(graph, fresh(count), "new people", new=True)
    new = instances(store)
    yield from axioms(graph, one_of(graph, UB.Publication), UB.Publication, NEW.Output)
    yield from axioms(graph, one_of(graph, UB.Person), UB.Person, NEW.Agent)
    yield from axioms(graph, one_of(graph, UB.UndergraduateStudent), UB.UndergraduateStudent, UB.Student)
    yield from axioms(graph, NEW.i1, new, NEW.Top)
    yield from axioms(graph, NEW.i1, new, UB.Publication)


def lubm(size: int) -> ReasoningStore:
    """A new store with LUBM(size,0) under owl-rl."""
    store = ReasoningStore(rules="owl-rl")
    store.bulk_load(unpacked(f"lubm/lubm{size}.nt.bz2"), format="nt")
    store.bulk_load(shared("lubm/univ-bench.owl"))
    return store


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=10, choices=(1, 10))
    parser.add_argument("--count", type=int, default=1000, help="single triples of each kind")
    options = parser.parse_args()
    print(f"single changes on LUBM({options.size},0) ...", file=sys.stderr)
    store = lubm(options.size)
    graph = Graph(store=store)
    print(f"### One change and a read, LUBM({options.size},0) under owl-rl, {len(graph):,} triples\n")
    head = "change | times | median | 99th percentile | worst | at most, at the median and the 99th percentile"
    print(table(head, [each.row() for each in measure(graph, store, options.count)]) + "\n", flush=True)


if __name__ == "__main__":
    main()
