"""What a server refuses: would catch a door that stands open, one that tells too much, and one that shuts out those who
may come in. A table of attacks; those on connections are in `test_process`."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import READER, READS, WRITER, WRITES, started, wait_until_ready

INSERT = "INSERT DATA { <http://e/new> <http://e/p> 1 }"
TRIPLE = b"<http://e/new> <http://e/p> 1 ."
TURTLE = {"Content-Type": "text/turtle"}
CHANGES = [
    ("POST", "/update", {"Content-Type": "application/sparql-update"}, INSERT),
    ("POST", "/sparql", {"Content-Type": "application/sparql-update"}, INSERT),
    ("POST", "/sparql", {"Content-Type": "application/x-www-form-urlencoded"}, f"update={INSERT}"),
    ("PUT", "/data?default", TURTLE, "<http://e/new> <http://e/p> 1 ."),
    ("POST", "/data?graph=http://e/g", TURTLE, "<http://e/new> <http://e/p> 1 ."),
    ("POST", "/data", TURTLE, "<http://e/new> <http://e/p> 1 ."),
    ("PUT", "/data/some/graph", TURTLE, "<http://e/new> <http://e/p> 1 ."),
    ("DELETE", "/data?default", {}, None),
    ("PATCH", "/data?default", {"Content-Type": "application/sparql-update"}, INSERT),
    ("POST", "/rules", {}, "<http://e/p>(?x) :- <http://e/q>(?x) ."),
    ("DELETE", "/rules", {}, "rdfs"),
]
READS_ALL = [
    *("/sparql?query=ASK{}", "/sparql", "/data?default", "/explain", "/why-not", "/inconsistencies", "/rules"),
    *("/statistics", "/prefixes", "/changes", "/metrics"),
]


@pytest.fixture
def guarded() -> Iterator[TestClient]:
    """A client of a server that asks for a token also to read."""
    with started(filled(), read_tokens=(READER,)) as client:
        yield wait_until_ready(client)


def filled() -> ReasoningStore:
    store = ReasoningStore(rules="rdfs")
    store.bulk_load(b"<http://e/a> <http://e/p> <http://e/b> .", format="nt")
    return store


def content(client: TestClient) -> str:
    """All triples, and the rules."""
    return client.get("/data?default", headers=WRITES).text + client.get("/rules", headers=WRITES).json()["version"]


@pytest.mark.parametrize("headers", [{}, READS, {"Authorization": "Bearer x"}, {"Authorization": f"Basic {WRITER}"}])
@pytest.mark.parametrize(("method", "path", "kind", "body"), CHANGES)
def test_no_change_without_the_token_of_a_writer(
    guarded: TestClient, method: str, path: str, kind: dict[str, str], body: str | None, headers: dict[str, str]
) -> None:
    before = content(guarded)

    answer = guarded.request(method, path, headers=kind | headers, content=body)

    assert answer.status_code == (403 if headers == READS else 401)
    assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)
    assert content(guarded) == before


@pytest.mark.parametrize(("method", "path", "kind", "body"), CHANGES)
def test_no_change_on_a_server_that_is_read_only(
    method: str, path: str, kind: dict[str, str], body: str | None
) -> None:
    for options in ({"write_tokens": ()}, {"read_only": True}):
        with started(filled(), **options) as client:
            wait_until_ready(client)
            before = content(client)

            answer = client.request(method, path, headers=kind | WRITES, content=body)

            assert answer.status_code == 403
            assert content(client) == before


@pytest.mark.parametrize("path", READS_ALL)
def test_nothing_is_read_without_a_token_where_there_is_one(guarded: TestClient, path: str) -> None:
    for headers in ({}, {"Authorization": f"Bearer {READER} "[:-3]}, {"Authorization": "Bearer "}):
        answer = guarded.get(path, headers=headers)
        assert answer.status_code == 401
        assert "http://e/" not in answer.text


@pytest.mark.parametrize("path", READS_ALL)
def test_wrong_token_is_refused_also_where_reading_needs_none(client: TestClient, path: str) -> None:
    answer = client.get(path, headers={"Authorization": "Bearer x"})

    assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="kgreason"')
    assert client.get("/livez", headers={"Authorization": "Bearer x"}).status_code == 200


def test_server_without_tokens_looks_at_none() -> None:
    with started(filled(), write_tokens=()) as client:
        wait_until_ready(client)

        for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": "Basic eDp5"}):
            assert client.get("/data?default", headers=headers).status_code == 200


def test_those_may_read_who_may_write(guarded: TestClient) -> None:
    assert guarded.get("/data?default", headers=WRITES).status_code == 200
    assert guarded.get("/data?default", headers=READS).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/data/../../etc/passwd", "/data/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd",
        "/data?graph=file:///etc/passwd",
        "/data?graph=../secret", "/sparql/../update", "/data?graph=%00", "/data?graph=http://e/%0d%0aX-Injected:%201",
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(client: TestClient, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code in (400, 404, 405)
    assert "root:" not in answer.text
    assert "x-injected" not in answer.headers


@pytest.mark.parametrize(
    "request_text",
    [
        "LOAD <http://127.0.0.1:1/x>", "LOAD <file:///etc/passwd>",
        "LOAD SILENT <file:///etc/passwd> INTO GRAPH <http://e/g>",
        "INSERT { ?s ?p ?o } WHERE { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
    ],
)  # fmt: skip
def test_updates_reach_for_nothing(client: TestClient, request_text: str) -> None:
    answer = client.post("/update", data={"update": request_text}, headers=WRITES)

    assert answer.status_code in (403, 204)
    assert "root:" not in client.get("/data?graph=http://e/g").text
    assert ("SILENT" in request_text) == (answer.status_code == 204)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
        "SELECT * { BIND(<http://127.0.0.1:1/> AS ?x) SERVICE ?x { ?s ?p ?o } }",
        "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    ],
)
def test_queries_reach_for_nothing(client: TestClient, query: str) -> None:
    answer = client.get("/sparql", params={"query": query})

    assert answer.status_code == 403 or answer.json()["results"]["bindings"] == []


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("SELECT (COUNT(*) AS ?n) { VALUES ?a { VALUES_ } VALUES ?b { VALUES_ } VALUES ?c { VALUES_ } }", 503),
        ("SELECT * { VALUES ?a { VALUES_ } VALUES ?b { VALUES_ } VALUES ?c { VALUES_ } } ORDER BY ?a", 503),
        ('SELECT (REPLACE("' + "a" * 3000 + '", "(a*)*(a*)*(a*)*b", "c") AS ?x) {}', None),
        ("SELECT * " + "{" * 2000 + "}" * 2000, 400),
        ("SELECT * { ?s " + "!" * 10000 + " ?o }", 400),
    ],
)  # fmt: skip
def test_query_bombs_end_within_the_limits(query: str, status: int | None) -> None:
    values = " ".join(map(str, range(1500)))
    with started(filled(), timeout=0.5) as client:
        wait_until_ready(client)

        answer = client.post("/sparql", data={"query": query.replace("VALUES_", values)})

        assert answer.status_code == status or status is None
        assert answer.elapsed.total_seconds() < 5
        assert client.get("/livez").status_code == 200


def test_limit_of_rows_holds_and_is_not_raised_by_a_client() -> None:
    values = " ".join(map(str, range(100)))
    query = f"SELECT * {{ VALUES ?a {{ {values} }} VALUES ?b {{ {values} }} }}"
    with started(filled(), max_rows=5000) as client:
        wait_until_ready(client)

        assert client.post("/sparql", data={"query": query, "max_rows": "1000000"}).status_code == 422
        assert client.post("/sparql", data={"query": "ASK {}", "max_rows": "x"}).status_code == 400
        assert client.post("/sparql", data={"query": "ASK {}", "timeout": "-1"}).status_code == 400


def test_bodies_that_are_too_large_are_refused_and_change_nothing() -> None:
    with started(filled(), max_body=10_000, max_unpacked=20_000) as client:
        wait_until_ready(client)
        line = b"<http://e/a> <http://e/p> <http://e/%d> .\n"
        large = b"".join(line % number for number in range(1000))
        before = content(client)

        for body, more in ((large, {}), (iter([large]), {}), (gzip.compress(large), {"Content-Encoding": "gzip"})):
            answer = client.put("/data?default", content=body, headers=WRITES | TURTLE | more)
            assert answer.status_code in (413, 400), answer.text
        assert content(client) == before


def test_body_that_is_compressed_is_read(client: TestClient) -> None:
    body = gzip.compress(b"<http://e/a> <http://e/p> <http://e/b> .")

    answer = client.put("/data?default", content=body, headers=WRITES | TURTLE | {"Content-Encoding": "gzip"})

    assert answer.status_code == 204
    assert "<http://e/b>" in client.get("/data?default").text


PARTS = (
    b"--b\r\nContent-Disposition: form-data; name=a; filename=a.ttl\r\nContent-Type: text/turtle\r\n\r\n"
    b"<http://e/a> <http://e/p> <http://e/b> .\r\n"
    b"--b\r\nContent-Disposition: form-data; name=c; filename=c.nt\r\nContent-Type: application/n-triples\r\n\r\n"
    b"<http://e/a> <http://e/p> <http://e/c> .\r\n--b--\r\n"
)
MULTIPART = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "identity"])
def test_body_of_several_parts_that_is_compressed_is_read(client: TestClient, encoding: str) -> None:
    body = PARTS if encoding == "identity" else gzip.compress(PARTS)

    answer = client.put("/data?default", content=body, headers=WRITES | MULTIPART | {"Content-Encoding": encoding})

    assert answer.status_code == 204
    found = client.get("/data?default").text
    assert "<http://e/b>" in found
    assert "<http://e/c>" in found


@pytest.mark.parametrize("body", [PARTS, gzip.compress(PARTS, mtime=0)[:-3], b""], ids=["plain", "cut", "empty"])
def test_body_of_several_parts_that_is_not_compressed_as_its_header_says_is_refused(
    client: TestClient, body: bytes
) -> None:
    before = content(client)

    answer = client.put("/data?default", content=body, headers=WRITES | MULTIPART | {"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")
    assert content(client) == before


def test_body_of_several_parts_that_unpacks_to_more_than_a_body_may_have_is_refused() -> None:
    with started(filled(), max_body=10_000) as client:
        wait_until_ready(client)
        body = gzip.compress(PARTS + b" " * 1_000_000)

        answer = client.put("/data?default", content=body, headers=WRITES | MULTIPART | {"Content-Encoding": "gzip"})

        assert answer.status_code == 413


@pytest.mark.parametrize(
    ("method", "path"), [("PUT", "/data?default"), ("POST", "/rdf4j/repositories/kgreason/statements")]
)
@pytest.mark.parametrize("body", [TRIPLE, gzip.compress(TRIPLE, mtime=0)[:-3], b""], ids=["plain", "cut", "empty"])
def test_document_that_is_not_compressed_as_its_header_says_is_refused(
    client: TestClient, method: str, path: str, body: bytes
) -> None:
    before = content(client)

    answer = client.request(method, path, content=body, headers=WRITES | TURTLE | {"Content-Encoding": "gzip"})

    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")
    assert content(client) == before


@pytest.mark.parametrize("kind", ["application/sparql-query", "application/x-www-form-urlencoded"])
def test_query_that_is_compressed_is_answered(client: TestClient, kind: str) -> None:
    text = "ASK { FILTER(1 < 2) }"
    body = gzip.compress((text if kind.endswith("query") else urlencode({"query": text})).encode())

    answer = client.post("/sparql", content=body, headers={"Content-Type": kind, "Content-Encoding": "gzip"})

    assert answer.json()["boolean"] is True


@pytest.mark.parametrize("body", [b"ASK {}", gzip.compress(b"ASK {}", mtime=0)[:-3], b""])
def test_query_that_is_not_compressed_as_its_header_says_is_refused(client: TestClient, body: bytes) -> None:
    kind = {"Content-Type": "application/sparql-query", "Content-Encoding": "gzip"}

    answer = client.post("/sparql", content=body, headers=kind)

    assert (answer.status_code, answer.json()["title"]) == (400, "Bad Request")


def test_query_that_unpacks_to_more_than_a_body_may_have_is_refused() -> None:
    with started(filled(), max_body=10_000) as client:
        wait_until_ready(client)
        kind = {"Content-Type": "application/sparql-query", "Content-Encoding": "gzip"}

        answer = client.post("/sparql", content=gzip.compress(b"ASK {} #" + b" " * 1_000_000), headers=kind)

        assert answer.status_code == 413


def test_form_with_a_query_and_an_update_is_refused(client: TestClient) -> None:
    answer = client.post("/sparql", data={"query": "ASK {}", "update": "CLEAR ALL"}, headers=WRITES)

    assert (answer.status_code, answer.json()["detail"]) == (
        400, "the form has a query and an update (expected one of them)",
    )  # fmt: skip


def test_pages_of_other_origins_may_neither_read_nor_write(client: TestClient) -> None:
    foreign = {"Origin": "https://evil.example"}

    asked = client.options("/update", headers=foreign | {"Access-Control-Request-Method": "POST"})
    read = client.get("/sparql?query=ASK{}", headers=foreign)
    written = client.post("/update", data={"update": INSERT}, headers=WRITES | foreign)

    assert not [name for answer in (asked, read, written) for name in answer.headers if "access-control" in name]
    assert written.status_code == 403


def test_pages_of_listed_origins_may(client: TestClient) -> None:
    page = {"Origin": "https://app.example"}
    with started(filled(), origins=("https://app.example",)) as client:
        wait_until_ready(client)
        wish = page | {"Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "authorization"}

        asked = client.options("/data", headers=wish)
        written = client.post("/update", data={"update": INSERT}, headers=WRITES | page)
        other = client.get("/sparql?query=ASK{}", headers={"Origin": "https://evil.example"})

    assert asked.headers["access-control-allow-origin"] == "https://app.example"
    assert written.status_code == 204
    assert "access-control-allow-origin" not in other.headers


def test_other_names_of_the_server_are_refused_where_it_has_names() -> None:
    with started(filled(), base="http://localhost", hosts=("localhost", "127.0.0.1", "::1")) as client:
        wait_until_ready(client)

        assert client.get("/sparql?query=ASK{}", headers={"Host": "localhost:8080"}).status_code == 200
        assert client.get("/sparql?query=ASK{}", headers={"Host": "[::1]:8080"}).status_code == 200
        assert client.get("/sparql?query=ASK{}", headers={"Host": "rebound.evil.example"}).status_code == 421


def test_failures_of_the_server_tell_clients_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(ReasoningStore, "ask", lambda *_, **__: 1 / 0)

    answer = client.get("/sparql?query=ASK{}")

    assert answer.status_code == 500
    assert "Traceback" not in answer.text
    assert "division" not in answer.text
    assert answer.headers["x-request-id"] in caplog.text
    assert "ZeroDivisionError" in caplog.text


def test_log_has_a_line_for_each_request_without_secrets(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "kgreason.server"):
        client.get("/sparql?query=ASK{}&x=a%0ab", headers=WRITES | {"User-Agent": "x\ty"})

    (line,) = (json.loads(each.message) for each in caplog.records if each.name == "kgreason.server")
    assert (line["method"], line["path"], line["status"]) == ("GET", "/sparql", 200)
    assert WRITER not in caplog.text


def test_methods_that_there_are_are_told(client: TestClient) -> None:
    assert client.options("/data").headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"
    refused = client.put("/sparql")
    assert (refused.status_code, refused.json()["status"]) == (405, 405)
    assert client.get("/nothing").headers["content-type"] == "application/problem+json"


def test_metrics_count_requests_by_path(client: TestClient) -> None:
    client.get("/sparql?query=ASK{}")
    client.get("/some/other/path")

    text = client.get("/metrics").text

    assert 'kgreason_requests_total{path="/sparql",method="GET",status="200"} 1' in text
    assert 'kgreason_requests_total{path="other",method="GET",status="404"} 1' in text
    assert 'kgreason_request_seconds_bucket{path="/sparql",le="+Inf"} 1' in text
    assert "kgreason_ready 1" in text
