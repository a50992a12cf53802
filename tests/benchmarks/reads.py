"""What one call of rdflib takes, on this store and on rdflib's memory store with the same closure.

``python -m tests.benchmarks.reads [--size 1|10] [--count 1000]`` prints Markdown. Both stores hold the closure of LUBM
under OWL 2 RL; the calls take random triples of it, the same for both and as new objects, in turns. This store is asked
twice: for terms that nobody has asked for yet, and for the same ones again. Then come the changes of a single triple,
each followed by a read: one for each predicate and class of the ontology. Microseconds; a ratio above 1 means that this
store is slower than the memory store. Where pySHACL is installed, it validates both graphs, and the data of LUBM(1,0)
alone with the inference of owlrl, which takes a minute.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, TypeAlias

import numpy as np
from rdflib import RDF, Graph, Literal, Namespace, URIRef
from rdflib.term import BNode, Node

from kgreason import ReasoningStore
from tests.benchmarks.latency import lubm
from tests.benchmarks.papers import table
from tests.shared_data import shared, unpacked

Triple: TypeAlias = tuple[Node, Node, Node]
Call: TypeAlias = Callable[[Graph, Triple], object]

UB, NEW = Namespace("http://swat.cse.lehigh.edu/onto/univ-bench.owl#"), Namespace("http://example.org/")
ROWS: Final = 100
"""How many rows a pattern with many matches is read for."""
CHANGES: Final = 12
"""How many triples of each predicate and class are changed."""


def first(rows: Iterable[object]) -> int:
    """Read the first rows; how many there were."""
    return sum(1 for _ in islice(rows, ROWS))


CALLS: Final[dict[str, Call]] = {
    "`in`, there": lambda graph, t: t in graph,
    "`in`, not there": lambda graph, t: (t[2] if isinstance(t[2], URIRef) else t[0], t[1], t[0]) in graph,
    "`in`, a new term": lambda graph, t: (NEW[t[0]], t[1], t[2]) in graph,
    "`value(s, p)`": lambda graph, t: graph.value(t[0], t[1]),
    "`value(None, p, o)`": lambda graph, t: graph.value(None, t[1], t[2]),
    "`(s, ?, ?)`": lambda graph, t: len(list(graph.triples((t[0], None, None)))),
    "`(s, p, ?)`": lambda graph, t: len(list(graph.triples((t[0], t[1], None)))),
    "`(s, ?, o)`": lambda graph, t: len(list(graph.triples((t[0], None, t[2])))),
    "`(?, p, o)`, 100 rows": lambda graph, t: first(graph.triples((None, t[1], t[2]))),
    "`(?, ?, o)`, 100 rows": lambda graph, t: first(graph.triples((None, None, t[2]))),
    "`(?, p, ?)`, 100 rows": lambda graph, t: first(graph.triples((None, t[1], None))),
    "`objects(s, p)`": lambda graph, t: len(list(graph.objects(t[0], t[1]))),
    "`subjects(p, o)`, 100 rows": lambda graph, t: first(graph.subjects(t[1], t[2])),
    "`len`": lambda graph, _: len(graph),
}
SLOW: Final = 20
"""Of the calls whose first row costs the memory store a copy of all, so many times fewer are made."""
COPYING: Final = (
    "`(?, p, ?)`, 100 rows",
    "`(?, ?, o)`, 100 rows",
    "`(?, p, o)`, 100 rows",
    "`subjects(p, o)`, 100 rows",
)


def renewed(node: Node) -> Node:
    """The same term as another object, since that is what a user has."""
    if isinstance(node, Literal):
        return Literal(str(node), node.language, node.datatype, normalize=False)
    return URIRef(str(node))


def sample(graph: Graph, count: int) -> list[Triple]:
    """Random triples of a graph, without those of blank nodes, whose labels are not the same in both."""
    chosen = set(random.Random(1).sample(range(len(graph)), count))
    found = [triple for number, triple in enumerate(graph) if number in chosen]
    return [(renewed(s), renewed(p), renewed(o)) for s, p, o in found if BNode not in (type(s), type(o))]


def timed(call: Call, graph: Graph, triples: Iterable[Triple]) -> tuple[list[float], list[object]]:
    """Seconds of the call for each triple, and what it gave."""
    seconds, found = [], []
    clock = time.perf_counter
    for triple in triples:
        begin = clock()
        given = call(graph, triple)
        seconds.append(clock() - begin)
        found.append(given)
    return seconds, found


def shown(seconds: list[float]) -> list[str]:
    """Median, 99th percentile and worst, in microseconds."""
    return [f"{1e6 * float(np.percentile(seconds, share)):.3g}" for share in (50, 99, 100)]


def reads(own: Graph, memory: Graph, triples: Sequence[Triple]) -> Iterator[list[str]]:
    """A row for each call."""
    for name, call in CALLS.items():
        some = triples[:: SLOW if name in COPYING else 1]
        early, answers = timed(call, own, some)
        again, _ = timed(call, own, some)
        theirs, expected = timed(call, memory, some)
        if not name.startswith("`value"):  # of several values any may come
            assert answers == expected, name
        ratio = float(np.median(again)) / float(np.median(theirs))
        yield [name, shown(early)[0], *shown(again), *shown(theirs), f"{ratio:.2f}"]


def everything(own: Graph, memory: Graph) -> list[str]:
    """The row of a scan: seconds of the first and of a later one."""
    count = len(memory)
    times = []
    for graph in (own, own, memory):
        begin = time.perf_counter()
        assert sum(1 for _ in graph) == count
        times.append([time.perf_counter() - begin])
    early, again, theirs = times
    return ["all triples", shown(early)[0], *shown(again), *shown(theirs), f"{again[0] / theirs[0]:.2f}"]


def kinds(store: ReasoningStore) -> dict[str, list[Triple]]:
    """Some explicit triples of each predicate and class of the ontology."""
    found: dict[str, list[Triple]] = {}
    for triple in store.explicit.triples((None, None, None)):
        name = str(triple[2] if triple[1] == RDF.type else triple[1])
        if name.startswith(str(UB)) and str(triple[0]).startswith("http://www."):
            found.setdefault(name.removeprefix(str(UB)), []).append(triple)
    chosen = random.Random(2)
    return {name: chosen.sample(triples, min(CHANGES, len(triples))) for name, triples in found.items()}


def changes(store: ReasoningStore, own: Graph, memory: Graph) -> Iterator[list[str]]:
    """A row for each kind of triple: it is removed and added back, and each time the first rows of its subject read."""
    for name, triples in sorted(kinds(store).items()):
        pairs: list[list[list[float]]] = []
        for graph in (own, memory):
            gone, back = [], []
            for triple in triples:
                for change, times in ((graph.remove, gone), (graph.add, back)):
                    begin = time.perf_counter()
                    change(triple)
                    list(islice(graph.triples((triple[0], None, None)), 5))
                    times.append(time.perf_counter() - begin)
            pairs.append([gone, back])
        (gone, back), (theirs_gone, theirs_back) = pairs
        yield [name, *shown(gone), *shown(back), shown(theirs_gone)[0], shown(theirs_back)[0]]


def queued(own: Graph, memory: Graph, count: int) -> Iterator[list[str]]:
    """A row for `add` and one for `remove` of new triples, without a read in between."""
    triples: list[Triple] = [(NEW[f"s{number}"], UB.name, Literal(f"name {number}")) for number in range(count)]
    for name, call in (("`add`, no read", Graph.add), ("`remove`, no read", Graph.remove)):
        mine, _ = timed(call, own, triples)
        theirs, _ = timed(call, memory, triples)
        ratio = float(np.median(mine)) / float(np.median(theirs))
        yield [name, "", *shown(mine), *shown(theirs), f"{ratio:.2f}"]
    len(own)


SHAPES: Final = """
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix ub: <http://swat.cse.lehigh.edu/onto/univ-bench.owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
[] a sh:NodeShape ; sh:targetClass ub:GraduateStudent ;
  sh:property [ sh:path ub:name ; sh:minCount 1 ; sh:maxCount 1 ; sh:datatype xsd:string ] ;
  sh:property [ sh:path ub:memberOf ; sh:minCount 1 ; sh:class ub:Organization ] ;
  sh:property [ sh:path ub:takesCourse ; sh:minCount 1 ; sh:maxCount 3 ; sh:nodeKind sh:IRI ] ;
  sh:property [ sh:path ub:advisor ; sh:class ub:Professor ] .
[] a sh:NodeShape ; sh:targetClass ub:Faculty ;
  sh:property [ sh:path ub:worksFor ; sh:minCount 1 ; sh:class ub:Department ] ;
  sh:property [ sh:path [ sh:inversePath ub:advisor ] ; sh:class ub:Student ] ;
  sh:property [ sh:path ub:emailAddress ; sh:pattern "@" ] .
[] a sh:NodeShape ; sh:targetClass ub:Department ;
  sh:property [ sh:path ( ub:subOrganizationOf ub:name ) ; sh:minCount 1 ] .
"""


def validations(own: Graph, memory: Graph) -> list[float] | None:
    """Seconds that pySHACL takes for both graphs, the best of three each; None where it is not installed."""
    try:
        from pyshacl import validate
    except ImportError:
        return None
    shapes, best = Graph().parse(data=SHAPES, format="turtle"), []
    for graph in (own, memory):
        times = []
        for _ in range(3):
            begin = time.perf_counter()
            conforms, _, _ = validate(graph, shacl_graph=shapes, inference="none")
            times.append(time.perf_counter() - begin)
            assert conforms
        best.append(min(times))
    return best


def with_owlrl(size: int) -> float:
    """Seconds that pySHACL takes where owlrl derives, in the memory store, what this store has already."""
    from pyshacl import validate

    data, shapes = Graph(), Graph().parse(data=SHAPES, format="turtle")
    data.parse(unpacked(f"lubm/lubm{size}.nt.bz2"), format="nt")
    data.parse(shared("lubm/univ-bench.owl"), format="xml")
    begin = time.perf_counter()
    conforms, _, _ = validate(data, shacl_graph=shapes, inference="owlrl")
    assert conforms
    return time.perf_counter() - begin


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1, choices=(1, 10))
    parser.add_argument("--count", type=int, default=1000, help="random triples")
    options = parser.parse_args()
    print(f"reading LUBM({options.size},0) ...", file=sys.stderr)
    store = lubm(options.size)
    triples, memory = sample(Graph(store=store), options.count), Graph()
    memory.addN((*triple, memory) for triple in Graph(store=store))
    # As new a store as that of a user: it has read nothing one by one yet.
    store = lubm(options.size)
    own = Graph(store=store)
    len(own)
    gc.collect()
    gc.freeze()
    print(f"### Reads, LUBM({options.size},0) under owl-rl, {len(memory):,} triples, microseconds\n")
    columns = "first time | again | 99 % | worst | memory | 99 % | worst | ratio"
    rows = [*reads(own, memory, triples), everything(own, memory), *queued(own, memory, options.count)]
    print(table(f"call | {columns}", rows) + "\n", flush=True)
    print("### One triple, and five rows of its subject, microseconds\n")
    columns = "removed | 99 % | worst | added | 99 % | worst | memory, removed | added"
    print(table(f"kind | {columns}", list(changes(store, own, memory))) + "\n", flush=True)
    found = validations(own, memory)
    if found is not None:
        print("pySHACL: {:.2f} s, with the memory store {:.2f} s".format(*found), flush=True)
    if found is not None and options.size == 1:
        print(f"pySHACL over the data alone, with owlrl's inference: {with_owlrl(1):.1f} s")


if __name__ == "__main__":
    main()
