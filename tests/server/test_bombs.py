"""Small requests that ask for endless work: would catch one that goes on after its time, changes the store, or holds up
others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Thread

import httpx2
import pytest
from starlette.testclient import TestClient

from kgreason.engine.budget import Budget
from kgreason_rdflib import ReasoningStore
from tests.server.conftest import WRITES, started, wait_until_ready
from tests.server.processes import served

TIMEOUT = 0.3
PATIENCE = 15
"""Seconds in which a machine that is busy otherwise ends a request."""
COUNT = 2000
TEXT = {"Content-Type": "text/plain"}
TURTLE = {"Content-Type": "text/turtle"}
UPDATE = {"Content-Type": "application/sparql-update"}
GROWING = "<http://e/n>(?x, ?m) :- <http://e/n>(?x, ?k), ?m = ?k + 1 . <http://e/n>(?x, 1) :- <http://e/p>(?x, ?y) ."
"""Rules that never come to an end."""
CROSSED = "<http://e/w>(?a, ?c, ?e) :- <http://e/p>(?a, ?b), <http://e/q>(?c, ?d), <http://e/p>(?e, ?f) ."
VIOLATED = "false :- <http://e/p>(?a, ?b), <http://e/q>(?c, ?d), <http://e/p>(?e, ?f), ?b != ?d ."
MANY_RULES = " ".join(f"<http://e/r{number}>(?x, ?y) :- <http://e/p>(?x, ?y) ." for number in range(30_000))
TRIGGERED = "<http://e/n>(?x, ?m) :- <http://e/n>(?x, ?k), ?m = ?k + 1 . <http://e/n>(?x, 1) :- <http://e/go>(?x, ?y) ."
"""Rules that begin to have no end with the first triple of a property."""
GO = "<http://e/a> <http://e/go> <http://e/b> ."


def doubled(times: int, expression: str) -> str:
    """A query whose variables are each made of the one before."""
    steps = (f"BIND({expression.replace('?v', f'?v{number}')} AS ?v{number + 1}) " for number in range(times))
    return f"SELECT * {{ BIND('a' AS ?v0) {''.join(steps)} }}"


QUERIES = {
    "product": "SELECT (COUNT(*) AS ?n) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f FILTER(CONCAT(STR(?a), STR(?e)) = '') }",
    "order": "SELECT * { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f } ORDER BY STR(?b) DESC(?c)",
    "distinct": "SELECT DISTINCT ?a ?c ?e { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
    "construct": "CONSTRUCT { ?a ?c ?e . _:b ?p ?q } { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
    "optional": "SELECT * { ?s ?p ?o " + "".join(f"OPTIONAL {{ ?a{i} ?p ?b{i} }} " for i in range(50)) + "}",
    "hash": "SELECT * { ?a ?p ?b . ?c ?q ?d FILTER(SHA512(CONCAT(STR(?a), STR(?d))) = '') }",
    "concatenated": doubled(40, "CONCAT(?v, ?v)"),
    "replaced": doubled(12, f"REPLACE(?v, 'a', '{'a' * 36}')"),
    "nested": "SELECT * { " + "{" * 2000 + "?s ?p ?o" + "}" * 2000 + " }",
    "group concat": "SELECT (GROUP_CONCAT(CONCAT(STR(?a), STR(?d))) AS ?x) { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }",
}  # fmt: skip


def filled() -> ReasoningStore:
    """A store that the bombs find enough in, with a rule that a triple sets off."""
    store = ReasoningStore(rules="rdfs")
    triples = (
        f"<http://e/{number}> <http://e/{name}> <http://e/{number * factor % COUNT}> .\n"
        for number in range(COUNT) for name, factor in (("p", 7), ("q", 11))
    )  # fmt: skip
    store.bulk_load("".join(triples).encode(), format="nt")
    store.add_rules(TRIGGERED)
    return store


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with started(filled(), timeout=TIMEOUT) as found:
        yield wait_until_ready(found)


def content(client: TestClient) -> tuple[object, ...]:
    """All that a client can see of the store, but for its proofs."""
    graphs = client.get("/data?default&inferred=true", headers={"Accept": "application/n-triples"}).text
    names = client.get("/sparql?query=SELECT * { GRAPH ?g {} }", headers={"Accept": "text/csv"}).text
    return sorted(graphs.splitlines()), names, client.get("/rules").json()["rules"], client.get("/livez").status_code


@pytest.mark.parametrize("name", QUERIES)
def test_query_ends_with_its_time_or_is_refused(client: TestClient, name: str) -> None:
    begun = time.monotonic()

    answer = client.post("/sparql", data={"query": QUERIES[name]})

    assert answer.status_code in (503, 422, 400), answer.text[:200]
    assert answer.headers["content-type"] == "application/problem+json"
    assert time.monotonic() - begun < PATIENCE


CHANGES: dict[str, Callable[[TestClient], httpx2.Response]] = {
    "update that sets rules off": lambda client: client.post(
        "/update", content=f"INSERT DATA {{ GRAPH <http://e/g> {{ {GO} }} }}", headers=WRITES | UPDATE
    ),
    "several operations": lambda client: client.post(
        "/update", headers=WRITES | UPDATE,
        content=f"CREATE GRAPH <http://e/g> ; INSERT DATA {{ {GO} }} ; DELETE WHERE {{ ?s <http://e/z> ?o }}",
    ),
    "update that inserts too much": lambda client: client.post(
        "/update", content="INSERT { ?a ?c ?e } WHERE { ?a ?p ?b . ?c ?q ?d . ?e ?r ?f }", headers=WRITES | UPDATE
    ),
    "put": lambda client: client.put("/data?graph=http://e/g", content=GO, headers=WRITES | TURTLE),
    "post": lambda client: client.post("/data?default", content=GO, headers=WRITES | TURTLE),
    "post of a new graph": lambda client: client.post("/data", content=GO, headers=WRITES | TURTLE),
    "patch": lambda client: client.patch(
        "/data?default", content=f"INSERT DATA {{ {GO} }}", headers=WRITES | UPDATE
    ),
    "endless rules": lambda client: client.post("/rules", content=GROWING, headers=WRITES | TEXT),
    "crossed rule": lambda client: client.post("/rules", content=CROSSED, headers=WRITES | TEXT),
    "many rules": lambda client: client.post("/rules", content=MANY_RULES, headers=WRITES | TEXT),
    "what if, triples": lambda client: client.post("/whatif", json={"add": GO}),
    "what if, rules": lambda client: client.post("/whatif", json={"add_rules": GROWING}),
    "what if, many rules": lambda client: client.post("/whatif", json={"add_rules": MANY_RULES}),
    "what if, conditions": lambda client: client.post("/whatif", json={"add_rules": VIOLATED}),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_change_that_takes_too_long_changes_nothing(client: TestClient, name: str) -> None:
    before, begun = content(client), time.monotonic()

    answer = CHANGES[name](client)

    assert answer.status_code == 503, answer.text[:200]
    assert "\n" not in answer.json()["detail"]
    assert time.monotonic() - begun < PATIENCE
    assert content(client) == before


def test_deletion_whose_consequences_take_too_long_changes_nothing() -> None:
    store = ReasoningStore(rules="none")
    store.bulk_load(b"<http://e/a> <http://e/stop> <http://e/a> .", graph="http://e/g", format="nt")
    rule = "<http://e/n>(?x, ?m) :- <http://e/n>(?x, ?k), ?m = ?k + 1 . <http://e/n>(<http://e/a>, 1) :- "
    store.add_rules(f"{rule}<http://e/p>(?y, ?z), ~<http://e/stop>(<http://e/a>, <http://e/a>) .")
    store.bulk_load(b"<http://e/a> <http://e/p> <http://e/a> .", format="nt")
    with started(store, timeout=TIMEOUT) as client:
        before = content(wait_until_ready(client))

        answer = client.delete("/data?graph=http://e/g", headers=WRITES)

        assert answer.status_code == 503
        assert content(client) == before
        assert client.delete("/data?graph=http://e/none", headers=WRITES).status_code == 404


def test_contradictions_and_proofs_end_with_their_time() -> None:
    store = filled()
    store.add_rules(f"{VIOLATED} <http://e/r>(?a) :- <http://e/none>(?a, ?z), <http://e/p>(?a, ?b), "
                    "<http://e/q>(?c, ?d), <http://e/p>(?e, ?f), <http://e/q>(?g, ?h), ?b != ?d .")  # fmt: skip
    asked = {"subject": "<http://e/1>", "predicate": "rdf:type", "object": "<http://e/r>"}
    with started(store, timeout=TIMEOUT) as client:
        wait_until_ready(client)
        for path, parameters in (("/inconsistencies", {}), ("/why-not", asked)):
            begun = time.monotonic()

            answer = client.get(path, params=parameters)

            assert answer.status_code in (503, 200), answer.text[:200]
            assert time.monotonic() - begun < PATIENCE
        assert client.get("/inconsistencies").status_code == 503


def test_facts_beyond_the_budget_of_the_owner_are_refused() -> None:
    with started(ReasoningStore(rules="rdfs", budget=Budget(facts=1000))) as client:
        before = content(wait_until_ready(client))

        client.post("/rules", content="<http://e/r>(?a, ?c) :- <http://e/p>(?a, ?b), <http://e/p>(?c, ?d) .",
                    headers=WRITES | TEXT)  # fmt: skip
        triples = "".join(f"<http://e/{number}> <http://e/p> <http://e/o> .\n" for number in range(100))
        answer = client.post("/data?default", content=triples, headers=WRITES | TURTLE)

        assert answer.status_code == 422
        assert "1,000 facts" in answer.json()["detail"]
        assert content(client)[0] == before[0]


def test_writers_who_wait_hold_up_no_reader_and_are_told_in_time() -> None:
    with served(filled(), timeout=1.5, threads=2) as address:
        found: list[int] = []

        def write() -> None:
            sent = {"data": {"update": f"INSERT DATA {{ {GO} }}"}, "headers": WRITES, "timeout": 60}
            found.append(httpx2.post(f"{address}/update", **sent).status_code)

        writers = [Thread(target=write) for _ in range(6)]
        for writer in writers:
            writer.start()
        begun, answers = time.monotonic(), 0
        with httpx2.Client(timeout=60) as reader:  # a new one each time would take as long as ten requests
            while any(writer.is_alive() for writer in writers):
                assert reader.get(f"{address}/sparql?query=ASK{{}}").json()["boolean"] is True
                answers += 1

        assert found == [503] * 6
        assert answers > 10
        assert time.monotonic() - begun < PATIENCE


def test_transactions_that_wait_to_begin_hold_up_no_reader() -> None:
    with served(filled(), timeout=1.5, threads=2) as address:
        writer = Thread(
            target=httpx2.post, args=(f"{address}/update",),
            kwargs={"data": {"update": f"INSERT DATA {{ {GO} }}"}, "headers": WRITES, "timeout": 60},
        )  # fmt: skip
        begin = {"url": f"{address}/rdf4j/repositories/kgreason/transactions", "headers": WRITES, "timeout": 60}
        beginners = [Thread(target=httpx2.post, kwargs=begin) for _ in range(4)]
        writer.start()
        time.sleep(0.2)
        for each in beginners:
            each.start()
        answers = 0
        with httpx2.Client(timeout=60) as reader:
            while writer.is_alive():
                assert reader.get(f"{address}/sparql?query=ASK{{}}").json()["boolean"] is True
                answers += 1
        for each in beginners:
            each.join()

        assert answers > 10
