"""What is outside of a store is not touched without its owner's word: catches every way around `Access`."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from rdflib import Graph, Literal, Namespace, URIRef
from rdflib.plugins.sparql import CUSTOM_EVALS

from kgreason import Access, AccessError, ReasoningStore
from kgreason.access import EVERYTHING, NOTHING
from kgreason.errors import LoadError, QueryError, QueryLimitError

EX = Namespace("http://example.org/")
TRIPLE = b"<http://example.org/a> <http://example.org/p> 1 ."


@pytest.fixture
def graph() -> Graph:
    return Graph(store=ReasoningStore(rules="none"))


class Handler(BaseHTTPRequestHandler):
    """Documents under /doc, redirections under /to?IRI, and answers that drip or never end."""

    asked: list[str]

    def do_GET(self) -> None:
        self.asked.append(self.path)
        if self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path[4:])
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/turtle" if self.path != "/xml" else "application/rdf+xml")
        self.end_headers()
        if self.path.startswith("/drip"):
            while self.dripped(b" "):
                time.sleep(0.05)
        elif self.path == "/endless":
            while self.dripped(b" " * 65536):
                pass
        else:
            self.wfile.write(b"root:x:0:0:" + b"secret " * 1000 if self.path == "/xml" else TRIPLE)

    def dripped(self, piece: bytes) -> bool:
        try:
            self.wfile.write(piece)
            self.wfile.flush()
        except OSError:
            return False
        return True

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server by host and port, and the paths that it was asked for."""
    asked: list[str] = []
    handler = type("Asked", (Handler,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))  # seconds until it sees its end
    thread.start()
    yield f"127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("hosts", "iri", "allowed"),
    [
        ((), "http://example.org/x", False),
        (("example.org",), "http://example.org/x", True),
        (("example.org",), "https://EXAMPLE.org:443/x", True),
        (("example.org",), "http://example.org:8080/x", False),
        (("example.org:8080",), "http://example.org:8080/x", True),
        (("example.org:8080",), "http://example.org/x", False),
        (("example.org",), "http://example.org.evil.net/x", False),
        (("example.org",), "http://example.org@evil.net/x", False),
        (("example.org",), "http://evil.net/example.org", False),
        (("example.org",), "http://sub.example.org/x", False),
        (("*.example.org",), "http://sub.example.org/x", True),
        (("*.example.org",), "http://notexample.org/x", False),
        (("*",), "http://10.0.0.1:1234/x", True),
        (("*",), "ftp://example.org/x", False),
        (("*",), "data:text/turtle,%3Ca%3E", False),
        (("*",), "file:///etc/passwd", False),
        (("*",), "relative.ttl", False),
        (("*",), "http://example.org:port/x", True),
        (("example.org",), "http://example.org:port/x", False),
        (("[::1]:80",), "http://[::1]/x", True),
        (("example.org",), "http://[bad", False),
    ],
)
def test_hosts_are_matched_whole_with_their_port(hosts: tuple[str, ...], iri: str, allowed: bool) -> None:
    access = Access(hosts=hosts)

    if allowed:
        if "port" not in iri:
            access.check(iri)
    else:
        with pytest.raises(AccessError):
            access.check(iri)


def test_schemes_can_be_narrowed() -> None:
    with pytest.raises(AccessError, match="scheme"):
        Access(hosts=("*",), schemes=("https",)).check("http://example.org/")


def test_files_are_those_below_a_folder_wherever_links_lead(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    for folder in (inside, outside):
        folder.mkdir()
        (folder / "x y.ttl").write_bytes(TRIPLE)
    (inside / "link.ttl").symlink_to(outside / "x y.ttl")
    (inside / "good.ttl").symlink_to(inside / "x y.ttl")
    access = Access(folders=(inside,))

    for good in ("x y.ttl", "good.ttl", "../in/x y.ttl"):
        assert access.file((inside / good).as_uri()).name == "x y.ttl"
    outer = outside.as_uri()
    for bad in (
        (inside / "link.ttl").as_uri(),
        f"{inside.as_uri()}/../out/x%20y.ttl",
        f"{inside.as_uri()}/%2e%2e/out/x%20y.ttl",
        f"{outer}/x%20y.ttl",
        f"{inside.as_uri()}extra/x.ttl",
        "file://elsewhere/etc/passwd",
        "file:///%00",
    ):
        with pytest.raises(AccessError):
            access.file(bad)


@pytest.mark.parametrize(
    "request_",
    [
        "LOAD <{iri}>",
        "LOAD <{iri}> INTO GRAPH <http://example.org/g>",
        "INSERT DATA {{ <urn:a> <urn:b> 1 }} ; LOAD <{iri}>",
    ],
)
@pytest.mark.parametrize("iri", ["http://127.0.0.1:9/x", "file:///etc/passwd", "https://example.org/"])
def test_load_of_what_is_not_allowed_is_refused(graph: Graph, request_: str, iri: str) -> None:
    with pytest.raises(AccessError, match="not allowed"):
        graph.update(request_.format(iri=iri))

    assert len(graph) == 0
    graph.update(f"LOAD SILENT <{iri}>")


def test_service_of_what_is_not_allowed_is_refused(graph: Graph) -> None:
    with pytest.raises(AccessError, match=r"SERVICE: the host 'example.org' is not"):
        list(graph.query("SELECT * { SERVICE <http://example.org/sparql> { ?s ?p ?o } }"))

    assert len(graph.query("SELECT * { SERVICE SILENT <http://example.org/sparql> { ?s ?p ?o } }")) == 1


def test_access_of_one_call_takes_the_place_of_the_store_s(graph: Graph, server: tuple[str, list[str]]) -> None:
    host, asked = server

    graph.update(f"LOAD <http://{host}/doc>", access=Access(hosts=(host,)))
    assert (EX.a, EX.p, Literal(1)) in graph
    graph.store.access = EVERYTHING
    with pytest.raises(AccessError):
        graph.update(f"LOAD <http://{host}/doc>", access=NOTHING)

    assert asked == ["/doc"]


def test_redirections_lead_only_where_it_is_allowed(graph: Graph, server: tuple[str, list[str]]) -> None:
    host, asked = server
    graph.store.access = Access(hosts=(host,))

    graph.update(f"LOAD <http://{host}/to?http://{host}/doc>")
    assert len(graph) == 1
    for target in ("http://example.org/", "file:///etc/passwd", f"http://localhost:{host.split(':')[1]}/doc"):
        with pytest.raises((AccessError, LoadError), match="not allowed"):
            graph.update(f"LOAD <http://{host}/to?{target}>")

    assert asked.count("/doc") == 1


def test_redirections_to_files_are_refused_even_if_the_file_is_allowed(
    graph: Graph, server: tuple[str, list[str]], tmp_path: Path
) -> None:
    (tmp_path / "x.ttl").write_bytes(TRIPLE)
    graph.store.access = Access(hosts=("*",), folders=(tmp_path,))

    with pytest.raises((AccessError, LoadError)):
        graph.update(f"LOAD <http://{server[0]}/to?{(tmp_path / 'x.ttl').as_uri()}>")


@pytest.mark.parametrize("path", ["drip", "endless"])
def test_servers_that_never_end_are_left_in_time(graph: Graph, server: tuple[str, list[str]], path: str) -> None:
    host, _ = server
    begin = time.monotonic()

    with pytest.raises(LoadError, match=r"within 0.3 s|larger than"):
        graph.update(f"LOAD <http://{host}/{path}>", access=Access(hosts=(host,), seconds=0.3, bytes=1 << 20))
    with pytest.raises(QueryLimitError):
        graph.update(f"LOAD <http://{host}/drip>", access=Access(hosts=(host,)), timeout=0.3)
    with pytest.raises(QueryLimitError):
        list(graph.query(f"SELECT * {{ SERVICE <http://{host}/drip> {{ ?s ?p ?o }} }}", access=EVERYTHING, timeout=0.3))

    assert time.monotonic() - begin < 10


def test_errors_show_little_of_what_could_not_be_parsed(graph: Graph, server: tuple[str, list[str]]) -> None:
    host, _ = server

    with pytest.raises(LoadError) as caught:
        graph.update(f"LOAD <http://{host}/xml>", access=EVERYTHING)

    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph: graph.query("SELECT * { SERVICE ?x { ?s ?p ?o } }"),
        lambda graph: graph.query("SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }"),
        lambda graph: graph.query("SELECT * { { SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } } } }"),
        lambda graph: graph.update("LOAD <file:///etc/passwd>"),
        lambda graph: graph.update("INSERT { ?s ?p 1 } USING <file:///etc/passwd> WHERE { ?s ?p ?o }"),
    ],
)
def test_rdflib_s_evaluator_reaches_no_further(graph: Graph, ask: Callable[[Graph], object]) -> None:
    CUSTOM_EVALS["test"] = lambda context, part: (_ for _ in ()).throw(NotImplementedError)
    try:
        with pytest.raises(AccessError, match="rdflib's evaluator"):
            ask(graph)
        graph.update("INSERT DATA { <urn:a> <urn:b> 1 }")
        assert len(graph.query("SELECT * { ?s ?p ?o }")) == 1
    finally:
        del CUSTOM_EVALS["test"]


def test_text_that_only_rdflib_accepts_reaches_no_further(graph: Graph, server: tuple[str, list[str]]) -> None:
    host, asked = server
    query = f"SELECT * {{ {{ _:a ?p ?o }} {{ _:a ?q ?r }} SERVICE <http://{host}/doc> {{ ?s ?t ?u }} }}"
    CUSTOM_EVALS["test"] = lambda context, part: (_ for _ in ()).throw(NotImplementedError)
    try:
        with pytest.raises(QueryError):
            list(graph.query(query))
    finally:
        del CUSTOM_EVALS["test"]

    assert asked == []


def test_from_names_graphs_of_the_store_and_opens_nothing(graph: Graph) -> None:
    assert len(graph.query("SELECT * FROM <file:///etc/passwd> FROM NAMED <http://127.0.0.1:9/> { ?s ?p ?o }")) == 0


def test_remote_context_of_kg_jsonld_is_not_fetched(graph: Graph, server: tuple[str, list[str]]) -> None:
    host, asked = server

    with pytest.raises(LoadError):
        graph.parse(data=f'{{"@context": "http://{host}/doc", "name": "x"}}', format="kg-jsonld")

    assert asked == []


def test_external_entities_of_xml_are_not_read(graph: Graph, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    text = f"""<!DOCTYPE rdf:RDF [<!ENTITY e SYSTEM "{(tmp_path / "secret").as_uri()}">]>
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">
        <rdf:Description rdf:about="http://example.org/a"><e:p>&e;</e:p></rdf:Description></rdf:RDF>"""

    with pytest.raises(LoadError):
        graph.parse(data=text, format="kg-xml")

    assert len(graph) == 0


def test_no_socket_and_no_file_is_opened_by_default(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    graph.parse(data=TRIPLE, format="kg-turtle")
    graph.query("SELECT * { ?s ?p ?o }")  # what is imported late has been

    opened = io.open

    def refused(*args: Any, **options: Any) -> Any:
        if str(args[0]).startswith(("/proc/", "/sys/")):  # how much memory is left, which is looked at now and then
            return opened(*args, **options)
        raise AssertionError(f"opened {args}")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    monkeypatch.setattr("builtins.open", refused)
    monkeypatch.setattr("io.open", refused)
    monkeypatch.setattr("urllib.request.urlopen", refused)
    for iri in ("http://127.0.0.1:9/", "file:///etc/passwd"):
        graph.parse(data=TRIPLE, format="kg-turtle", publicID=iri)
        graph.query(f"SELECT * FROM <{iri}> {{ ?s ?p <{iri}> }}")
        graph.query(f"SELECT * {{ SERVICE SILENT <{iri}> {{ ?s ?p ?o }} }}")
        graph.query(f"SELECT (<{iri}>(?o) AS ?x) {{ ?s ?p ?o }}")
        graph.update(f"LOAD SILENT <{iri}> ; INSERT {{ ?s ?p 2 }} USING <{iri}> WHERE {{ ?s ?p ?o }}")
        with pytest.raises(QueryError):
            graph.update(f"LOAD <{iri}>")


@pytest.mark.parametrize("silent", ["", "SILENT"])
def test_service_by_a_variable_follows_no_iri_of_the_data(
    graph: Graph, server: tuple[str, list[str]], silent: str
) -> None:
    host, asked = server
    graph.add((URIRef(f"http://{host}/secret"), URIRef("urn:p"), URIRef("urn:o")))
    query = f"SELECT * {{ ?e <urn:p> ?o SERVICE {silent} ?e {{ ?s ?p ?q }} }}"

    for access in (NOTHING, Access(hosts=("example.org",)), Access(hosts=("*",), schemes=("https",))):
        if silent:
            assert len(list(graph.query(query, access=access))) == 1
            continue
        with pytest.raises(AccessError, match=rf"http://{host}/secret: SERVICE \?e: the .* is not allowed here"):
            list(graph.query(query, access=access))

    assert asked == []
