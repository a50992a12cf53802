"""Servers as processes of their own, over the same triples."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING

from rdflib import Graph

from kgreason_rdflib import ReasoningStore
from tests.benchmarks.server.load import data

if TYPE_CHECKING:
    import psutil

TOKEN = "the-token-of-the-writer"
_COMMAND = "from kgreason.cli import main; main()"
_PEER = """
import sys, uvicorn
from rdflib import Graph
from rdflib_endpoint import SparqlEndpoint
graph = Graph()  # with a Dataset, all updates fail
graph.parse(sys.argv[1], format="nt")
app = SparqlEndpoint(graph=graph, enable_update=True)
uvicorn.run(app, port=int(sys.argv[2]), log_level="error", access_log=False)
"""


@dataclass(frozen=True)
class Endpoint:
    """A server that runs: where it answers, and its process."""

    name: str
    port: int
    path: str
    update_path: str
    process: psutil.Process

    @property
    def megabytes(self) -> float:
        """The memory that it has of its own."""
        return self.process.memory_info().rss / 1e6

    @property
    def processor_seconds(self) -> float:
        """The processor time that it has taken."""
        times = self.process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def kgreason(folder: Path, port: int) -> Iterator[Endpoint]:
    """``kgreason serve`` over a store on disk, with RDFS."""
    with ReasoningStore(rules="rdfs") as store:
        store.open(str(folder / "store"), create=True)
        store.bulk_load(data().encode(), format="nt")
    line = [sys.executable, "-c", _COMMAND, "serve", str(folder / "store"), "--port", str(port), "--token", TOKEN]
    with _running(line, port, "/readyz") as process:
        yield Endpoint("kgreason", port, "/sparql", "/update", process)


@contextmanager
def rdflib_endpoint(folder: Path, port: int) -> Iterator[Endpoint]:
    """rdflib-endpoint over rdflib's memory store with all triples that follow."""
    _write_closure(folder / "all.nt")
    with _running(
        [sys.executable, "-c", _PEER, str(folder / "all.nt"), str(port)], port, "/?query=ASK%7B%7D"
    ) as process:
        yield Endpoint("rdflib-endpoint", port, "/", "/", process)


@contextmanager
def oxigraph(folder: Path, port: int) -> Iterator[Endpoint]:
    """Oxigraph's server over a store on disk with all triples that follow."""
    _write_closure(folder / "all.nt")
    place = ["--location", str(folder / "oxigraph")]
    program = str(Path(sys.executable).with_name("oxigraph"))
    subprocess.run([program, "load", *place, "--file", str(folder / "all.nt")], check=True, capture_output=True)
    line = [program, "serve", *place, "--bind", f"127.0.0.1:{port}"]
    with _running(line, port, "/query?query=ASK%7B%7D") as process:
        yield Endpoint("Oxigraph", port, "/query", "/update", process)


def _write_closure(path: Path) -> None:
    """Write all triples, those that follow among them."""
    store = ReasoningStore(rules="rdfs")
    store.bulk_load(data().encode(), format="nt")
    with path.open("wb") as out:
        Graph(store=store).serialize(out, format="kg-nt")


@contextmanager
def _running(line: list[str], port: int, path: str) -> Iterator[psutil.Process]:
    import psutil  # the usage is shown without the packages for benchmarks

    process = subprocess.Popen(line, stderr=subprocess.DEVNULL, env=os.environ)
    try:
        while process.poll() is None and not _answers(port, path):
            time.sleep(0.2)
        if process.poll() is not None:
            raise RuntimeError(f"the server has ended with {process.returncode}")
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int, path: str) -> bool:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"Accept": "application/sparql-results+json"})
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()
