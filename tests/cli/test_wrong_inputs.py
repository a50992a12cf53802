"""Would catch a message that changes, becomes unclear, has a second line, or leaves something changed behind it.

`wrong-inputs.txt` beside this file has the command lines; those of Python are below.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rdflib import Graph, URIRef

from kgreason import Access, Budget, ReasoningStore
from kgreason.errors import KGReasonError
from tests.cli.command_runs import run, succeed

E: Final = "<http://e/a> <http://e/b> <http://e/c>"
NOBODY: Final = 65534
TEXTS: Final = {
    "good.ttl": "@prefix : <http://e/> . :a a :C .\n",
    "empty.ttl": "",
    "empty.nt.gz": "",
    "fake.nt.gz": f"{E} .\n",
    "fake.zip": "PK no",
    "fake.parquet": "PAR1",
    "secret.ttl": f"{E} .\n",
    "notes.docx": "hello",
    "wrong.nt": f'{E} .\n<http://e/a> "b" <http://e/c> .\n',
    "wrong.nq": f'{E} "g" .\n',
    "wrong.ttl": "@prefix : <http://e/> .\n:a :b ;; :c [ .\n",
    "prefix.ttl": ":a :b :c .\n",
    "wrong.trig": "@prefix : <http://e/> .\n:g { :a :b :c \n",
    "wrong.n3": "@prefix : <http://e/> .\n:a :b ( .\n",
    "wrong.rdf": '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n<r:Description></r:RDF>\n',
    "wrong.jsonld": '{"@id": "http://e/a",\n "http://e/b": }\n',
    "wrong.ofn": "Ontology(<http://e/o>\n SubClassOf(<http://e/A>)\n)\n",
    "wrong.omn": "Ontology: <http://e/o>\nClass: <http://e/A>\n  SubClassOf: some\n",
    "wrong.owx": '<Ontology xmlns="http://www.w3.org/2002/07/owl#">\n<SubClassOf><Class IRI="A"/></SubClassOf>'
    "</Ontology>",
    "wrong.obo": "format-version: 1.2\n\n[Term]\nname: nobody\n",
    "iri.nt": "<http://e/a b> <http://e/b> <http://e/c> .\n",
    "relative.nt": "<a> <http://e/b> <http://e/c> .\n",
    "syntax.dl": "@prefix : <http://e/> .\n:p(?x) :- :q(?x) \n:r(?x) :- :q(?x) .\n",
    "unsafe.dl": "@prefix : <http://e/> .\n\n:p(?x, ?y) :- :q(?x) .\n",
    "circle.dl": "@prefix : <http://e/> .\n:p(?x) :- :q(?x), ~:r(?x) .\n:r(?x) :- :q(?x), ~:p(?x) .\n",
    "prefix.dl": "ex:p(?x) :- ex:q(?x) .\n",
    "function.dl": "@prefix : <http://e/> .\n:p(?x) :- :q(?x), ?y = frobnicate(?x) .\n",
    "syntax.rq": "SELECT * WHERE {\n  ?s ?p \n}\n",
}
LINES: Final = (Path(__file__).parent / "wrong-inputs.txt").read_text(encoding="utf-8").splitlines()
CASES: Final = [line.split(" | ", 2) for line in LINES if line and not line.startswith("#")]
SAID: Final[dict[str, tuple[Callable[[ReasoningStore], object], str]]] = {
    "rules": (lambda _: ReasoningStore(rules="skoss"), "'skoss' is not a rule set, ...; did you mean 'skos'? ..."),
    "rules as a number": (lambda _: ReasoningStore(rules=42), "rules of type int (expected names of rule sets, ...)"),  # type: ignore[arg-type]  # what is refused
    "bytes": (lambda _: ReasoningStore(rules=b"rdfs"), "rules of type bytes (expected names of rule sets, ...)"),  # type: ignore[arg-type]  # what is refused
    "schemes": (lambda _: ReasoningStore(schemes="fast"), "schemes must be 'auto', 'plain' or a Catalogue, not 'fast'"),
    "strategy": (lambda _: ReasoningStore(strategy="fast"), "the strategy must be ..., not 'fast'"),
    "budget": (lambda _: Budget(facts=-1), "a budget of -1 facts (expected 0 or more, or None for no limit)"),
    "budget as text": (lambda _: Budget(seconds="x"), "a budget of 'x' seconds (expected 0 or more, ...)"),  # type: ignore[arg-type]  # what is refused
    "budget as a number": (lambda _: ReasoningStore(budget=9), "budget=9 (expected Budget(...))"),  # type: ignore[arg-type]  # what is refused
    "access": (lambda _: ReasoningStore(access="e.org"), "access='e.org' (expected Access(...))"),  # type: ignore[arg-type]  # what is refused
    "hosts": (lambda _: Access(hosts="e.org"), "hosts='e.org' (expected a tuple of them)"),  # type: ignore[arg-type]  # what is refused
    "host": (lambda _: Access(hosts=("http://e/",)), "the host 'http://e/' (expected the name of a server, ...)"),
    "access time": (lambda _: Access(seconds=-1), "an access of -1 seconds (expected 0 or more)"),
    "configuration": (lambda _: ReasoningStore('{"rules": []}'), '...{"rules": []}: there is no store: ...'),
    "opened file": (lambda _: ReasoningStore().open("good.ttl", create=True), "...good.ttl: is a file (expected ...)"),
    "load": (lambda store: store.bulk_load("good.ttl", "wrong.nt"), "wrong.nt:2:14: The predicate of a triple ..."),
    "load of a URL": (lambda store: store.bulk_load("http://e/x"), "http://e/x: the host 'e' is not allowed here ..."),
    "rule": (lambda store: store.add_rules("<a:p>(?x, ?y) :- <a:q>(?x) ."), "rules:1:1: unsafe rule: ... binds ?y ..."),
    "explain": (lambda store: store.explain((URIRef("a:a"),) * 3), "<a:a> <a:a> <a:a> neither is asserted nor ..."),
    "timeout": (lambda store: Graph(store).query("ASK {}", timeout=-1), "timeout=-1 (expected 0 or more, ...)"),
    "rows": (lambda store: Graph(store).query("ASK {}", max_rows="x"), "max_rows='x' (expected 0 or more, ...)"),
    "table": (lambda store: store.query_table("ASK {}"), "only the rows of a SELECT make a table, and this is ASK"),
    "inferred": (lambda store: store.inferred.add((URIRef("a:a"),) * 3), "...is read-only"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The files, and a store that is held by another writer."""
    with pytest.MonkeyPatch.context() as patch:
        path = tmp_path_factory.mktemp("wrong")
        patch.chdir(path)
        write_files()
        with ReasoningStore() as writer:
            writer.open("locked")
            yield path


def write_files() -> None:
    for name, text in TEXTS.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("secret.ttl").chmod(0)
    Path("latin.ttl").write_bytes('<http://e/a> <http://e/b> "é" .\n'.encode("latin-1"))
    for name in ("latin.dl", "latin.srl", "latin.rq", "latin.yml"):
        Path(name).write_bytes("# ä\r\n# grü ".encode() + b"\xfc \xff")
    Path("cut.nt.gz").write_bytes(gzip.compress(b"".join(b"<a:%d> <a:b> <a:c> .\n" % n for n in range(1000)))[:-200])
    pq.write_table(pa.table({"x": ["<http://e/a>"], "y": ["<http://e/a>"]}), "columns.parquet")
    pq.write_table(pa.table({"s": [1], "p": ["<http://e/a>"], "o": ["<http://e/a>"]}), "numbers.parquet")
    for name in ("folder", "full"):
        Path(name).mkdir()
    Path("full/letter.txt").write_text("no store")
    for name in ("store", "locked", "damaged"):
        succeed("add", name, "good.ttl", "--rules", "rdfs")
    Path("damaged/catalogue.sqlite").write_bytes(b"no database" * 1000)


@pytest.mark.parametrize(("code", "command", "message"), CASES, ids=[command for _, command, _ in CASES])
def test_command_ends_in_its_message_and_changes_nothing(code: str, command: str, message: str, folder: Path) -> None:
    before = contents(folder)

    with unprivileged("secret" in command):
        result = run(*shlex.split(command))

    assert (result.stderr, result.stdout) == (like(f"kgreason: {message}\n"), "")
    assert result.exit_code == int(code)
    assert contents(folder) == before


@pytest.mark.parametrize("name", SAID)
def test_call_raises_its_message_and_changes_nothing(name: str, folder: Path) -> None:
    call, message = SAID[name]
    store = ReasoningStore(rules="rdfs")
    store.bulk_load("good.ttl")
    before = contents(folder), set(Graph(store))

    with pytest.raises(KGReasonError) as caught:
        call(store)

    assert str(caught.value) == like(message)
    assert (contents(folder), set(Graph(store))) == before


class like:
    """Equal to a text in which something stands for each `...`."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = re.compile(".*".join(map(re.escape, text.split("..."))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._pattern.fullmatch(other) is not None

    def __hash__(self) -> int:
        return hash(self._text)

    def __repr__(self) -> str:
        return repr(self._text)


def contents(folder: Path) -> dict[str, str]:
    """Each file, and a checksum of what is in it."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "secret.ttl")
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@contextmanager
def unprivileged(wanted: bool) -> Iterator[None]:
    """Be another user for a while, where it is root, who may read everything."""
    if not wanted or os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
