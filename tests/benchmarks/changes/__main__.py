"""Single facts that go and come back, at random, beside computing all anew.

``python -m tests.benchmarks.changes [CASE ...] [--count N] [--limit SECONDS] [--seed N]`` runs each case in a process
of its own, and prints Markdown: processor time, each change with a read. A CASE is part of the name of a case, or the
module of the engine that cases are about (`cases`). To derive all anew is timed in the same process, the best of three.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

import numpy as np

from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.rdf.model import Term
from kgreason.store.knowledge_base import KnowledgeBase
from tests.benchmarks.changes.cases import CASES, Make
from tests.benchmarks.changes.triples import Quad
from tests.benchmarks.papers import table

HEAD: Final = (
    "what goes and comes | module | times | facts | anew | removed: median, 99 %, worst | added: median, 99 %, worst"
    " | worst beside anew: removed, added"
)


def timed(base: KnowledgeBase, change: Callable[[int, int, int, int], object], quad: Quad) -> float:
    """Seconds for a change, a look for its triple, and a read of ten triples of its subject."""
    begin = time.process_time()
    change(*quad)
    read(base, quad)
    return time.process_time() - begin


def read(base: KnowledgeBase, quad: Quad) -> None:
    """Look for a triple, and read ten triples of its subject."""
    base.flush()
    base.all().contains(*quad[1:])
    for _ in zip(range(10), base.all().match(quad[1], None, None), strict=False):
        pass


def measure(name: str, count: int, limit: float, seed: int) -> Iterator[list[str]]:
    """A row for each group of facts of a case; where only the slowest are shown, those by their median.

    The worst change of each direction is compared with deriving what it leads to anew.
    """
    case = CASES[name]
    least, base = anew(case.make)
    facts = sum(relation.facts for relation in base.statistics().relations)
    found = []
    for group, quads in case.choose(base, Random(seed), count).items():
        gone, back = changes(base, quads, limit)
        found.append((float(np.median(gone + back)), group, quads, gone, back))
    if case.slowest is not None:
        found = sorted(found, reverse=True)[: case.slowest]
    for _, group, quads, gone, back in found:
        is_there = base.explicit().contains(*quads[0][1:])
        other = quads[int(np.argmax(gone if is_there else back))][1:]
        beside, _ = anew(case.make, [base.dictionary.decode(each) for each in other], removes=is_there)
        without_it, with_it = (beside, least) if is_there else (least, beside)
        times = f"{without_it:.3g} s without, {with_it:.3g} s with"
        numbers = [case.module, str(len(gone)), f"{facts:,}", times, spread(gone), spread(back)]
        yield [f"{name}{group and ': '}{group}", *numbers, f"{max(gone) / without_it:.2f}, {max(back) / with_it:.2f}"]


def anew(made: Make, other: Sequence[Term] = (), *, removes: bool = False) -> tuple[float, KnowledgeBase]:
    """Seconds to derive everything, perhaps with a triple more or less, and for a read: the best of three; and the last
    knowledge base."""
    seconds = []
    for _ in range(3):
        base = made()
        if other:
            subject, predicate, object = map(base.dictionary.encode, other)
            (base.remove if removes else base.add)(DEFAULT_GRAPH, subject, predicate, object)
        gc.collect()
        begin = time.process_time()
        base.flush()
        some = next(iter(base.explicit().match(None, None, None)))
        read(base, (DEFAULT_GRAPH, *(int(column[0]) for column in some)))
        seconds.append(time.process_time() - begin)
    return min(seconds), base


def changes(base: KnowledgeBase, quads: Sequence[Quad], limit: float) -> tuple[list[float], list[float]]:
    """Seconds for each fact to go, and to come, within about as many seconds in all.

    Python's collector looks through no object from before, as it does not while `anew` is timed: 40 ms now and then.
    """
    times: dict[bool, list[float]] = {True: [], False: []}
    before, begin = len(base.all()), time.monotonic()
    gc.collect()
    gc.freeze()
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
    parser.add_argument(
        "cases", nargs="*", metavar="CASE", help="parts of the names of cases or modules; all without any"
    )
    parser.add_argument("--count", type=int, default=200, help="random facts of each case")
    parser.add_argument("--limit", type=float, default=60, help="seconds for the changes of a group of facts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps([*measure(options.one, options.count, options.limit, options.seed)]))
        return
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, processor time\n")
    print(table(HEAD, []), flush=True)
    for name, case in CASES.items():
        if not options.cases or any(part in name or part == case.module for part in options.cases):
            print(f"{name} ...", file=sys.stderr)
            command = [sys.executable, "-m", "tests.benchmarks.changes", "--one", name]
            given = ["--count", str(options.count), "--limit", str(options.limit), "--seed", str(options.seed)]
            done = subprocess.run([*command, *given], stdout=subprocess.PIPE, text=True, check=False)
            rows = json.loads(done.stdout.splitlines()[-1]) if not done.returncode else [[name, case.module, "failed"]]
            for row in rows:
                print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
