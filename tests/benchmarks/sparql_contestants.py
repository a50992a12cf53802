"""Who answers the queries of the SPARQL benchmark, each in a process of its own: the report is the last line.

Run by `tests.benchmarks.sparql` as ``python -m tests.benchmarks.sparql_contestants NAME TASK FOLDER [QUERY]``. The
folder has ``queries.json``, ``closure.nt``, and for this engine ``sources.json`` with the files and rules that the
closure is of.
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

LIMIT = 60
LONG = 5
TOO_LONG, FAILED = -1, -2
RUNS = 5
FORKS = 3
MADV_POPULATE_READ, MADV_POPULATE_WRITE = 22, 23
"""Of Linux 5.14 and later; elsewhere the call fails, and the copies are in the times."""
POINTS = 20_000
TRIVIAL = "SELECT ?x WHERE { ?x a <urn:x-nothing> ; <urn:x-nothing> ?y } LIMIT 1"

Ask = Callable[[str], int]
"""Answers a query, reads all of its rows, and gives their number."""


class TooLongError(Exception):
    """A query that took longer than LIMIT seconds."""


@contextmanager
def limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)


def answered(ask: Ask, query: str) -> tuple[float, int]:
    """The seconds of one answer, and the number of its rows, TOO_LONG or FAILED."""
    try:
        with limited():
            begin = time.perf_counter()
            rows = ask(query)
            return time.perf_counter() - begin, rows
    except TooLongError:
        return float(LIMIT), TOO_LONG
    except BaseException as error:  # maplib's panics are no Exceptions
        if isinstance(error, KeyboardInterrupt):
            raise
        print(f"    fails: {str(error)[:200]}", file=sys.stderr)
        return 0.0, FAILED


def measured(ask: Ask, query: str) -> tuple[float, int]:
    """The median seconds of a query after a first run, which parses it and fills caches and is all that a long one
    gets, and the number of its rows, TOO_LONG or FAILED."""
    first, rows = answered(ask, query)
    if rows in (TOO_LONG, FAILED) or first > LONG:
        return first, rows
    again = [answered(ask, query) for _ in range(RUNS if first < 1 else 1)]
    failed = [each for each in again if each[1] in (TOO_LONG, FAILED)]
    return failed[0] if failed else (median(seconds for seconds, _ in again), rows)


def asked_once(contestant: Callable[[Path], Ask], folder: Path) -> dict[str, tuple[float, int]]:
    """For each query the seconds and rows when it is the first one after the data were read, in a process of its own:
    the median of some processes, one for a query that takes long."""
    ask = contestant(folder)
    ask(TRIVIAL)
    found = {}
    for name, query in json.loads((folder / "queries.json").read_text()).items():
        print(f"  {name}", file=sys.stderr)
        forks = [in_a_fork(ask, query)]
        while len(forks) < FORKS and forks[0][0] < 1:
            forks.append(in_a_fork(ask, query))
        found[name] = median(seconds for seconds, _ in forks), forks[0][1]
    return found


def asked_alone(contestant: Callable[[Path], Ask], folder: Path, name: str) -> dict[str, tuple[float, int]]:
    """The same of one query in this process, for a contestant whose threads a fork does not have."""
    ask = contestant(folder)
    for number in range(4):
        answered(ask, f"{TRIVIAL} # {number}")
    return {name: answered(ask, json.loads((folder / "queries.json").read_text())[name])}


def own_all_pages() -> None:
    """Have all pages of a fork now, not when each is first touched: a process that read its data itself has them."""
    libc = ctypes.CDLL(None, use_errno=True)
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        if rights.startswith("r"):
            begin, end = (int(bound, 16) for bound in span.split("-"))
            advice = MADV_POPULATE_WRITE if rights == "rw-p" else MADV_POPULATE_READ
            libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), advice)


def in_a_fork(ask: Ask, query: str) -> tuple[float, int]:
    """The seconds and the rows of one answer; a child that hangs, as one whose threads are gone may, takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(LIMIT)
        try:
            own_all_pages()
            for number in range(3):
                ask(f"{TRIVIAL} # {number}")
            begin = time.perf_counter()
            rows = ask(query)
            os.write(writing, json.dumps((time.perf_counter() - begin, rows)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as lines:
        report = lines.read()
    _, status = os.waitpid(child, 0)
    if not report:
        return (float(LIMIT), TOO_LONG) if os.WIFSIGNALED(status) else (0.0, FAILED)
    seconds, rows = json.loads(report)
    return seconds, rows


def kgreason_store(folder: Path) -> Any:
    from kgreason import ReasoningStore

    sources = json.loads((folder / "sources.json").read_text())
    store = ReasoningStore(rules=sources["rules"])
    store.bulk_load(*sources["files"])
    return store


def kgreason_rows(folder: Path) -> Ask:
    """This engine through rdflib: rows of rdflib terms."""
    from rdflib import Graph

    graph = Graph(store=kgreason_store(folder))
    return lambda query: len(list(graph.query(query)))


def kgreason_tables(folder: Path) -> Ask:
    """This engine: Arrow tables."""
    store = kgreason_store(folder)
    return lambda query: int(store.query_table(query).num_rows)


def oxigraph_rows(folder: Path) -> Ask:
    """Oxigraph's own store in memory, by pyoxigraph: rows of its terms."""
    import pyoxigraph

    store = pyoxigraph.Store()
    store.bulk_load(path=str(folder / "closure.nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return lambda query: len([tuple(solution) for solution in store.query(query)])


def maplib_tables(folder: Path) -> Ask:
    """maplib: Polars data frames."""
    from maplib import Model

    model = Model()
    model.read(str(folder / "closure.nt"))
    return lambda query: len(model.query(query))


def rdflib_rows(folder: Path) -> Ask:
    """rdflib's memory store and its evaluator."""
    from rdflib import Graph

    graph = Graph()
    graph.parse(folder / "closure.nt", format="nt")
    return lambda query: len(list(graph.query(query)))


def queries(contestant: Callable[[Path], Ask], folder: Path) -> dict[str, tuple[float, int]]:
    """For each query the seconds and rows."""
    ask = contestant(folder)
    found = {}
    for name, query in json.loads((folder / "queries.json").read_text()).items():
        print(f"  {name}", file=sys.stderr)
        found[name] = measured(ask, query)
    return found


# -- small queries -------------------------------------------------------------------------------------------------


def subjects(folder: Path) -> list[str]:
    """Subjects of the closure, at random but the same each time."""
    with (folder / "closure.nt").open() as lines:
        found = sorted({line.split(" ", 1)[0] for line in lines if line.startswith("<")})
    return random.Random(7).choices(found, k=POINTS)


def rate(ask: Callable[[str], object], items: list[str]) -> float:
    begin = time.perf_counter()
    for item in items:
        ask(item)
    return len(items) / (time.perf_counter() - begin)


def points(name: str, folder: Path) -> dict[str, float]:
    """Queries a second: all triples of a subject, by a text each, and prepared with the subject as a binding."""
    wanted = subjects(folder)
    if name == "oxigraph_rows":
        import pyoxigraph

        store = pyoxigraph.Store()
        store.bulk_load(path=str(folder / "closure.nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
        return {
            "text": rate(lambda s: [tuple(r) for r in store.query(f"SELECT ?p ?o {{ {s} ?p ?o }}")], wanted),
        }
    from rdflib import Graph, URIRef
    from rdflib.plugins.sparql import prepareQuery

    graph = Graph(store=kgreason_store(folder)) if name == "kgreason_rows" else Graph()
    if name == "rdflib_rows":
        graph.parse(folder / "closure.nt", format="nt")
    few = wanted if name == "kgreason_rows" else wanted[:2000]
    prepared = prepareQuery("SELECT ?p ?o { ?s ?p ?o }")
    return {
        "text": rate(lambda s: list(graph.query(f"SELECT ?p ?o {{ {s} ?p ?o }}")), few[:2000]),
        "prepared": rate(lambda s: list(graph.query(prepared, initBindings={"s": URIRef(s[1:-1])})), few),
    }


def first_row(folder: Path) -> dict[str, float]:
    """Seconds to the first of ten rows of each query, once it is parsed: the median of many."""
    from rdflib import Graph

    graph = Graph(store=kgreason_store(folder))
    found = {}
    for name, query in json.loads((folder / "queries.json").read_text()).items():
        text = query if " LIMIT " in query else f"{query} LIMIT 10"
        next(iter(graph.query(text)), None)
        times = []
        for _ in range(20):
            begin = time.perf_counter()
            next(iter(graph.query(text)), None)
            times.append(time.perf_counter() - begin)
        found[name] = median(times)
    return found


CONTESTANTS = {
    each.__name__: each for each in (kgreason_rows, kgreason_tables, oxigraph_rows, maplib_tables, rdflib_rows)
}


def main(name: str, task: str, folder: Path, query: str | None = None) -> dict[str, Any]:
    """What one contestant has to report."""
    if query is not None:
        return dict(asked_alone(CONTESTANTS[name], folder, query))
    if task == "points":
        return dict(points(name, folder))
    if task == "first":
        return dict(first_row(folder))
    if task == "once":
        return dict(asked_once(CONTESTANTS[name], folder))
    return dict(queries(CONTESTANTS[name], folder))


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *sys.argv[4:])))
