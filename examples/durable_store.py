"""A store on disk: committed, rolled back, closed and opened again with everything that follows.

Run with ``python examples/durable_store.py``.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from rdflib import OWL, RDF, Graph, Namespace

from kgreason import ReasoningStore
from kgreason.errors import LockedError

EX = Namespace("http://example.org/")


def fill(directory: str) -> None:
    """Make a store with a team that works for somebody."""
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    graph.open(directory, create=True)
    graph.bind("ex", EX)
    graph.add((EX.worksFor, RDF.type, OWL.TransitiveProperty))
    graph.add((EX.ada, EX.worksFor, EX.research))
    graph.add((EX.research, EX.worksFor, EX.company))
    graph.commit()
    print("committed:", len(graph), "triples")

    graph.remove((EX.ada, EX.worksFor, EX.research))
    print("Ada leaves:", len(graph), "triples")
    graph.rollback()
    print("rolled back:", len(graph), "triples")
    graph.close()


def go_on(directory: str) -> None:
    """Open it again, once for writing, and beside that for reading."""
    with ReasoningStore(directory) as store:  # the rules are those that were committed
        graph = Graph(store=store)
        print("opened again, Ada works for the company:", (EX.ada, EX.worksFor, EX.company) in graph)

        graph.add((EX.company, EX.worksFor, EX.group))
        reader = ReasoningStore()
        reader.open(directory, read_only=True)
        seen = (EX.ada, EX.worksFor, EX.group)
        print("not committed yet, a reader sees it:", seen in Graph(store=reader))
        try:
            ReasoningStore(directory)
        except LockedError as error:
            print("a second writer is refused:", str(error).partition(" has ")[0])
    reader = ReasoningStore()
    reader.open(directory, read_only=True)
    print("committed at the end, a reader sees it:", seen in Graph(store=reader))


def main() -> None:
    """Both, in a directory that goes away again."""
    with TemporaryDirectory() as parent:
        directory = str(Path(parent) / "store")
        fill(directory)
        go_on(directory)


if __name__ == "__main__":
    main()
