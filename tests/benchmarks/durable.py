"""Stores on disk, side by side: ``python -m tests.benchmarks.durable``.

* What a commit of one triple costs in kgreason, and in the databases that could lie under it (SQLite, LMDB, DuckDB)
  with nothing else around them, each told to have the disk confirm every commit, beside one fsync and beside Oxigraph.
* LUBM(10,0) with its ontology: loading it into a directory and into memory, opening it again up to the first answer,
  with and without a snapshot, bytes on disk.
* What many changes leave on disk, before and after compaction.
* A graph of 1.2 million categories under SKOS: opening it up to the first answer, commits of one edge.

Each figure of a time is a median; each table is printed when it is done. Some four minutes in all.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from tests.benchmarks.durable_contestants import CONTESTANTS
from tests.benchmarks.papers import table
from tests.benchmarks.random_graphs import categories
from tests.shared_data import shared, unpacked

HEAD_COMMITS = "store | median of one commit | 99 % | times that: kgreason"
HEAD_BULK = "store | load | times that in memory | open and first answer | without a snapshot | bytes per triple"
HEAD_CHANGES = "store | bytes per triple when loaded | after many changes | compacted"
HEAD_CATEGORIES = "load | open and first answer | an edge removed, committed | added, committed | bytes per edge"
COMMITS = 300
ROUNDS = 3
OPENINGS = 5
CONCEPTS = 1_200_000
EDGES = 20
CHANGES = 400
CHANGED = 500
PERSONS: Final = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#Person"
BROADER: Final = "http://www.w3.org/2004/02/skos/core#broader"


def seconds(deed: Callable[[], object]) -> float:
    """How long it takes."""
    begin = time.perf_counter()
    deed()
    return time.perf_counter() - begin


def median(deed: Callable[[], object], rounds: int) -> float:
    """How long it takes, as a rule."""
    return statistics.median(seconds(deed) for _ in range(rounds))


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@contextmanager
def folders() -> Iterator[Iterator[Path]]:
    """New folders on the disk where this runs, as many as wanted."""
    # RocksDB's threads may still write when Oxigraph is gone.
    with tempfile.TemporaryDirectory(dir=Path.cwd(), ignore_cleanup_errors=True) as name:
        yield (Path(name) / str(number) for number in count())


def commits(number: int) -> str:
    """The table of commits."""
    rows: list[list[str]] = []
    ours = 0.0
    for contestant in CONTESTANTS:
        with folders() as fresh, suppress(ImportError):
            folder = next(fresh)
            folder.mkdir()
            with contestant(folder) as commit:
                times = sorted(seconds(lambda each=each: commit(each)) for each in range(number))
            usual, slow = statistics.median(times), times[int(len(times) * 0.99)]
            ours = ours or usual
            rows.append([contestant.__name__, f"{usual * 1e3:.2f} ms", f"{slow * 1e3:.2f} ms", f"{ours / usual:.2g}"])
    return table(HEAD_COMMITS, rows)


def bulk_kgreason(files: list[Path]) -> list[str]:
    """LUBM in kgreason, in memory and in a directory."""
    from kgreason import KnowledgeBase
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions

    def fill(knowledge: KnowledgeBase) -> None:
        knowledge.bulk_load(*files)
        knowledge.flush()

    def fill_folder(folder: Path) -> DurableKnowledge:
        store = DurableKnowledge(folder, OpenOptions(), create=True)
        fill(store.knowledge)
        store.commit({})
        return store

    fill(KnowledgeBase())  # which also pays for what Python imports
    in_memory = median(lambda: fill(KnowledgeBase()), ROUNDS)
    with folders() as fresh:
        stores: list[DurableKnowledge] = []
        load = median(lambda: stores.append(fill_folder(next(fresh))), ROUNDS)
        total, folder = stores[-1].knowledge.all().count(), stores[-1].directory.path
        for store in stores:
            store.close()
        each = size(folder) / total
        open_and_ask(folder)
        again = median(lambda: open_and_ask(folder), OPENINGS)
        store = DurableKnowledge(folder, OpenOptions())
        store.directory.forget_snapshot()
        store.directory.close()
        anew = median(lambda: open_and_ask(folder), ROUNDS)
    ratio = f"{load / in_memory:.2f}"
    return ["kgreason, with its closure", f"{load:.2f} s", ratio, f"{again:.3f} s", f"{anew:.2f} s", f"{each:.0f}"]


def open_and_ask(folder: Path) -> None:
    """Open a store for reading, through rdflib, and ask how many persons there are."""
    from rdflib import Graph

    from kgreason import ReasoningStore

    store = ReasoningStore()
    store.open(str(folder), read_only=True)
    [[found]] = Graph(store=store).query(f"SELECT (count(*) AS ?n) {{ ?x a <{PERSONS}> }}")
    assert int(found) > 100_000
    store.close()


def bulk_oxigraph(files: list[Path]) -> list[str]:
    """The same triples in Oxigraph, which does not reason."""
    import pyoxigraph as library

    formats = {".nt": library.RdfFormat.N_TRIPLES, ".owl": library.RdfFormat.RDF_XML}

    def fill(store: library.Store) -> library.Store:
        for file in files:
            store.bulk_load(path=str(file), format=formats[file.suffix], base_iri="http://example.org/")
        return store

    def reopen() -> None:
        store = library.Store.read_only(str(folder))
        [solution] = store.query(f"SELECT (count(*) AS ?n) {{ ?x a <{PERSONS}> }}")
        assert solution is not None

    in_memory = median(lambda: fill(library.Store()), ROUNDS)
    with folders() as fresh:
        load = median(lambda: fill(library.Store(str(next(fresh)))), ROUNDS)
        folder = next(fresh)
        total = len(fill(library.Store(str(folder))))
        again = median(reopen, OPENINGS)
        each = size(folder) / total
    ratio = f"{load / in_memory:.2f}"
    return ["Oxigraph, explicit triples", f"{load:.2f} s", ratio, f"{again:.3f} s", "", f"{each:.0f}"]


def changes_kgreason(file: Path) -> list[str]:
    """What commits leave on disk that take triples away and bring them back, in kgreason without rules."""
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
    from kgreason.io.quads import DEFAULT_GRAPH, Quads

    with folders() as fresh:
        folder = next(fresh)
        store = DurableKnowledge(folder, OpenOptions("none"), create=True)
        store.knowledge.bulk_load(file)
        store.commit({})
        store.close()
        sizes = [size(folder)]
        store = DurableKnowledge(folder, OpenOptions())
        columns = np.concatenate([np.stack(chunk) for chunk in store.knowledge.all().match(None, None, None)], axis=1)
        total, chance, before = columns.shape[1], np.random.default_rng(7), Quads.empty()
        for _ in range(CHANGES):
            some = np.ascontiguousarray(columns[:, chance.choice(total, CHANGED, replace=False)])
            gone = Quads(np.full(CHANGED, DEFAULT_GRAPH, dtype=np.uint32), *some)
            store.knowledge.add_quads(before)
            store.knowledge.remove_quads(gone)
            store.commit({})
            before = gone
        store.close()
        sizes.append(size(folder))
        store = DurableKnowledge(folder, OpenOptions())
        store.compact()
        store.close()
        sizes.append(size(folder))
    return ["kgreason", *(f"{each / total:.0f}" for each in sizes)]


def changes_oxigraph(file: Path) -> list[str]:
    """The same in Oxigraph."""
    import pyoxigraph as library

    with folders() as fresh:
        folder = next(fresh)
        store = library.Store(str(folder))
        store.bulk_load(path=str(file), format=library.RdfFormat.N_TRIPLES)
        store.flush()
        sizes = [size(folder)]
        quads, chance, before = list(store), np.random.default_rng(7), list[Any]()
        for _ in range(CHANGES):
            gone = [quads[row] for row in chance.choice(len(quads), CHANGED, replace=False).tolist()]
            store.extend(before)
            for quad in gone:
                store.remove(quad)
            store.flush()
            before = gone
        sizes.append(size(folder))
        store.optimize()
        store.flush()
        sizes.append(size(folder))
    return ["Oxigraph", *(f"{each / len(quads):.0f}" for each in sizes)]


def category_graph() -> list[str]:
    """Categories under SKOS: what they are and what follows, opened again and changed."""
    import pyarrow as pa

    from kgreason.columns import pairs
    from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
    from kgreason.io.quads import DEFAULT_GRAPH, Quads
    from kgreason.rdf.model import IRI

    keys = categories(CONCEPTS, more=(1.0, 0.24), back=0.012)
    with folders() as fresh:
        folder = next(fresh)
        store = DurableKnowledge(folder, OpenOptions("skos"), create=True)
        dictionary = store.knowledge.dictionary
        names = pa.array([f"http://example.org/category/{number}" for number in range(CONCEPTS)])
        ids = dictionary.encode_column(names)
        broader, above = (dictionary.encode(IRI(BROADER + end)) for end in ("", "Transitive"))
        subjects, objects = ids[pairs.subjects(keys)], ids[pairs.objects(keys)]
        edges = [np.full(len(keys), each, dtype=np.uint32) for each in (DEFAULT_GRAPH, broader)]
        store.knowledge.add_quads(Quads(edges[0], subjects, edges[1], objects))
        load = seconds(lambda: store.commit({}))
        store.close()

        def reopen() -> None:
            store = DurableKnowledge(folder, OpenOptions(), read_only=True)
            assert sum(len(chunk[0]) for chunk in store.knowledge.all().match(int(ids[5]), above, None)) > 0
            store.close()

        again = median(reopen, OPENINGS)
        each = size(folder) / len(keys)
        store = DurableKnowledge(folder, OpenOptions())
        times: dict[str, list[float]] = {"remove": [], "add": []}
        for row in np.random.default_rng(7).integers(0, len(keys), EDGES).tolist():
            for name, spent in times.items():
                change = getattr(store.knowledge, name)
                change(DEFAULT_GRAPH, int(subjects[row]), broader, int(objects[row]))
                spent.append(seconds(lambda: store.commit({})))
        store.close()
    spent = [f"{statistics.median(each) * 1e3:.1f} ms" for each in times.values()]
    return [f"{load:.1f} s", f"{again:.3f} s", *spent, f"{each:.0f}"]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commits", type=int, default=COMMITS)
    options = parser.parse_args()
    print(f"### Commits of one triple\n\n{commits(options.commits)}\n", flush=True)
    files = [unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")]
    print(f"### LUBM(10,0)\n\n{table(HEAD_BULK, [bulk_kgreason(files), bulk_oxigraph(files)])}\n", flush=True)
    file = unpacked("lubm/lubm1.nt.bz2")
    rows = [changes_kgreason(file), changes_oxigraph(file)]
    head = f"### LUBM(1,0), {CHANGES} times {CHANGED} triples removed and brought back"
    print(f"{head}\n\n{table(HEAD_CHANGES, rows)}\n", flush=True)
    print(f"### {CONCEPTS:,} categories\n\n{table(HEAD_CATEGORIES, [category_graph()])}", flush=True)


if __name__ == "__main__":
    main()
