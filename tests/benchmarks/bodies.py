"""Random rules beside DuckDB: ``python -m tests.benchmarks.bodies [GRAPH ...] [--count N] [--seed N]``.

Each rule has two to seven atoms over the edges of a graph, many of them with cycles, and a head of one to three of its
variables. What it derives is counted here, by a query of SPARQL with the same body here, and by DuckDB; all must agree.
Processor time, each in a process of its own, which is cut off after 20 s. Printed as Markdown: how many rules, and
queries, take longer here, and the worst of them.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final

import numpy as np

from tests.benchmarks.papers import table
from tests.benchmarks.rules import contestants, graphs
from tests.benchmarks.rules.programs import Program

GRAPHS: Final[Mapping[str, partial[graphs.Edges]]] = {
    "R-MAT": partial(graphs.r_mat, 11, 12_000),
    "uniform": partial(graphs.uniform, 3_000, 12_000, 3),
    "power law": partial(graphs.power_law, 2_000, 1),
    "grid": partial(graphs.grid, 50),
}
LIMIT: Final = 20
SHORT: Final = 0.005
"""Seconds that count as the least of DuckDB's."""
HEAD: Final = "graph | as | bodies | cut off here | DuckDB cut off | slower here | worst: times as long, milliseconds"
KINDS: Final[Mapping[str, str]] = {"a rule": "kgreason", "a query": "query"}
"""What a body is put as, and who answers it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A rule, the seconds that it or its body as a query takes here, and those of DuckDB; None for what was cut off."""

    rule: str
    own: float | None
    duckdb: float | None

    @property
    def ratio(self) -> float:
        """How many times as long it takes here."""
        return (self.own or LIMIT) / max(SHORT, self.duckdb or LIMIT)


def random_rule(random: Random) -> str:
    """A body that hangs together, with up to two more atoms than a tree has."""
    variables = "ABCDEF"[: random.randint(3, 6)]
    known, *rest = random.sample(variables, len(variables))
    reached, atoms = [known], []
    for variable in rest:
        ends = [variable, random.choice(reached)]
        random.shuffle(ends)
        atoms.append((ends[0], ends[1]))
        reached.append(variable)
    atoms += [tuple(random.sample(variables, 2)) for _ in range(random.randint(0, 2))]
    head = random.sample(variables, random.choice([1, 1, 2, 2, 3]))
    body = ", ".join(f"edge({left},{right})" for left, right in dict.fromkeys(atoms))
    return f"q({','.join(head if len(head) > 1 else 2 * head)}) :- {body}."


def selection_of(rule: str, filter: str = "") -> str:
    """The distinct values of a rule's head as a query, perhaps with a filter."""
    head, body = re.findall(r"\((.*?)\) :- (.*)\.", rule)[0]
    atoms = " . ".join(f"?{left} <http://e/edge> ?{right}" for left, right in re.findall(r"edge\((\w),(\w)\)", body))
    variables = " ".join(f"?{name}" for name in dict.fromkeys(head.split(",")))
    return f"SELECT DISTINCT {variables} {{ {atoms} {filter} }}"


def query_of(rule: str) -> str:
    """A query that counts these."""
    return f"SELECT (COUNT(*) AS ?n) {{ {selection_of(rule)} }}"


def querying(edges: graphs.Edges, rule: str) -> contestants.Run:
    """The same of a store with the edges."""
    from kgreason import ReasoningStore

    store = ReasoningStore(rules="none")
    triples = "".join(f"<http://e/n{left}> <http://e/edge> <http://e/n{right}> .\n" for left, right in edges.tolist())
    store.bulk_load(triples.encode(), format="nt")
    store.query_table(query_of("q(A,A) :- edge(A,A)."))
    return lambda: {"q": int(str(store.query_table(query_of(rule))["n"][0]))}


def run(contestant: str, graph: str, rule: str) -> None:
    """Print the seconds of a contestant, and how many facts the rule derives."""
    edges = GRAPHS[graph]()
    program = Program(rule, lambda: {"edge": edges}, ("q",))
    make = contestants.CONTESTANTS.get(contestant)
    work = querying(edges, rule) if make is None else make(program, program.graphs())
    begin = time.process_time()
    counts = work()
    print(time.process_time() - begin, counts.get("q", 0))


def seconds(contestant: str, graph: str, rule: str) -> tuple[float, int] | None:
    """The same from a process of its own, None where it is cut off."""
    command = [sys.executable, "-m", "tests.benchmarks.bodies", "--run", contestant, graph, rule]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT + 5)
    except subprocess.TimeoutExpired:
        return None
    spent, count = done.stdout.split()
    return (float(spent), int(count)) if float(spent) <= LIMIT else None


def measured(graph: str, count: int, seed: int) -> Iterator[tuple[str, Measured]]:
    """Random rules over a graph, each with what it was put as.

    Raises:
        SystemExit: the two derive different numbers of facts.
    """
    random = Random(seed)
    for number in range(count):
        rule = random_rule(random)
        print(f"{graph}, {number}: {rule}", file=sys.stderr)
        other = seconds("duckdb", graph, rule)
        for kind, contestant in KINDS.items():
            own = seconds(contestant, graph, rule)
            if own is not None and other is not None and own[1] != other[1]:
                raise SystemExit(f"{rule} over {graph}, as {kind}: {own[1]} facts, and {other[1]} of DuckDB")
            yield kind, Measured(rule, own and own[0], other and other[0])


def row(graph: str, kind: str, found: list[Measured]) -> list[str]:
    """What was measured over a graph."""
    worst = sorted(found, key=lambda each: each.ratio, reverse=True)[:3]
    told = (f"{each.ratio:.1f}, {1e3 * (each.own or np.inf):.0f}: `{each.rule}`" for each in worst)
    cut = (sum(spent is None for spent in times) for times in zip(*((e.own, e.duckdb) for e in found), strict=True))
    return [graph, kind, str(len(found)), *map(str, cut), str(sum(each.ratio > 1 for each in found)), "; ".join(told)]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("graphs", nargs="*", metavar="GRAPH", help=", ".join(GRAPHS))
    parser.add_argument("--count", type=int, default=50, help="rules over each graph")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.run:
        run(*arguments.run)
        return
    rows = []
    for graph in arguments.graphs or GRAPHS:
        found = [*measured(graph, arguments.count, arguments.seed)]
        rows += [row(graph, kind, [each for of, each in found if of == kind]) for kind in KINDS]
    print(f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, processor time\n")
    print(table(HEAD, rows))


if __name__ == "__main__":
    main()
