"""RDF4J's REST protocol: would catch an address, a parameter or a status that its clients rely on.

Source: the requests and answers of https://rdf4j.org/documentation/reference/rest-api/.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from rdflib import Dataset
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import WRITES, started, wait_until_ready

ROOT = "/rdf4j/repositories/kgreason"
DATA = """@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom"@en ."""
TRIG = "<http://example.org/g> { <http://example.org/rex> a <http://example.org/Dog> . }"
TOM, DOG, G = "<http://example.org/tom>", "<http://example.org/Dog>", "<http://example.org/g>"
LINES = {"Accept": "application/n-triples"}
CSV = {"Accept": "text/csv"}


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A client of a server with three triples of the default graph and one of a named one."""
    with started(ReasoningStore(rules="rdfs")) as client:
        wait_until_ready(client)
        for body, kind in ((DATA, "text/turtle"), (TRIG, "application/trig")):
            sent = client.post(f"{ROOT}/statements", content=body, headers=WRITES | {"Content-Type": kind})
            assert sent.status_code == 204
        yield client


def statements(client: TestClient, **parameters: str) -> list[str]:
    answer = client.get(f"{ROOT}/statements", params=parameters, headers=LINES)
    assert answer.status_code == 200
    return sorted(answer.text.splitlines())


def size(client: TestClient, **parameters: str) -> int:
    return int(client.get(f"{ROOT}/size", params=parameters).text)


def test_client_finds_the_repository(client: TestClient) -> None:
    assert int(client.get("/rdf4j/protocol").text) >= 8

    (row,) = client.get("/rdf4j/repositories").json()["results"]["bindings"]

    assert row["uri"] == {"type": "uri", "value": f"http://testserver{ROOT}"}
    assert [row[name]["value"] for name in ("id", "readable", "writable")] == ["kgreason", "true", "true"]


@pytest.mark.parametrize("method", ["get", "post"])
def test_query_sees_what_follows_unless_it_is_not_to(client: TestClient, method: str) -> None:
    query = "SELECT ?x { ?x a <http://example.org/Animal> }"

    def found(**more: str) -> list[str]:
        asked = {"query": query, "queryLn": "sparql", **more}
        if method == "get":
            return client.get(ROOT, params=asked, headers=CSV).text.split()[1:]
        return client.post(ROOT, data=asked, headers=CSV).text.split()[1:]

    assert found() == ["http://example.org/tom"]
    assert found(infer="false") == []


def test_statements_of_a_pattern_and_of_contexts(client: TestClient) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

    assert statements(client, subj=TOM, infer="false") == [
        f"{TOM} {kind} <http://example.org/Cat> .", f"{TOM} <http://www.w3.org/2000/01/rdf-schema#label> \"Tom\"@en ."
    ]  # fmt: skip
    assert f"{TOM} {kind} <http://example.org/Animal> ." in statements(client, subj=TOM)
    assert statements(client, obj='"Tom"@en', infer="false")[0].startswith(TOM)
    assert statements(client, context=G, infer="false") == [f"<http://example.org/rex> {kind} {DOG} ."]
    assert len(statements(client, context="null", infer="false")) == 3


def test_statements_come_with_their_graphs_as_quads(client: TestClient) -> None:
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"

    def quads(**parameters: str) -> list[str]:
        wish = {"Accept": "application/n-quads"}
        return sorted(client.get(f"{ROOT}/statements", params=parameters, headers=wish).text.splitlines())

    rex, tom = f"<http://example.org/rex> {kind} {DOG} {G} .", f"{TOM} {kind} <http://example.org/Cat> ."
    assert quads(pred=kind, infer="false") == [rex, tom]
    assert quads(context=G) == [rex]
    assert f"{TOM} {kind} <http://example.org/Animal> ." in quads(subj=TOM)
    assert quads(subj="<http://example.org/none>") == []


@pytest.mark.parametrize("kind", ["application/n-quads", "application/n-triples", "text/turtle"])
def test_statements_of_a_blank_node_are_read_and_removed_by_its_label(client: TestClient, kind: str) -> None:
    data = "_:a <http://example.org/knows> _:b . _:b <http://example.org/knows> _:c ."
    client.post(f"{ROOT}/statements", content=data, headers=WRITES | {"Content-Type": "text/turtle"})
    labels = {name for line in statements(client, infer="false") for name in line.split() if name.startswith("_:")}

    def found(**pattern: str) -> int:
        answer = client.get(f"{ROOT}/statements", params=pattern | {"infer": "false"}, headers={"Accept": kind})
        return len(Dataset().parse(data=answer.text, format="nquads" if kind.endswith("quads") else "turtle"))

    assert len(labels) == 3
    assert sorted(found(subj=label) for label in labels) == [0, 1, 1]
    assert sorted(found(obj=label) for label in labels) == [0, 1, 1]
    assert found(obj="_:none") == 0
    for label in labels:
        assert client.delete(f"{ROOT}/statements", params={"subj": label}, headers=WRITES).status_code == 204
    assert size(client) == 4


def test_sizes_and_contexts(client: TestClient) -> None:
    assert (size(client), size(client, context="null"), size(client, context=G)) == (4, 3, 1)
    assert client.get(f"{ROOT}/contexts", headers=CSV).text.split() == ["contextID", "http://example.org/g"]


def test_statements_are_removed_by_pattern_and_context(client: TestClient) -> None:
    url = f"{ROOT}/statements"

    assert client.delete(url, params={"subj": TOM, "context": G}, headers=WRITES).status_code == 204
    assert size(client) == 4
    assert client.delete(url, params={"subj": TOM}, headers=WRITES).status_code == 204
    assert (size(client), size(client, context=G)) == (2, 1)
    assert client.delete(url, params={"context": G}, headers=WRITES).status_code == 204
    assert size(client) == 1
    assert client.delete(url, headers=WRITES).status_code == 204
    assert size(client) == 0


def test_put_replaces_a_context_or_everything(client: TestClient) -> None:
    triple, turtle = f"{TOM} a {DOG} .", WRITES | {"Content-Type": "text/turtle"}

    assert client.put(f"{ROOT}/statements", params={"context": G}, content=triple, headers=turtle).status_code == 204
    assert (size(client), statements(client, context=G, infer="false")[0].split()[0]) == (4, TOM)
    assert client.put(f"{ROOT}/statements", content=triple, headers=turtle).status_code == 204
    assert size(client) == 1


@pytest.mark.parametrize("base", ["http://base.example/x", "<http://base.example/x>"])
def test_relative_iris_start_from_the_base_with_and_without_brackets(client: TestClient, base: str) -> None:
    """RDF4J's own client sends brackets, that of rdflib does not."""
    headers = WRITES | {"Content-Type": "text/turtle"}

    sent = client.post(f"{ROOT}/statements", params={"baseURI": base}, content="<s> <p> <o> .", headers=headers)

    assert sent.status_code == 204
    subject, predicate, value = (f"<http://base.example/{name}>" for name in "spo")
    assert statements(client, subj=subject, infer="false") == [f"{subject} {predicate} {value} ."]


def test_malformed_base_is_refused(client: TestClient) -> None:
    headers = WRITES | {"Content-Type": "text/turtle"}

    sent = client.post(f"{ROOT}/statements", params={"baseURI": "<no base"}, content="<s> <p> <o> .", headers=headers)

    assert sent.status_code == 400
    assert size(client) == 4


def test_updates_are_taken_as_statements(client: TestClient) -> None:
    update = f"INSERT DATA {{ <http://example.org/a> a {DOG} }}"

    assert client.post(f"{ROOT}/statements", data={"update": update}, headers=WRITES).status_code == 204
    assert size(client) == 5


def test_prefixes_come_and_go(client: TestClient) -> None:
    url = f"{ROOT}/namespaces/zoo"

    assert client.get(url).status_code == 404
    assert client.put(url, content="http://zoo.example/", headers=WRITES).status_code == 204
    assert client.get(url).text == "http://zoo.example/"
    assert "zoo,http://zoo.example/" in client.get(f"{ROOT}/namespaces", headers=CSV).text.split()
    assert client.delete(url, headers=WRITES).status_code == 204
    assert client.get(url).status_code == 404


def test_graphs_have_the_graph_store_protocol(client: TestClient) -> None:
    assert DOG in client.get(f"{ROOT}/rdf-graphs/service", params={"graph": G[1:-1]}, headers=LINES).text


@pytest.mark.parametrize(
    ("method", "path", "parameters", "headers", "status"),
    [
        ("GET", ROOT, {}, {}, 400),
        ("GET", ROOT, {"query": "ASK {}", "$x": "<http://e/x>"}, {}, 400),
        ("GET", f"{ROOT}/statements", {"subj": "?s } INSERT { ?s"}, {}, 400),
        ("GET", f"{ROOT}/statements", {"context": '"text"'}, {}, 400),
        ("GET", f"{ROOT}/statements", {}, {"Accept": "application/trig"}, 406),
        ("DELETE", f"{ROOT}/statements", {}, {}, 401),
        ("PUT", f"{ROOT}/namespaces/x", {}, {}, 401),
        ("PUT", f"{ROOT}/statements", {}, WRITES | {"Content-Type": "application/x-rdftransaction"}, 415),
        ("POST", f"{ROOT}/transactions", {}, {}, 401),
        ("PUT", f"{ROOT}/transactions/none", {"action": "COMMIT"}, WRITES, 404),
        ("GET", "/rdf4j/repositories/other", {}, {}, 404),
    ],
)  # fmt: skip
def test_requests_that_cannot_be_answered_are_refused(
    client: TestClient, method: str, path: str, parameters: dict[str, str], headers: dict[str, str], status: int
) -> None:
    before = size(client)

    assert client.request(method, path, params=parameters, headers=headers).status_code == status
    assert size(client) == before
