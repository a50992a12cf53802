"""What equal things cost: ``python -m tests.benchmarks.equality``.

Chains and cliques of owl:sameAs under OWL 2 RL, each thing with facts of its own, and LUBM(10,0) with students that
are made equal one by one: the closure, a link removed and added again, and the memory of the relations. Beside it the
same in relations that are written out (``schemes="plain"``), as far as these fit.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import OWL
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.benchmarks.contestants import timed
from tests.shared_data import shared, unpacked

Triple = tuple[Term, Term, Term]
SAME = IRI(OWL + "sameAs")
CHANGES = 20
FEW_CHANGES = 3
TAKES = IRI("http://swat.cse.lehigh.edu/onto/univ-bench.owl#takesCourse")


def ex(name: str) -> IRI:
    """An IRI of an example."""
    return IRI("http://example.org/" + name)


@dataclass(frozen=True, slots=True)
class Workload:
    """Links, and what is said of the things that they make equal."""

    links: list[Triple]
    facts: list[Triple]


def linked(classes: int, size: int, facts: int, whole: bool = False) -> Workload:
    """Classes of so many things, each with so many facts, as chains, or with `whole` all things linked with all."""
    links: list[Triple] = []
    said: list[Triple] = []
    for number in range(classes):
        things = [ex(f"c{number}_{each}") for each in range(size)]
        for place, thing in enumerate(things):
            links += [(thing, SAME, other) for other in things[place + 1 : None if whole else place + 2]]
            said += [(thing, ex(f"p{fact % 5}"), ex(f"o{number}_{place}_{fact}")) for fact in range(facts)]
    return Workload(links, said)


WORKLOADS = {
    "chain of 400": linked(1, 400, 1),
    "chain of 2,000": linked(1, 2000, 1),
    "clique of 400": linked(1, 400, 1, whole=True),
    "clique of 2,000": linked(1, 2000, 1, whole=True),
    "10 chains of 1,000 with 50 facts each": linked(10, 1000, 50),
}
WRITTEN_OUT = ("chain of 400", "clique of 400")
"""What is tried with relations that are written out, too."""


def put(base: KnowledgeBase, triples: Iterable[Triple]) -> None:
    """Queue triples."""
    for triple in triples:
        base.add(DEFAULT_GRAPH, *map(base.dictionary.encode, triple))


def changes(base: KnowledgeBase, links: list[Triple], count: int) -> Iterator[float]:
    """Seconds for a link that goes and is counted, and for one that comes back."""
    for link in random.Random(1).sample(links, count):
        ids = [base.dictionary.encode(term) for term in link]
        for change in (base.remove, base.add):
            change(DEFAULT_GRAPH, *ids)
            yield timed(lambda: len(base.all()))[0]


def row(title: str, base: KnowledgeBase, links: list[Triple], number: int = CHANGES) -> str:
    """A line of the table: the closure, and changes of links."""
    seconds, count = timed(lambda: len(base.all()))
    found = sorted(changes(base, links, number))
    size = sum(relation.bytes for relation in base.statistics().relations)
    figures = f"{seconds:.2f} s | {median(found) * 1e3:.0f} ms | {found[-1] * 1e3:.0f} ms | {size / 1e6:.1f} MB"
    return f"| {title} | {count:,} | {figures} |"


def main() -> None:
    """Print the table as Markdown."""
    print("| equal things | triples | closure | a link, median | worst | relations |\n|---|---|---|---|---|---|")
    for title, workload in WORKLOADS.items():
        for schemes in (AUTO, PLAIN) if title in WRITTEN_OUT else (AUTO,):
            base = KnowledgeBase("owl-rl", schemes=schemes)
            put(base, [*workload.links, *workload.facts])
            if schemes == AUTO:
                print(row(title, base, workload.links), flush=True)
            else:
                print(row(f"{title}, written out", base, workload.links, FEW_CHANGES), flush=True)
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_files([unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")], base.dictionary))
    seconds, count = timed(lambda: len(base.all()))
    takes = base.dictionary.encode(TAKES)
    students = sorted({s for subjects, _, _ in base.all().match(None, takes, None) for s in subjects.tolist()})
    decode = base.dictionary.decode
    chosen = random.Random(2).sample(students, 2 * CHANGES)
    links = [(decode(a), SAME, decode(b)) for a, b in zip(chosen[::2], chosen[1::2], strict=True)]
    print(f"| LUBM(10,0) | {count:,} | {seconds:.2f} s | | | |")
    put(base, links[:1])
    print(f"| its first link | | {timed(lambda: len(base.all()))[0]:.2f} s | | | |")
    put(base, links[1:])
    print(row(f"LUBM(10,0) with {CHANGES} links", base, links))


if __name__ == "__main__":
    main()
