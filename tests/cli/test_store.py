"""``kgreason add`` and ``kgreason update``: stores on disk from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph, URIRef

from kgreason import ReasoningStore
from tests.cli.command_runs import ASK, DATA, MORE, SCHEMA, TOM_IS_AN_ANIMAL, refuse, succeed

GONE = "DELETE WHERE { ?x a <http://example.org/Cat> }"
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store on disk with a schema and data."""
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    (tmp_path / "data.ttl").write_text(DATA)
    path = str(tmp_path / "store")
    printed = succeed("add", path, str(tmp_path / "schema.ttl"), str(tmp_path / "data.ttl"), "--rules", "rdfs")
    assert "4 triples from 2 files" in printed
    assert f"{path}: 4 triples, and 1 that follow" in printed
    return path


def test_what_was_added_is_there(store: str) -> None:
    assert succeed("query", store, "-q", ASK) == "x\tname\nhttp://example.org/tom\tTom\\t1\n"
    assert TOM_IS_AN_ANIMAL in succeed("materialise", store).splitlines()
    opened = ReasoningStore()
    opened.open(store, read_only=True)
    assert opened.namespace("owl") == URIRef("http://www.w3.org/2002/07/owl#")


def test_more_is_added(store: str, tmp_path: Path) -> None:
    assert "and 3 that follow" in succeed("add", store, "-", "-f", "ttl", stdin=MORE)
    assert "5 triples, and 0 that follow" in succeed("add", store, str(tmp_path / "data.ttl"), "--rules", "none")
    assert succeed("query", store, "-q", COUNT) == "n\n5\n"


def test_a_change_from_files_is_one_commit(store: str, tmp_path: Path) -> None:
    change = ("apply", store, "--removed", str(tmp_path / "data.ttl"), "--added", "-", "-f", "ttl")
    printed = succeed(*change, stdin=MORE)
    assert "removed: 2 triples from 1 file" in printed
    assert TOM_IS_AN_ANIMAL not in succeed("materialise", store).splitlines()
    refuse(2, "no such file", "apply", store, "--added", str(tmp_path / "missing.ttl"))
    refuse(2, "--added or --removed was expected", "apply", store)
    refuse(2, "there is no store on disk", "apply", str(tmp_path / "other"), "--added", str(tmp_path / "data.ttl"))
    refuse(1, "a blank node of a file", "apply", store, "--removed", "-", stdin="_:b <http://e/p> _:b .")


def test_named_graphs(store: str, tmp_path: Path) -> None:
    succeed("add", store, str(tmp_path / "data.ttl"), "--graph", "http://example.org/g")
    assert succeed("query", store, "-q", "ASK { GRAPH <http://example.org/g> { ?x a ?y } }") == "true\n"
    refuse(2, "not a valid", "add", store, str(tmp_path / "data.ttl"), "--graph", "no graph")


def test_update_by_text_or_file_changes_the_store(store: str, tmp_path: Path) -> None:
    assert "3 triples, and 0 that follow" in succeed("update", store, "-u", GONE)
    (tmp_path / "update.ru").write_text("INSERT DATA { <http://example.org/tim> a <http://example.org/Cat> }")
    assert "4 triples, and 1 that follow" in succeed("update", store, "-u", str(tmp_path / "update.ru"))
    assert succeed("query", store, "-q", "ASK { <http://example.org/tim> a <http://example.org/Animal> }") == "true\n"


def test_an_update_that_fails_changes_nothing(store: str) -> None:
    failing = f"{GONE} ; LOAD <file:///nowhere.ttl>"
    refuse(1, "not allowed", "update", store, "-u", failing)
    refuse(1, "nowhere", "update", store, "--allow", "/", "-u", failing)
    assert succeed("query", store, "-q", COUNT) == "n\n5\n"


def test_a_failure_leaves_no_new_store(tmp_path: Path) -> None:
    bad = tmp_path / "bad.nt"
    bad.write_text("nonsense\n")
    refuse(1, f"{bad}:1", "add", str(tmp_path / "store"), str(bad))
    assert not (tmp_path / "store").exists()
    (tmp_path / "empty").mkdir()
    refuse(1, f"{bad}:1", "add", str(tmp_path / "empty"), str(bad))
    assert not any((tmp_path / "empty").iterdir())


def test_a_budget_that_is_exceeded_changes_nothing(store: str) -> None:
    more = "INSERT DATA { <http://example.org/tim> a <http://example.org/Dog> }"
    rule = ("-r", "<http://example.org/Being>(?x) :- [?x, ?p, ?y] .")
    empty, exceeded = ("add", store, "-", "-f", "ttl"), "exceeds the budget of 0 facts"
    refuse(1, exceeded, *empty, *rule, "--max-facts", "0")
    assert succeed("query", store, "-q", COUNT) == "n\n5\n"
    succeed(*empty, *rule)
    refuse(1, exceeded, "update", store, "-u", more, "--max-facts", "0")
    # The rule is newer than the snapshot: opening the store derives one fact of it again.
    assert "and 3 that follow" in succeed("update", store, "-u", more, "--max-facts", "2")


def test_what_is_refused(store: str, tmp_path: Path) -> None:
    refuse(2, "kgreason restore", "add", str(tmp_path / "other"), store)
    refuse(2, "no store", "update", str(tmp_path / "other"), "-u", GONE)
    refuse(2, "update:1:", "update", store, "-u", "DELETE { ")
    writer = ReasoningStore()
    writer.open(store)
    refuse(1, "another writer", "update", store, "-u", GONE)
    refuse(1, "another writer", "add", store, str(tmp_path / "data.ttl"))
    writer.close()
    assert len(Graph(store=ReasoningStore(store))) == 5
