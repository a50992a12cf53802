"""What the closure benchmark measures, each in a process of its own: seconds, bytes, and what growth of the
process they cost.

Run by `tests.benchmarks.closures` as ``python -m tests.benchmarks.closure_contestants CONTESTANT GRAPH``.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from kgreason.io.quads import Quads
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS, SKOS
from kgreason.relations.binary import BinaryTable
from kgreason.relations.transitive.closure_table import TransitiveTable
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.benchmarks.contestants import timed
from tests.benchmarks.random_graphs import GRAPHS, Keys

Numbers = dict[str, float]
RULES = "path(?x, ?y) :- [?x, <http://e/edge>, ?y] . path(?x, ?z) :- path(?x, ?y), path(?y, ?z) ."


def peak() -> int:
    """The largest resident memory of the process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def runs(keys: Keys) -> int:
    """How often to measure: less for what takes long."""
    return 5 if len(keys) < 200_000 else 3 if len(keys) < 1_000_000 else 1


def scheme(keys: Keys) -> Numbers:
    """The transitive scheme by itself: close, change, and read."""
    before = peak()
    seconds, table = timed(lambda: TransitiveTable.of(BinaryTable(keys)))
    grown = peak() - before
    times = [seconds, *(timed(lambda: TransitiveTable.of(BinaryTable(keys)))[0] for _ in range(runs(keys) - 1))]
    numbers: Numbers = {"seconds": median(times), "pairs": len(table), "process": grown}
    numbers["bytes"] = table.nbytes + table.edges.nbytes
    return numbers | _batches(table, keys) | _single_changes(table, keys) | _reading(table, keys)


def _batches(table: TransitiveTable, keys: Keys) -> Numbers:
    """1,000 edges, 1 % and 50 % of all go and come back."""
    generator = np.random.default_rng(5)
    none = BinaryTable(keys[:0])
    numbers: Numbers = {}
    table.edges.inverse()
    sizes = {"1,000": 1_000} | ({"1 %": len(keys) // 100, "50 %": len(keys) // 2} if len(keys) < 1_000_000 else {})
    for name, size in sizes.items():
        removes, adds = [], []
        for _ in range(runs(keys)):
            batch = BinaryTable(np.sort(generator.choice(keys, size, replace=False)))
            seconds, less = timed(lambda batch=batch: table.changed(none, batch).compacted())
            removes.append(seconds)
            seconds, back = timed(lambda batch=batch, less=less: less.changed(batch, none).compacted())
            adds.append(seconds)
            assert len(back) == len(table)
        numbers |= {f"remove {name}": median(removes), f"add {name}": median(adds)}
    return numbers


def _single_changes(table: TransitiveTable, keys: Keys) -> Numbers:
    """One edge goes, one comes back, a new one comes; each with a read of what its subject reaches."""
    generator = np.random.default_rng(6)
    none = BinaryTable(keys[:0])
    samples: dict[str, list[float]] = {"one removed": [], "one added back": [], "a new one added": []}
    nodes = table.edges.distinct(0)
    for _ in range(100 if len(keys) < 1_000_000 else 10):
        one = BinaryTable(generator.choice(keys, 1))
        other = BinaryTable.of((generator.choice(nodes, 1), generator.choice(nodes, 1))).difference(table.edges)

        def change(before: TransitiveTable, added: BinaryTable, removed: BinaryTable) -> TransitiveTable:
            after = before.changed(added, removed).compacted()
            after.objects_of(int((added if len(added) else removed).columns()[0][0]))
            return after

        seconds, less = timed(lambda one=one: change(table, none, one))
        samples["one removed"].append(seconds)
        samples["one added back"].append(timed(lambda one=one, less=less: change(less, one, none))[0])
        if len(other):
            samples["a new one added"].append(timed(lambda other=other: change(table, other, none))[0])
    medians = {name: median(times) for name, times in samples.items()}
    return medians | {f"{name}, worst": max(times) for name, times in samples.items()}


def _reading(table: TransitiveTable, keys: Keys) -> Numbers:
    """One bound end, everything, and membership of a million random pairs."""
    generator = np.random.default_rng(7)
    seconds, mirror = timed(table.inverse)
    numbers: Numbers = {"inverse": seconds, "bytes with inverse": table.nbytes + table.edges.nbytes}
    nodes = np.unique(np.concatenate(table.edges.columns()))
    for name, view in (("bound subject", table), ("bound object", mirror)):
        found = [_lookup(view, int(node)) for node in generator.choice(nodes, 2_000)]
        fewest = sorted(found, key=lambda pair: pair[1])[:200]
        numbers[name] = median(seconds for seconds, _ in fewest)
        numbers[f"{name}, outputs"] = median(count for _, count in fewest)
        numbers[f"{name}, per output"] = sum(seconds for seconds, _ in found) / max(1, sum(n for _, n in found))
    begin, count = time.perf_counter(), 0
    for columns in table.chunks():
        count += len(columns[0])
        if count > 50_000_000:
            break
    numbers["pairs a second"] = count / (time.perf_counter() - begin)
    wanted = (generator.choice(nodes, 1_000_000), generator.choice(nodes, 1_000_000))
    numbers["a million memberships"] = timed(lambda: table.contains(wanted))[0]
    return numbers


def _lookup(table: TransitiveTable, node: int) -> tuple[float, int]:
    begin = time.perf_counter()
    found = table.objects_of(node)
    return time.perf_counter() - begin, len(found)


def load_edges(base: KnowledgeBase, keys: Keys, predicate: str) -> None:
    """Put the edges into a knowledge base, as triples of IRIs."""
    prefix = "http://e/n"
    nodes = np.array([base.dictionary.encode(IRI(f"{prefix}{n}")) for n in range(int(keys.max() >> np.uint64(32)) + 1)])
    highest = int((keys & np.uint64(0xFFFFFFFF)).max())
    more = [base.dictionary.encode(IRI(f"{prefix}{n}")) for n in range(len(nodes), highest + 1)]
    identifiers = np.concatenate((nodes, np.array(more, dtype=nodes.dtype))).astype(np.uint32)
    subjects = identifiers[(keys >> np.uint64(32)).astype(np.int64)]
    objects = identifiers[(keys & np.uint64(0xFFFFFFFF)).astype(np.int64)]
    graphs = np.full(len(keys), DEFAULT_GRAPH, dtype=np.uint32)
    same = np.full(len(keys), base.dictionary.encode(IRI(predicate)), dtype=np.uint32)
    base.add_quads(Quads(graphs, subjects, same, objects))


def _engine(keys: Keys, schemes: str) -> Numbers:
    base = KnowledgeBase(RULES, schemes)
    load_edges(base, keys, "http://e/edge")
    before = peak()
    seconds, _ = timed(base.flush)
    return {"seconds": seconds, "process": peak() - before}


def plain(keys: Keys) -> Numbers:
    """This engine's own plain table: seminaive evaluation."""
    return _engine(keys, "plain")


def engine(keys: Keys) -> Numbers:
    """The same program with schemes, and nothing else changed."""
    return _engine(keys, "auto")


def skos(keys: Keys) -> Numbers:
    """The edges as skos:broader under the SKOS rules, changed and read through the knowledge base."""
    base = KnowledgeBase("skos")
    load_edges(base, keys, SKOS + "broader")
    before = peak()
    seconds, _ = timed(base.flush)
    numbers: Numbers = {"seconds": seconds, "process": peak() - before, "triples": len(base.all())}
    broader = base.dictionary.encode(IRI(SKOS + "broader"))
    wide = base.dictionary.encode(IRI(SKOS + "broaderTransitive"))
    explicit = np.stack(next(iter(base.explicit().match(None, broader, None))), axis=1)
    times: dict[str, list[float]] = {"one removed": [], "one added back": []}
    for subject, _, target in np.random.default_rng(1).choice(explicit, 50).tolist():
        for name, change in (("one removed", base.remove), ("one added back", base.add)):
            begin = time.perf_counter()
            change(DEFAULT_GRAPH, subject, broader, target)
            list(base.all().match(subject, wide, None))
            times[name].append(time.perf_counter() - begin)
    return numbers | {name: median(each) for name, each in times.items()}


def duckdb(keys: Keys) -> Numbers:
    """DuckDB's recursive query."""
    import duckdb as peer
    import pyarrow as pa

    connection = peer.connect()
    arrow = pa.table({"s": (keys >> np.uint64(32)).astype(np.int32), "o": keys.astype(np.uint32).astype(np.int32)})
    connection.register("given", arrow)
    connection.execute("create table e as select * from given")
    before = peak()
    query = "with recursive r(s, o) as (select s, o from e union select r.s, e.o from r join e on r.o = e.s)"
    seconds, found = timed(lambda: connection.execute(query + " select count(*) from r").fetchall())
    return {"seconds": seconds, "process": peak() - before, "pairs": found[0][0]}


def clingo(keys: Keys) -> Numbers:
    """clingo's grounder."""
    import clingo as peer

    before = peak()
    control = peer.Control(["--warn=none"])
    facts = " ".join(f"e({key >> 32},{key & 0xFFFFFFFF})." for key in keys.tolist())
    control.add("base", [], facts + " r(X,Y) :- e(X,Y). r(X,Z) :- r(X,Y), e(Y,Z).")
    seconds, _ = timed(lambda: control.ground([("base", [])]))
    return {"seconds": seconds, "process": peak() - before}


def classes(_: Keys) -> Numbers:
    """A tree of classes of depth 10 over ten million typed instances: bytes beyond those of the assertions."""
    instances, depth = 10_000_000, 10
    base = KnowledgeBase("rdfs")
    encode = base.dictionary.encode
    tree = [encode(IRI(f"http://e/C{number}")) for number in range(2**depth - 1)]
    under, kind = encode(IRI(RDFS + "subClassOf")), encode(IRI(RDF_TYPE))
    for number in range(1, len(tree)):
        base.add(DEFAULT_GRAPH, tree[number], under, tree[(number - 1) // 2])
    leaves = np.array(tree[len(tree) // 2 :], dtype=np.uint32)
    subjects = np.arange(1_000_000, 1_000_000 + instances, dtype=np.uint32)
    graphs, kinds = np.full(instances, DEFAULT_GRAPH, dtype=np.uint32), np.full(instances, kind, dtype=np.uint32)
    base.add_quads(Quads(graphs, subjects, kinds, np.random.default_rng(1).choice(leaves, instances)))
    seconds, _ = timed(base.flush)
    relations = [relation for relation in base.statistics().relations if relation.kind == "class"]
    asserted = sum(relation.bytes for relation in relations if relation.scheme != "union")
    inferred = [relation for relation in relations if relation.scheme == "union"]
    return {
        "seconds": seconds,
        "asserted bytes": asserted,
        "inferred bytes": sum(relation.bytes for relation in inferred),
        "inferred types": sum(relation.facts for relation in inferred),
    }


CONTESTANTS: dict[str, Callable[[Keys], Numbers]] = {
    each.__name__: each for each in (scheme, plain, engine, skos, duckdb, clingo, classes)
}


def main() -> None:
    """Run one contestant, and print its numbers as JSON; ``{"absent": ...}`` where its package is missing."""
    name, graph = sys.argv[1:]
    numbers: dict[str, Any]
    try:
        numbers = dict(CONTESTANTS[name](GRAPHS[graph]()))
    except ImportError as error:
        numbers = {"absent": str(error)}
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
