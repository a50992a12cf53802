"""Tables 1 and 2 of Hu et al. 2019: modular materialisation and maintenance beside their plain baselines, as ratios.

``python -m tests.benchmarks.papers [--quick] [--limit SECONDS] [WORKLOAD ...]`` runs each contestant in a process
of its own, and prints Markdown. A phase of a baseline that takes longer than the limit, or more than half of the
memory, makes its ratio a lower bound, written ``> x``; what comes after that phase is unknown, written ``?``.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import threading
import time
from typing import Any, TypeAlias

from tests.benchmarks.__main__ import seconds
from tests.benchmarks.paper_contestants import BASELINE, MODULAR, OUT_OF_MEMORY
from tests.benchmarks.paper_workloads import PAPER, WORKLOADS

Numbers: TypeAlias = dict[str, Any]

QUICK = ("LUBM(1,0)", "1,000 categories", "DAG, 500 nodes, 2,500 edges", "5 groups of 20 to 60 places")
PHASES = ("materialisation", "small_deletions", "small_insertions", "large_deletions")
SAMPLES = 10


def run(contestant: str, workload: str, limit: float) -> Numbers:
    """What a contestant said within the limit for each line, and at least how long its last phase takes."""
    print(f"{contestant}: {workload} ...", file=sys.stderr)
    arguments = [contestant, workload, str(SAMPLES), str(limit)]
    command = [sys.executable, "-m", "tests.benchmarks.paper_contestants", *arguments]
    numbers: Numbers = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while True:
            begin, watch = time.perf_counter(), threading.Timer(limit, process.kill)
            watch.start()
            line = process.stdout.readline()
            watch.cancel()
            if not line:
                break
            numbers.update(json.loads(line))
    if process.returncode:
        if process.returncode not in (OUT_OF_MEMORY, -signal.SIGKILL, -signal.SIGABRT):
            raise SystemExit(f"{contestant} failed on {workload} with {process.returncode}")
        numbers["stopped"] = time.perf_counter() - begin
        numbers["reason"] = "" if numbers["stopped"] >= limit else ", out of memory"
        print(
            f"- stopped in {numbers.get('phase')} after {numbers['stopped']:.0f} s{numbers['reason']}", file=sys.stderr
        )
    return numbers


def at_least(numbers: Numbers, phase: str) -> float | None:
    """How long an unfinished phase ran; None if it finished or was not reached."""
    return numbers.get("stopped") if phase not in numbers and numbers.get("phase") == phase else None


def duration(numbers: Numbers, phase: str) -> str:
    """How long a phase took, or ran."""
    bound = at_least(numbers, phase)
    if bound is not None:
        return f"> {seconds(bound)}{numbers['reason']}"
    return seconds(numbers[phase]) if phase in numbers else "?"


def ratio(modular: Numbers, baseline: Numbers, phase: str, target: float) -> str:
    """How many times faster modular is, and whether that is what the paper has."""
    bound = at_least(baseline, phase)
    other = baseline.get(phase, bound)
    if other is None or phase not in modular:
        return f"? (paper {target:,.3g})"
    factor = other / modular[phase]
    met = "met" if factor >= target else "unknown" if bound is not None else "MISSED"
    return f"{'> ' if bound is not None else ''}{factor:,.3g} (paper {target:,.3g}: {met})"


def compare(modular: Numbers, baseline: Numbers) -> None:
    """Both must have come to the same facts.

    Raises:
        AssertionError: they have not.
    """
    for name in ("explicit", "facts", "remaining"):
        found = {numbers[name] for numbers in (modular, baseline) if name in numbers}
        assert len(found) < 2, (name, modular, baseline)


def materialisation(title: str, modular: Numbers, baseline: Numbers) -> list[str]:
    """A row of table 1."""
    counted = ("explicit", "facts", "strata", "nonrecursive", "recursive", "transitive", "symmetric")
    times = (duration(numbers, "materialisation") for numbers in (modular, baseline))
    target = PAPER[WORKLOADS[title].paper].materialisation
    counts = (f"{modular[name]:,}" if name in modular else "?" for name in counted)
    return [WORKLOADS[title].paper, title, *counts, *times, ratio(modular, baseline, "materialisation", target)]


def maintenance(title: str, modular: Numbers, baseline: Numbers) -> list[str]:
    """A row of table 2."""
    paper = PAPER[WORKLOADS[title].paper]
    cells = [WORKLOADS[title].paper, title]
    for phase in PHASES[1:]:
        cells += [duration(modular, phase), duration(baseline, phase)]
        cells.append(ratio(modular, baseline, phase, getattr(paper, phase)))
    if "worst_deletion" not in modular:
        return [*cells, "?"]
    share = modular["worst_deletion"] / modular["materialisation"]
    return [*cells, f"{share:.0%} ({'met' if share <= 1 else 'MISSED'})"]


def table(head: str, rows: list[list[str]]) -> str:
    """Rows as Markdown under a head."""
    lines = [f"| {head} |", "|---" * (head.count("|") + 1) + "|", *("| " + " | ".join(row) + " |" for row in rows)]
    return "\n".join(lines)


HEAD_1 = "paper's | here | E | I | S | nonrecursive | recursive | TC | STC | Mat-Mod | Mat | times faster"
HEAD_2 = "paper's | here | small deletions, modular | baseline | times faster | small insertions, modular | baseline | \
times faster | 25 % deleted, modular | baseline | times faster | dearest small deletion, of materialising"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD")
    parser.add_argument("--quick", action="store_true", help="only the smallest of each kind")
    parser.add_argument("--limit", type=float, default=600, help="seconds for each phase of a contestant")
    options = parser.parse_args()
    titles = options.workloads or (QUICK if options.quick else [title for title in WORKLOADS if title not in QUICK])
    first, second = [], []
    for title in titles:
        modular, baseline = (run(contestant, title, options.limit) for contestant in (MODULAR, BASELINE))
        compare(modular, baseline)
        first.append(materialisation(title, modular, baseline))
        second.append(maintenance(title, modular, baseline))
    print(f"### Materialisation, after table 1 of Hu et al. 2019\n\n{table(HEAD_1, first)}\n")
    print(f"### 1,000 facts and 25 % of the facts, after table 2\n\n{table(HEAD_2, second)}\n", flush=True)


if __name__ == "__main__":
    main()
