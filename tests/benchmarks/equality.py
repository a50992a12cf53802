"""What equal things cost: ``python -m tests.benchmarks.equality``.

Chains and cliques of owl:sameAs under OWL 2 RL, each thing with facts of its own, classes and properties that are
equal, two ontologies with thousands of links, and LUBM(10,0) with students that are made equal one by one: the closure
from columns of ids, a link removed and added again, and the memory of the relations. Beside it the same in relations
that are written out (``schemes="plain"``), as far as these fit, and what numpy needs to sort the explicit pairs. Then
one link more at LUBM(10,0), where there is another, between two things of each kind. Seconds are the processor's.
"""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from kgreason.columns import pairs
from kgreason.io.quads import Quads
from kgreason.io.readers import read_files
from kgreason.rdf.model import IRI, Term
from kgreason.rdf.vocabulary import OWL, RDF, RDFS
from kgreason.relations.catalogue import AUTO, PLAIN
from kgreason.store.knowledge_base import DEFAULT_GRAPH, KnowledgeBase
from tests.conformance.test_schemes_on_data import rico
from tests.shared_data import shared, unpacked

Triple = tuple[Term, Term, Term]
SAME, TYPE = IRI(OWL + "sameAs"), IRI(RDF + "type")
CHANGES = 20
FEW_CHANGES = 3
UNIVERSITIES = "http://swat.cse.lehigh.edu/onto/univ-bench.owl#"
TAKES = IRI(UNIVERSITIES + "takesCourse")
PARTS = IRI(UNIVERSITIES + "subOrganizationOf")
CLASSES = "GraduateCourse Course Person Student Professor Department Publication Article Chair Dean"
PROPERTIES = "advisor takesCourse teacherOf worksFor memberOf publicationAuthor"


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


def equal_classes(count: int) -> Workload:
    """A chain of equal classes, one below another of them, with an instance."""
    classes = [ex(f"C{number}") for number in range(count)]
    links: list[Triple] = [(one, SAME, other) for one, other in pairwise(classes)]
    return Workload(links, [(ex("x"), TYPE, classes[0]), (classes[0], IRI(RDFS + "subClassOf"), classes[5])])


def equal_properties(count: int) -> Workload:
    """A chain of equal properties, each with a fact."""
    properties = [ex(f"p{number}") for number in range(count)]
    links: list[Triple] = [(one, SAME, other) for one, other in pairwise(properties)]
    return Workload(links, [(ex(f"x{place}"), each, ex(f"y{place}")) for place, each in enumerate(properties)])


WORKLOADS: dict[str, Callable[[], Workload]] = {
    "chain of 400": lambda: linked(1, 400, 1),
    "chain of 2,000": lambda: linked(1, 2000, 1),
    "clique of 400": lambda: linked(1, 400, 1, whole=True),
    "clique of 2,000": lambda: linked(1, 2000, 1, whole=True),
    "500 equal classes, one below another": lambda: equal_classes(500),
    "2,000 equal properties with a fact each": lambda: equal_properties(2000),
    "10 chains of 1,000 with 50 facts each": lambda: linked(10, 1000, 50),
    "10 cliques of 1,000 with 50 facts each": lambda: linked(10, 1000, 50, whole=True),
}
WRITTEN_OUT = ("chain of 400", "clique of 400")
"""What is tried with relations that are written out, too."""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the processor, and what the work gave."""
    gc.collect()
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def put(base: KnowledgeBase, triples: Iterable[Triple]) -> Quads:
    """Queue triples as columns; the columns."""
    encode = base.dictionary.encode
    quads = Quads.of_rows([(DEFAULT_GRAPH, *map(encode, triple)) for triple in triples])
    base.add_quads(quads)
    return quads


def changes(base: KnowledgeBase, links: list[Triple], count: int) -> Iterator[float]:
    """Seconds for a link that goes and is counted, and for one that comes back."""
    for link in random.Random(1).sample(links, count):
        ids = [base.dictionary.encode(term) for term in link]
        for change in (base.remove, base.add):
            change(DEFAULT_GRAPH, *ids)
            yield timed(lambda: len(base.all()))[0]


def sorting(quads: Quads) -> float:
    """Seconds for numpy to sort the pairs of some quads."""
    return timed(lambda: np.sort(pairs.pack(quads.subject, quads.object)))[0]


def row(
    title: str, base: KnowledgeBase, links: list[Triple], number: int = CHANGES, beside: float | None = None
) -> str:
    """A line of the table: the closure, and changes of links."""
    seconds, count = timed(lambda: len(base.all()))
    found = sorted(changes(base, links, number))
    size = sum(relation.bytes for relation in base.statistics().relations)
    figures = f"{seconds:.2f} s | {median(found) * 1e3:.0f} ms | {found[-1] * 1e3:.0f} ms | {size / 1e6:.1f} MB"
    return f"| {title} | {count:,} | {figures} | {'' if beside is None else f'{beside * 1e3:.0f} ms'} |"


def ontology(title: str, files: list[Path], choose: Callable[[KnowledgeBase], list[Term]]) -> None:
    """Print the line of an ontology, terms of which are made equal to new ones."""
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_files(files, base.dictionary))
    seconds, count = timed(lambda: len(base.all()))
    print(f"| {title} | {count:,} | {seconds:.2f} s | | | | |")
    links: list[Triple] = [(term, SAME, ex(f"other{place}")) for place, term in enumerate(choose(base))]
    put(base, links)
    print(row(f"{title} with {len(links):,} links", base, links), flush=True)


def members(base: KnowledgeBase, class_name: str) -> list[Term]:
    """Up to 3,000 IRIs of a class."""
    type_id, wanted = (base.dictionary.encode(term) for term in (TYPE, IRI(class_name)))
    found = sorted({s for subjects, _, _ in base.all().match(None, type_id, wanted) for s in subjects.tolist()})
    terms = [base.dictionary.decode(each) for each in found]
    return [term for term in terms if isinstance(term, IRI)][:3000]


def universities() -> None:
    """Print the lines of LUBM(10,0), and the table of one link more."""
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_files([unpacked("lubm/lubm10.nt.bz2"), shared("lubm/univ-bench.owl")], base.dictionary))
    seconds, count = timed(lambda: len(base.all()))
    takes = base.dictionary.encode(TAKES)
    students = sorted({s for subjects, _, _ in base.all().match(None, takes, None) for s in subjects.tolist()})
    decode = base.dictionary.decode
    chosen = random.Random(2).sample(students, 2 * CHANGES)
    links: list[Triple] = [(decode(a), SAME, decode(b)) for a, b in zip(chosen[::2], chosen[1::2], strict=True)]
    print(f"| LUBM(10,0) | {count:,} | {seconds:.2f} s | | | | |")
    put(base, links[:1])
    print(f"| its first link | | {timed(lambda: len(base.all()))[0]:.2f} s | | | | |")
    put(base, links[1:])
    print(row(f"LUBM(10,0) with {CHANGES} links", base, links))
    for link in links[1:]:
        base.remove(DEFAULT_GRAPH, *(base.dictionary.encode(term) for term in link))
    print("\n| one link more between two | times | added: median, worst | removed: median, worst |")
    print("|---|---|---|---|")
    for kind, things in kinds(base).items():
        print(one_more(base, kind, [(one, SAME, other) for one, other in pairwise(things[: CHANGES + 1])]), flush=True)


def kinds(base: KnowledgeBase) -> dict[str, list[Term]]:
    """Things of LUBM, classes, and properties."""

    def of(name: str) -> list[Term]:
        return members(base, UNIVERSITIES + name)

    parts = base.all().match(None, base.dictionary.encode(PARTS), None)
    wholes = {base.dictionary.decode(whole) for _, _, wholes in parts for whole in set(wholes.tolist())}
    return {
        "students": of("UndergraduateStudent"),
        "professors": of("FullProfessor"),
        "departments": of("Department"),
        "universities": [each for each in of("University") if each not in wholes],
        "universities with departments": [each for each in of("University") if each in wholes],
        "classes": [IRI(UNIVERSITIES + name) for name in CLASSES.split()],
        "properties": [IRI(UNIVERSITIES + name) for name in PROPERTIES.split()],
    }


def one_more(base: KnowledgeBase, kind: str, links: list[Triple]) -> str:
    """A line of the table of one link more: each of some comes and goes."""
    found: list[tuple[float, ...]] = []
    for link in links:
        ids = [base.dictionary.encode(term) for term in link]
        seconds = []
        for change in (base.add, base.remove):
            change(DEFAULT_GRAPH, *ids)
            seconds.append(timed(lambda: len(base.all()))[0])
        found.append(tuple(seconds))
    spreads = (f"{median(each) * 1e3:.1f}, {max(each) * 1e3:.1f} ms" for each in zip(*found, strict=True))
    return f"| {kind} | {len(links)} | {' | '.join(spreads)} |"


def main() -> None:
    """Print the tables as Markdown."""
    print("| equal things | triples | closure | a link, median | worst | relations | numpy's sort |")
    print("|---|---|---|---|---|---|---|")
    for title, make in WORKLOADS.items():
        workload = make()
        for schemes in (AUTO, PLAIN) if title in WRITTEN_OUT else (AUTO,):
            base = KnowledgeBase("owl-rl", schemes=schemes)
            quads = put(base, [*workload.links, *workload.facts])
            if schemes == AUTO:
                print(row(title, base, workload.links, beside=sorting(quads)), flush=True)
            else:
                print(row(f"{title}, written out", base, workload.links, FEW_CHANGES), flush=True)
    ontology("Sequence Ontology", [unpacked("onto-owl/so_obo.owl.xz")], lambda base: members(base, OWL + "Class"))
    records = "https://www.ica.org/standards/RiC/ontology#RecordResource"
    ontology("RiC-O and its data", rico(), lambda base: members(base, records))
    universities()


if __name__ == "__main__":
    main()
