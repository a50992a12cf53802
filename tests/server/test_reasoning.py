"""Proofs, what-if, contradictions and rules over HTTP: would catch an answer other than the store's own, and a what-if
that changes something."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from rdflib import RDF, RDFS, Namespace
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import WRITES, started, store_of, wait_until_ready

E = Namespace("http://example.org/")
DATA = """
@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
e:Cat rdfs:subClassOf e:Animal . e:Animal owl:disjointWith e:Plant . e:tom a e:Cat ; e:says "mew"@en .
"""
A = f"<{RDF.type}>"
IS_ANIMAL = {"subject": f"<{E.tom}>", "predicate": "rdf:type", "object": "e:Animal"}


@pytest.fixture
def store() -> ReasoningStore:
    return store_of(DATA.encode(), "owl-rl")


@pytest.fixture
def zoo(store: ReasoningStore) -> Iterator[TestClient]:
    with started(store) as client:
        yield wait_until_ready(client)


def test_explain_is_the_proof_of_the_store(store: ReasoningStore, zoo: TestClient) -> None:
    proof = store.explain((E.tom, RDF.type, E.Animal))

    found = zoo.get("/explain", params=IS_ANIMAL).json()

    assert found["text"] == str(proof)
    assert found["steps"] == json.loads(proof.to_json())["steps"]


@pytest.mark.parametrize(
    ("term", "status"),
    [
        ('"mew"@en', 200), ('"mew"@EN', 200), ('"mew"', 404), ("<http://nowhere/>", 404), ("mew", 400), ("?x", 400),
        ("e:a . e:b e:c e:d", 400), ("e:a } INSERT { e:b", 400), ("e:a } {} #", 400), ("_:none", 404), ("", 400),
        ("[]", 400), ("( 1 )", 400),
    ],
)  # fmt: skip
def test_explain_takes_one_term_in_each_place(zoo: TestClient, term: str, status: int) -> None:
    answer = zoo.get("/explain", params={"subject": "e:tom", "predicate": "e:says", "object": term})

    assert answer.status_code == status


def test_why_not_says_what_is_missing(zoo: TestClient) -> None:
    asked = {"subject": "e:tom", "predicate": "rdf:type", "object": "e:Plant"}

    answer = zoo.get("/why-not", params=asked)

    assert "cax-sco: missing e:Cat rdfs:subClassOf e:Plant" in answer.json()["text"]
    assert zoo.get("/why-not", params=IS_ANIMAL).status_code == 409


def test_whatif_shows_consequences_and_changes_nothing(zoo: TestClient) -> None:
    before = zoo.get("/statistics").json()
    change = {"add": f"<{E.tom}> a <{E.Plant}> .", "remove": f'<{E.tom}> <{E.says}> "mew"@en .'}

    found = zoo.post("/whatif", json=change).json()

    assert found["added"] == {"count": 1, "triples": [[f"<{E.tom}>", A, f"<{E.Plant}>"]], "truncated": False}
    assert found["removed"]["triples"] == [[f"<{E.tom}>", f"<{E.says}>", '"mew"@en']]
    assert [each["rule"] for each in found["inconsistencies"]["appeared"]] == ["cax-dw"]
    assert zoo.get("/statistics").json() == before


def test_whatif_of_an_update_that_removes_a_class_takes_what_followed(zoo: TestClient) -> None:
    update = "DELETE WHERE { e:Cat rdfs:subClassOf ?x }"

    found = zoo.post("/whatif", content=update, headers={"Content-Type": "application/sparql-update"}).json()

    assert sorted(found["removed"]["triples"]) == [
        [f"<{E.Cat}>", f"<{RDFS.subClassOf}>", f"<{E.Animal}>"],
        [f"<{E.tom}>", A, f"<{E.Animal}>"],
    ]
    assert (found["removed_explicit"], found["added"]["count"]) == (1, 0)


@pytest.mark.parametrize(
    ("body", "media_type", "status"),
    [
        (b"{", "application/json", 400), (b'{"drop": "all"}', "application/json", 400),
        (b"[]", "application/json", 400), (b'{"add": ' + b"[" * 100_000, "application/json", 400),
        (b"DROP", "application/sparql-update", 400), (b"a b c", "text/turtle", 400), (b"", "image/png", 415),
        (b"LOAD <file:///etc/passwd>", "application/sparql-update", 403), (b'{"add": 1}', "application/json", 400),
        (b'{"add_rules": "/etc/passwd"}', "application/json", 400), (b'{"add": "\\ud800"}', "application/json", 400),
        (b'{"remove": "\\ud800"}', "application/json", 400), (b'{"update": "\\ud800"}', "application/json", 400),
    ],
)  # fmt: skip
def test_whatif_of_what_is_no_change_is_refused(zoo: TestClient, body: bytes, media_type: str, status: int) -> None:
    answer = zoo.post("/whatif", content=body, headers={"Content-Type": media_type})

    assert answer.status_code == status


def test_inconsistencies_come_with_their_causes(zoo: TestClient) -> None:
    zoo.post("/update", data={"update": "INSERT DATA { e:tom a e:Plant }"}, headers=WRITES)

    found = zoo.get("/inconsistencies?causes=true").json()

    assert (found["count"], found["truncated"]) == (1, False)
    causes = {tuple(triple) for triple in found["inconsistencies"][0]["causes"]}
    assert (f"<{E.tom}>", A, f"<{E.Cat}>") in causes
    assert (f"<{E.tom}>", A, f"<{E.Animal}>") not in causes


@pytest.mark.parametrize("rule", [f"<{E.Pet}>(?x) :- <{E.Cat}>(?x) .", "e:Pet(?x) :- e:Cat(?x) ."])
def test_rules_come_and_go(zoo: TestClient, rule: str) -> None:
    is_pet = {"query": "ASK { e:tom a e:Pet }"}

    added = zoo.post("/rules", content=rule, headers=WRITES)
    while_there = zoo.get("/sparql", params=is_pet).json()["boolean"]
    texts = [each["text"] for each in zoo.get("/rules").json()["rules"]]
    zoo.request("DELETE", "/rules", content=rule, headers=WRITES)

    assert (added.status_code, while_there) == (204, True)
    assert any(str(E.Pet) in text for text in texts)
    assert not zoo.get("/sparql", params=is_pet).json()["boolean"]


@pytest.mark.parametrize("text", ["/etc/passwd", "e:Pet(?x) :-", "<http://e/p>(?x) :- ~<http://e/p>(?x), e:Cat(?x) ."])
def test_rules_that_cannot_be_used_are_refused(zoo: TestClient, text: str) -> None:
    before = zoo.get("/rules").json()

    answer = zoo.post("/rules", content=text, headers=WRITES)

    assert answer.status_code in (400, 422)
    assert zoo.get("/rules").json() == before


def test_rule_set_that_there_is_not_is_refused_by_name(zoo: TestClient) -> None:
    for method in ("POST", "DELETE"):
        answer = zoo.request(method, "/rules", content="owl-rll\n", headers=WRITES)

        assert answer.status_code == 400
        assert answer.json()["detail"].startswith("'owl-rll' is not a rule set; did you mean 'owl-rl'? (expected")


def test_rules_are_changed_by_writers_alone(zoo: TestClient) -> None:
    assert zoo.post("/rules", content="rdfs").status_code == 401
