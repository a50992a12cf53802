"""URLs as sources: would catch one that is fetched without its owner's word, a redirection that leads further, and a
format or limit that holds for files and not for what a server sends."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from rdflib import Graph, Literal, URIRef

from kgreason import Access, AccessError, Budget, BudgetError, ReasoningStore
from kgreason.errors import LoadError
from tests.cli.command_runs import refuse, succeed
from tests.io.test_sources import NTRIPLES, RDFXML, TURTLE, zipped

SUBJECT, PREDICATE, OBJECT = (URIRef(f"http://e/{name}") for name in "spo")
RELATIVE = "<#s> <http://e/p> <other> ."
CONTENT = {
    "/turtle": ("text/turtle; charset=utf-8", TURTLE.encode()),
    "/rdfxml": ("application/rdf+xml", RDFXML.encode()),
    "/plain": ("text/plain", TURTLE.encode()),
    "/data.nt.gz": ("application/gzip", gzip.compress(NTRIPLES.encode())),
    "/data.nt": ("application/octet-stream", NTRIPLES.encode()),
    "/data.zip": ("application/zip", zipped({"a.ttl": TURTLE, "b.txt": "x"})),
    "/bomb.nt.gz": ("application/gzip", gzip.compress(b"# nothing\n" * 100_000)),
    "/bomb.zip": ("application/zip", zipped({"bomb.nt": b"# nothing\n" * 100_000})),
    "/large": ("text/turtle", TURTLE.encode() + b"# and so on\n" * 10_000),
    "/html": ("text/html", b"<!DOCTYPE html><html><body>Not found</body></html>"),
    "/bad.ttl": ("text/turtle", b"@prefix e: <http://e/> .\ne:s e:p"),
    "/short": ("application/n-triples", NTRIPLES.encode()),
    "/relative/x": ("text/turtle", RELATIVE.encode()),
}


class Handler(BaseHTTPRequestHandler):
    """The documents above, redirections under /to?IRI, and one that never ends."""

    asked: list[tuple[str, str | None]]

    def do_GET(self) -> None:
        self.asked.append((self.path, self.headers["Accept"]))
        if self.path.startswith("/to?"):
            self.send_response(303)
            self.send_header("Location", self.path[4:])
            self.end_headers()
        elif self.path in CONTENT:
            kind, data = CONTENT[self.path]
            self.send_response(200)
            self.send_header("Content-Type", kind)
            if self.path == "/short":
                self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(data)
        elif self.path == "/drip":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"#")
                    time.sleep(0.02)
            except OSError:
                return
        else:
            self.send_error(404)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    """A server by host and port, and what it was asked for."""
    asked: list[tuple[str, str | None]] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Asked", (Handler,), {"asked": asked}))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


def store_for(host: str, **access: object) -> ReasoningStore:
    return ReasoningStore(rules="none", access=Access(hosts=(host,), **access))  # type: ignore[arg-type]  # options of any type


def test_nothing_is_fetched_without_the_owner_s_word(server: tuple[str, list[tuple[str, str | None]]]) -> None:
    host, asked = server
    store = ReasoningStore(rules="none")

    with pytest.raises(AccessError, match=f"the host '{host}' is not allowed"):
        store.bulk_load(NTRIPLES.encode(), f"http://{host}/turtle")
    with pytest.raises(AccessError, match="scheme 'ftp' is not allowed"):
        store.bulk_load("ftp://example.org/data.ttl")

    assert not asked
    assert len(store) == 0


def test_formats_are_told_by_the_server_the_name_or_the_content(
    server: tuple[str, list[tuple[str, str | None]]],
) -> None:
    host, asked = server
    for path in ("/turtle", "/rdfxml", "/plain", "/data.nt.gz", "/data.nt", "/data.zip"):
        store = store_for(host)
        report = store.bulk_load(f"http://{host}{path}")

        assert (SUBJECT, PREDICATE, OBJECT) in Graph(store=store), path
        assert report.files[0].source.startswith(f"<http://{host}{path}>")
    assert all(accept and accept.startswith("text/turtle") for _, accept in asked)


def test_relative_iris_are_relative_to_where_the_document_was_found(
    server: tuple[str, list[tuple[str, str | None]]],
) -> None:
    host, _ = server
    store = store_for(host)
    store.bulk_load(f"http://{host}/to?http://{host}/relative/x")

    (row,) = Graph(store=store)
    assert row == (URIRef(f"http://{host}/relative/x#s"), PREDICATE, URIRef(f"http://{host}/relative/other"))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/none", "404|Not Found"),
        ("/html", "the name does not tell an RDF format, and none begins with"),
        ("/bad.ttl", "bad.ttl>:2:"),
        ("/bomb.nt.gz", "decompresses to more than 50,000 bytes"),
        ("/bomb.zip", "bomb.nt: it decompresses to more than 50,000 bytes"),
        ("/large", "larger than the 50,000 bytes"),
        ("/drip", "not read within 0.3 s"),
        ("/short", f"breaks off after {len(NTRIPLES)} of 1,000 bytes"),
        ("/to?http://example.org/", "the host 'example.org' is not allowed"),
        ("/to?file:///etc/passwd", "not allowed"),
    ],
)
def test_what_cannot_be_read_is_one_error_and_nothing_is_loaded(
    server: tuple[str, list[tuple[str, str | None]]], path: str, reason: str
) -> None:
    host, _ = server
    store = store_for(host, seconds=0.3, bytes=50_000)

    with pytest.raises((LoadError, AccessError), match=reason) as caught:
        store.bulk_load(NTRIPLES.encode(), f"http://{host}{path}")

    assert "\n" not in str(caught.value)
    assert len(store) == 0


def test_the_budget_holds_while_a_server_is_waited_for(server: tuple[str, list[tuple[str, str | None]]]) -> None:
    host, _ = server
    store = ReasoningStore(rules="none", access=Access(hosts=(host,)), budget=Budget(seconds=0.2))

    with pytest.raises(BudgetError, match=r"the budget of 0\.2 seconds"):
        store.bulk_load(f"http://{host}/drip")


def test_load_reads_what_bulk_load_reads(server: tuple[str, list[tuple[str, str | None]]]) -> None:
    host, _ = server
    for path in ("/plain", "/data.nt.gz", "/data.zip"):
        graph = Graph(store=store_for(host))
        graph.update(f"LOAD <http://{host}{path}>")
        assert (SUBJECT, PREDICATE, OBJECT) in graph


def test_the_command_line_reads_urls_of_its_arguments_and_follows_them_no_further(
    server: tuple[str, list[tuple[str, str | None]]],
) -> None:
    host, _ = server
    port = host.split(":")[1]
    ask = ("query", "-q", "SELECT ?o { <http://e/s> <http://e/p> ?o } ORDER BY ?o", "--rules", "none")

    assert succeed(*ask, f"http://{host}/turtle") == "o\nhttp://e/o\nü\n"
    refuse(1, "is not allowed here", *ask, f"http://{host}/to?http://localhost:{port}/turtle")
    allowed = succeed(*ask, f"http://{host}/to?http://localhost:{port}/turtle", "--allow", f"localhost:{port}")
    assert allowed == "o\nhttp://e/o\nü\n"
    service = f"SELECT * {{ SERVICE <http://{host}/turtle> {{ ?s ?p ?o }} }}"
    refuse(1, "is not allowed here", "query", "-q", service, f"http://{host}/turtle")


def test_a_literal_is_read_as_it_was_sent(server: tuple[str, list[tuple[str, str | None]]]) -> None:
    host, _ = server
    store = store_for(host)
    store.bulk_load(f"http://{host}/turtle")
    assert (SUBJECT, PREDICATE, Literal("ü")) in Graph(store=store)
