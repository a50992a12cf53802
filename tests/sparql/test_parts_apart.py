"""Groups with parts that take no solutions of the others: sub-SELECTs, VALUES, and UNIONs of them.

Would catch a part that is joined before what connects it with others, and an answer that depends on the order of parts.
"""

from __future__ import annotations

import random
from collections import Counter

import pyoxigraph
import pytest
from rdflib import Graph

from kgreason import ReasoningStore, tuning
from kgreason.sparql.patterns.closure_patterns import Closed
from tests.thresholds import Tuned

NODES = 60


def loaded(text: str) -> tuple[Graph, pyoxigraph.Store]:
    store = ReasoningStore(rules="none")
    store.bulk_load(text.encode(), format="nt")
    peer = pyoxigraph.Store()
    peer.load(text.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return Graph(store=store), peer


def rows_of(graph: Graph, query: str, **limits: int) -> Counter[tuple[str | None, ...]]:
    rows = graph.query(query, **limits)
    return Counter(tuple(None if term is None else term.n3() for term in row) for row in rows)


def peer_rows(peer: pyoxigraph.Store, query: str) -> Counter[tuple[str | None, ...]]:
    return Counter(tuple(None if term is None else str(term) for term in row) for row in peer.query(query))


def ring() -> str:
    """Each node linked with the next one and with the same class."""
    lines = (
        f"<http://e/n{node}> <http://e/next> <http://e/n{(node + 1) % NODES}> .\n"
        f"<http://e/n{node}> <http://e/in> <http://e/all> .\n"
        for node in range(NODES)
    )
    return "".join(lines)


def grouped(name: str) -> str:
    return f"{{ SELECT ?{name} (COUNT(*) AS ?n{name}) {{ ?{name} e:in ?a }} GROUP BY ?{name} }}"


def distinct(name: str) -> str:
    return f"{{ SELECT DISTINCT ?{name} {{ ?{name} e:in ?a }} }}"


def values(name: str) -> str:
    return f"VALUES ?{name} {{ {' '.join(f'e:n{node}' for node in range(NODES))} }}"


@pytest.mark.parametrize(
    "group",
    [
        f"?x e:next ?y . {grouped('x')} {grouped('y')}",
        f"{grouped('x')} ?x e:next ?y . {grouped('y')}",
        f"?x e:next ?y . {distinct('x')} {values('y')}",
        f"?x e:next ?y . ?x e:next e:n1 {values('x')} {values('y')}",
        f"?x e:next ?y . ?y e:next ?z . {grouped('x')} {grouped('y')} {distinct('z')}",
        f"{grouped('x')} {grouped('y')} {{ SELECT DISTINCT ?x ?y {{ ?x e:next ?y }} }}",
        f"{values('x')} {grouped('y')} {{ ?x e:next ?y }} UNION {{ ?y e:next ?x }}",
        f"?x e:next ?y . {grouped('x')} {values('y')} {{ SELECT ?z {{ ?z e:in e:none }} LIMIT 1 }}",
        "?x e:next e:n1 . { ?x e:in ?c . ?y e:in ?c } UNION { SELECT ?x { ?x e:next e:n2 } LIMIT 5 }",
        "?x e:next e:n1 . { ?x e:in ?c . ?y e:in ?c } UNION { VALUES ?x { e:n0 e:n1 UNDEF } }",
        f"?x e:next e:n1 . {{ ?x e:in ?c . ?y e:in ?c }} UNION {grouped('x')}",
    ],
)
@pytest.mark.parametrize("paired", [0, tuning.FEW_PAIRED])
def test_parts_that_a_pattern_connects_make_no_more_rows_than_it_has(group: str, paired: int, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=paired)
    graph, peer = loaded(ring())
    query = f"PREFIX e: <http://e/> SELECT * {{ {group} }}"

    found = graph.query(query, max_rows=3 * NODES)

    names = [str(name) for name in found.vars]
    query = query.replace("*", " ".join(f"?{name}" for name in names), 1)
    assert rows_of(graph, query, max_rows=3 * NODES) == peer_rows(peer, query)


PARTS = (
    *("?a e:p ?b", "?c e:p ?d", "?b e:q ?c", "?a e:q ?a", "?d e:p e:n1", "OPTIONAL { ?b e:q ?e }", "FILTER(?b != ?d)"),
    *("{ ?a e:q ?c } UNION { SELECT DISTINCT ?c ?d { ?c e:p ?x . ?x e:q ?d } }", "MINUS { VALUES ?b { e:n1 e:n2 } }"),
    *("{ ?b e:q ?d } UNION { VALUES (?d ?e) { (e:n1 UNDEF) (UNDEF e:n2) (e:n3 e:n3) } } UNION { ?d e:p ?e }",),
    *("{ VALUES ?a { e:n1 e:n2 } } UNION { SELECT DISTINCT ?b { ?b e:p ?x } }", "{ ?a e:p ?b BIND(STR(?a) AS ?e) }"),
    *("{ SELECT ?a (COUNT(*) AS ?e) { ?a e:p ?x } GROUP BY ?a }",),
    *("{ SELECT ?b (COUNT(?x) AS ?n) { ?b e:q ?x } GROUP BY ?b }",),
    *("{ SELECT DISTINCT ?a ?d { ?a e:q ?x . ?x e:p ?d } }", "VALUES (?a ?c) { (e:n1 e:n2) (e:n2 UNDEF) (e:n2 e:n2) }"),
    *("VALUES ?d { e:n0 e:n1 e:n2 e:n1 }", "VALUES ?c { e:n2 }", "{ SELECT ?c { ?c e:p ?x } ORDER BY ?c LIMIT 4 }"),
    *("{ ?c e:p ?d OPTIONAL { ?d e:q ?e } }", "OPTIONAL { ?a e:q ?c VALUES ?c { e:n1 e:n2 e:n3 } }"),
    *("{ ?a e:p ?b OPTIONAL { ?a e:q ?d } }", "FILTER EXISTS { ?b e:p ?x VALUES ?x { e:n1 e:n3 } }"),
)


@pytest.mark.parametrize("paired", [0, 10, tuning.FEW_PAIRED])
@pytest.mark.parametrize("seed", range(80))
def test_groups_with_parts_apart_have_the_solutions_of_oxigraph(seed: int, paired: int, tuned: Tuned) -> None:
    tuned(FEW_PAIRED=paired)
    source = random.Random(seed)
    triples = {(source.randrange(5), source.choice("pq"), source.randrange(5)) for _ in range(14)}
    graph, peer = loaded(
        "".join(f"<http://e/n{s}> <http://e/{p}> <http://e/n{o}> .\n" for s, p, o in sorted(triples))
    )
    group = " . ".join(source.sample(PARTS, source.randint(3, 6))).replace("} . ", "} ")
    query = f"PREFIX e: <http://e/> SELECT ?a ?b ?c ?d ?e ?n {{ {group} }}"
    empty = (None,) * 6

    found, expected = rows_of(graph, query), peer_rows(peer, query)

    first, each = rows_of(graph, f"{query} LIMIT 3"), rows_of(graph, query.replace("SELECT", "SELECT DISTINCT", 1))
    del expected[empty], found[empty], each[empty], first[empty]
    assert found == expected, query
    assert first <= found
    assert each == Counter(set(expected))


def test_more_parts_in_sequence_than_python_nests_calls_are_joined() -> None:
    graph, _ = loaded('<http://e/a> <http://e/p> "1" .\n')
    parts = " ".join(f"{{ ?x e:p ?y{number} }} UNION {{ ?x e:none ?y{number} }}" for number in range(1100))

    found = rows_of(graph, f"PREFIX e: <http://e/> SELECT ?x {{ ?x e:p ?y {parts} }}")

    assert found == Counter({("<http://e/a>",): 1})


def chain_of(length: int) -> Graph:
    lines = (f"<http://e/n{node}> <http://e/next> <http://e/n{node + 1}> .\n" for node in range(length))
    return loaded("".join(lines))[0]


def values_of(name: str, nodes: range) -> str:
    return f"VALUES ?{name} {{ {' '.join(f'<http://e/n{node}>' for node in nodes)} }}"


def test_ends_of_a_path_that_leads_far_are_paired_before_it_is_followed() -> None:
    graph = chain_of(3_000)
    first, last = range(0, 3_000, 20), range(7, 3_000, 20)
    query = f"SELECT ?x ?y {{ {values_of('x', first)} {values_of('y', last)} ?x <http://e/next>* ?y }}"

    rows = rows_of(graph, query, max_rows=30_000)

    assert rows == Counter(
        (f"<http://e/n{one}>", f"<http://e/n{other}>") for one in first for other in last if one <= other
    )


def test_a_look_at_ends_without_a_step_closes_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = chain_of(3_000)
    monkeypatch.setattr(Closed, "build", lambda _: pytest.fail("all pairs were asked for"))
    ends = " ".join(f"<http://e/m{node}> <http://e/at> <http://e/n3000> ." for node in range(300))
    graph.parse(data=ends, format="turtle")
    asked = " ".join(f"<http://e/m{node}>" for node in range(300))
    query = f"SELECT ?x ?y {{ VALUES ?x {{ {asked} }} VALUES ?y {{ {asked} }} ?x <http://e/next>* ?y }}"

    assert len(rows_of(graph, query)) == 300
