"""Run all contestants, and print one table of results with ratios."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.shared_data import shared, unpacked

Row = tuple[str, str, str, str]


class Arena:
    """The files, in a folder of their own, and a way to run a contestant on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ontology = folder / "univ-bench.owl"
        shutil.copy(shared("lubm/univ-bench.owl"), self.ontology)
        for size in (1, 10):
            shutil.copy(unpacked(f"lubm/lubm{size}.nt.bz2"), folder / f"lubm{size}.nt")

    def run(self, contestant: str, size: int, rules: str, data: Path | None = None) -> dict[str, float]:
        """The numbers of one contestant, from a process of its own."""
        files = [str(data or self.folder / f"lubm{size}.nt"), str(self.ontology)]
        print(f"{contestant} on LUBM({size},0) under {rules} ...", file=sys.stderr)
        command = [sys.executable, "-m", "tests.benchmarks.worker", contestant, *files, rules]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{contestant} failed:\n{done.stderr}")
        return dict(json.loads(done.stdout.splitlines()[-1]))

    def closure(self) -> Path:
        """The closure of LUBM(10,0) under owl-rl, as N-Triples."""
        target = self.folder / "closure.nt"
        data = str(self.folder / "lubm10.nt")
        command = [sys.executable, "-m", "kgreason", "materialise", data, str(self.ontology), "-o", str(target)]
        subprocess.run(command, check=True, capture_output=True)
        return target


def seconds(number: float) -> str:
    """A time with three digits."""
    return f"{number:.3g} s" if number >= 0.1 else f"{number * 1000:.3g} ms"


def megabytes(number: float) -> str:
    """A size in megabytes."""
    return f"{number / 1e6:,.0f} MB"


def against(title: str, own: dict[str, float], peer: dict[str, float], name: str) -> Row:
    """A row of a time beside a peer's."""
    if "absent" in peer:
        return title, seconds(own["seconds"]), f"{name}: not installed", ""
    ratio = round(peer["seconds"] / own["seconds"], 1)
    return title, seconds(own["seconds"]), f"{name}: {seconds(peer['seconds'])}", f"{ratio:,} times faster"


def rows(arena: Arena) -> list[Row]:
    """All measurements, one row each."""
    large = arena.run("kgreason_materialise", 10, "owl-rl")
    small = arena.run("kgreason_materialise", 1, "owl-rl")
    rdfs = arena.run("kgreason_materialise", 10, "rdfs")
    limit = arena.run("numpy_limit", 10, "owl-rl")
    changes = arena.run("kgreason_changes", 10, "owl-rl")
    memory = arena.run("kgreason_memory", 10, "owl-rl")
    table = [
        against("LUBM(10,0), owl-rl", large, arena.run("reasonable_materialise", 10, "owl-rl"), "reasonable"),
        against("LUBM(1,0), owl-rl", small, arena.run("owlrl_materialise", 1, "owl-rl"), "owlrl"),
        against("LUBM(10,0), rdfs", rdfs, arena.run("maplib_materialise", 10, "rdfs"), "maplib"),
        (
            "LUBM(10,0), owl-rl, beside the limit",
            seconds(large["seconds"]),
            f"numpy sorts as many ids: {seconds(limit['sort'])}",
            f"{large['seconds'] / limit['sort']:.2g} sorts",
        ),
        ("LUBM(10,0), owl-rl, with parsing", seconds(large["with loading"]), "", ""),
        *((name + ", LUBM(10,0) closure", seconds(number), "", "") for name, number in changes.items()),
    ]
    peer = arena.run("rdflib_memory", 10, "none", arena.closure())
    ratio = f"{peer['bytes'] / memory['bytes']:.3g} times less"
    table.append(("memory of the LUBM(10,0) closure", megabytes(memory["bytes"]),
                  f"rdflib's memory store: {megabytes(peer['bytes'])}", ratio))  # fmt: skip
    ratio = f"{peer['process'] / memory['process']:.3g} times less"
    table.append(("the same, whole process", megabytes(memory["process"]),
                  f"rdflib's memory store: {megabytes(peer['process'])}", ratio))  # fmt: skip
    return table


def main() -> None:
    """Print the table as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        table = rows(Arena(Path(folder)))
    print(f"\nMeasured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n")
    print("| | kgreason | peer | ratio |\n|---|---|---|---|")
    for row in table:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
