"""Would catch a plan that looks at each class of a store anew for each query that leaves a class open."""

from __future__ import annotations

import pyoxigraph
import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.engine.persistent_map import PersistentMap
from kgreason.sparql.patterns.pattern_relations import TypeRelation

CLASSES = 2000
QUERY = "SELECT ?y ?c {{ <http://e/{0}> <http://e/near>/<http://e/near> ?y . ?y a ?c }}"


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Things in a circle, each of a class of its own, below one that all have in common."""
    store = ReasoningStore(rules="rdfs")
    kind, below = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"
    store.bulk_load(
        "".join(
            f"<http://e/{number}> {kind} <http://e/C{number}> . <http://e/C{number}> {below} <http://e/All> .\n"
            f"<http://e/{number}> <http://e/near> <http://e/{(number + 1) % CLASSES}> .\n"
            for number in range(CLASSES)
        ).replace(" . <", " .\n<").encode(),
        format="nt",
    )  # fmt: skip
    return Graph(store=store)


def test_query_of_open_classes_looks_at_few_relations(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    looks, get = [0], PersistentMap.get

    def counted(relations: PersistentMap, code: int) -> object:
        looks[0] += 1
        return get(relations, code)

    list(graph.query(QUERY.format(1)))  # the first one may
    monkeypatch.setattr(PersistentMap, "get", counted)
    found = {str(row.c) for row in graph.query(QUERY.format(7))}

    assert found == {"http://e/C9", "http://e/All"}
    assert 0 < looks[0] < CLASSES / 10


def test_estimates_are_of_the_classes_as_they_are_now(graph: Graph) -> None:
    store = graph.store
    view = store.knowledge_base.all()
    assert view.class_estimates == (2 * CLASSES, CLASSES)

    branch = store.branch()
    Graph(store=branch).update("DELETE WHERE { ?x a ?c . ?c <http://www.w3.org/2000/01/rdf-schema#subClassOf> ?d }")

    assert branch.knowledge_base.all().class_estimates == (0, 0)
    assert view.class_estimates == (2 * CLASSES, CLASSES)


def test_backward_path_of_types_asks_for_classes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most things with a type are no classes, and have no members."""
    store = ReasoningStore(rules="none")
    lines = [
        *(f"<http://e/{number}> a <http://e/C{number % 30}> ." for number in range(CLASSES)),
        *(f"<http://e/C{number}> a <http://e/Kind{number % 3}> ." for number in range(30)),
        *(f"<http://e/Kind{number}> a <http://e/Kind> ." for number in range(3)),
    ]
    store.bulk_load("\n".join(lines).encode(), format="turtle")
    peer = pyoxigraph.Store()
    peer.load("\n".join(lines).encode(), format=pyoxigraph.RdfFormat.TURTLE)
    looks, others = [0], TypeRelation._others

    def counted(relation: TypeRelation, position: int, identifier: int) -> object:
        looks[0] += 1
        return others(relation, position, identifier)

    monkeypatch.setattr(TypeRelation, "_others", counted)
    for pattern in ("?x a+ <http://e/Kind>", "?x a* <http://e/Kind1>", "?x (a|<http://e/near>)+ <http://e/Kind2>"):
        query = f"SELECT ?x {{ {pattern} }}"
        found = sorted(str(row.x) for row in Graph(store=store).query(query))
        assert found == sorted(row["x"].value for row in peer.query(query))
    assert looks[0] < 200
