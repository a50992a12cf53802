"""Would catch a plan that looks at each class of a store anew for each query that leaves a class open."""

from __future__ import annotations

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.engine.persistent_map import PersistentMap

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
