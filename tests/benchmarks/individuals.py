"""What things cost in an ontology: ``python -m tests.benchmarks.individuals FILE [COUNT]``, N-Triples or Turtle.

Ontologies come first and data one by one, and each class has its first thing at some time. Each in a process of its
own: the closure of the ontology; that of the ontology and one thing in each of up to COUNT classes, at once; these
added to the ontology that is closed already; and then single things that come and go, of classes without any as far as
there are some, each followed by a read. Beside it reasonable with all at once, which derives less.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.benchmarks.contestants import timed
from tests.benchmarks.restrictions import peak, reasonable

OWL_CLASS = "<http://www.w3.org/2002/07/owl#Class>"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
COUNT = 2000
CHANGES = 100


def things(path: str, count: int) -> list[tuple[str, str]]:
    """Things, each with its class: of some classes that the ontology names, in no order."""
    import pyoxigraph

    triples = (quad.triple for quad in pyoxigraph.parse(path=path))
    named = ((str(t.subject), t.predicate.value, str(t.object)) for t in triples)
    classes = sorted({s for s, p, o in named if p == TYPE and o == OWL_CLASS and s.startswith("<")})
    random.Random(1).shuffle(classes)
    return [(f"<http://e/i{number}>", each) for number, each in enumerate(classes[:count])]


def lines(some: list[tuple[str, str]]) -> str:
    """Memberships as N-Triples."""
    return "".join(f"{thing} <{TYPE}> {each} .\n" for thing, each in some)


def at_once(path: str, data: str, count: int) -> dict[str, float]:
    """The closure of the ontology and the things, from files."""
    from kgreason import ReasoningStore

    store = ReasoningStore(rules="owl-rl")
    store.bulk_load(path, data)
    seconds, triples = timed(lambda: len(store))
    return {"seconds": seconds, "triples": triples, "megabytes": peak()}


def after(path: str, data: str, count: int) -> dict[str, float]:
    """The closure of the ontology, that of the things in it afterwards, and single things."""
    from rdflib import Graph, URIRef

    from kgreason import ReasoningStore

    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    store.bulk_load(path)
    alone, _ = timed(lambda: len(graph))
    store.bulk_load(data)
    seconds, triples = timed(lambda: len(graph))
    found = {"alone": alone, "seconds": seconds, "triples": triples, "megabytes": peak()}
    some = things(path, count + CHANGES)[-CHANGES:]
    facts = [(URIRef(f"{thing[1:-1]}-new"), URIRef(TYPE), URIRef(each[1:-1])) for thing, each in some]
    gone, come = [], []
    for fact in facts:
        for change, into in ((graph.add, come), (graph.remove, gone)):
            into.append(timed(lambda c=change, t=fact: (c(t), len(graph)))[0])
    return {**found, "removed": median(gone), "worst": max(gone), "added": median(come), "worst added": max(come)}


def peer(path: str, data: str, count: int) -> dict[str, float]:
    """The same at once by reasonable, which reads one file."""
    with tempfile.TemporaryDirectory() as folder:
        both = Path(folder) / "both.ttl"
        both.write_text(Path(path).read_text() + Path(data).read_text())
        return reasonable(str(both), "")


ENGINES: dict[str, Callable[[str, str, int], dict[str, float]]] = {
    "kgreason, at once": at_once, "kgreason, added": after, "reasonable, at once": peer
}  # fmt: skip


def main() -> None:
    """Print the table, or the figures of one engine as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", metavar="FILE", type=Path, help="an ontology")
    parser.add_argument("count", nargs="?", metavar="COUNT", type=int, default=COUNT, help="how many classes")
    parser.add_argument("--engine", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.file.is_file():
        parser.error(f"no such file: {options.file}")
    if options.engine is not None:
        engine, data = options.engine
        print(json.dumps(ENGINES[engine](str(options.file), data, options.count)))
        return
    print("| ontology | engine | triples | ontology alone | with things | memory | one removed | one added |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "things.nt"
        data.write_text(lines(things(str(options.file), options.count)))
        for engine in ENGINES:
            print(row(options.file, engine, str(data), options.count), flush=True)


def row(file: Path, engine: str, data: str, count: int) -> str:
    """The row of one engine, in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.individuals", str(file), str(count), "--engine", engine, data]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(result.stdout)
    alone = f"{found['alone']:.2f} s" if "alone" in found else ""
    single = [
        f"{found[one] * 1000:.1f}, {found[worst] * 1000:.0f} ms" if one in found else ""
        for one, worst in (("removed", "worst"), ("added", "worst added"))
    ]
    figures = [f"{found['triples']:,}", alone, f"{found['seconds']:.2f} s", f"{found['megabytes']:.0f} MB", *single]
    return f"| {file.name} | {engine} | {' | '.join(figures)} |"


if __name__ == "__main__":
    main()
