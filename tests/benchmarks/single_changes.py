"""Single facts that go and come back, at random, beside computing all anew.

``python -m tests.benchmarks.single_changes [CASE ...] [--count N] [--limit SECONDS] [--seed N]`` runs each case in a
process of its own, and prints Markdown: processor time, each change with a read. The cases are recursive programs of
`tests.benchmarks.rules`, closures, and LUBM(10,0) under OWL 2 RL: random triples, triples of each predicate and of each
class by themselves, and axioms that concern much of the data. To derive all anew is timed in the same process, the best
of three.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Final, TypeAlias

import numpy as np

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import OWL, RDF_TYPE, RDFS
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.closure_contestants import load_edges
from tests.benchmarks.latency import lubm
from tests.benchmarks.papers import table
from tests.benchmarks.random_graphs import Keys, categories
from tests.benchmarks.rules import graphs
from tests.benchmarks.rules.contestants import knowledge_base
from tests.benchmarks.rules.programs import LEFT_LINEAR, PROGRAMS, SAME_GENERATION, Program

Quad: TypeAlias = tuple[int, int, int, int]
Groups: TypeAlias = Mapping[str, Sequence[Quad]]

UB: Final = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
SKOS_BROADER: Final = "http://www.w3.org/2004/02/skos/core#broader"
EACH: Final = 20
"""So many triples of each predicate, and of each class."""

HEAD: Final = (
    "what goes and comes | times | facts | anew | removed: median, 99 %, worst | added: median, 99 %, worst"
    " | worst beside anew"
)


def timed(base: KnowledgeBase, change: Callable[[int, int, int, int], object], quad: Quad) -> float:
    """Seconds for a change, a look for its triple, and a read of ten triples of its subject."""
    begin = time.process_time()
    change(*quad)
    base.flush()
    base.all().contains(*quad[1:])
    for _ in zip(range(10), base.all().match(quad[1], None, None), strict=False):
        pass
    return time.process_time() - begin


def explicit(base: KnowledgeBase) -> dict[int, list[Quad]]:
    """The explicit triples of the default graph, by predicate."""
    found: dict[int, list[Quad]] = {}
    for chunk in base.explicit().match(None, None, None):
        for subject, predicate, object in zip(*(column.tolist() for column in chunk), strict=True):
            found.setdefault(predicate, []).append((DEFAULT_GRAPH, subject, predicate, object))
    return found


def any_triples(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Random explicit triples."""
    quads = [quad for each in explicit(base).values() for quad in each]
    return {"random facts": random.sample(quads, min(count, len(quads)))}


def of_each(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Random triples of each predicate of the data, and of each class."""
    triples = explicit(base)
    types = triples.pop(base.dictionary.encode(IRI(RDF_TYPE)))
    groups = {str(base.dictionary.decode(predicate)): quads for predicate, quads in triples.items()}
    for quad in types:
        groups.setdefault(f"a {base.dictionary.decode(quad[3])}", []).append(quad)
    ours = {name.replace(UB, "").strip("<>"): quads for name, quads in groups.items() if UB in name}
    return {name: random.sample(quads, min(EACH, len(quads))) for name, quads in ours.items()}


def axioms(base: KnowledgeBase, random: Random, count: int) -> Groups:
    """Axioms that are not there."""
    encode = base.dictionary.encode
    transitive, symmetric = (encode(IRI(OWL + name)) for name in ("TransitiveProperty", "SymmetricProperty"))
    below_class, below_property = (encode(IRI(RDFS + name)) for name in ("subClassOf", "subPropertyOf"))
    type_id, same = encode(IRI(RDF_TYPE)), encode(IRI(OWL + "sameAs"))
    own = {name: encode(IRI(UB + name)) for name in ("takesCourse", "memberOf", "Publication", "GraduateStudent")}
    other = encode(IRI("http://example.org/other"))
    students = [quad[1] for quad in explicit(base)[type_id] if quad[3] == own["GraduateStudent"]]
    pairs = [random.sample(students, 2) for _ in range(5)]
    return {
        "takesCourse below another property": [(DEFAULT_GRAPH, own["takesCourse"], below_property, other)] * 3,
        "takesCourse below rdf:type": [(DEFAULT_GRAPH, own["takesCourse"], below_property, type_id)],
        "memberOf transitive": [(DEFAULT_GRAPH, own["memberOf"], type_id, transitive)] * 3,
        "takesCourse symmetric": [(DEFAULT_GRAPH, own["takesCourse"], type_id, symmetric)] * 3,
        "Publication below another class": [(DEFAULT_GRAPH, own["Publication"], below_class, other)] * 3,
        "two students the same": [(DEFAULT_GRAPH, one, same, two) for one, two in pairs],
    }


def lubm_base() -> KnowledgeBase:
    """LUBM(10,0) under OWL 2 RL."""
    return lubm(10).knowledge_base


def closure(keys: Callable[[], Keys], rules: str, predicate: str) -> KnowledgeBase:
    """A graph under rules that close it."""
    base = KnowledgeBase(rules)
    load_edges(base, keys(), predicate)
    return base


def layers(count: int, width: int) -> graphs.Edges:
    """From each node of a layer to two of the next one."""
    nodes = np.arange((count - 1) * width)
    ends = np.random.default_rng(5).integers(0, width, (2, len(nodes))) + (nodes // width + 1) * width
    return np.unique(np.concatenate((np.stack((nodes, ends[0]), axis=1), np.stack((nodes, ends[1]), axis=1))), axis=0)


def path(length: int) -> graphs.Edges:
    """Edges in a row."""
    return np.stack((np.arange(length), np.arange(1, length + 1)), axis=1)


OTHERS: Final = (
    "Andersen",
    "CSPA",
    "Dyck",
    "three-way closure",
    "negation",
    "triangles",
    "reach",
    "ternary",
    "four-ary",
)

Choose: TypeAlias = Callable[[KnowledgeBase, Random, int], Groups]


def _of_graph(text: str, edges: Callable[[], graphs.Edges]) -> Callable[[], KnowledgeBase]:
    return lambda: knowledge_base(Program(text, lambda: {"edge": edges()}, ()), {"edge": edges()})


def _of_program(name: str) -> Callable[[], KnowledgeBase]:
    return lambda: knowledge_base(PROGRAMS[name], PROGRAMS[name].graphs())


CASES: Final[Mapping[str, tuple[Callable[[], KnowledgeBase], Choose]]] = {
    "LUBM(10,0), random triples": (lubm_base, any_triples),
    "LUBM(10,0), each predicate and class": (lubm_base, of_each),
    "LUBM(10,0), axioms": (lubm_base, axioms),
    "200,000 categories under SKOS": (partial(closure, lambda: categories(200_000), "skos", SKOS_BROADER), any_triples),
    "path of 20,000": (_of_graph(LEFT_LINEAR, partial(path, 20_000)), any_triples),
    "grid of 50 by 50": (_of_graph(LEFT_LINEAR, partial(graphs.grid, 50)), any_triples),
    "layers of 100 nodes": (_of_graph(LEFT_LINEAR, partial(layers, 60, 100)), any_triples),
    "power law": (_of_program("closure, power law"), any_triples),
    "same generation, tree": (_of_program("same generation, tree"), any_triples),
    "same generation, acyclic": (
        _of_graph(SAME_GENERATION, partial(graphs.recent_parents, 1_000, 100)),
        any_triples,
    ),
    **{name: (_of_program(name), any_triples) for name in OTHERS},
}


def measure(name: str, count: int, limit: float, seed: int) -> Iterator[list[str]]:
    """A row for each group of facts of a case; of the predicates and classes the three that take longest."""
    made, choose = CASES[name]
    least, base = anew(made)
    facts = sum(relation.facts for relation in base.statistics().relations)
    rows = []
    for group, quads in choose(base, Random(seed), count).items():
        is_there = base.explicit().contains(*quads[0][1:])
        with_it = least if is_there else anew(made, *map(base.dictionary.decode, quads[0][1:]))[0]
        gone, back = changes(base, quads, limit)
        worst = max(max(gone) / least, max(back) / with_it)
        times = f"{least:.3g} s" if with_it == least else f"{least:.3g} s without, {with_it:.3g} s with it"
        numbers = [str(len(gone)), f"{facts:,}", times, spread(gone), spread(back), f"{worst:.2f}"]
        rows.append((float(np.median(gone + back)), [f"{name}: {group}", *numbers]))
    if choose is of_each:
        rows = sorted(rows, reverse=True)[:3]
    yield from (row for _, row in rows)


def anew(made: Callable[[], KnowledgeBase], *more: Term) -> tuple[float, KnowledgeBase]:
    """Seconds to derive everything, perhaps with one triple more, the best of three; and what was made last."""
    seconds = []
    for _ in range(3):
        base = made()
        if more:
            subject, predicate, object = map(base.dictionary.encode, more)
            base.add(DEFAULT_GRAPH, subject, predicate, object)
        begin = time.process_time()
        base.flush()
        seconds.append(time.process_time() - begin)
    return min(seconds), base


def changes(base: KnowledgeBase, quads: Sequence[Quad], limit: float) -> tuple[list[float], list[float]]:
    """Seconds for each fact to go, and to come, within about as many seconds in all."""
    times: dict[bool, list[float]] = {True: [], False: []}
    before, begin = len(base.all()), time.monotonic()
    for quad in quads:
        is_there = base.explicit().contains(*quad[1:])
        for removes in (is_there, not is_there):
            times[removes].append(timed(base, base.remove if removes else base.add, quad))
        if time.monotonic() - begin > limit:
            break
    assert len(base.all()) == before, "another closure than before"
    return times[True], times[False]


def spread(seconds: Sequence[float]) -> str:
    """Median, 99th percentile and worst."""
    return ", ".join(f"{np.percentile(seconds, share) * 1000:.3g}" for share in (50, 99, 100)) + " ms"


def main() -> None:
    """Print the table, or the rows of one case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="parts of the names of cases; all without any")
    parser.add_argument("--count", type=int, default=200, help="random facts of each case")
    parser.add_argument("--limit", type=float, default=60, help="seconds for the changes of a case")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps([*measure(options.one, options.count, options.limit, options.seed)]))
        return
    rows: list[list[str]] = []
    for name in CASES:
        if not options.cases or any(part in name for part in options.cases):
            print(f"{name} ...", file=sys.stderr)
            command = [sys.executable, "-m", "tests.benchmarks.single_changes", "--one", name]
            given = ["--count", str(options.count), "--limit", str(options.limit), "--seed", str(options.seed)]
            done = subprocess.run([*command, *given], stdout=subprocess.PIPE, text=True, check=True)
            rows += json.loads(done.stdout.splitlines()[-1])
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, processor time\n")
    print(table(HEAD, rows))


if __name__ == "__main__":
    main()
