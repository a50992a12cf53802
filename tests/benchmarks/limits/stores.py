"""The stores that the slow cases are put to, and the server that drips."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from numpy.typing import NDArray
from rdflib import RDF, RDFS, XSD, Graph, Literal, Namespace
from rdflib.namespace import OWL

from kgreason import ReasoningStore
from kgreason.io.quads import DEFAULT_GRAPH, Quads
from kgreason.rdf.model import IRI
from kgreason.rdf.model import Literal as ModelLiteral

EX = Namespace("http://example.org/")
Columns = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def empty(rules: str = "none") -> Graph:
    """A graph over a store without triples."""
    graph = Graph(store=ReasoningStore(rules=rules))
    graph.bind("ex", EX)
    return graph


def add_pairs(graph: Graph, predicate: str, subjects: NDArray[np.int64], objects: NDArray[np.int64]) -> None:
    """Add triples between nodes that have numbers."""
    base = graph.store.knowledge_base
    numbers, places = np.unique(np.concatenate([subjects, objects]), return_inverse=True)
    ids = base.dictionary.encode_keys([f"{EX}x{number}" for number in numbers.tolist()])[places].astype(np.uint32)
    name = np.full(len(subjects), base.dictionary.encode(IRI(f"{EX}{predicate}")), dtype=np.uint32)
    default = np.full(len(subjects), DEFAULT_GRAPH, dtype=np.uint32)
    base.add_quads(Quads(default, ids[: len(subjects)], name, ids[len(subjects) :]))


def add_numbers(graph: Graph, predicate: str, count: int) -> None:
    """Each of so many nodes has its number."""
    base = graph.store.knowledge_base
    encode = base.dictionary.encode
    subjects = np.fromiter((encode(IRI(f"{EX}x{i}")) for i in range(count)), dtype=np.uint32)
    objects = np.fromiter((encode(ModelLiteral(str(i), str(XSD.integer))) for i in range(count)), dtype=np.uint32)
    name = np.full(count, encode(IRI(f"{EX}{predicate}")), dtype=np.uint32)
    base.add_quads(Quads(np.full(count, DEFAULT_GRAPH, dtype=np.uint32), subjects, name, objects))


def small(rules: str = "none", count: int = 3000) -> Graph:
    """Numbers, a cycle, four near nodes of each, and two texts."""
    graph, nodes = empty(rules), np.arange(count)
    add_numbers(graph, "p", count)
    add_pairs(graph, "next", nodes, (nodes + 1) % count)
    add_pairs(graph, "near", np.repeat(nodes, 4), (np.repeat(nodes, 4) * 7 + np.tile(np.arange(4), count)) % count)
    graph.add((EX.x0, EX.text, Literal("a" * 40 + "b")))
    graph.add((EX.x0, EX.long, Literal("ab" * 5_000_000)))
    len(graph)
    return graph


def chain(rules: str = "none", count: int = 200_000) -> Graph:
    """One long chain."""
    graph, nodes = empty(rules), np.arange(count)
    add_pairs(graph, "next", nodes[:-1], nodes[1:])
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


def dense(rules: str = "none", count: int = 20_000, edges: int = 2_000_000) -> Graph:
    """A random graph in which each node has a hundred neighbours."""
    graph, random = empty(rules), np.random.default_rng(1)
    add_pairs(graph, "near", random.integers(0, count, edges), random.integers(0, count, edges))
    add_pairs(graph, "far", random.integers(0, count, edges // 4), random.integers(0, count, edges // 4))
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


def skewed(rules: str = "none", spokes: int = 1_000_000) -> Graph:
    """One node with a million spokes in and out, and as many nodes with one."""
    graph, nodes = empty(rules), np.arange(1, spokes + 1)
    hub = np.zeros(spokes, dtype=np.int64)
    add_pairs(graph, "into", np.concatenate([nodes, nodes]), np.concatenate([hub, nodes]))
    add_pairs(graph, "from", np.concatenate([hub, nodes]), np.concatenate([nodes, nodes + spokes]))
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


def wide(count: int = 4_000_000) -> Graph:
    """Many nodes with a random neighbour each."""
    graph, random = empty(), np.random.default_rng(1)
    add_pairs(graph, "near", np.arange(count), random.integers(0, count, count))
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


def same(count: int = 100_000) -> Graph:
    """Individuals that a rule may make the same, each near another one, under OWL 2 RL."""
    graph, nodes = empty("owl-rl"), np.arange(count)
    add_pairs(graph, "near", nodes, nodes[::-1].copy())
    add_pairs(graph, "same", nodes[:-1], nodes[1:])
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


def transitive(count: int = 20_000, edges: int = 200_000) -> Graph:
    """A random acyclic graph that is closed by OWL 2 RL, and fed by another rule."""
    graph, random = empty("owl-rl"), np.random.default_rng(1)
    ends = np.sort(random.integers(0, count, (2, edges)), axis=0)
    add_pairs(graph, "below", ends[0], ends[1])
    graph.add((EX.below, RDF.type, OWL.TransitiveProperty))
    graph.add((EX.below, RDFS.domain, EX.Thing))
    graph.add((EX.x1, EX.p, Literal(1)))
    len(graph)
    return graph


class _Dripping(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        kind = "application/sparql-results+json" if "query" in self.path else "text/turtle"
        self.send_header("Content-Type", kind)
        self.end_headers()
        while True:
            try:
                self.wfile.write(b" ")
                self.wfile.flush()
            except OSError:
                return
            time.sleep(0.05)

    def log_message(self, format: str, *args: object) -> None:
        pass


def dripping() -> Iterator[str]:
    """The address of a server that sends a byte now and then, as long as this is not closed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Dripping)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"


Store = Callable[[], Graph]
