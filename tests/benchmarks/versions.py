"""Two versions of kgreason side by side: ``python -m tests.benchmarks.versions BEFORE AFTER [ROUNDS]``.

BEFORE and AFTER are folders with the source of each, such as ``git worktree add ../before a87151f`` makes. Rounds
alternate; every one is a new process for each version, which runs `version_rows`. Of each row the quickest round
counts. Prints Markdown: milliseconds of the processor and of the clock, and the ratio of the processor's.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from tests.benchmarks.papers import table
from tests.benchmarks.random_graphs import random_dag
from tests.benchmarks.sparql_queries import lubm
from tests.benchmarks.usage import show_help
from tests.shared_data import shared, unpacked

Times: TypeAlias = dict[str, tuple[float, float]]

SLOWER = 1.05
"""More than this is marked."""


def prepare(folder: Path) -> None:
    """Write what `version_rows` reads."""
    shutil.copy(unpacked("lubm/lubm10.nt.bz2"), folder / "lubm10.nt")
    shutil.copy(shared("lubm/univ-bench.owl"), folder / "univ-bench.owl")
    (folder / "queries.json").write_text(json.dumps(lubm()), encoding="utf-8")
    with (folder / "edges.nt").open("w", encoding="utf-8") as file:
        for key in random_dag(10_000, 50_000).tolist():
            source, target = key >> 32, key & 0xFFFFFFFF
            file.write(f"<http://example.org/n{source}> <http://example.org/below> <http://example.org/n{target}> .\n")


def run(source: Path, folder: Path) -> Times:
    """The times of one round of a version."""
    places = os.pathsep.join(str(source / part) for part in ("", "adapters", "ontologies"))
    script = Path(__file__).with_name("version_rows.py")
    command = [sys.executable, str(script), str(folder)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": places}, stdout=subprocess.PIPE, check=True)
    found: Times = json.loads(done.stdout)
    return found


def best(rounds: list[Times]) -> Times:
    """The quickest of each row."""
    return {
        name: (min(each[name][0] for each in rounds), min(each[name][1] for each in rounds)) for name in rounds[0]
    }


def rows(before: Mapping[str, tuple[float, float]], after: Mapping[str, tuple[float, float]]) -> list[list[str]]:
    """A row of the table for each row."""
    found = []
    for name, (clock, processor) in after.items():
        clock_before, processor_before = before[name]
        ratio = processor / processor_before
        numbers = map(milliseconds, (processor_before, processor, clock_before, clock))
        found.append([name, *numbers, f"{ratio:.2f}" + " SLOWER" * (ratio > SLOWER)])
    return found


def milliseconds(seconds: float) -> str:
    """Three digits of them."""
    return f"{1000 * seconds:,.0f}" if seconds >= 0.1 else f"{1000 * seconds:.3g}"


def main(before: str, after: str, rounds: str = "3") -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        found: tuple[list[Times], list[Times]] = ([], [])
        for number in range(int(rounds)):
            for source, times in zip((before, after), found, strict=True):
                print(f"round {number + 1}: {source}", file=sys.stderr, flush=True)
                times.append(run(Path(source).resolve(), folder))
    head = "row | processor before, ms | after | clock before, ms | after | ratio"
    print(table(head, rows(*map(best, found))))


if __name__ == "__main__":
    show_help(__doc__)
    main(*sys.argv[1:])
