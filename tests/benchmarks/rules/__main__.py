"""Prints the table of the package as Markdown: python -m tests.benchmarks.rules [PROGRAM ...]"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
from typing import Any

from tests.benchmarks.rules.contestants import CONTESTANTS
from tests.benchmarks.rules.programs import PROGRAMS

LIMIT = 120


def measured(contestant: str, program: str) -> dict[str, Any]:
    """The numbers of one contestant in a process of its own, none when it does not finish."""
    print(f"{contestant}: {program} ...", file=sys.stderr)
    command = [sys.executable, "-m", "tests.benchmarks.rules.contestants", contestant, program]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode:
        print(done.stderr[-500:], file=sys.stderr)
        return {}
    return dict(json.loads(done.stdout.splitlines()[-1]))


def row(program: str) -> str:
    """A row of the table; the contestants must agree."""
    found = {name: measured(name, program) for name in CONTESTANTS}
    counts = [numbers["counts"] for numbers in found.values() if numbers]
    assert all(each == counts[0] for each in counts), f"{program}: {counts}"
    own = found["kgreason"]
    cells = [program, f"{sum(counts[0].values()):,}" if counts else ""]
    for numbers in found.values():
        if not numbers:
            cells.append(f"not in {LIMIT} s")
            continue
        ratio = f" ({numbers['seconds'] / own['seconds']:.1f})" if own else ""
        cells.append(f"{numbers['seconds']:.2f} s{ratio}, {numbers['bytes'] / 1e6:,.0f} MB")
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table: seconds from loaded facts to the closure, the ratio to this engine, growth of the process."""
    programs = sys.argv[1:] or [*PROGRAMS]
    rows = [row(program) for program in programs]
    print(f"\nMeasured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n")
    print(f"| program | facts | {' | '.join(CONTESTANTS)} |\n|---|---|{'---|' * len(CONTESTANTS)}")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
