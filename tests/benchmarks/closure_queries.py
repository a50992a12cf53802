"""Queries over closures of billions of pairs: ``python -m tests.benchmarks.closure_queries``.

A category graph of 200,000 concepts under the rules of SKOS, asked for skos:broaderTransitive, for the pairs that
skos:semanticRelation unites in both directions, and for paths over skos:broader, which nobody closes before they are
asked for. The first time of a query includes what it makes and leaves for the next: labels for bound objects, the
closure of a path. The others are medians. It takes about a minute.
"""

from __future__ import annotations

import datetime
import os
import platform
import resource
import time
from statistics import median

from rdflib import Dataset

from kgreason.rdf.vocabulary import SKOS
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_rdflib.store import ReasoningStore
from tests.benchmarks.__main__ import seconds
from tests.benchmarks.closure_contestants import load_edges
from tests.benchmarks.random_graphs import GRAPHS

GRAPH = "categories, 200,000 concepts"
PREFIXES = f"PREFIX skos: <{SKOS}> PREFIX e: <http://e/> "
WIDE, BROADER = "skos:broaderTransitive", "skos:broader"
COUNT = "(COUNT(*) AS ?n)"

QUERIES = {
    "all pairs, counted": f"SELECT {COUNT} {{ ?x {WIDE} ?y }}",
    "subjects, counted": f"SELECT (COUNT(DISTINCT ?x) AS ?n) {{ ?x {WIDE} ?y }}",
    "counted by subject": f"SELECT ?x {COUNT} {{ ?x {WIDE} ?y }} GROUP BY ?x",
    "counted by object": f"SELECT ?y {COUNT} {{ ?x {WIDE} ?y }} GROUP BY ?y",
    "loops, counted": f"SELECT {COUNT} {{ ?x {WIDE} ?x }}",
    "both directions, counted by subject": f"SELECT ?x {COUNT} {{ ?x skos:semanticRelation ?y }} GROUP BY ?x",
    "what is above one": f"SELECT ?y {{ e:n150000 {WIDE} ?y }}",
    "what is below one": f"SELECT ?x {{ ?x {WIDE} e:n500 }}",
    "what is above two": f"SELECT ?y {{ e:n150000 {WIDE} ?y . e:n170000 {WIDE} ?y }}",
    "a chain of two, counted": f"SELECT {COUNT} {{ ?x {WIDE} ?y . ?y {WIDE} ?z }}",
    "a fork, counted": f"SELECT {COUNT} {{ ?x {WIDE} ?y . ?x {WIDE} ?z }}",
    "a chain of two, ask": f"ASK {{ ?x {WIDE} ?y . ?y {WIDE} ?z }}",
    "a chain of two, first ten": f"SELECT * {{ ?x {WIDE} ?y . ?y {WIDE} ?z }} LIMIT 10",
    "a chain of two, distinct ends": f"SELECT DISTINCT ?z {{ ?x {WIDE} ?y . ?y {WIDE} ?z }}",
    "a chain of two, distinct begins": f"SELECT DISTINCT ?x {{ ?x {WIDE} ?y . ?y {WIDE} ?z }}",
    "all pairs, first ten": f"SELECT * {{ ?x {WIDE} ?y }} LIMIT 10",
    "broader+ from one": f"SELECT ?y {{ e:n150000 {BROADER}+ ?y }}",
    "broader* to one": f"SELECT ?x {{ ?x {BROADER}* e:n500 }}",
    "broader+, first ten": f"SELECT * {{ ?x {BROADER}+ ?y }} LIMIT 10",
    "broader+, counted": f"SELECT {COUNT} {{ ?x {BROADER}+ ?y }}",
    "broader*, counted": f"SELECT {COUNT} {{ ?x {BROADER}* ?y }}",
    "broader*, counted by subject": f"SELECT ?x {COUNT} {{ ?x {BROADER}* ?y }} GROUP BY ?x",
    "broaderTransitive*, counted": f"SELECT {COUNT} {{ ?x {WIDE}* ?y }}",
}


def peak() -> int:
    """The largest resident memory of the process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def timed(dataset: Dataset, query: str) -> tuple[float, str]:
    """How long a query takes, every row read, and what it found."""
    begin = time.perf_counter()
    result = dataset.query(PREFIXES + query)
    if result.type == "ASK":
        found = str(result.askAnswer)
    else:
        rows = list(result)
        counted = len(rows) == 1 and len(rows[0]) == 1 and query.startswith("SELECT (")
        found = f"{rows[0][0].toPython():,}" if counted else f"{len(rows):,} rows"
    return time.perf_counter() - begin, found


def main() -> None:
    """Print the table as Markdown."""
    base = KnowledgeBase("skos")
    load_edges(base, GRAPHS[GRAPH](), SKOS + "broader")
    base.flush()
    dataset = Dataset(ReasoningStore.over(base), default_union=True)
    before = peak()
    print(f"\n{GRAPH}, measured on {datetime.date.today()}, {os.cpu_count()} cores, "
          f"Python {platform.python_version()}.\n")  # fmt: skip
    print("| query | found | first time | again |\n|---|---|---|---|")
    for name, query in QUERIES.items():
        first, found = timed(dataset, query)
        again = median(timed(dataset, query)[0] for _ in range(3))
        print(f"| {name} | {found} | {seconds(first)} | {seconds(again)} |", flush=True)
    print(f"\nThe process grew by {(peak() - before) / 1e6:,.0f} MB.")


if __name__ == "__main__":
    main()
