"""The command line reads the files of its arguments and nothing else that queries, updates and data ask for.

Would catch a command that opens a socket, starts a process, or opens a file which only a query, an update or the data
names. All run in a process in which that fails (`watched`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SECRET = "root:x:0:0:secret"
CLOSED = "http://127.0.0.1:9/x"
QUERIES = [
    "SELECT * FROM <{outside}> {{ ?s ?p ?o }}",
    "SELECT * FROM NAMED <{outside}> {{ GRAPH ?g {{ ?s ?p ?o }} }}",
    "SELECT * FROM <{closed}> {{ ?s ?p ?o }}",
    "SELECT * {{ SERVICE <{closed}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ SERVICE SILENT <{closed}> {{ ?s ?p ?o }} }}",
    "SELECT * {{ VALUES ?e {{ <{closed}> }} SERVICE ?e {{ ?s ?p ?o }} }}",
    "SELECT * {{ SERVICE <{outside}> {{ ?s ?p ?o }} }}",
    "ASK {{ GRAPH <{outside}> {{ ?s ?p ?o }} }}",
    "DESCRIBE <{closed}>",
    "SELECT (<{closed}>(?s) AS ?x) {{ ?s ?p ?o }}",
]
UPDATES = [
    "LOAD <{outside}>",
    "LOAD SILENT <{outside}>",
    "LOAD <{closed}> INTO GRAPH <a:g>",
    "LOAD SILENT <{closed}>",
    "INSERT {{ ?s ?p ?o }} WHERE {{ SERVICE <{closed}> {{ ?s ?p ?o }} }}",
    "INSERT {{ ?s ?p ?o }} USING <{outside}> WHERE {{ ?s ?p ?o }}",
]
DATA = {
    "entity.rdf": """<!DOCTYPE r [<!ENTITY x SYSTEM "{outside}">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="a:">
<rdf:Description rdf:about="a:a"><a:p>&x;</a:p></rdf:Description></rdf:RDF>""",
    "dtd.rdf": """<!DOCTYPE r SYSTEM "{closed}">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>""",
    "context.jsonld": '{{"@context": "{closed}", "@id": "a:a", "a:p": "x"}}',
    "file-context.jsonld": '{{"@context": "{outside}", "@id": "a:a", "a:p": "x"}}',
    "imports.ttl": "<a:o> a <http://www.w3.org/2002/07/owl#Ontology>; "
    "<http://www.w3.org/2002/07/owl#imports> <{outside}>, <{closed}> .",
    "base.ttl": "@base <{outside}> . <> <a:p> <x> .",
}


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A folder of data; beside it a file that no argument names."""
    (tmp_path / "outside.ttl").write_text(f'<a:outside> <a:p> "{SECRET}" .')
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "data.ttl").write_text("<a:a> <a:p> <a:b> .")
    return folder


def filled(text: str, inside: Path) -> str:
    return text.format(outside=(inside.parent / "outside.ttl").as_uri(), closed=CLOSED)


def run(inside: Path, *commands: list[str]) -> list[tuple[int, str, str, list[str]]]:
    """Run commands in one process; for each its status, stdout, stderr, and what it reached for."""
    watched = [sys.executable, "-m", "tests.cli.watched", str(inside)]
    done = subprocess.run(watched, input=json.dumps(commands), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return [(*each,) for each in json.loads(done.stdout)]


def check(inside: Path, *commands: list[str]) -> list[str]:
    """Demand that commands reach for nothing, and show nothing of what lies outside; what they wrote."""
    found = run(inside, *commands)
    for command, (status, out, err, reached) in zip(commands, found, strict=True):
        assert not reached, command
        assert status in (0, 1, 2), command
        assert SECRET not in out + err, command
        assert sum("kgreason: warning: " not in line for line in err.splitlines()) <= 1, err
    return [out for _, out, _, _ in found]


def test_watch_sees_what_is_reached_for(inside: Path) -> None:
    outside, service = str(inside.parent / "outside.ttl"), f"SELECT * {{ SERVICE <{CLOSED}> {{ ?s ?p ?o }} }}"

    first, second = run(
        inside,
        ["query", outside, "-q", "ASK {}", "--rules", "none"],
        ["query", str(inside / "data.ttl"), "--rules", "none", "--allow", "*", "-q", service],
    )

    assert any("outside.ttl" in each for each in first[3])
    assert any("socket" in each for each in second[3])


def test_queries_reach_nothing_else(inside: Path) -> None:
    data = str(inside / "data.ttl")
    check(inside, *(["query", data, "--rules", "none", "-q", filled(query, inside)] for query in QUERIES))


@pytest.mark.slow
def test_updates_reach_nothing_else(inside: Path) -> None:
    store, count = str(inside / "store"), "SELECT (count(*) AS ?n) { ?s ?p ?o }"
    out = check(
        inside,
        ["add", store, str(inside / "data.ttl"), "--rules", "none"],
        *(["update", store, "-u", filled(update, inside)] for update in UPDATES),
        ["query", store, "-q", count, "--format", "csv"],
    )
    assert out[-1].split() == ["n", "1"]


@pytest.mark.slow
def test_data_reaches_nothing_else(inside: Path) -> None:
    for name, text in DATA.items():
        (inside / name).write_text(filled(text, inside))
    names = [str(inside / name) for name in DATA]
    check(inside, *(["materialise", name, "--rules", "owl-rl"] for name in names))
    check(inside, *(["report", name, "--format", "html"] for name in names))
    check(inside, *(["diff", name, str(inside / "data.ttl")] for name in names))
