"""Annotated triples in the shape of Wikidata's statements: ``python -m tests.benchmarks.annotated [STATEMENTS]``.

By default 200,000 statements, each a triple with a reifier, a rank and qualifiers: a million triples, loaded as
N-Triples and in Turtle's syntax of annotations, reasoned over (RDFS, and rules in SPARQL-RL that take reified triples
apart), and queried, beside Oxigraph in the same run. Oxigraph does not reason: for the queries it has the closure. Each
part in a process of its own; the least processor time of several runs counts, and answers must agree.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.annotated_data import PROLOGUE, QUERIES, RULES, SCHEMA, ntriples, turtle
from tests.benchmarks.loading_contestants import measured
from tests.benchmarks.papers import table
from tests.benchmarks.usage import show_help

STATEMENTS, LOADS, ASKS = 200_000, 2, 3
FILES = {"N-Triples": "data.nt", "Turtle, annotations": "data.ttl"}


def prepare(folder: Path, statements: int) -> None:
    """The data in both forms, the schema and the rules."""
    for name, lines in (("data.nt", ntriples(statements)), ("data.ttl", turtle(statements))):
        with (folder / name).open("w", encoding="utf-8") as out:
            out.writelines(lines)
    (folder / "schema.ttl").write_text(SCHEMA, encoding="utf-8")
    (folder / "rules.srl").write_text(RULES, encoding="utf-8")


# -- in processes of their own -----------------------------------------------------------------------------------


def load_kgreason(folder: Path, file: str) -> dict[str, Any]:
    """Into a store without rules, until it can be read."""
    from rdflib import Graph

    from kgreason import ReasoningStore

    store = ReasoningStore(rules="none")
    graph = Graph(store=store)
    assert not len(graph)

    def work() -> int:
        store.bulk_load(folder / file)
        return len(graph)

    return measured(work)


def load_oxigraph(folder: Path, file: str) -> dict[str, Any]:
    """Oxigraph's bulk loader, in memory."""
    import pyoxigraph

    store = pyoxigraph.Store()

    def work() -> int:
        format_ = pyoxigraph.RdfFormat.from_extension(file.rpartition(".")[2])
        store.bulk_load(path=str(folder / file), format=format_)
        return len(store)

    return measured(work)


def ask_kgreason(folder: Path, _: str) -> dict[str, Any]:
    """The closure, which is written for the other one, and the queries."""
    from rdflib import Graph

    from kgreason import ReasoningStore

    store = ReasoningStore(rules=["rdfs", str(folder / "rules.srl")])
    graph = Graph(store=store)
    len(graph)  # what rules derive of nothing is not measured

    def load() -> int:
        store.bulk_load(folder / "data.nt", folder / "schema.ttl")
        return 0

    loading = measured(load)
    closure = measured(lambda: len(graph))
    graph.serialize(folder / "closure.nt", format="kg-nt", encoding="utf-8")
    answers = asked(lambda query: len(list(graph.query(query))))
    return closure | {"loading": loading["processor"], "explicit": len(store.explicit), "queries": answers}


def ask_oxigraph(folder: Path, _: str) -> dict[str, Any]:
    """The queries over the closure."""
    import pyoxigraph

    store = pyoxigraph.Store()
    store.bulk_load(path=str(folder / "closure.nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return {"queries": asked(lambda query: len([tuple(row) for row in store.query(query)]))}


def asked(ask: Callable[[str], int]) -> dict[str, tuple[float, float, int]]:
    """For each query the processor seconds of the first answer, the least of the later ones, and the rows."""
    found = {}
    for name, query in QUERIES.items():
        times = []
        for _ in range(ASKS + 1):
            begin = time.process_time()
            rows = ask(PROLOGUE + query)
            times.append(time.process_time() - begin)
        found[name] = times[0], min(times[1:]), rows
    return found


PARTS = {each.__name__: each for each in (load_kgreason, load_oxigraph, ask_kgreason, ask_oxigraph)}


def run(part: str, folder: Path, file: str = "") -> dict[str, Any]:
    """The report of a part."""
    command = [sys.executable, "-m", "tests.benchmarks.annotated", part, str(folder), file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{part} failed:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


# -- the tables ----------------------------------------------------------------------------------------------------


def loading_rows(folder: Path) -> list[list[str]]:
    """For each form processor time and memory of both, and the ratio of times."""
    rows = []
    for title, file in FILES.items():
        best: list[dict[str, float]] = []
        for part in ("load_kgreason", "load_oxigraph"):
            print(f"{part}, {title} ...", file=sys.stderr)
            runs = [run(part, folder, file) for _ in range(LOADS)]
            best.append({name: min(each[name] for each in runs) for name in runs[0]})
        ours, theirs = best
        assert ours["triples"] == theirs["triples"]
        rows.append([
            title, f"{ours['triples']:,.0f}", f"{ours['processor']:.3g} s", f"{theirs['processor']:.3g} s",
            f"{theirs['processor'] / ours['processor']:.2f}",
            f"{ours['peak'] / ours['triples']:.0f}", f"{theirs['peak'] / theirs['triples']:.0f}",
        ])  # fmt: skip
    return rows


def query_rows(ours: dict[str, Any], theirs: dict[str, Any]) -> list[list[str]]:
    """For each query rows, the first and a later answer of this engine, and Oxigraph's."""
    rows = []
    for name, (first, later, count) in ours.items():
        _, other, others = theirs[name]
        assert count == others, name
        ratio = other / later if later else 0
        rows.append([name, f"{count:,}", *(f"{each * 1000:.3g} ms" for each in (first, later, other)), f"{ratio:.3g}"])
    return rows


def main(statements: int) -> None:
    """Print the tables as Markdown."""
    with tempfile.TemporaryDirectory() as work:
        folder = Path(work)
        prepare(folder, statements)
        head = "| triples | kgreason | Oxigraph | times its speed | peak bytes a triple | Oxigraph's "
        loaded = table(head, loading_rows(folder))
        print(f"### {statements:,} annotated statements, loaded: processor time\n\n{loaded}\n")
        print("closure and queries ...", file=sys.stderr)
        ours, theirs = run("ask_kgreason", folder), run("ask_oxigraph", folder)
        print(
            f"Loaded in {ours['loading']:.3g} s and reasoned over (RDFS, three rules over reified triples) in "
            f"{ours['processor']:.3g} s of processor time: {ours['triples']:,.0f} triples from {ours['explicit']:,}.\n"
        )
        head = "| rows | kgreason, first | kgreason, again | Oxigraph, again | times its speed "
        print(f"### Queries: processor time\n\n{table(head, query_rows(ours['queries'], theirs['queries']))}\n")
    print(f"Measured on {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}.")


if __name__ == "__main__":
    show_help(__doc__)
    if len(sys.argv) > 2:
        print(json.dumps(PARTS[sys.argv[1]](Path(sys.argv[2]), sys.argv[3])))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else STATEMENTS)
