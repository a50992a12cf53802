"""A third party's scheme serves rules, queries, paths, counts, explanations and statistics, under random changes.

Would catch a reader that knows the classes of our own tables, and leaves others out or takes them for plain ones.
"""

from __future__ import annotations

import random

import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from kgreason.relations.catalogue import PLAIN
from tests.relations.sequences import SequenceScheme, catalogue

EX = "http://example.org/"
RULES = """@prefix ex: <http://example.org/> .
ex:before(?x, ?z) :- ex:before(?x, ?y), ex:before(?y, ?z) .
ex:after(?y, ?x) :- ex:before(?x, ?y) .
ex:before(?y, ?x) :- ex:after(?x, ?y) .
ex:before(?x, ?y) :- ex:next(?x, ?y) .
ex:related(?x, ?y) :- ex:before(?x, ?y) .
ex:related(?x, ?y) :- ex:beside(?x, ?y) .
ex:begins(?x, ?z) :- ex:begins(?x, ?y), ex:before(?y, ?z) .
ex:Calm(?x) :- ex:Early(?x), ex:before(?x, ?y), ex:Late(?y) .
ex:Last(?y) :- ex:before(?x, ?y), ~ex:Busy(?y) .
ex:Busy(?x) :- ex:before(?x, ?y) .
"""
QUERIES = [
    "SELECT ?x ?y { ?x ex:before ?y }",
    "SELECT ?x ?y { ?y ex:after ?x . ?y a ex:Late }",
    "SELECT ?x ?y { ?x ex:before+ ?y }",
    "SELECT ?y { ex:n1 ex:before* ?y }",
    "SELECT ?x ?y { ?x ex:after+ ?y }",
    "SELECT ?x ?y { ?x (ex:before|ex:beside)+ ?y }",
    "SELECT ?x ?y { ?x ^ex:before/ex:beside ?y }",
    "SELECT ?x ?y { ?x ex:related+ ?y }",
    "SELECT ?x (COUNT(?y) AS ?n) { ?x ex:before ?y } GROUP BY ?x",
    "SELECT (COUNT(*) AS ?n) { ?x ex:before ?y . ?y ex:before ?z }",
    "SELECT DISTINCT ?y { ?x a ex:Early ; ex:before ?y }",
    "SELECT ?x { ?x ex:before ?x }",
    "SELECT ?x { ?x a ex:Early FILTER NOT EXISTS { ?x ex:before ?y } }",
    "SELECT ?p { ex:n1 ?p ex:n2 }",
]


def ex(name: str) -> URIRef:
    return URIRef(EX + name)


def graph_of(schemes: object) -> Graph:
    return Graph(store=ReasoningStore(rules=RULES, schemes=schemes))


def rows(graph: Graph, query: str) -> list[tuple[str, ...]]:
    found = graph.query(f"PREFIX ex: <{EX}> {query}")
    return sorted(tuple(map(str, row)) for row in found)


def changes(seed: int) -> list[tuple[str, tuple[URIRef, URIRef, URIRef]]]:
    """Edges of sequences that grow, break and join, now and then one that makes no sequence, and members."""
    generator = random.Random(seed)
    order = generator.sample(range(9), 9)
    kind = URIRef("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
    found = []
    for _ in range(30):
        at = generator.randrange(8)
        edge = (ex(f"n{order[at]}"), ex("next"), ex(f"n{order[at + 1]}"))
        some = [ex(f"n{number}") for number in generator.sample(range(9), 2)]
        others = [
            (some[0], kind, ex(generator.choice(("Early", "Late")))),
            (some[0], ex("beside"), some[1]),
            (some[0], ex("begins"), some[1]),
            (some[0], ex("next"), some[1]),
            (some[0], ex("after"), some[1]),
        ]
        triple = edge if generator.random() < 0.7 else generator.choices(others, [4, 3, 2, 1, 1])[0]
        found.append((generator.choice(("add", "add", "remove")), triple))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_show_as_with_plain_tables(seed: int) -> None:
    scheme = SequenceScheme()
    mine, plain = graph_of(catalogue(scheme)), graph_of(PLAIN)
    for number, (what, triple) in enumerate(changes(seed)):
        for graph in (mine, plain):
            getattr(graph, what)(triple)
        assert {*mine} == {*plain}
        assert len(mine) == len(plain)
        query = QUERIES[number % len(QUERIES)]
        assert rows(mine, query) == rows(plain, query), query
    assert scheme.made, "no table was a sequence"
    mine.store.knowledge_base._check()
    for query in QUERIES:
        assert rows(mine, query) == rows(plain, query), query


def sequence(length: int) -> Graph:
    graph = graph_of(catalogue(SequenceScheme()))
    for number in range(length - 1):
        graph.add((ex(f"n{number}"), ex("next"), ex(f"n{number + 1}")))
    return graph


def test_statistics_name_the_scheme_and_count_its_facts() -> None:
    graph = sequence(6)

    found = {entry.name: entry for entry in graph.store.statistics().relations}

    assert (found[EX + "before"].scheme, found[EX + "before"].facts) == ("sequence", 15)
    assert found[EX + "after"].facts == 15
    assert found[EX + "related"].facts == 15


def test_explanation_leads_to_what_was_asserted() -> None:
    graph = sequence(5)

    proof = str(graph.store.explain((ex("n0"), ex("before"), ex("n4"))))

    assert proof.count("next") >= 4


def test_subscriber_gets_the_pairs_that_come_and_go() -> None:
    graph = sequence(4)
    assert len(graph)
    seen: list[tuple[set, set]] = []
    graph.store.subscribe(lambda added, removed: seen.append(({*added}, {*removed})))

    graph.remove((ex("n2"), ex("next"), ex("n3")))
    assert (ex("n0"), ex("before"), ex("n3")) not in graph

    (added, removed) = seen[0]
    assert not [pair for pair in added if pair[1] == ex("before")]
    assert {(s, o) for s, p, o in removed if p == ex("before")} == {(ex(f"n{number}"), ex("n3")) for number in range(3)}
