"""Closures kept in schemes, beside this engine's own plain table, DuckDB and clingo, and beside the targets.

``python -m tests.benchmarks.closures`` runs every contestant in a process of its own, and prints one table as
Markdown. It takes about fifteen minutes.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys

from tests.benchmarks.__main__ import megabytes, seconds

Numbers = dict[str, float]
Row = tuple[str, str, str]

DAG, MEDIUM, LARGE, RMAT, UNIFORM = (
    "random DAG, 10,000 nodes, 100,000 edges",
    "categories, 200,000 concepts",
    "categories, 1.2 million concepts",
    "R-MAT, 1,024 nodes, 10,000 edges",
    "uniform digraph, 1,000 nodes, 1 %",
)
LIMIT = 120


def run(contestant: str, graph: str) -> Numbers:
    """The numbers of one contestant; none when it does not finish, or is not installed."""
    print(f"{contestant}: {graph} ...", file=sys.stderr)
    command = [sys.executable, "-m", "tests.benchmarks.closure_contestants", contestant, graph]
    try:
        limit = 3600 if contestant in ("scheme", "skos", "classes") else LIMIT
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=limit)
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        return {}
    numbers: Numbers = json.loads(done.stdout.splitlines()[-1])
    return {} if "absent" in numbers else numbers


def peer(name: str, own: Numbers, other: Numbers) -> Row:
    """How long another one takes to close the same graph, and what it grows by."""
    if not other:
        return f"- {name}", f"not within {LIMIT} s and the memory of this machine", ""
    ratio = f"{other['seconds'] / own['seconds']:,.0f} times slower"
    return f"- {name}", f"{seconds(other['seconds'])}, process grows by {megabytes(other['process'])}", ratio


def closing(graph: str, own: Numbers, target: str) -> list[Row]:
    """How long the scheme takes, and what it holds."""
    held = f"{megabytes(own['bytes'])} held, process grows by {megabytes(own['process'])}"
    return [(f"**{graph}**: {own['pairs']:,.0f} pairs", f"{seconds(own['seconds'])}, {held}", target)]


def changes(own: Numbers, *names: str) -> list[Row]:
    """Batches that go and come back, beside closing from scratch."""
    return [
        (f"- {verb} {name} of the edges", seconds(time), f"{time / own['seconds']:.2f} of closing from scratch")
        for name in names
        for verb, time in ((verb, own[f"{verb} {name}"]) for verb in ("remove", "add"))
    ]


def single(own: Numbers, target: str) -> list[Row]:
    """One edge goes or comes, and a read."""
    return [
        (f"- {name}, and a read", f"median {seconds(own[name])}, worst {seconds(own[f'{name}, worst'])}", target)
        for name in ("one removed", "one added back", "a new one added")
    ]


def reading(own: Numbers) -> list[Row]:
    """Look-ups, enumeration, membership."""
    ends = (
        (
            f"- {end}",
            f"{own[end] * 1e6:.0f} µs with {own[f'{end}, outputs']:,.0f} pairs found, "
            f"{own[f'{end}, per output'] * 1e9:.1f} ns per pair over all",
            "50 µs and output",
        )
        for end in ("bound subject", "bound object")
    )
    return [
        *ends,
        ("- labels for bound objects, when first asked for", seconds(own["inverse"]), ""),
        ("- bulk enumeration", f"{own['pairs a second'] / 1e6:,.0f} million pairs a second", "5 million"),
        ("- a million random memberships", seconds(own["a million memberships"]), "1 s"),
    ]


def rows() -> list[Row]:
    """The whole table."""
    table: list[Row] = []
    own = run("scheme", DAG)
    table += closing(DAG, own, "0.5 s, 16 MB") + changes(own, "1,000") + single(own, "") + reading(own)
    table += [peer(name, own, run(name, DAG)) for name in ("engine", "plain", "duckdb", "clingo")]
    for graph, target in ((MEDIUM, "8 s, 150 MB"), (LARGE, "120 s, 3 GB")):
        own = run("scheme", graph)
        table += closing(graph, own, target) + single(own, "100 ms" if graph == MEDIUM else "") + reading(own)
    skos = run("skos", MEDIUM)
    grown = f"process grows by {megabytes(skos['process'])}"
    table.append((f"- the first under all SKOS rules: {skos['triples']:,.0f} triples", seconds(skos["seconds"]), grown))
    table += [(f"- {n}, maintained and read", seconds(skos[n]), "100 ms") for n in ("one removed", "one added back")]
    for graph in (RMAT, UNIFORM):
        own = run("scheme", graph)
        table += closing(graph, own, "") + changes(own, "1 %", "50 %")
        table += [peer(name, own, run(name, graph)) for name in ("plain", "duckdb", "clingo")]
    tree = run("classes", RMAT)
    asserted = f"{megabytes(tree['asserted bytes'])} for what is asserted"
    inferred = f"{tree['inferred bytes'] / 1e3:,.0f} kB for {tree['inferred types']:,.0f} inferred types"
    title = "**class tree of depth 10, ten million instances**"
    table.append((title, f"{asserted}, {inferred}", "nothing that grows with the instances"))
    return table


def main() -> None:
    """Print the table as Markdown."""
    table = rows()
    print(f"\nMeasured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.\n")
    print("| | measured | target or ratio |\n|---|---|---|")
    for row in table:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
