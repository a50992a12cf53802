"""What the benchmark of loading measures, each in a process of its own: seconds, processor time, peak, triples.

Run by `tests.benchmarks.loading` as ``python -m tests.benchmarks.loading_contestants CONTESTANT FILES...``.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

Numbers = dict[str, float]


def peak() -> int:
    """The largest resident memory of the process so far, in bytes (Linux)."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def measured(work: Callable[[], int]) -> Numbers:
    """What some work takes, which gives the number of triples."""
    before, begin, processor = peak(), time.perf_counter(), time.process_time()
    triples = work()
    numbers: Numbers = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}
    return numbers | {"peak": peak() - before, "triples": triples}


def kgreason(path: str) -> Numbers:
    """Into a store without rules, until it can be read."""
    from rdflib import Graph

    from kgreason import ReasoningStore
    from kgreason.io.encoded.encoded_reader import read_encoded

    # What is imported when it is needed counts for nobody.
    assert read_encoded
    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    assert not len(graph)

    def work() -> int:
        store.bulk_load(path)
        return len(graph)

    return measured(work)


def kgreason_closure(data: str, ontology: str) -> Numbers:
    """Load, and materialise under owl-rl."""
    from rdflib import Graph

    from kgreason import ReasoningStore

    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    assert len(graph) is not None
    loading: list[float] = []

    def work() -> int:
        begin = time.perf_counter()
        store.bulk_load(data, ontology)
        loading.append(time.perf_counter() - begin)
        return len(graph)

    return measured(work) | {"loading": loading[0], "explicit": len(store.explicit)}


def oxigraph_memory(path: str) -> Numbers:
    """Oxigraph's bulk loader, in memory."""
    import pyoxigraph

    store = pyoxigraph.Store()

    def work() -> int:
        store.bulk_load(path=path, format=pyoxigraph.RdfFormat.N_TRIPLES)
        return len(store)

    return measured(work)


def oxigraph_disk(path: str) -> Numbers:
    """Oxigraph's bulk loader, on disk."""
    import pyoxigraph

    # The store works on in its folder until the process ends; who made the parent deletes it all.
    store = pyoxigraph.Store(tempfile.mkdtemp(dir=Path(path).parent))

    def work() -> int:
        store.bulk_load(path=path, format=pyoxigraph.RdfFormat.N_TRIPLES)
        return len(store)

    return measured(work)


def oxigraph_parser(path: str) -> Numbers:
    """Oxigraph's parser, whose quads nobody keeps."""
    import pyoxigraph

    return measured(lambda: sum(1 for _ in pyoxigraph.parse(path=path, format=pyoxigraph.RdfFormat.N_TRIPLES)))


def rdflib(path: str) -> Numbers:
    """rdflib's parser, into its memory store."""
    from rdflib import Graph

    graph = Graph()
    return measured(lambda: len(graph.parse(path, format="nt")))


def numpy_limit(path: str) -> Numbers:
    """The limit: copy three columns of ids and sort one of pairs, as many as there are lines."""
    import numpy as np

    with open(path, "rb") as stream:
        count = sum(block.count(b"\n") for block in iter(lambda: stream.read(1 << 20), b""))
    keys = np.random.default_rng(1).integers(0, 2**63, count, dtype=np.uint64)
    columns = [keys.astype(np.uint32) for _ in range(3)]

    def work() -> int:
        assert all(len(column.copy()) == len(keys) for column in columns)
        return len(np.sort(keys))

    return measured(work)


CONTESTANTS: dict[str, Callable[..., Numbers]] = {
    each.__name__: each
    for each in (
        kgreason,
        kgreason_closure,
        oxigraph_memory,
        oxigraph_disk,
        oxigraph_parser,
        rdflib,
        numpy_limit,
    )
}


def main() -> None:
    """Run one contestant, and print its numbers as JSON."""
    name, *arguments = sys.argv[1:]
    print(json.dumps(CONTESTANTS[name](*arguments)))


if __name__ == "__main__":
    main()
