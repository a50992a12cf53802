"""Parts of a pattern that only a filter for an order of values connects: joined by their bounds, with the rows of all
pairs.

Would catch a bound on the wrong side, a value that is within its bounds and not looked up, a filter that is asked too
early or never, and rows that come twice or are left out where the first ones are wanted soon.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from random import Random

import pytest
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason.errors import FunctionError, QueryLimitError
from kgreason.rdf.model import Literal, Term
from kgreason.rdf.value_comparison import compared
from kgreason.rdf.vocabulary import XSD
from tests.profiles import examples
from tests.sparql.literals import NUMBERS, TERMS
from tests.sparql.peer_rows import Peers, peers_with, rows_of, rows_of_peer
from tests.thresholds import Tuned

EX = "http://e/"
PREFIX = f"PREFIX ex: <{EX}> "
COUNT = 60


DATA = "".join(
    f"<{EX}a{n}> <{EX}size> {n * 7 % 50} ; <{EX}from> {n} ; <{EX}to> {n + n % 4} .\n"
    f"<{EX}b{n}> <{EX}weight> {n * 11 % 60}.5 ; <{EX}near> <{EX}a{n * 7 % COUNT}> .\n"
    f'<{EX}a{n}> <{EX}day> "2020-01-{n % 28 + 1:02}"^^<{XSD}date> .\n'
    f'<{EX}b{n}> <{EX}day> "2020-01-{n * 3 % 28 + 1:02}"^^<{XSD}date> .\n'
    for n in range(COUNT)
)
PATTERNS = (
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x < ?y && ?y < ?x + 5)",
    "?b ex:weight ?y . ?a ex:size ?x FILTER (?y > ?x) FILTER (?x + 5 >= ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x > ?y)",
    "?a ex:from ?x ; ex:to ?z . ?b ex:weight ?y FILTER (?x <= ?y && ?y <= ?z)",
    "?a ex:from ?x ; ex:to ?z . ?c ex:from ?v ; ex:to ?w . ?b ex:near ?c FILTER (?x <= ?w && ?v <= ?z && ?a != ?c)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x < ?y + 2 && ?x + 2 > ?y)",
    "?b ex:weight ?y . ?a ex:from ?x ; ex:to ?z FILTER (?y + 2 >= ?x && ?z >= ?y && ?y != 30.5)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x - ?y < 2 && ?y - ?x < 2)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (ABS(?x - ?y) <= 1.5 && ?a != ?b)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (3 >= ABS(1 - ?y + ?x) && 50 > ?x + ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x + ?y > 95 - 3 && -?x - ?y + 2 > -98)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x - 2 * ?y > 7 || ?x = 3) FILTER (?x - 2 * ?y > 5)",
    "?a ex:day ?x . ?b ex:day ?y . ?b ex:weight ?w FILTER (?x - ?y < 3)",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y FILTER (?x - ?y < 1 && 1 > ?y - ?x) }",
    "?a ex:size ?x FILTER NOT EXISTS { ?b ex:weight ?y FILTER (ABS(?y - ?x) < 1) }",
    "?a ex:from ?x ; ex:to ?z OPTIONAL { ?b ex:weight ?y FILTER (?x < ?y + 1 && ?y <= ?z) }",
    "?a ex:from ?x ; ex:to ?z . ?b ex:near ?n FILTER NOT EXISTS { ?c ex:weight ?y FILTER (?x < ?y + 1 && ?y <= ?z) }",
    "?a ex:size ?x . ?b ex:weight ?y . ?c ex:from ?z FILTER (?x < ?y && ?y < ?x + 2 && ?z >= ?y && ?z < ?y + 2)",
    "?a ex:size ?x . ?b ex:weight ?y . ?c ex:from ?z FILTER (?x + 0.5 = ?y && ?z > ?y && ?z < ?y + 3)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (?x < ?y && ?y < ?x + 9 && ?x > 20 && ?y != 30.5)",
    "?a ex:day ?x . ?b ex:day ?y . ?b ex:weight ?w FILTER (?x < ?y && ?w < 9)",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y FILTER (?x < ?y && ?y < ?x + 2) }",
    "?a ex:size ?x OPTIONAL { ?b ex:weight ?y . ?b ex:near ?c FILTER (?y < ?x && ?x < ?y + 2 && ?c != ?a) }",
    "?a ex:size ?x FILTER EXISTS { ?b ex:weight ?y FILTER (?x < ?y && ?y < ?x + 1) }",
    "?a ex:size ?x FILTER NOT EXISTS { ?c ex:size ?y FILTER (?y > ?x) }",
    "?a ex:size ?x FILTER NOT EXISTS { ?b ex:weight ?y . ?b ex:near ?a FILTER (?y > ?x) }",
    "{ ?a ex:size ?x } UNION { ?a ex:to ?x } ?b ex:weight ?y FILTER (?x < ?y && ?y <= ?x + 1)",
    "?a ex:size ?x { SELECT ?b (MAX(?w) AS ?y) { ?b ex:weight ?w } GROUP BY ?b } FILTER (?y < ?x && ?x < ?y + 1)",
    "?a ex:size ?x OPTIONAL { ?a ex:nothing ?z } ?b ex:weight ?y FILTER (?z < ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (10 / ?x > ?y)",
    "?a ex:size ?x . ?b ex:weight ?y FILTER (!(?x >= ?y) && ?y < ?x + 2)",
    "?a ex:size ?x MINUS { ?a ex:from ?f . ?b ex:weight ?y FILTER (?f < ?y && ?y < ?f + 1) }",
)


@pytest.fixture(scope="module")
def peers() -> Peers:
    return peers_with(DATA)


@pytest.fixture(params=["as tuned", "small"])
def steps(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    if request.param == "small":
        tuned(FEW_PAIRED=0, FEW_BESIDE=0, JOIN_ROWS=16)


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize(
    "selected", ["?a ?b", "DISTINCT ?a", "DISTINCT ?b", "(COUNT(*) AS ?n)", "?b (COUNT(?a) AS ?n)"]
)
def test_rows_are_those_of_all_pairs(peers: Peers, pattern: str, selected: str) -> None:
    graph, peer = peers
    query = f"{PREFIX} SELECT {selected} {{ {pattern} }}" + (" GROUP BY ?b" if selected.startswith("?b (") else "")
    assert rows_of(graph, query) == rows_of_peer(peer, query)


@pytest.mark.usefixtures("steps")
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("limit", [1, 7, 10_000])
def test_first_rows_are_some_of_all(peers: Peers, pattern: str, limit: int) -> None:
    graph, peer = peers
    query = f"{PREFIX} SELECT ?a ?b {{ {pattern} }}"
    everything = rows_of_peer(peer, query)

    found = rows_of(graph, f"{query} LIMIT {limit}")

    assert found <= everything
    assert found.total() == min(limit, everything.total())
    asked = f"{PREFIX} ASK {{ {pattern} }}"
    assert graph.query(asked).askAnswer == bool(peer.query(asked))


def is_in_order(symbol: str, left: Term, right: Term) -> bool:
    try:
        return compared(symbol, left, right)
    except FunctionError:
        return False


def of_two_kinds(left: list[Term], right: list[Term]) -> Graph:
    store = ReasoningStore(rules="none")
    sides = [(name, n, term) for name, terms in (("a", left), ("b", right)) for n, term in enumerate(terms)]
    lines = (f"<{EX}{name}{n}> <{EX}{name}> {term} .\n" for name, n, term in sides)
    store.bulk_load("".join(lines).encode(), format="nt")
    return Graph(store=store)


def numbers_of(graph: Graph, query: str) -> set[tuple[int, ...]]:
    return {tuple(int(str(term).rpartition("/")[2][1:]) for term in row) for row in graph.query(PREFIX + query)}


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
def test_values_of_all_kinds_are_found_as_they_are_compared(symbol: str, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=0, FEW_BESIDE=0, JOIN_ROWS=64)
    random = Random(symbol)
    no_singles = [term for term in TERMS if not (isinstance(term, Literal) and term.datatype == XSD + "float")]
    for pool in [TERMS, no_singles, NUMBERS] * examples(2):
        left, right = random.sample(pool, 25), random.sample(pool, 25)
        graph = of_two_kinds(left, right)
        pattern = f"?a ex:a ?x . ?b ex:b ?y FILTER (?x {symbol} ?y)"

        everything = {
            (i, j) for i, j in product(range(25), repeat=2) if is_in_order(symbol, left[i], right[j])
        }
        assert numbers_of(graph, f"SELECT ?a ?b {{ {pattern} }}") == everything
        assert numbers_of(graph, f"SELECT ?a ?b {{ {pattern} }} LIMIT 1000") == everything
        assert numbers_of(graph, f"SELECT DISTINCT ?a {{ {pattern} }}") == {(i,) for i, _ in everything}
        exists = f"?a ex:a ?x FILTER EXISTS {{ ?b ex:b ?y FILTER (?x {symbol} ?y) }}"
        assert numbers_of(graph, f"SELECT ?a {{ {exists} }}") == {(i,) for i, _ in everything}


@pytest.mark.parametrize(("before", "after"), [("<=", ">="), ("<", ">"), ("<=", ">")])
def test_intervals_of_all_kinds_overlap_as_their_ends_are_compared(before: str, after: str, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=0, FEW_BESIDE=0, JOIN_ROWS=64)
    random = Random(before + after)
    no_singles = [term for term in TERMS if not (isinstance(term, Literal) and term.datatype == XSD + "float")]
    for pool in [TERMS, no_singles, NUMBERS] * examples(2):
        sides = [[(random.choice(pool), random.choice(pool)) for _ in range(25)] for _ in "ab"]
        store = ReasoningStore(rules="none")
        lines = (
            f"<{EX}{name}{n}> <{EX}{name}> {begin} .\n<{EX}{name}{n}> <{EX}end> {end} .\n"
            for name, side in zip("ab", sides, strict=True)
            for n, (begin, end) in enumerate(side)
        )
        store.bulk_load("".join(lines).encode(), format="nt")
        graph = Graph(store=store)
        found = f"?b ex:b ?y ; ex:end ?w FILTER (?x {before} ?w && ?z {after} ?y)"
        pattern = f"?a ex:a ?x ; ex:end ?z . {found}"

        everything = [
            (i, j)
            for (i, (x, z)), (j, (y, w)) in product(*map(enumerate, sides))
            if is_in_order(before, x, w) and is_in_order(after, z, y)
        ]
        rows = [tuple(int(str(term)[len(EX) + 1 :]) for term in row) for row in graph.query(
            f"{PREFIX} SELECT ?a ?b {{ {pattern} }}"
        )]  # fmt: skip
        assert sorted(rows) == everything
        assert numbers_of(graph, f"SELECT ?a ?b {{ {pattern} }} LIMIT 1000") == {*everything}
        assert numbers_of(graph, f"SELECT DISTINCT ?b {{ {pattern} }}") == {(j,) for _, j in everything}
        exists = f"?a ex:a ?x ; ex:end ?z FILTER EXISTS {{ {found} }}"
        assert numbers_of(graph, f"SELECT ?a {{ {exists} }}") == {(i,) for i, _ in everything}


CONSTANTS = ('"1"^^xsd:integer', "1.5", '"0.1"^^xsd:float', "1e0", "1e16", "0")


@pytest.mark.parametrize("symbol", ["<", "<=", ">", ">="])
def test_sums_of_all_kinds_are_compared_as_they_are_written(symbol: str, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=0, FEW_BESIDE=0, JOIN_ROWS=64)
    random = Random(symbol)
    doubles = [Literal(repr(n * 0.1 + random.choice([0, 1e16])), XSD + "double") for n in range(20)]
    for pool in [TERMS, NUMBERS, doubles, [*NUMBERS, *doubles]] * examples(2):
        left, right = ([random.choice(pool) for _ in range(25)] for _ in "ab")
        graph = of_two_kinds(left, right)
        pairs = "?a ex:a ?x . ?b ex:b ?y"
        for sum in ("?x - ?y", "?y - ?x", "?x + ?y", "ABS(?x - ?y)", "-?x - ?y"):
            condition = f"{sum} {symbol} {random.choice(CONSTANTS)}"
            prefix = f"PREFIX xsd: <{XSD}> {PREFIX}"
            # Without an order that a plan could use.
            all_pairs = f"{prefix} SELECT ?a ?b {{ {pairs} BIND (({condition}) AS ?c) FILTER (?c) }}"
            everything = rows_of(graph, all_pairs)

            assert rows_of(graph, f"{prefix} SELECT ?a ?b {{ {pairs} FILTER ({condition}) }}") == everything, condition
            exists = f"?a ex:a ?x FILTER EXISTS {{ ?b ex:b ?y FILTER ({condition}) }}"
            assert {*rows_of(graph, f"{prefix} SELECT ?a {{ {exists} }}")} == {row[:1] for row in everything}


@pytest.fixture(scope="module")
def many() -> Callable[[str], int]:
    graph = Graph(store=ReasoningStore(rules="none"))
    lines = (f"<{EX}a{n}> <{EX}p> {n} . <{EX}b{n}> <{EX}q> {2 * n} ; <{EX}r> {n % 2} ." for n in range(3_000))
    graph.parse(data="\n".join(lines), format="turtle")

    def count(query: str) -> int:
        return len([*graph.query(PREFIX + query, max_rows=20_000)])

    return count


@pytest.mark.parametrize(
    ("pattern", "rows"),
    [
        ("?a ex:p ?x . ?b ex:q ?y FILTER (?x <= ?y && ?y < ?x + 2)", 3_000),
        ("?a ex:p ?x . ?b ex:q ?y FILTER (?y >= ?x && ?x > ?y - 2)", 3_000),
        ("?a ex:p ?x . ?b ex:q ?y ; ex:r 1 FILTER (?x <= ?y && ?y < ?x + 2)", 1_500),
        ("?a ex:p ?x OPTIONAL { ?b ex:q ?y FILTER (?x < ?y && ?y < ?x + 2) }", 3_000),
        ("?a ex:p ?x . ?b ex:q ?y FILTER (?x <= ?y + 1 && ?y <= ?x + 1)", 4_500),
        ("?a ex:p ?x FILTER EXISTS { ?b ex:q ?y FILTER (?x < ?y + 1 && ?y < ?x + 1) }", 1_500),
        ("?a ex:p ?x . ?b ex:q ?y FILTER (?x - ?y < 2 && ?y - ?x < 2)", 4_500),
        ("?a ex:p ?x . ?b ex:q ?y FILTER (ABS(?x - ?y) <= 1)", 4_500),
        ("?a ex:p ?x FILTER EXISTS { ?b ex:q ?y FILTER (?y - ?x > 3) }", 3_000),
        ("?a ex:p ?x FILTER EXISTS { ?b ex:q ?y FILTER (?y > ?x) }", 3_000),
        ("?a ex:p ?x FILTER NOT EXISTS { ?b ex:p ?y FILTER (?y > ?x) }", 1),
    ],
)
def test_no_pairs_are_made_of_what_is_not_within_bounds(many: Callable[[str], int], pattern: str, rows: int) -> None:
    assert many(f"SELECT ?a {{ {pattern} }}") == rows


def test_what_is_first_is_found_without_all_pairs(many: Callable[[str], int]) -> None:
    pattern = "?a ex:p ?x . ?b ex:q ?y FILTER (?x < ?y)"

    assert many(f"SELECT * {{ {pattern} }} LIMIT 10") == 10
    assert many(f"ASK {{ {pattern} }}") == 1
    assert many(f"SELECT DISTINCT ?a {{ {pattern} }}") == 3_000
    with pytest.raises(QueryLimitError, match="more than 20,000"):
        many(f"SELECT ?a ?b {{ {pattern} }}")


def test_a_plan_says_by_what_order_parts_were_joined(peers: Peers) -> None:
    plan = str(peers[0].store.explain_query(f"{PREFIX} SELECT ?a ?b {{ {PATTERNS[0]} }}"))
    assert "join by (?x < ?y), ((?x + 5) > ?y)" in plan.replace('"5"^^<' + XSD + "integer>", "5")
