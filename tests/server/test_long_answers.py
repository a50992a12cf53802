"""Answers that are written while they are read: would catch a document whose pieces do not fit together, a table that
is not the one of the store, and a server that keeps an answer for a client who reads slowly."""

from __future__ import annotations

import io
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyoxigraph
import pytest
from rdflib import Graph
from rdflib.compare import isomorphic
from starlette.testclient import TestClient

from kgreason_rdflib import ReasoningStore
from tests.server.conftest import started, store_of, wait_until_ready
from tests.server.processes import command, free_port
from tests.thresholds import Tuned

DATA = """
@prefix e: <http://example.org/> . @prefix f: <http://f.example/> .
e:a a e:C ; e:n 1 ; e:any 1 , "one"@en , e:b , [ e:n 2 ] , "line\\r\\nbreak & <tag>" ; f:q e:b .
e:b a e:C , f:D ; e:n 2 ; e:any 1.5 ; e:at "2026-01-01T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime> .
e:c e:n 3 ; e:at "2026-01-01T00:00:00"^^<http://www.w3.org/2001/XMLSchema#dateTime> ; e:odd 1 , "x"^^f:t .
_:z e:to _:y . _:y e:to _:z ; e:n 4 , 5 , "6"^^<http://www.w3.org/2001/XMLSchema#integer> .
"""
READERS = {
    "text/turtle": pyoxigraph.RdfFormat.TURTLE,
    "application/rdf+xml": pyoxigraph.RdfFormat.RDF_XML,
    "application/ld+json": pyoxigraph.RdfFormat.JSON_LD,
    "application/trig": pyoxigraph.RdfFormat.TRIG,
    "text/n3": pyoxigraph.RdfFormat.N3,
}
SELECTS = (
    "SELECT ?s ?n { ?s <http://example.org/n> ?n }",
    "SELECT ?s ?any ?at { ?s ?p ?o OPTIONAL { ?s <http://example.org/any> ?any } "
    "OPTIONAL { ?s <http://example.org/at> ?at } } ORDER BY ?s ?any",
    "SELECT ?odd ?none { ?s <http://example.org/odd> ?odd }",
    "SELECT ?p ?o { ?s ?p ?o } ORDER BY ?o",
    "SELECT ?s { ?s <http://example.org/none> ?n }",
)


@pytest.fixture(scope="module")
def store() -> ReasoningStore:
    return store_of(DATA.encode(), "none")


@pytest.fixture
def client(store: ReasoningStore, tuned: Tuned) -> Iterator[TestClient]:
    """A client of a server whose blocks and batches are tiny."""
    tuned(LONG_DOCUMENT=3, TURTLE_BLOCK=3, TERMS_BLOCK=3, ARROW_ROWS=2)
    with started(store.branch()) as found:
        yield wait_until_ready(found)


@pytest.mark.parametrize("media_type", READERS)
@pytest.mark.parametrize("path", ["/data?default", "/sparql?query=CONSTRUCT WHERE { ?s ?p ?o }"])
def test_document_of_many_blocks_has_the_triples(client: TestClient, media_type: str, path: str) -> None:
    answer = client.get(path, headers={"Accept": media_type})

    quads = pyoxigraph.parse(answer.content, format=READERS[media_type])
    lines = "".join(f"{quad.triple} .\n" for quad in quads)
    expected = Graph().parse(data=client.get(path, headers={"Accept": "application/n-triples"}).text, format="nt")
    assert len(expected) == 23
    assert isomorphic(Graph().parse(data=lines, format="nt"), expected)


def test_prefixes_are_declared_once_and_used(client: TestClient) -> None:
    text = client.get("/data?default", headers={"Accept": "text/turtle"}).text

    declared = [line for line in text.splitlines() if line.startswith("@prefix")]
    assert sorted({*declared}) == sorted(declared)
    assert "<http://example.org/a>" not in text


@pytest.mark.parametrize("query", SELECTS)
@pytest.mark.parametrize("form", ["arrow.stream", "parquet"])
def test_table_of_many_batches_is_that_of_the_store(
    store: ReasoningStore, client: TestClient, query: str, form: str
) -> None:
    expected = store.query_table(query)

    answer = client.get("/sparql", params={"query": query}, headers={"Accept": f"application/vnd.apache.{form}"})

    content = io.BytesIO(answer.content)
    table = pa.ipc.open_stream(content).read_all() if form == "arrow.stream" else pq.read_table(content)
    found, wanted = (sorted(map(str, each.to_pylist())) for each in (table, expected))
    assert found == wanted
    assert table.schema.types == expected.schema.types
    metadata = [[each.metadata for each in one.schema] for one in (table, expected)]
    assert [{k: v for k, v in (each or {}).items() if k != b"PARQUET:field_id"} for each in metadata[0]] == [
        each or {} for each in metadata[1]
    ]


def test_property_that_xml_cannot_say_is_refused_before_the_answer(client: TestClient) -> None:
    query = "CONSTRUCT { ?s <http://example.org/1> ?o . ?s ?p ?o } WHERE { ?s ?p ?o }"

    answer = client.get("/sparql", params={"query": query}, headers={"Accept": "application/rdf+xml"})

    assert answer.status_code == 406


def resident(process: int) -> int:
    """Megabytes that a process holds."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") >> 20


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="there is no /proc")
def test_answers_for_slow_readers_take_no_memory(tmp_path: Path) -> None:
    count, readers = 200_000, 6
    lines = (f'<http://e/{number}> <http://e/p> "a text of some length {number}" .\n' for number in range(count))
    (tmp_path / "data.nt").write_text("".join(lines))
    types = ("text/turtle", "application/rdf+xml", "application/ld+json", "text/n3", "text/turtle", "text/n3")
    with command(tmp_path / "data.nt", "--rules", "none", port=(port := free_port())) as (_, process):
        sockets = []
        for media_type in types[:1]:  # what is made once for all
            _read(port, media_type).close()
        before = resident(process.pid)
        for media_type in types:
            sockets.append(_read(port, media_type))

        grown = resident(process.pid) - before

        for each in sockets:
            each.close()
    # A document has 15 MB, its terms as objects 100; a reader takes some 5.
    assert grown < 20 * readers, f"{grown} MB more"


def _read(port: int, media_type: str) -> socket.socket:
    """A client that asks for a graph, and reads no more than the first bytes."""
    client = socket.create_connection(("127.0.0.1", port), timeout=60)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
    client.sendall(f"GET /data?default HTTP/1.1\r\nHost: localhost\r\nAccept: {media_type}\r\n\r\n".encode())
    assert b" 200 " in client.recv(1000)
    return client
