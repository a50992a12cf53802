"""What is measured. Each function is one contestant: it prepares, then yields to be timed, then checks itself.

A contestant gives a dictionary of numbers: seconds under ``seconds``, bytes under ``bytes``, triples under ``triples``.
"""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

Numbers = dict[str, float]
RUNS = 5


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what the work gave."""
    gc.collect()
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def resident() -> int:
    """Bytes of resident memory after a collection."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


# -- this engine ----------------------------------------------------------------------------------------------------


def kgreason_materialise(data: str, ontology: str, rules: str) -> Numbers:
    """Closure of data that is in the dictionary already: grouping, specialisation and reasoning."""
    from kgreason.io.readers import read_files
    from kgreason.store.knowledge_base import KnowledgeBase

    times, triples, load = [], 0, 0.0
    for _ in range(RUNS):
        base = KnowledgeBase(rules)
        load, quads = timed(lambda base=base: read_files([data, ontology], base.dictionary))
        base.add_quads(quads)
        seconds, _ = timed(base.flush)
        times.append(seconds)
        triples = len(base.all())
    return {"seconds": median(times), "with loading": median(times) + load, "triples": triples}


def kgreason_memory(data: str, ontology: str, rules: str) -> Numbers:
    """Resident memory with the closure, through the rdflib store."""
    from rdflib import Graph

    from kgreason import ReasoningStore

    before = resident()
    store = ReasoningStore(rules=rules)
    store.bulk_load(data, ontology)
    graph = Graph(store=store)
    triples = len(graph)
    return {"bytes": resident() - before, "process": resident(), "triples": triples}


def kgreason_changes(data: str, ontology: str, rules: str) -> Numbers:
    """Changes through the rdflib store at full size: one add and one read, and batches of a thousand."""
    import random

    from rdflib import RDF, Graph, Namespace

    from kgreason import ReasoningStore

    ub, new = Namespace("http://swat.cse.lehigh.edu/onto/univ-bench.owl#"), Namespace("http://example.org/")
    store = ReasoningStore(rules=rules)
    store.bulk_load(data, ontology)
    graph = Graph(store=store)
    assert len(graph)
    kinds = [(ub.takesCourse, new.course), (ub.memberOf, new.department), (RDF.type, ub.GraduateStudent)]
    adds, removes = [], []
    triples = [(new[f"s{i}"], *kinds[i % len(kinds)]) for i in range(300)]
    for sample, change in ((adds, graph.add), (removes, graph.remove)):
        for triple in triples:
            expected = change == graph.add
            seconds, found = timed(lambda c=change, t=triple: (c(t), t in graph)[1])
            assert found == expected
            sample.append(seconds)
    batch = random.Random(1).sample(sorted(store.explicit.triples((None, ub.takesCourse, None))), 1000)
    batches: dict[str, list[float]] = {"1,000 removes": [], "1,000 adds": []}
    for _ in range(RUNS):
        for name, change in (("1,000 removes", graph.remove), ("1,000 adds", graph.add)):
            seconds, _ = timed(lambda c=change: ([c(t) for t in batch], len(graph)))
            batches[name].append(seconds)
    return {
        "one add and a read": median(adds),
        "one remove and a read": median(removes),
        **{name: median(times) for name, times in batches.items()},
    }


def numpy_limit(data: str, ontology: str, rules: str) -> Numbers:
    """The limit: sort and copy as many 64-bit keys as the closure has triples."""
    import numpy as np

    count = int(kgreason_materialise(data, ontology, rules)["triples"])
    keys = np.random.default_rng(1).integers(0, 2**63, count, dtype=np.uint64)
    sorting = median(timed(lambda: np.sort(keys))[0] for _ in range(RUNS))
    copying = median(timed(keys.copy)[0] for _ in range(RUNS))
    return {"sort": sorting, "copy": copying, "triples": count}


# -- peers ----------------------------------------------------------------------------------------------------------


def reasonable_materialise(data: str, ontology: str, rules: str) -> Numbers:
    """reasonable 0.4: OWL 2 RL in Rust."""
    import reasonable

    reasoner = reasonable.PyReasoner()
    reasoner.load_file(_as_ntriples(data, ontology))
    seconds, triples = timed(reasoner.reason)
    return {"seconds": seconds, "triples": len(triples)}


def owlrl_materialise(data: str, ontology: str, rules: str) -> Numbers:
    """owlrl 7.6: OWL 2 RL in Python, on rdflib's memory store."""
    import owlrl
    from rdflib import Graph

    graph = Graph()
    graph.parse(data, format="nt")
    graph.parse(ontology, format="xml")
    seconds, _ = timed(lambda: owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph))
    return {"seconds": seconds, "triples": len(graph)}


def maplib_materialise(data: str, ontology: str, rules: str) -> Numbers:
    """maplib 0.20: RDFS on Polars, in Rust."""
    from maplib import Model

    times = []
    for _ in range(RUNS):
        model = Model()
        model.read(data)
        model.read(_as_ntriples(ontology))
        seconds, _ = timed(model.infer_rdfs)
        times.append(seconds)
    return {"seconds": median(times)}


def rdflib_memory(data: str, ontology: str, rules: str) -> Numbers:
    """rdflib's memory store holding the closure that this engine made."""
    from rdflib import Graph

    before = resident()
    graph = Graph()
    graph.parse(data, format="nt")
    return {"bytes": resident() - before, "process": resident(), "triples": len(graph)}


def _as_ntriples(*files: str) -> str:
    """The files as one file of N-Triples beside the last, under the name of Turtle, which N-Triples are."""
    import pyoxigraph as ox

    target = Path(files[-1]).with_suffix(f".{len(files)}.ttl")
    formats = {".nt": ox.RdfFormat.N_TRIPLES, ".owl": ox.RdfFormat.RDF_XML}
    if not target.exists():
        with target.open("wb") as out:
            for file in files:
                path = Path(file)
                quads = ox.parse(path=path, format=formats[path.suffix], base_iri=path.as_uri())
                ox.serialize((q.triple for q in quads), output=out, format=ox.RdfFormat.N_TRIPLES)
    return str(target)


CONTESTANTS: dict[str, Callable[[str, str, str], Numbers]] = {
    function.__name__: function
    for function in (
        kgreason_materialise,
        kgreason_memory,
        kgreason_changes,
        numpy_limit,
        reasonable_materialise,
        owlrl_materialise,
        maplib_materialise,
        rdflib_memory,
    )
}
