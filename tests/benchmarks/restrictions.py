"""What ontologies of restrictions cost: ``python -m tests.benchmarks.restrictions``, or one that is there already, as
N-Triples or Turtle, or several together: ``python -m tests.benchmarks.restrictions FILE...``.

Ontologies in the shape of GALEN under OWL 2 RL: a class tree, a property tree, and definitions by existential
restrictions, of which many have the same property and filler, so that they are equal. Their class hierarchy feeds
itself (scm-svf1, scm-svf2). Each in a process of its own: the closure from files, the memory of the process at its
largest, and axioms of each kind that go and come back, each followed by a read. Beside it reasonable, which derives
less, and the hierarchy written out (``schemes="plain"``), as far as that fits.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks.contestants import timed

OWL = "http://www.w3.org/2002/07/owl#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
SIZES = {"1,150 classes": 1150, "2,300 classes": 2300, "4,600 classes": 4600}
SMALLEST = "1,150 classes"
CHANGES = 25
KINDS = (RDFS + "subClassOf", OWL + "equivalentClass", OWL + "someValuesFrom", OWL + "onProperty")


def ontology(classes: int, seed: int = 1) -> Iterator[str]:
    """Lines of N-Triples: 1.3 restrictions and 0.04 properties for each class, few of them used by many."""
    chance = random.Random(seed)
    properties, left = classes // 24, classes * 13 // 10
    for number in range(properties):
        yield line(f"<http://e/p{number}>", RDF + "type", f"<{OWL}ObjectProperty>")
        if number:
            above = chance.randrange(number // 3, number)
            yield line(f"<http://e/p{number}>", RDFS + "subPropertyOf", f"<http://e/p{above}>")
    for number in range(classes):
        yield line(name(number), RDF + "type", f"<{OWL}Class>")
        if number:
            yield line(name(number), RDFS + "subClassOf", name(int(number * chance.random() ** 1.5)))
    while left:
        number, some = chance.randrange(classes), min(left, chance.choice((1, 1, 2)))
        restrictions = [f"_:r{left - each}" for each in range(some)]
        left -= some
        for restriction in restrictions:
            role, filler = skewed(properties, chance), name(skewed(classes, chance))
            yield line(restriction, RDF + "type", f"<{OWL}Restriction>")
            yield line(restriction, OWL + "onProperty", f"<http://e/p{role}>")
            yield line(restriction, OWL + "someValuesFrom", filler)
        if chance.random() < 0.45:
            yield from definition(number, [name(int(number * chance.random())), *restrictions], left)
        else:
            yield from (line(name(number), RDFS + "subClassOf", restriction) for restriction in restrictions)


def definition(number: int, members: list[str], seed: int) -> Iterator[str]:
    """A class as the intersection of others."""
    cells = [f"_:l{seed}x{place}" for place in range(len(members))]
    yield line(name(number), OWL + "equivalentClass", f"_:i{seed}")
    yield line(f"_:i{seed}", OWL + "intersectionOf", cells[0])
    for cell, member, rest in zip(cells, members, [*cells[1:], f"<{RDF}nil>"], strict=True):
        yield line(cell, RDF + "first", member)
        yield line(cell, RDF + "rest", rest)


def skewed(count: int, chance: random.Random) -> int:
    """A number below `count`; as many below 10 as between 10 and 100."""
    return min(count - 1, int(count ** chance.random()))


def name(number: int) -> str:
    """The IRI of a class."""
    return f"<http://e/c{number}>"


def line(subject: str, predicate: str, object: str) -> str:
    """A line of N-Triples."""
    return f"{subject} <{predicate}> {object} .\n"


def kgreason(path: str, schemes: str) -> dict[str, float]:
    """The closure from a file, and for each kind of axiom what removals and additions cost."""
    from rdflib import Graph, URIRef

    from kgreason import ReasoningStore

    store = ReasoningStore(rules="owl-rl", schemes=schemes)
    graph = Graph(store=store)
    seconds, triples = timed(lambda: (store.bulk_load(path), len(graph))[1])
    found = {"seconds": seconds, "triples": triples, "megabytes": peak()}
    gone, come = [], []
    for kind in KINDS:
        some = sorted(store.explicit.triples((None, URIRef(kind), None)))
        for triple in random.Random(3).sample(some, min(CHANGES, len(some))):
            for change, into in ((graph.remove, gone), (graph.add, come)):
                into.append(timed(lambda c=change, t=triple: (c(t), list(graph.triples((t[0], None, None)))))[0])
    return {**found, "removed": median(gone), "worst": max(gone), "added": median(come), "worst added": max(come)}


def reasonable(path: str, schemes: str) -> dict[str, float]:
    """The closure of reasonable, from a file."""
    from reasonable import PyReasoner

    def close() -> int:
        reasoner = PyReasoner()
        reasoner.load_file(path)
        return len(reasoner.reason())

    seconds, triples = timed(close)
    return {"seconds": seconds, "triples": triples, "megabytes": peak()}


def peak() -> float:
    """The largest resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


CONTESTANTS = {"kgreason": kgreason, "reasonable": reasonable}


def main() -> None:
    """Print the table, or the figures of one engine as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", metavar="FILE", type=Path, help="ontologies; without any, made up ones")
    parser.add_argument("--engine", choices=CONTESTANTS, help=argparse.SUPPRESS)
    parser.add_argument("--schemes", default="auto", help=argparse.SUPPRESS)
    options = parser.parse_args()
    for file in options.files:
        if not file.is_file():
            parser.error(f"no such file: {file}")
    if options.engine is None:
        compare_all(options.files)
    else:
        print(json.dumps(CONTESTANTS[options.engine](str(options.files[0]), options.schemes)))


def compare_all(files: list[Path]) -> None:
    """Print the table as Markdown, of some files together or of ontologies that are made up."""
    print("| ontology | engine | triples | closure | memory | axiom removed: median, worst | added: median, worst |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ontology.ttl"  # reasonable goes by the name
        if files:
            write_together(files, path)
            compare(files[0].name if len(files) == 1 else f"{len(files)} files", str(path), written_out=False)
            return
        for title, classes in SIZES.items():
            path.write_text("".join(ontology(classes)))
            compare(title, str(path), written_out=title == SMALLEST)


def write_together(files: list[Path], path: Path) -> None:
    """One file of the triples of several, with blank nodes of its own for each."""
    import pyoxigraph

    if len(files) == 1:
        path.symlink_to(files[0].absolute())
        return
    parsed = [pyoxigraph.parse(path=file, rename_blank_nodes=True) for file in files]
    triples = (quad.triple for quads in parsed for quad in quads)
    pyoxigraph.serialize(triples, path, format=pyoxigraph.RdfFormat.N_TRIPLES)


def compare(title: str, path: str, *, written_out: bool) -> None:
    """Print the rows of an ontology, each engine in a process of its own."""
    rows = [("kgreason", "auto"), ("reasonable", "auto"), *([("kgreason", "plain")] if written_out else [])]
    for engine, schemes in rows:
        command = [sys.executable, "-m", "tests.benchmarks.restrictions", path]
        given = ["--engine", engine, "--schemes", schemes]
        result = subprocess.run([*command, *given], capture_output=True, text=True, check=True)
        found = json.loads(result.stdout)
        of = f"{engine}, written out" if schemes == "plain" else engine
        figures = f"{found['triples']:,} | {found['seconds']:.2f} s | {found['megabytes']:.0f} MB"
        print(f"| {title} | {of} | {figures} | {changes(found)} |", flush=True)


def changes(found: dict[str, float]) -> str:
    """What axioms cost, in milliseconds."""
    if "removed" not in found:
        return "| "
    times = [f"{found[each] * 1000:.0f}" for each in ("removed", "worst", "added", "worst added")]
    return f"{times[0]}, {times[1]} ms | {times[2]}, {times[3]} ms"


if __name__ == "__main__":
    main()
