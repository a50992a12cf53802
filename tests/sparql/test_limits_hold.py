"""Limits of time hold wherever a query spends it: catches steps that never look at the clock."""

from __future__ import annotations

import time
from threading import Thread

import pytest
from rdflib import Graph, Literal, Namespace

from kgreason import ReasoningStore
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, KGReasonError, QueryLimitError
from tests.profiles import IS_THOROUGH

EX = Namespace("http://example.org/")
SECONDS = 0.25
EARLIER = SECONDS if IS_THOROUGH else 0.1
"""For queries and updates that never come to their end, one after the other."""
MOST = 60.0
"""Far less than any of the queries takes to the end, far more than a loaded machine needs to notice a limit."""
A = "a" * 40


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Three thousand numbers, a cycle of three thousand nodes, and some texts."""
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.bind("ex", EX)
    graph.addN((EX[f"x{i}"], EX.p, Literal(i), graph) for i in range(3000))
    graph.addN((EX[f"x{i}"], EX.next, EX[f"x{(i + 1) % 3000}"], graph) for i in range(3000))
    graph.addN((EX[f"x{i}"], EX.near, EX[f"x{(i * 7 + k) % 3000}"], graph) for i in range(3000) for k in range(4))
    graph.add((EX.x0, EX.text, Literal(A + "b")))
    len(graph)
    return graph


PAIRS = "?a ex:p ?x . ?b ex:p ?y"
CUBE = f"{PAIRS} . ?c ex:p ?z"

SLOW = {
    "cross product": f"SELECT * {{ {CUBE} }}",
    "cross product counted by groups": f"SELECT ?x (COUNT(?z) AS ?n) {{ {CUBE} }} GROUP BY ?x",
    "cross product ordered": f"SELECT * {{ {CUBE} }} ORDER BY ?z ?x",
    "cross product distinct": f"SELECT DISTINCT ?x ?y ?z {{ {CUBE} }}",
    "cross product filtered": f"SELECT * {{ {CUBE} FILTER(?x + ?y + ?z < 0) }}",
    "optional": "SELECT * { ?a ex:p ?x OPTIONAL { ?b ex:p ?y OPTIONAL { ?c ex:p ?z } } }",
    "minus": f"SELECT * {{ {CUBE} MINUS {{ ?a ex:q ?x }} }}",
    "exists": f"SELECT * {{ {CUBE} FILTER NOT EXISTS {{ ?a ex:next ?c }} }}",
    "union": f"SELECT * {{ {{ {CUBE} }} UNION {{ {CUBE} }} }}",
    "paths between all": "SELECT * { ?a (ex:next|ex:near)+ ?b . ?b (ex:near|^ex:next)+ ?c . ?c ex:near+ ?d }",
    "sequence of paths": f"SELECT (COUNT(*) AS ?n) {{ ?a {'/'.join(['ex:near'] * 8)} ?b }}",
    "replacing per row": f"SELECT (COUNT(?t) AS ?n) {{ {PAIRS} BIND(REPLACE(STR(?x * 3000 + ?y), '1', 'x') AS ?t) }}",
    "digests": f"SELECT (COUNT(?t) AS ?n) {{ {PAIRS} BIND(SHA512(STR(?x * 3000 + ?y)) AS ?t) }}",
    "digests in an aggregate": f"SELECT (COUNT(DISTINCT SHA512(STR(?x * 3000 + ?y))) AS ?n) {{ {PAIRS} }}",
    "digests as keys": f"SELECT ?k {{ {PAIRS} }} GROUP BY (SHA512(STR(?x * 3000 + ?y)) AS ?k)",
    "digests as order": f"SELECT ?x {{ {PAIRS} }} ORDER BY SHA512(STR(?x * 3000 + ?y))",
    "concatenation per row": f"SELECT (COUNT(?t) AS ?n) {{ {PAIRS} BIND(CONCAT(STR(?a), STR(?b)) AS ?t) }}",
    "sum of products": f"SELECT (SUM(?x * ?y * ?z) AS ?n) {{ {CUBE} }}",
    "random numbers": f"SELECT (SUM(RAND()) AS ?n) {{ {CUBE} }}",
    "new nodes": f"SELECT (COUNT(BNODE()) AS ?n) {{ {CUBE} }}",
    "backtracking": r"SELECT * { ?a ex:text ?t FILTER REGEX(?t, '^(a|aa)+\\1?$') }",
    "backtracking per row": "SELECT * { ?a ex:text ?t . ?b ex:p ?y "
    r"FILTER REGEX(CONCAT(?t, STR(?y)), '^(a|aa)+\\1?$') }",
    "doubling": "SELECT * { ?a ex:text ?t0 "
    + " ".join(f"BIND(CONCAT(?t{i}, ?t{i}) AS ?t{i + 1})" for i in range(40))
    + " }",
    "encoding again and again": "SELECT * { BIND('%' AS ?t0) "
    + " ".join(f"BIND(ENCODE_FOR_URI(?t{i}) AS ?t{i + 1})" for i in range(40))
    + " }",
    "group_concat": f"SELECT (GROUP_CONCAT(?x) AS ?n) {{ {CUBE} }}",
    "subqueries": f"SELECT * {{ {{ SELECT ?x ?y {{ {PAIRS} }} }} {{ SELECT ?z ?w {{ ?c ex:p ?z . ?d ex:p ?w }} }} }}",
    "values": "SELECT * { ?a ex:p ?x VALUES ?y { " + " ".join(map(str, range(3000))) + " } ?c ex:p ?z }",
}


def limited(graph: Graph, query: str) -> tuple[float, KGReasonError | None]:
    begin = time.monotonic()
    error = None
    try:
        for _ in graph.query(query, timeout=EARLIER):
            if time.monotonic() - begin > MOST:
                break
    except KGReasonError as caught:
        error = caught
    return time.monotonic() - begin, error


@pytest.mark.parametrize("name", SLOW)
def test_slow_query_ends_in_time(graph: Graph, name: str) -> None:
    seconds, error = limited(graph, SLOW[name])

    assert isinstance(error, QueryLimitError) or seconds < EARLIER, (name, seconds, error)
    assert seconds < MOST, name


def test_linear_pattern_answers(graph: Graph) -> None:
    assert len(graph.query("SELECT * { ?a ex:text ?t FILTER REGEX(?t, '^(a+)+$') }", timeout=SECONDS)) == 0
    assert len(graph.query("SELECT * { ?a ex:text ?t FILTER REGEX(?t, '^(a+)+b$') }", timeout=SECONDS)) == 1


@pytest.mark.parametrize("name", ["cross product", "backtracking", "digests", "paths between all"])
def test_update_with_a_slow_where_ends_in_time_and_changes_nothing(graph: Graph, name: str) -> None:
    size = len(graph)
    pattern = SLOW[name][SLOW[name].index("{") :]

    begin = time.monotonic()
    with pytest.raises(QueryLimitError):
        graph.update(f"INSERT {{ ?a ex:new ?b }} WHERE {pattern}", timeout=EARLIER)

    assert time.monotonic() - begin < MOST
    assert len(graph) == size


@pytest.mark.parametrize(
    "rule",
    [
        "ex:r(?a, ?b) :- ex:p(?a, ?x), ex:p(?b, ?y), REGEX(CONCAT(STR(?x), STR(?y)), \"^(1+)+$\") .",
        "ex:r(?a, ?b) :- ex:p(?a, ?x), ex:p(?b, ?y), ?z = SHA512(CONCAT(STR(?x), STR(?y))), ?z = 1 .",
        "ex:r(?a, ?b, ?c) :- ex:p(?a, ?x), ex:p(?b, ?y), ex:p(?c, ?z) .",
    ],
)
def test_slow_rule_ends_in_time_and_changes_nothing(rule: str) -> None:
    graph = Graph(store=ReasoningStore(rules="none"))
    graph.addN((EX[f"x{i}"], EX.p, Literal(i), graph) for i in range(2000))
    size = len(graph)
    graph.store.budget = Budget(seconds=SECONDS)

    begin = time.monotonic()
    with pytest.raises(BudgetError):
        graph.store.add_rules(f"@prefix ex: <{EX}> . {rule}")

    assert time.monotonic() - begin < MOST
    assert len(graph) == size


def test_another_thread_goes_on_meanwhile(graph: Graph) -> None:
    thread = Thread(target=limited, args=(graph, SLOW["cross product filtered"]))
    thread.start()
    waits = []
    while thread.is_alive():
        begin = time.monotonic()
        assert (EX.x1, EX.p, Literal(1)) in graph
        waits.append(time.monotonic() - begin)
        time.sleep(0.01)
    thread.join()

    assert sorted(waits)[len(waits) // 2] < SECONDS
