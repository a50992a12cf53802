"""SPARQL beside its peers on the same closures: ``python -m tests.benchmarks.sparql [SET ...]``.

LUBM(10,0) and rico under owl-rl, a set of thesauri under skos, a million triples of BSBM without rules.
maplib and Oxigraph get the closure as N-Triples; this engine keeps it in its schemes. Times are medians once a query is
parsed, and include reading every row. A second table has each query asked once, first after the data were read, in a
process of its own.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks.bsbm import generated
from tests.benchmarks.bsbm_queries import explore
from tests.benchmarks.papers import table
from tests.benchmarks.sparql_contestants import FAILED, TOO_LONG
from tests.benchmarks.sparql_queries import WRONG, sets
from tests.conformance.test_schemes_on_data import rico, vocabularies
from tests.shared_data import shared, unpacked

ROWS = ("kgreason_rows", "oxigraph_rows", "rdflib_rows")
TABLES = ("kgreason_tables", "maplib_tables")
Times = dict[str, tuple[float, int]]
ATTEMPTS = 3
HEAD = "query | rows | rdflib rows, here | Oxigraph | rdflib | Arrow table, here | maplib"


def sources(name: str, folder: Path) -> tuple[list[str], str, dict[str, str]]:
    """The files, the rules and the queries of a set."""
    if name == "bsbm":
        file = folder / "bsbm.nt"
        return [str(file)], "none", explore(generated(file))
    if name == "lubm":
        return [str(unpacked("lubm/lubm10.nt.bz2")), str(shared("lubm/univ-bench.owl"))], "owl-rl", sets()[name]
    files, rules = (rico(), "owl-rl") if name == "rico" else (vocabularies(), "skos")
    return [str(path) for path in files], rules, sets()[name]


def run(contestant: str, task: str, folder: Path, *query: str) -> dict[str, Any]:
    """The report of a contestant. A peer that crashes is asked again, and has no answers if it always does."""
    print(f"{contestant}: {task} of {folder.name} {' '.join(query)}...", file=sys.stderr)
    command = [sys.executable, "-m", "tests.benchmarks.sparql_contestants", contestant, task, str(folder), *query]
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if not done.returncode:
            return dict(json.loads(done.stdout.splitlines()[-1]))
        print(f"  ends with {done.returncode}", file=sys.stderr)
        if contestant.startswith("kgreason"):
            break
    else:
        if task in ("queries", "once"):
            return dict.fromkeys(query or json.loads((folder / "queries.json").read_text()), (0.0, FAILED))
    raise SystemExit(f"{contestant} failed")


def made(folder: Path, name: str) -> Path:
    """A folder with the closure of a set, its queries, and what it is made of."""
    target = folder / name
    target.mkdir()
    files, rules, queries = sources(name, target)
    (target / "sources.json").write_text(json.dumps({"files": files, "rules": rules}))
    (target / "queries.json").write_text(json.dumps(queries))
    closure = str(target / "closure.nt")
    command = [sys.executable, "-m", "kgreason", "materialise", *files, "--rules", rules, "--output", closure]
    subprocess.run(command, check=True, capture_output=True)
    return target


def spelled(seconds: float, rows: int) -> str:
    """A time in milliseconds."""
    if rows == FAILED:
        return "fails"
    return f"over {seconds:.0f} s" if rows == TOO_LONG else f"{seconds * 1000:.2f} ms"


def ratio(own: Times, peer: Times) -> str:
    """How many times as long a peer takes for the queries that it answers at all."""
    answered = [query for query, (_, rows) in peer.items() if rows != FAILED]
    if not answered:
        return "fails"
    spent = [sum(times[query][0] for query in answered) for times in (peer, own)]
    return f"{spent[0] / spent[1]:.1f} times"


def compared(name: str, folder: Path) -> str:
    """The table of one set."""
    found = {contestant: run(contestant, "queries", folder) for contestant in (*ROWS, *TABLES)}
    lines, notes = [], ""
    for query in found[ROWS[0]]:
        times = [spelled(*found[contestant][query]) for contestant in (*ROWS, *TABLES)]
        wrong = [peer for peer in found if (peer, query) in WRONG]
        sizes = {found[peer][query][1] for peer in found if peer not in wrong} - {TOO_LONG, FAILED}
        shown = f"{found[ROWS[0]][query][1]:,}" if len(sizes) == 1 else f"DIFFER: {sorted(sizes)}"
        lines.append([query, shown + "*" * bool(wrong), *times])
        notes += "".join(f"\n* {query}: {WRONG[peer, query]} ({found[peer][query][1]:,} rows).\n" for peer in wrong)
    totals = [sum(seconds for seconds, _ in found[contestant].values()) for contestant in (*ROWS, *TABLES)]
    lines.append(["all", "", *(f"{total * 1000:,.1f} ms" for total in totals)])
    ratios = ["", *(ratio(found[ROWS[0]], found[peer]) for peer in ROWS[1:])]
    lines.append(["ratio", "", *ratios, "", ratio(found[TABLES[0]], found[TABLES[1]])])
    return f"### {name}\n\n{table(HEAD, lines)}\n{notes}"


def once(folder: Path) -> str:
    """The table of queries that are asked once. A fork has none of maplib's threads, so that maplib reads the data anew
    for each query."""
    rows, tables = ROWS[0], TABLES[1]
    found = {contestant: run(contestant, "once", folder) for contestant in (*ROWS, TABLES[0])}
    found[tables] = {name: run(tables, "once", folder, name)[name] for name in found[rows]}
    lines = [[query, *(spelled(*times[query]) for times in found.values())] for query in found[rows]]
    totals = [sum(seconds for seconds, _ in times.values()) for times in found.values()]
    lines.append(["all", *(f"{total * 1000:,.1f} ms" for total in totals)])
    ratios = {contestant: ratio(found[rows], times) for contestant, times in found.items()}
    lines.append(["ratio", *("" if contestant in (rows, TABLES[0]) else each for contestant, each in ratios.items())])
    return table(f"asked once | {HEAD.split(' | ', 2)[2]}", lines)


def small(folder: Path) -> str:
    """Point queries and first rows."""
    rates = {contestant: run(contestant, "points", folder) for contestant in ROWS}
    lines = [[name, *(f"{rates[name][kind]:,.0f}" if kind in rates[name] else "" for kind in ("text", "prepared"))]
             for name in ROWS]  # fmt: skip
    first = run(ROWS[0], "first", folder)
    spent = table("query | first row", [[name, f"{seconds * 1000:.2f} ms"] for name, seconds in first.items()])
    return f"{table('queries a second | as text | prepared', lines)}\n\n{spent}\n"


def main() -> None:
    """Print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = [*sets(), "bsbm"]
    parser.add_argument("names", nargs="*", metavar="SET", help=f"of {', '.join(known)}; all without any")
    names = parser.parse_args().names or known
    if unknown := [name for name in names if name not in known]:
        parser.error(f"no set {', '.join(unknown)} (expected {', '.join(known)})")
    print(f"SPARQL, {datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    work = Path(tempfile.mkdtemp())
    try:
        for name in names:
            folder = made(work, name)
            print(compared(name, folder), flush=True)
            print(once(folder), flush=True)
            if name == "lubm":
                print(small(folder), flush=True)
    finally:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
