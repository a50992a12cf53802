"""Apache Jena's remote connection and command, unmodified: would catch an answer, a header or a way to write that they,
or Java's client of HTTP below them, do not take.

They are run where Jena and what it needs are a folder of jars, with Java 17 or later:

    KGREASON_JENA_JARS=FOLDER pytest tests/server/test_java_clients.py
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.conftest import WRITER, store_of
from tests.server.processes import served

JARS = os.environ.get("KGREASON_JENA_JARS", "nowhere")
CLIENT = Path(__file__).parent / "java" / "JenaClient.java"
DATA = b"""@prefix e: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
e:Cat rdfs:subClassOf e:Animal . e:tom a e:Cat ; rdfs:label "Tom & <Jerry>" ."""
STEPS = ("select kitty tom", "ask false", "graph 1", "construct 4", "describe 3", "gone false", "refused HttpException")
pytestmark = pytest.mark.skipif(
    not (Path(JARS).is_dir() and shutil.which("java")), reason="the jars of Apache Jena and Java are needed"
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(store_of(DATA)) as found:
        yield found


def java(*arguments: str) -> list[str]:
    """What a program on the class path prints."""
    line = ["java", "-cp", f"{JARS}/*{os.pathsep}{JARS}", *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_connection_of_jena_reads_and_writes_in_all_formats_of_triples(address: str) -> None:
    printed = java(str(CLIENT), address, WRITER)

    assert printed == [f"{name} {step}" for name in ("Turtle", "N-Triples", "RDF/XML") for step in STEPS]


@pytest.mark.parametrize("form", ["json", "xml", "csv", "tsv", "text"])
def test_command_of_jena_asks_what_follows(address: str, form: str) -> None:
    query = "SELECT ?x { ?x a <http://example.org/Animal> }"

    printed = java("arq.rsparql", "--service", f"{address}/sparql", f"--results={form}", query)

    assert "example.org/tom" in "".join(printed)
