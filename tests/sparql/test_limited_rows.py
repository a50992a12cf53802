"""LIMIT over rows that come batch by batch.

Would catch a batch without rows that counts as one, an OPTIONAL that extends more rows than are wanted, and a row that
is left out or comes twice where rows are taken from all over a batch.
"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from tests.profiles import examples
from tests.sparql.peer_rows import peers_with, rows_of, rows_of_peer

NOTHING_FIRST = "{ FILTER (1 = 2) } UNION { } UNION { }"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (f"ASK {{ SELECT DISTINCT * {{ {NOTHING_FIRST} }} }}", [True]),
        (f"SELECT (COUNT(*) AS ?n) {{ SELECT DISTINCT * {{ {NOTHING_FIRST} }} LIMIT 1 }}", [1]),
        (f"SELECT (COUNT(*) AS ?n) {{ SELECT DISTINCT * {{ {NOTHING_FIRST} }} LIMIT 5 }}", [1]),
        ("SELECT DISTINCT ?x { { ?x ?p 1 } UNION { VALUES ?x { 1 1 2 } } } LIMIT 5", [1, 2]),
    ],
)
def test_a_batch_without_rows_is_none_of_them(query: str, expected: list[object]) -> None:
    result = Graph(store=ReasoningStore(rules="none")).query(query)
    found = [result.askAnswer] if result.type == "ASK" else sorted(row[0].toPython() for row in result)
    assert found == expected


def test_an_optional_makes_few_rows_for_the_first_ones() -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.parse(data="".join(f"<http://e/{n}> a <http://e/C> ." for n in range(3000)), format="turtle")
    query = "SELECT * { ?a a ?c OPTIONAL { ?b a ?c } } LIMIT 10"
    assert len(graph.query(query, max_rows=10_000)) == 10


BODIES = (
    "?a e:p ?b . ?b e:p ?c . ?c e:q ?d",
    "?a e:p ?b . ?a e:p ?c . ?b e:q ?d . ?c e:q ?d",
    "?a e:q ?b . ?b e:p ?c . ?c e:p ?a FILTER (?a != ?b)",
    "?a e:p ?b . ?b e:p ?c OPTIONAL { ?c e:q ?d . ?d e:q ?a }",
    "?a e:p ?b . ?b e:q ?c FILTER EXISTS { ?c e:p ?d . ?d e:q ?a }",
)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("form", ["SELECT ?a ?b ?c ?d", "SELECT DISTINCT ?a ?c", "SELECT ?b"])
def test_limited_rows_are_as_many_of_all_rows(body: str, form: str) -> None:
    random = Random(body)
    for _ in range(examples(2)):
        ends = [(random.randrange(40), random.randrange(40), random.choice("pq")) for _ in range(400)]
        peers = peers_with("".join(f"<http://e/{s}> <http://e/{p}> <http://e/{o}> .\n" for s, o, p in ends))
        query = f"PREFIX e: <http://e/> {form} {{ {body} }}"
        whole = rows_of_peer(peers[1], query)
        for limit, offset in product((1, 10, 1000, 1_000_000), (0, 5, 700)):
            found = rows_of(peers[0], f"{query} OFFSET {offset} LIMIT {limit}")
            assert found <= whole
            assert found.total() == max(0, min(limit, whole.total() - offset))
