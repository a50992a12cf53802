"""Changes and queries leave nothing in circles: what they no longer need is freed at once, whole relations included.

Would catch an object of a change that refers to itself by a bound method, whose relations then stay until the garbage
collector comes.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest
from rdflib import OWL, RDF, RDFS, Graph, Namespace

from kgreason import ReasoningStore

EX = Namespace("http://example.org/")
OF_SERVERS = ("kgreason.access", "kgreason.fetching")
"""What is done here reaches for no server. But a thread of an earlier test that waits for one may end meanwhile."""
RULE = "@prefix e: <http://example.org/> . e:r(?x, ?y) :- e:p(?x, ?y), ~e:q(?x, ?y) ."


def change_a_fact(graph: Graph) -> None:
    graph.add((EX.a1, EX.q, EX.b))
    len(graph)
    graph.remove((EX.a1, EX.q, EX.b))
    len(graph)


def change_a_closure(graph: Graph) -> None:
    for predicate in (EX.p, RDFS.subClassOf):
        graph.remove((EX.a3, predicate, EX.a4))
        len(graph)
        graph.add((EX.a3, predicate, EX.a4))
        len(graph)


def change_rules(graph: Graph) -> None:
    graph.store.add_rules(RULE)
    len(graph)
    graph.store.remove_rules(RULE)
    len(graph)


def update(graph: Graph) -> None:
    graph.update("PREFIX e: <http://example.org/> DELETE { ?a e:z ?b } INSERT { ?a e:z ?b } WHERE { ?a e:p ?b }")


def query(graph: Graph) -> None:
    list(graph.query("PREFIX e: <http://example.org/> SELECT * { ?a e:p ?b . ?b ?p ?c FILTER(?a != ?c) } LIMIT 20"))


def read(graph: Graph) -> None:
    list(graph.triples((EX.a1, None, None)))


@pytest.fixture
def saved() -> Iterator[list[object]]:
    """What the garbage collector finds is kept here, and it comes only when it is called."""
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    yield gc.garbage
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.parametrize("work", [change_a_fact, change_a_closure, change_rules, update, query, read])
def test_nothing_is_left_in_circles(work: Callable[[Graph], None], request: pytest.FixtureRequest) -> None:
    graph = Graph(store=ReasoningStore(rules="owl-rl"))
    for number in range(20):
        graph.add((EX[f"a{number}"], EX.p, EX[f"a{number + 1}"]))
        graph.add((EX[f"a{number}"], RDFS.subClassOf, EX[f"a{number + 1}"]))
    graph.add((EX.p, RDF.type, OWL.TransitiveProperty))
    work(graph)
    garbage = request.getfixturevalue("saved")

    work(graph)

    gc.collect()
    kinds = {type(each) for each in garbage if type(each).__module__.startswith("kgreason")}
    assert {kind.__qualname__ for kind in kinds if kind.__module__ not in OF_SERVERS} == set()
