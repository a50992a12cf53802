"""A store with trees, a server over it in a thread, and what the page is asked."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from time import sleep

import uvicorn
from rdflib import Graph

from kgreason import ReasoningStore
from kgreason_server import ServerOptions, application

TOKEN = "the-token-of-a-writer-0"
DATA = """
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .

ex:Cat a owl:Class ; rdfs:subClassOf ex:Animal ; rdfs:label "cat"@en, "Katze"@de ; owl:disjointWith ex:Person .
ex:Animal a owl:Class ; rdfs:label "animal"@en, "Tier"@de .
ex:Person a owl:Class . ex:Adult rdfs:subClassOf ex:Person .
ex:above a owl:TransitiveProperty .
ex:felix a ex:Cat ; rdfs:label "Felix"@en ; ex:above ex:tom . ex:tom a ex:Cat ; ex:above ex:kit . ex:kit a ex:Cat .
ex:ada a ex:Adult, ex:Cat .
ex:odd rdfs:label "<img src=x onerror=alert(1)>"@en ; a ex:Animal .
"""


def tree_store(concepts: int = 600) -> ReasoningStore:
    """A small store, with so many concepts under three tops."""
    store = ReasoningStore(rules="owl-rl")
    graph = Graph(store=store)
    graph.parse(data=DATA, format="turtle")
    lines = ["@prefix ex: <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> ."]
    for number in range(concepts):
        labels = f'"concept {number:06}"@en, "Begriff {number:06}"@de'
        lines.append(f"ex:c{number} a skos:Concept ; skos:prefLabel {labels} .")
        if number > 2:
            lines.append(f"ex:c{number} skos:broader ex:c{number % 3} .")
    graph.parse(data="\n".join(lines), format="kg-turtle")
    return store


@contextmanager
def served(store: ReasoningStore, **options: object) -> Iterator[str]:
    """The address of a server over a store, while the body runs."""
    app = application(store, ServerOptions(write_tokens=(TOKEN,), **options))  # type: ignore[arg-type]  # at run time
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not (server.started and app.state.server_parts.served.is_ready):
            sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        server.should_exit = True
        thread.join(10)
