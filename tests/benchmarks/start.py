"""How long a new process takes to begin, and how much is installed: ``python -m tests.benchmarks.start``.

Each row is run 20 times, each time in a process of its own, in turns, after one run that nobody counts: files are in
the cache of the system, and modules are compiled. Programs are timed from their first statement to their last one,
commands from their start to their end, with that of Python. Milliseconds: of processor time the median; of the clock
the median, the 99th percentile and the worst. Then the bytes of each distribution, without compiled modules.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median, quantiles
from time import perf_counter
from typing import Final, NamedTuple

RUNS: Final = 20
RULE_SETS: Final = ("none", "rdfs", "rdfs-plus", "owl-rl", "owl-rl-full", "skos")

TIMED: Final = """
import time
clock, processor = time.perf_counter(), time.process_time()
{}
print(time.perf_counter() - clock, time.process_time() - processor)
"""
FIRST_GRAPH: Final = """
from rdflib import Graph, URIRef
{}
graph.add((URIRef("http://example.org/a"), URIRef("http://example.org/b"), URIRef("http://example.org/c")))
assert list(graph)
"""
OWN_STORE: Final = """
from kgreason import ReasoningStore
graph = Graph(store=ReasoningStore(rules={!r}))
"""
FIRST_QUERY: Final = """
assert list(graph.query("SELECT ?c WHERE { ?a <http://example.org/b> ?c }"))
"""
TRIPLES: Final = "<http://example.org/a> <http://example.org/b> <http://example.org/c> .\n"
COMMAND: Final = (sys.executable, "-c", "from kgreason.cli import main; main()")
PACKAGES: Final = ("kgreason", "kgreason_rdflib", "kgreason_oxigraph", "kgreason_spark", "kgreason_ontologies")


class Times(NamedTuple):
    """Seconds of one run."""

    clock: float
    processor: float


def programs() -> dict[str, str]:
    """What is run, by what the table calls it."""
    first = {
        f"first graph, rules {name}": FIRST_GRAPH.format(OWN_STORE.format(name)) for name in RULE_SETS
    }
    rdflib_graph = FIRST_GRAPH.format("graph = Graph()")
    own_graph = FIRST_GRAPH.format('graph = Graph("kgreason")')
    return {
        "rdflib: import": "import rdflib",
        "rdflib: first graph": rdflib_graph,
        "rdflib: first graph and query": rdflib_graph + FIRST_QUERY,
        "import numpy": "import numpy",
        "import kgreason": "import kgreason",
        "from kgreason import ReasoningStore": "from kgreason import ReasoningStore",
        **first,
        'first graph, Graph("kgreason")': own_graph,
        "first graph and query, rules owl-rl": FIRST_GRAPH.format(OWN_STORE.format("owl-rl")) + FIRST_QUERY,
    }


def commands(folder: Path) -> dict[str, tuple[str, ...]]:
    """What is started, by what the table calls it."""
    file = folder / "small.nt"
    file.write_text(TRIPLES)
    query = "SELECT ?c WHERE { ?a <http://example.org/b> ?c }"
    return {
        "python -c pass": (sys.executable, "-c", "pass"),
        "kgreason --help": (*COMMAND, "--help"),
        "kgreason query FILE, owl-rl": (*COMMAND, "query", str(file), "--query", query),
        "kgreason query FILE, none": (*COMMAND, "query", str(file), "--rules", "none", "--query", query),
    }


def program_times(code: str, environment: dict[str, str]) -> Times:
    """One run of a program, by its own clocks."""
    run = [sys.executable, "-c", TIMED.format(code)]
    found = subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout
    return Times(*map(float, found.split()[-2:]))


def command_times(command: tuple[str, ...], environment: dict[str, str]) -> Times:
    """One run of a command, from outside."""
    before, begin = getrusage(RUSAGE_CHILDREN), perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    clock, after = perf_counter() - begin, getrusage(RUSAGE_CHILDREN)
    return Times(clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measured() -> dict[str, list[Times]]:
    """The times of all rows."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        rows = {name: (program_times, code) for name, code in programs().items()}
        rows |= {name: (command_times, command) for name, command in commands(Path(folder)).items()}
        found: dict[str, list[Times]] = {name: [] for name in rows}
        for turn in range(RUNS + 1):
            for name, (run, what) in rows.items():
                times = run(what, environment)
                if turn:
                    found[name].append(times)
    return found


def sizes() -> dict[str, int]:
    """Bytes of the files of each distribution that an installation brings, without compiled modules."""
    found: dict[str, int] = {}
    waiting = ["kgreason"]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            installed = distribution(name)
        except PackageNotFoundError:  # one for other systems
            continue
        found[name] = sum(map(own_size, PACKAGES)) if name == "kgreason" else size_of(installed)
        needed = [line for line in installed.requires or () if "extra ==" not in line]
        waiting += [re.split(r"[^\w.-]", line)[0] for line in needed]
    return found


def size_of(installed: Distribution) -> int:
    """The bytes of what was installed."""
    paths = [Path(str(installed.locate_file(file))) for file in installed.files or ()]
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file())


def own_size(package: str) -> int:
    """The bytes of a package, which may be where it is written."""
    spec = find_spec(package)
    paths = [path for place in (spec and spec.submodule_search_locations) or () for path in Path(place).rglob("*")]
    return sum(path.stat().st_size for path in paths if path.suffix != ".pyc" and path.is_file())


def main() -> None:
    """Print both tables."""
    print(f"{'':40}{'processor':>10}{'median':>9}{'99 %':>9}{'worst':>9}")
    for name, times in measured().items():
        clock = [1000 * each.clock for each in times]
        processor = median(1000 * each.processor for each in times)
        last = quantiles(clock, n=100, method="inclusive")[98]
        print(f"{name:40}{processor:10.0f}{median(clock):9.0f}{last:9.0f}{max(clock):9.0f}", flush=True)
    print()
    found = sizes()
    for name, size in sorted(found.items(), key=lambda item: -item[1]):
        print(f"{name:30}{size / 1e6:8.1f} MB")
    print(f"{'together':30}{sum(found.values()) / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()
