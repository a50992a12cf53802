"""LIMIT over rows that come batch by batch.

Would catch a batch without rows that counts as one, and an OPTIONAL that extends more rows than are wanted.
"""

from __future__ import annotations

import pytest
from rdflib import Graph

from kgreason import ReasoningStore

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
