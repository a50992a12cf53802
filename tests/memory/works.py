"""Works that run out of memory, each in processes of its own: a parent makes what a work begins with, and forks.

    python -m tests.memory.works FOLDER WORK,WORK,... MEGABYTES,MEGABYTES,...

A child gets so many megabytes more than it has, and does the work. Where that is a MemoryError it takes the limit away,
rolls back where that is possible, and does the work again. For each child a line of JSON is printed: the work, the
megabytes, the outcome, the result in the end.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rdflib import OWL, RDF, RDFS, Graph, Literal, URIRef

import kgreason_rdflib.sparql.updates  # noqa: F401 - so that no import is part of a work
from kgreason import ReasoningStore

E = "http://example.org/"
PREFIX = f"@prefix e: <{E}> . "
ENDED, REFUSED, CHANGED, WRONG = "ended", "refused", "changed", "wrong"


def node(name: object) -> URIRef:
    return URIRef(f"{E}{name}")


@dataclass(frozen=True)
class Place:
    """The files of a run, and the store of one work, which has read some."""

    folder: Path
    store: ReasoningStore

    @property
    def graph(self) -> Graph:
        return Graph(store=self.store)

    def solutions(self, query: str) -> int:
        return len(list(self.graph.query(f"PREFIX e: <{E}> {query}")))

    def rows(self, query: str) -> int:
        return int(self.store.query_table(f"PREFIX e: <{E}> {query}").num_rows)


# -- the works --------------------------------------------------------------------------------------------------------


def load(place: Place) -> int:
    place.store.bulk_load(place.folder / "edges.nt", place.folder / "names.nt")
    return len(place.graph)


def load_turtle(place: Place) -> int:
    place.store.bulk_load(place.folder / "names.ttl")
    return len(place.graph)


def derive(place: Place) -> int:
    for predicate in ("p", "q"):
        place.graph.add((node(predicate), RDF.type, OWL.SymmetricProperty))
        place.graph.add((node(predicate), RDFS.subPropertyOf, node("related")))
        place.graph.add((node(predicate), RDFS.domain, node(f"C{predicate}")))
    return len(place.graph)


def join(place: Place) -> int:
    place.store.add_rules(PREFIX + "e:far(?a, ?d) :- e:p(?a, ?b), e:q(?b, ?c), e:p(?c, ?d) .")
    return len(place.graph)


def close(place: Place) -> int:
    place.store.add_rules(PREFIX + "e:above(?a, ?c) :- e:above(?a, ?b), e:above(?b, ?c) .")
    return len(place.graph)


def equate(place: Place) -> int:
    place.graph.add((node("same"), RDFS.subPropertyOf, OWL.sameAs))
    return len(place.graph)


def query(place: Place) -> int:
    return place.solutions("SELECT * { ?a e:p ?b . ?b e:q ?c . ?c e:name ?n }")


def everything(place: Place) -> int:
    return place.solutions("SELECT * { ?a ?p ?b }")


def cross(place: Place) -> int:
    return place.rows("SELECT * { ?a e:above ?b . { SELECT ?c { ?c e:p ?d } LIMIT 40 } }")


def order(place: Place) -> int:
    return place.rows("SELECT ?a (CONCAT(?n, '!') AS ?m) { ?a e:name ?n } ORDER BY DESC(?m)")


def group(place: Place) -> int:
    return place.rows("SELECT ?a (GROUP_CONCAT(?b) AS ?all) (COUNT(DISTINCT ?b) AS ?n) { ?a ?p ?b } GROUP BY ?a")


def paths(place: Place) -> int:
    return place.rows("SELECT ?a ?b { ?a e:above+ ?b }")


def update(place: Place) -> int:
    place.graph.update(f"PREFIX e: <{E}> INSERT {{ ?a e:two ?c }} WHERE {{ ?a e:above ?b . ?b e:above ?c }}")
    return len(place.graph)


def decode(place: Place) -> int:
    return len(list(place.graph))


def serialise(place: Place) -> int:
    return len(place.graph.serialize(format="nt"))


def add(place: Place) -> int:
    for number in range(20_000):
        place.graph.add((node(number), node("r"), Literal(f"a text {number}")))
    return len(place.graph)


def commit(place: Place) -> int:
    place.graph.add((node("a"), node("p"), node("b")))
    place.store.commit()
    place.store.write_snapshot()
    return len(place.graph)


def reopen(place: Place) -> int:
    with ReasoningStore() as store:
        store.open(str(place.folder / "written"), read_only=True)
        return len(Graph(store=store))


@dataclass(frozen=True)
class Work:
    """What is done, and to a store with which rules and files."""

    do: Callable[[Place], int]
    rules: str = "none"
    files: tuple[str, ...] = ("edges.nt", "names.nt")
    durable: bool = False

    def begun(self, folder: Path) -> Place:
        store = ReasoningStore(rules=self.rules)
        if self.durable:
            folder.mkdir()
            store.open(str(folder / "store"), create=True)
        if self.files:
            files = folder.parent if self.durable else folder
            store.bulk_load(*(files / name for name in self.files))
        if self.durable:
            store.commit()
        place = Place(folder, store)
        len(place.graph)
        return place


WORKS = {
    work.do.__name__: work
    for work in (
        Work(load, files=()),
        Work(load_turtle, files=("edges.nt",)),
        Work(derive, rules="owl-rl"),
        Work(join),
        Work(close),
        Work(equate, rules="owl-rl"),
        Work(query),
        Work(everything),
        Work(cross),
        Work(order),
        Work(group),
        Work(paths, files=("edges.nt",)),
        Work(update, files=("edges.nt",)),
        Work(decode),
        Work(serialise),
        Work(add, files=()),
        Work(commit, rules="owl-rl", durable=True),
        Work(reopen, files=()),
    )
}


# -- running them -----------------------------------------------------------------------------------------------------


def write_files(folder: Path) -> None:
    chance = random.Random(1)
    pairs = [sorted(chance.sample(range(3000), 2)) for _ in range(20_000)]
    edges = [f"<{E}{a}> <{E}above> <{E}{b}> .\n" for a, b in pairs]
    edges += [f"<{E}{number}> <{E}same> <{E}{number + 1}> .\n" for number in range(0, 12_000, 3)]
    edges += [
        f"<{E}{chance.randrange(20_000)}> <{E}{chance.choice('pq')}> <{E}{chance.randrange(20_000)}> .\n"
        for _ in range(40_000)
    ]
    names = [f'<{E}{number}> <{E}name> "the name of number {number}" .\n' for number in range(30_000)]
    (folder / "edges.nt").write_text("".join(edges))
    (folder / "names.nt").write_text("".join(names))
    (folder / "names.ttl").write_text(f"@prefix e: <{E}> .\n" + "".join(names))
    with ReasoningStore(rules="none") as store:
        store.open(str(folder / "written"), create=True)
        store.bulk_load(folder / "edges.nt")
        store.commit()
        store.write_snapshot()


def set_limit(megabytes: int | None) -> None:
    limit = resource.RLIM_INFINITY
    if megabytes is not None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + (megabytes << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def grow_stack(depth: int = 400) -> list[int]:
    """Take the memory that the stack may need later: the system ends a process whose stack finds none."""
    return sorted([depth - 1], key=grow_stack) if depth else []


def outcome(work: Work, place: Place, megabytes: int | None) -> tuple[str, Any]:
    """How the work ended under a limit, and what it gave in the end."""
    if work.durable:  # no fork can write
        place = work.begun(place.folder / f"limit-{megabytes}")
    explicit = len(place.store.explicit)
    set_limit(megabytes)
    try:
        return ENDED, work.do(place)
    except MemoryError:
        set_limit(None)
    except BaseException as error:
        set_limit(None)
        return WRONG, f"{type(error).__name__}: {error}"
    if work.durable:
        place.store.rollback()
        # A commit that had returned stays.
        if len(place.store.explicit) - explicit not in (0, 1):
            return CHANGED, len(place.store.explicit)
    return REFUSED, work.do(place)


def in_child(work: Work, place: Place, megabytes: int | None) -> tuple[str, Any]:
    """The same in a child, or the signal that ended it."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        grow_stack()
        os.write(writer, json.dumps(outcome(work, place, megabytes)).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as stream:
        text = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return tuple(json.loads(text)) if not status else (WRONG, f"ended with {status}")


def outcomes(folder: Path, names: list[str], limits: list[int]) -> Iterator[tuple[str, int | None, str, Any]]:
    begun: dict[tuple[object, ...], Place] = {}
    for name in names:
        work = WORKS[name]
        beginning = (work.rules, work.files, work.durable)
        if beginning not in begun:  # children change copies
            begun[beginning] = Place(folder, ReasoningStore()) if work.durable else work.begun(folder)
        place = begun[beginning]
        for megabytes in (None, *limits):
            yield name, megabytes, *in_child(work, place, megabytes)


if __name__ == "__main__":
    write_files(Path(sys.argv[1]))
    for row in outcomes(Path(sys.argv[1]), sys.argv[2].split(","), [*map(int, sys.argv[3].split(","))]):
        print(json.dumps(row), flush=True)
