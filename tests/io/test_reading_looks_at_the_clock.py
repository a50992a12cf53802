"""Reading looks at the clock, also where no triple comes: catches files that a budget cannot stop."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from rdflib import Graph, Namespace

from kgreason import Access, ReasoningStore
from kgreason.engine import budget
from kgreason.engine.budget import Budget
from kgreason.errors import BudgetError, LoadError
from tests.thresholds import Tuned

EX = Namespace("http://example.org/")
LINES = "".join(f"<{EX}a{i}> <{EX}p> <{EX}b> .\n" for i in range(2000)).encode()
COMMENTS = b"# and on and on\n" * 2000


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch, tuned: Tuned) -> None:
    """Advances by a second with each look."""
    seconds = count()
    monkeypatch.setattr(budget, "monotonic", lambda: next(seconds))
    tuned(BLOCK_BYTES=1 << 10, SMALL_FILE=1 << 10, PARSED_LOOK=100)


def store() -> ReasoningStore:
    """With one triple, and a budget of ten looks."""
    made = ReasoningStore(rules="none", budget=Budget(seconds=10))
    Graph(store=made).add((EX.a, EX.p, EX.b))
    return made


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("lines.nt", LINES),
        ("comments.nt", COMMENTS * 10),
        ("packed.nt.gz", gzip.compress(LINES)),
        ("lines.ttl", LINES),
        ("comments.ttl", COMMENTS * 10),
        ("one-line.nt", b"#" * 50_000),
    ],
)
def test_load_ends_and_adds_nothing(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    loaded = store()
    terms = len(loaded.knowledge_base.dictionary)

    with pytest.raises(BudgetError, match="reading exceeds the budget of 10 seconds") as error:
        loaded.bulk_load(tmp_path / name)

    assert error.value.limit == "seconds"
    assert len(Graph(store=loaded)) == 1
    assert len(loaded.knowledge_base.dictionary) == terms


@pytest.mark.parametrize("format", ["kg-turtle", "kg-nt", "kg-trig"])
def test_parser_ends_and_adds_nothing(format: str) -> None:
    graph = Graph(store=store())
    with pytest.raises(BudgetError):
        graph.parse(data=LINES, format=format)
    assert len(graph) == 1


@pytest.mark.parametrize("silent", ["", "SILENT "])
def test_load_of_an_update_ends_and_adds_nothing(tmp_path: Path, silent: str) -> None:
    (tmp_path / "lines.nt").write_bytes(LINES)
    graph = Graph(store=store())

    with pytest.raises(BudgetError, match="reading exceeds the budget of 10 seconds"):
        graph.update(f"LOAD {silent}<{(tmp_path / 'lines.nt').as_uri()}>", access=Access(folders=(tmp_path,)))

    assert len(graph) == 1


@pytest.mark.parametrize("load", [lambda g, p: g.store.bulk_load(p), lambda g, p: g.parse(p, format="kg-turtle")])
def test_load_within_the_budget_is_added(tmp_path: Path, load: Callable[[Graph, Path], object]) -> None:
    (tmp_path / "few.ttl").write_bytes(LINES[:500].rpartition(b"\n")[0])
    graph = Graph(store=ReasoningStore(rules="none", budget=Budget(seconds=1000)))

    load(graph, tmp_path / "few.ttl")

    assert len(graph) > 5


@pytest.mark.parametrize(
    ("name", "document", "most"),
    [("long.ttl", b'<a:> <b:> "%s" .', 16 << 20), ("long.jsonld", b'{"@id": "a:", "b:p": "%s"}', 8 << 20)],
)
def test_terms_are_read_up_to_the_length_that_is_said(name: str, document: bytes, most: int, tmp_path: Path) -> None:
    path, store = tmp_path / name, ReasoningStore(rules="none")

    path.write_bytes(document % (b"x" * (most - 4096)))
    store.bulk_load(path)
    assert [len(text) for text in Graph(store=store).objects()] == [most - 4096]

    path.write_bytes(document % (b"x" * (most + 4096)))
    with pytest.raises(LoadError, match="more than 16 MB, or 8 MB in JSON-LD"):
        store.bulk_load(path)


def test_term_beyond_the_parser_is_an_error_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "long.ttl"
    path.write_bytes(b'<a:> <b:> "' + b"x" * (17 << 20) + b'" .')
    with pytest.raises(LoadError, match="more than 16 MB"):
        ReasoningStore(rules="none").bulk_load(path)
