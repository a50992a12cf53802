"""SERVICE with a variable: each server that the solutions beside it name is asked, once, if the owner allows it.

Would catch a server that is asked although nothing beside binds it, solutions of one server joined with another one,
and a query that is left to rdflib, which asks any server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

import pytest
from rdflib import Graph, Literal, Namespace, URIRef

from kgreason import Access, AccessError, ReasoningStore
from kgreason.errors import QueryError, QueryLimitError

EX = Namespace("http://example.org/")
NOBODY = URIRef("http://127.0.0.1:9/nobody")


@dataclass
class Servers:
    """Two endpoints of one process, one, of which knows the name of x1 alone, and two; and which were asked."""

    place: str
    asked: list[str] = field(default_factory=list)

    @property
    def one(self) -> URIRef:
        return URIRef(f"http://{self.place}/one")

    @property
    def two(self) -> URIRef:
        return URIRef(f"http://{self.place}/two")


def iri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": value}


@pytest.fixture
def servers() -> Iterator[Servers]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlparse(self.path)
            known.asked.append(parts.path)
            assert "SELECT *" in parse_qs(parts.query)["query"][0]
            rows = [
                {"x": iri(EX[x]), "n": {"type": "literal", "value": f"{x} of {parts.path[1:]}"}}
                for x in (("x1",) if parts.path == "/one" else ("x1", "x2"))
            ]
            if "?e ex:self" in parse_qs(parts.query)["query"][0]:
                rows = [{**row, "e": iri(known.one)} for row in rows]
            body = json.dumps({"head": {"vars": ["x", "n", "e"]}, "results": {"bindings": rows}}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/sparql-results+json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Servers(f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))  # seconds until it sees its end
    thread.start()
    yield known
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def graph(servers: Servers) -> Graph:
    """x1 is described by both endpoints, x2 by the second one, x3 by none."""
    graph = Graph(store=ReasoningStore(rules="none", access=Access(hosts=(servers.place,))))
    graph.bind("ex", EX)
    for x, server in (("x1", servers.one), ("x1", servers.two), ("x2", servers.two)):
        graph.add((EX[x], EX.at, server))
    graph.add((EX.x3, EX.p, Literal(3)))
    return graph


def names(graph: Graph, query: str, **options: object) -> list[tuple[str, ...]]:
    """The solutions, sorted; what is unbound is empty."""
    result = graph.query(query, **options)
    assert result.vars is not None
    return sorted(tuple(str(row.get(name, "")) for name in result.vars) for row in result.bindings)


ALL = [("x1 of one",), ("x1 of two",), ("x2 of two",)]
QUERIES = {
    "a pattern before": ("{ ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } }", ALL),
    "a pattern behind": ("{ SERVICE ?e { ?x ex:name ?n } ?x ex:at ?e }", ALL),
    "VALUES before": ("{ VALUES ?e { <ONE> } SERVICE ?e { ?x ex:name ?n } }", ALL[:1]),
    "VALUES behind": ("{ SERVICE ?e { ?x ex:name ?n } VALUES ?e { <ONE> <ONE> } }", ALL[:1] * 2),
    "VALUES at the end": ("{ SERVICE ?e { ?x ex:name ?n } } VALUES ?e { <TWO> }", ALL[1:]),
    "BIND": ("{ BIND(IRI(CONCAT('http://', 'PLACE/two')) AS ?e) SERVICE ?e { ?x ex:name ?n } }", ALL[1:]),
    "filter that may be asked before": ("{ ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } FILTER(?e = <TWO>) }", ALL[1:]),
    "filter of the solutions": ("{ ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } FILTER(?n != 'x2 of two') }", ALL[:2]),
    "OPTIONAL": ("{ ?y ex:p ?v OPTIONAL { ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } } }", ALL),
    "optional service": ("{ VALUES (?x ?e) { (ex:x2 <ONE>) (ex:x2 <TWO>) } OPTIONAL { SERVICE ?e { ?x ex:name ?n } } }",
                         [("",), ("x2 of two",)]),
    "UNION": ("{ ?x ex:at ?e { SERVICE ?e { ?x ex:name ?n } } UNION { ?x ex:at ?e BIND('here' AS ?n) } }",
              [*[("here",)] * 3, *ALL]),
    "group with a filter": ("{ ?x ex:at ?e { SERVICE ?e { ?x ex:name ?n } FILTER(?n != 'x1 of one') } }", ALL[1:]),
    "subquery": ("{ { SELECT DISTINCT ?e { ?y ex:at ?e } } SERVICE ?e { ?x ex:name ?n } ?x ex:at ?e }", ALL),
    "servers that are nodes of the pattern": ("{ ?x ex:at ?e SERVICE ?e { ?e ex:self ?s . ?x ex:name ?n } }", ALL[:1]),
    "nothing to ask": ("{ ?x ex:none ?e SERVICE ?e { ?x ex:name ?n } }", []),
    "one variable for two": ("{ ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } SERVICE ?e { ?x ex:name ?n } }", ALL),
}  # fmt: skip


def written(query: str, servers: Servers) -> str:
    return query.replace("ONE", servers.one).replace("TWO", servers.two).replace("PLACE", servers.place)


@pytest.mark.parametrize("name", QUERIES)
def test_each_server_is_asked_for_its_own_solutions(name: str, graph: Graph, servers: Servers) -> None:
    query, expected = QUERIES[name]

    assert names(graph, f"SELECT ?n {written(query, servers)}") == sorted(expected)


def test_a_server_is_asked_once_and_only_when_it_is_bound(graph: Graph, servers: Servers) -> None:
    query = "SELECT ?n { ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } FILTER(?e != <ONE>) }"

    names(graph, written(query, servers))

    assert servers.asked == ["/two"]


def test_service_in_exists(graph: Graph, servers: Servers) -> None:
    query = "SELECT ?x ?e { ?x ex:at ?e FILTER EXISTS { SERVICE ?e { ?x ex:name ?n } FILTER(?n != 'x1 of two') } }"

    assert names(graph, query) == sorted([(str(EX.x1), str(servers.one)), (str(EX.x2), str(servers.two))])


def test_variable_that_is_given(graph: Graph, servers: Servers) -> None:
    query = "SELECT ?n { SERVICE ?e { ?x ex:name ?n } }"

    assert names(graph, query, initBindings={"e": servers.two}) == ALL[1:]


def test_service_in_an_update(graph: Graph) -> None:
    graph.update("INSERT { ?x ex:name ?n } WHERE { ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } }")

    assert sorted(str(name) for name in graph.objects(None, EX.name)) == [name for (name,) in ALL]


def test_plan_names_the_service(graph: Graph) -> None:
    plan = graph.store.explain_query("SELECT ?n { ?x ex:at ?e SERVICE ?e { ?x ex:name ?n } }")

    assert "SERVICE ?e, evaluated by a fallback  (found 3)" in plan


SILENT = "SELECT ?x ?n { ?x ex:at ?e SERVICE SILENT ?e { ?x ex:name ?n } }"


def test_server_that_is_not_allowed(graph: Graph, servers: Servers) -> None:
    graph.add((EX.x3, EX.at, URIRef("http://elsewhere.example/sparql")))

    with pytest.raises(AccessError, match=r"http://elsewhere.example/sparql: SERVICE \?e: the host .* is not allowed"):
        names(graph, SILENT.replace("SILENT", ""))
    assert (str(EX.x3), "") in names(graph, SILENT)


@pytest.mark.parametrize("server", [Literal("http://127.0.0.1:9/"), URIRef("urn:a")], ids=["literal", "URN"])
def test_term_that_is_no_server(server: URIRef | Literal, graph: Graph) -> None:
    graph.add((EX.x3, EX.at, server))

    with pytest.raises((QueryError, AccessError), match=r"SERVICE \?e: "):
        names(graph, SILENT.replace("SILENT", ""))
    assert (str(EX.x3), "") in names(graph, SILENT)
    assert len(names(graph, SILENT)) == 4


@pytest.mark.parametrize("before", ["", "?x ex:p ?v .", "OPTIONAL { ?x ex:none ?e }"])
def test_variable_that_is_unbound(before: str, graph: Graph) -> None:
    query = f"SELECT ?n ?e {{ {before} SERVICE SILENT ?e {{ ?x ex:name ?n }} }}"

    with pytest.raises(QueryError, match=r"^SERVICE \?e: the variable is unbound \(expected a pattern beside that "):
        names(graph, query.replace("SILENT", ""))
    assert names(graph, query) == [("", "")]


def test_server_that_fails(graph: Graph) -> None:
    graph.add((EX.x3, EX.at, NOBODY))
    graph.store.access = Access(hosts=("*",))

    with pytest.raises(QueryError, match=r"/nobody: SERVICE \?e: cannot be read: Connection refused"):
        names(graph, SILENT.replace("SILENT", ""))
    assert (str(EX.x3), "") in names(graph, SILENT)


# -- answers while they come -----------------------------------------------------------------------------------------


@dataclass
class Slow:
    """An endpoint that sends some rows, and the last one when `more` is set. It stops when its connection is closed."""

    place: str = ""
    more: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    rows: int = 200
    is_cut: bool = False


@pytest.fixture
def slow() -> Iterator[Slow]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/sparql-results+json")
            self.end_headers()
            row = json.dumps({"n": {"type": "literal", "value": "x" * 50}})
            try:
                self.wfile.write(b'{"head": {"vars": ["n"]}, "results": {"bindings": [')
                self.wfile.write(",".join([row] * known.rows).encode())
                self.wfile.flush()
                while not known.more.wait(0.01):
                    self.wfile.write(b" ")
                if not known.is_cut:
                    self.wfile.write(f",{row}]}}}}".encode())
            except OSError:
                pass
            known.ended.set()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    known = Slow(f"127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield known
    known.more.set()
    server.shutdown()
    thread.join()
    server.server_close()


def slow_graph(slow: Slow, **limits: int) -> Graph:
    graph = Graph(store=ReasoningStore(rules="none", access=Access(hosts=(slow.place,), **limits)))
    graph.add((EX.x1, EX.p, Literal(1)))
    return graph


@pytest.mark.parametrize("beside", ["", "ex:x1 ex:p ?v ."])
def test_rows_come_before_the_answer_is_whole(slow: Slow, beside: str) -> None:
    query = f"PREFIX ex: <{EX}> SELECT ?n {{ {beside} SERVICE <http://{slow.place}/> {{ ?x ex:name ?n }} }}"

    rows = iter(slow_graph(slow).query(query))
    first = next(rows)
    slow.more.set()

    assert first.n == Literal("x" * 50)
    assert 1 + sum(1 for _ in rows) == slow.rows + 1


def test_server_is_left_where_few_rows_are_wanted(slow: Slow) -> None:
    query = f"SELECT ?n {{ SERVICE <http://{slow.place}/> {{ ?x ?y ?n }} }} LIMIT 3"

    assert len(slow_graph(slow).query(query)) == 3

    assert slow.ended.wait(10)
    assert not slow.more.is_set()


def test_limits_hold_for_an_answer_that_goes_on(slow: Slow) -> None:
    query = f"SELECT ?n {{ SERVICE <http://{slow.place}/> {{ ?x ?y ?n }} }}"
    slow.rows = 5000

    with pytest.raises(QueryError, match="larger than the 100,000 bytes"):
        list(slow_graph(slow, bytes=100_000).query(query))
    with pytest.raises(QueryLimitError, match="rows"):
        list(slow_graph(slow).query(query, max_rows=1000))


@pytest.mark.parametrize("silent", ["", "SILENT"])
def test_answer_that_breaks_off_is_an_error_or_one_empty_solution(slow: Slow, silent: str) -> None:
    query = f"SELECT ?n {{ SERVICE {silent} <http://{slow.place}/> {{ ?x ?y ?n }} }}"
    slow.is_cut = True
    slow.more.set()

    if silent:
        assert slow_graph(slow).query(query).bindings == [{}]
    else:
        with pytest.raises(QueryError, match="cannot be read"):
            list(slow_graph(slow).query(query))
