"""Slow work under a limit of one second: ``python -m tests.benchmarks.limits [--runs N] [--only TEXT] [--busy N]``.

Each case runs in a process of its own, which is killed after a minute. A second thread reads one triple again and
again meanwhile: of the same store where a query is slow; of another one where a change is, since reads of a store wait
for its changes. Meanwhile `--busy` processes compute, as many as there are cores by default. Prints Markdown.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from rdflib import Graph, Literal

from kgreason.errors import KGReasonError
from tests.benchmarks.limits.cases import SECONDS, Case, cases
from tests.benchmarks.limits.stores import EX, empty
from tests.benchmarks.papers import table

Numbers = dict[str, Any]
LONGEST: Final = 60
MEMORY: Final = 10 << 30
WITHIN: Final = 2.0
PAUSE: Final = 0.001


class Reader(threading.Thread):
    """Reads a triple again and again, and records how long each read takes."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(daemon=True)
        self._graph = graph
        self._is_over = threading.Event()
        self.seconds: list[float] = []

    def run(self) -> None:
        """Read until told to end."""
        while not self._is_over.is_set():
            # From when the read was due: a thread that holds the interpreter's lock delays also the end of a sleep.
            due = time.perf_counter() + PAUSE
            time.sleep(PAUSE)
            (EX.x1, EX.p, Literal(1)) in self._graph  # noqa: B015 - how long a read takes is asked
            self.seconds.append(time.perf_counter() - due)

    def end(self) -> list[float]:
        """End, and say how long the reads took."""
        self._is_over.set()
        self.join()
        return self.seconds


def measured(case: Case, folder: Path) -> Numbers:
    """One case, in this process."""
    graph = case.store()
    read = graph if case.is_reading else empty()
    # The first file is written before the limit begins.
    write = getattr(case.run, "args", (None,))[0]
    if case.kind == "load" and write is not None:
        write(folder)
    size = len(graph)
    reader = Reader(read)
    reader.start()
    signal.alarm(LONGEST)
    time.sleep(0.05)
    begin = time.perf_counter()
    try:
        case.run(graph, folder)
        outcome = "answered"
    except (KGReasonError, MemoryError) as error:
        outcome = type(error).__name__
        text = str(error)[:150]
    else:
        text = ""
    seconds = time.perf_counter() - begin
    waits = reader.end()
    signal.alarm(0)
    if outcome != "answered" and len(graph) != size:
        outcome += ", BUT CHANGED"
    return {
        "seconds": seconds,
        "outcome": outcome,
        "text": text,
        "worst": max(waits),
        "p99": float(np.percentile(waits, 99)),
    }


def run(case: Case, folder: Path) -> Numbers:
    """One case, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.limits", "--case", case.kind, case.name, str(folder)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=LONGEST + 60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )  # fmt: skip
        last = (done.stdout.splitlines() or [""])[-1]
    except subprocess.TimeoutExpired as stopped:
        raise SystemExit(f"{case.name}: cannot be stopped: {stopped}") from None
    if not last.startswith("{"):
        outcome = f"killed after {LONGEST} s" if done.returncode == -signal.SIGALRM else f"ended with {done.returncode}"
        return {"seconds": float(LONGEST), "outcome": outcome, "text": done.stderr[-300:], "worst": 0.0, "p99": 0.0}
    return dict(json.loads(last))


@contextmanager
def busy(count: int) -> Iterator[None]:
    """So many processes compute while the body runs."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def row(case: Case, runs: list[Numbers]) -> list[str]:
    """A line of the table: medians, but the worst of what must not be long."""
    seconds = sorted(each["seconds"] for each in runs)
    over = " **over**" if seconds[-1] > WITHIN else ""
    return [
        case.kind,
        case.name,
        " or ".join(dict.fromkeys(each["outcome"] for each in runs)),
        f"{float(np.median(seconds)):.2f} s",
        f"{seconds[-1]:.2f} s{over}",
        f"{max(each['p99'] for each in runs) * 1000:.0f} ms",
        f"{max(each['worst'] for each in runs) * 1000:.0f} ms",
    ]


def main() -> None:
    """Print the table, and the figures of all cases together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), help="processes that compute meanwhile")
    parser.add_argument("--folder", type=Path, help="where files are written, and kept")
    parser.add_argument("--case", nargs=3)
    options = parser.parse_args()
    if options.case:
        kind, name, folder = options.case
        case = next(each for each in cases() if (each.kind, each.name) == (kind, name))
        print(json.dumps(measured(case, Path(folder))))
        return
    with tempfile.TemporaryDirectory() as temporary, busy(options.busy):
        folder = options.folder or Path(temporary)
        chosen = [case for case in cases() if options.only in f"{case.kind} {case.name}"]
        rows, every = [], []
        for case in chosen:
            runs = [run(case, folder) for _ in range(options.runs)]
            rows.append(row(case, runs))
            every += runs
            print(" | ".join(rows[-1]), runs[-1]["text"], file=sys.stderr, flush=True)
    seconds = [each["seconds"] for each in every]
    load = os.getloadavg()[1]
    print(f"\nMeasured on {datetime.date.today()}, {os.cpu_count()} cores, {options.busy} other processes that "
          f"compute, a load of {load:.1f}, "
          f"Python {platform.python_version()}, {options.runs} runs of each, a limit of {SECONDS:g} s.\n")  # fmt: skip
    head = "kind | case | outcome | median | worst | another thread's read, 99th percentile | worst"
    print(table(head, rows))
    shares = ", ".join(f"{name} {np.percentile(seconds, share):.2f} s" for name, share in
                       (("median", 50), ("95th percentile", 95), ("worst", 100)))  # fmt: skip
    print(f"\n{len(chosen)} cases, until the error or the answer: {shares}; "
          f"{np.mean([each <= WITHIN for each in seconds]):.1%} within {WITHIN:g} s.")  # fmt: skip


if __name__ == "__main__":
    main()
