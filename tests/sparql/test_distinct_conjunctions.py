"""Conjunctions of which a query asks only which solutions there are, and which go without a plan.

Would catch a filter that is asked too early, late or never, a variable that is dropped though a filter reads it, and a
solution that is lost where an end is asked for once.
"""

from __future__ import annotations

from random import Random

import pyoxigraph
import pytest

from kgreason import ReasoningStore
from tests.benchmarks.bodies import random_rule, selection_of
from tests.profiles import examples
from tests.thresholds import replaced_constants

EX = "http://e/"
FILTERS = (
    "",
    "FILTER(?A != ?B)",
    "FILTER(?A != ?B && ?B != ?C)",
    "FILTER(!BOUND(?nothing) && ?A != ?C)",
    f"FILTER(?A IN (<{EX}1>, <{EX}2>, <{EX}3>))",
    "FILTER EXISTS { ?B ex:edge ?x . ?x ex:edge ?y . ?y ex:edge ?B }",
    "FILTER NOT EXISTS { ?A ex:edge ?x . ?x ex:edge ?A FILTER(?x != ?B) }",
    "MINUS { ?A ex:edge ?B . ?B ex:edge ?A }",
    f"VALUES ?A {{ <{EX}0> <{EX}1> <{EX}5> }}",
)


def edges(random: Random, nodes: int, count: int) -> str:
    """N-Triples, with some nodes in most edges."""
    ends = [(int(nodes * random.random() ** 2), random.randrange(nodes)) for _ in range(count)]
    return "".join(f"<{EX}{left}> <{EX}edge> <{EX}{right}> .\n" for left, right in ends)


@pytest.mark.parametrize("filter", FILTERS)
def test_a_distinct_answer_is_oxigraphs(filter: str) -> None:
    random = Random(filter)
    fewer = {"WITNESS_ROWS": 16, "SEARCH_SAMPLE": 4, "SAMPLED_ROWS": 8, "PRODUCT_ROWS": 8, "RIVAL_ROWS": 8}
    with replaced_constants(CONJUNCTION_WORK=0, **fewer):
        for _ in range(examples(4)):
            data = edges(random, 25, 90)
            store, peer = ReasoningStore(rules="none"), pyoxigraph.Store()
            store.bulk_load(data.encode(), format="nt")
            peer.load(data.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
            for _ in range(5):
                query = f"PREFIX ex: <{EX}> {selection_of(random_rule(random), filter)}"
                expected = {tuple(str(term) for term in solution) for solution in peer.query(query)}
                found = [tuple(f"<{term}>" for term in row.values()) for row in store.query_table(query).to_pylist()]
                assert len(found) == len({*found}), query
                assert {*found} == expected, query


@pytest.mark.parametrize(
    ("query", "goes_without"),
    [
        ("SELECT DISTINCT ?a { ?a ex:edge ?b . ?b ex:edge ?c . ?c ex:edge ?a }", True),
        ("SELECT (COUNT(DISTINCT ?a) AS ?n) { ?a ex:edge ?b . ?b ex:edge ?c . ?c ex:edge ?a }", True),
        ("SELECT ?a { ?a ex:edge ?b . ?b ex:edge ?c . ?c ex:edge ?a }", False),
        ("SELECT DISTINCT ?a { ?a ex:edge ?b . ?b ex:edge ?c . ?c ex:edge ?a } LIMIT 2", False),
        ("SELECT DISTINCT ?p { ?a ?p ?b . ?b ex:edge ?c . ?c ex:edge ?a }", False),
    ],
)
def test_the_explanation_says_which_patterns_went_without_a_plan(query: str, goes_without: bool) -> None:
    store = ReasoningStore(rules="none")
    store.bulk_load(edges(Random(1), 25, 90).encode(), format="nt")
    with replaced_constants(CONJUNCTION_WORK=0):
        plan = str(store.explain_query(f"PREFIX ex: <{EX}> {query}"))
    assert plan.count("order chosen from the rows") == 3 * goes_without
