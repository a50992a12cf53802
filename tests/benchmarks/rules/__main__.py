"""Prints the table as Markdown: python -m tests.benchmarks.rules [--best N] [--without PEER] [PROGRAM ...]

Seconds are those of the processor, which count both threads of DuckDB, and in brackets those of the clock, the best of
N runs each; bytes are what the process grew by for each fact of the result. The result of n facts of k arguments takes
4 * k * n bytes as ids. At the end: how many times as long the peers take, the memory beside the result, and the
milliseconds that numpy takes to sort and to copy the ids of the result.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.rules.contestants import CONTESTANTS, UNKNOWN, rules_of
from tests.benchmarks.rules.programs import PROGRAMS

LIMIT = 120
DATAFROG = "datafrog"


@cache
def _folder(program: str) -> str:
    """A folder with the relations of a program, two numbers a line."""
    folder = Path(tempfile.mkdtemp(prefix="kgreason-rules-"))
    for name, edges in PROGRAMS[program].graphs().items():
        np.savetxt(folder / f"{name}.txt", edges, fmt="%d")
    return str(folder)


def contestants() -> list[str]:
    """Those of the module, and datafrog where there is one."""
    return [*CONTESTANTS, *([DATAFROG] if "KGREASON_DATAFROG" in os.environ else [])]


def measured(contestant: str, program: str) -> dict[str, Any] | str:
    """The numbers of one contestant in a process of its own, or why there are none."""
    print(f"{contestant}: {program} ...", file=sys.stderr)
    command = [sys.executable, "-m", "tests.benchmarks.rules.contestants", contestant, program]
    if contestant == DATAFROG:
        command = [os.environ["KGREASON_DATAFROG"], program, _folder(program)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"not in {LIMIT} s"
    if done.returncode == UNKNOWN:
        return "has none"
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
        return "failed"
    return dict(json.loads(done.stdout.splitlines()[-1]))


def best(contestant: str, program: str, times: int) -> dict[str, Any] | str:
    """The least of each number of several runs; one run where it fails."""
    found = measured(contestant, program)
    for _ in range(times - 1):
        if isinstance(found, str):
            break
        again = measured(contestant, program)
        if not isinstance(again, str):
            found |= {name: min(found[name], again[name]) for name in ("seconds", "processor", "bytes")}
    return found


def _milliseconds(step: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        step()
        times.append(time.process_time() - begin)
    return 1000 * min(times)


def limits(counts: dict[str, int], widths: dict[str, int]) -> tuple[float, float]:
    """Milliseconds that numpy takes to sort and to copy as many facts: ids, keys of two, or rows by their columns."""
    sorting = copying = 0.0
    for name, count in counts.items():
        width = widths[name]
        columns = np.random.default_rng(1).integers(0, 1 << 32, (width, count), dtype=np.uint32)
        if width > 2:
            sorting += _milliseconds(partial(np.lexsort, columns))
        else:
            keys = columns[0] if width == 1 else columns.reshape(-1).view(np.uint64)
            sorting += _milliseconds(partial(np.sort, keys))
        copying += _milliseconds(columns.copy)
    return sorting, copying


def row(program: str, times: int, names: list[str]) -> str:
    """A row of the table; the contestants must agree."""
    found = {name: best(name, program, times) for name in names}
    numbers = {name: each for name, each in found.items() if not isinstance(each, str)}
    own = numbers.get("kgreason")
    if own is None:
        return f"| {program} | {found['kgreason']} |"
    counts = own["counts"]
    assert all(each["counts"] == counts for each in numbers.values()), f"{program}: {numbers}"
    widths = {head[1]: len(head[2]) for head, _ in rules_of(PROGRAMS[program].text)} or {"made": 2}
    facts, size = sum(counts.values()), sum(4 * widths[name] * count for name, count in counts.items())
    cells = [program, f"{facts:,}"]
    for name, each in found.items():
        if isinstance(each, str):
            cells.append(each)
            continue
        ratio = "" if name == "kgreason" else f", {each['processor'] / own['processor']:.1f} times"
        times_taken = f"{each['processor']:.3f} ({each['seconds']:.2f}) s{ratio}"
        cells.append(f"{times_taken}, {each['bytes'] / facts:,.0f} bytes")
    sorting, copying = limits(counts, widths)
    cells += [f"{own['bytes'] / size:.1f}", f"{sorting:.0f}, {copying:.1f}"]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--best", type=int, default=2, metavar="N")
    parser.add_argument("--without", action="append", default=[], choices=contestants()[1:], help="leave a peer out")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help=", ".join(PROGRAMS))
    options = parser.parse_args()
    names = [name for name in contestants() if name not in options.without]
    titles = ["program", "facts", *names, "memory beside the result", "numpy: sort, copy (ms)"]
    print(f"\nMeasured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for program in options.programs or PROGRAMS:
        print(row(program, options.best, names), flush=True)


if __name__ == "__main__":
    main()
