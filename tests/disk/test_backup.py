"""Copies of a store on disk are stores, as they were after one commit, and the command line reads stores on disk."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rdflib import RDF, RDFS, Graph, Namespace

from kgreason import KGReasonError, LoadError, ReasoningStore, WriteError
from kgreason.disk.durable_knowledge import DurableKnowledge, OpenOptions
from kgreason.disk.store_copies import back_up
from tests.cli.command_runs import refuse, succeed
from tests.disk import small
from tests.disk.test_opening import FACTS, RULES, filled, held
from tests.facade import add
from tests.thresholds import Tuned

EX = Namespace("http://example.org/")
QUERY = "PREFIX e: <http://example.org/> SELECT ?x { ?x a e:Animal }"


def test_a_copy_of_a_store_that_is_written_to(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    found = filled(tmp_path / "store")
    writer = DurableKnowledge(tmp_path / "store", RULES)
    add(writer.knowledge, FACTS[0])
    assert back_up(tmp_path / "store", tmp_path / "copy").number == 3
    writer.commit({})
    assert held(writer) != found
    for snapshot in (tmp_path / "store").glob("snapshot-*"):
        snapshot.unlink()
    assert back_up(tmp_path / "store", tmp_path / "later").number == 4
    for name, expected in (("copy", found), ("later", held(writer))):
        copy = DurableKnowledge(tmp_path / name, OpenOptions())
        assert held(copy) == expected
        copy.knowledge._check()
        add(copy.knowledge, *FACTS)
        copy.commit({})
        copy.close()
    writer.close()


def test_copies_that_cannot_be_made(tmp_path: Path, tuned: Tuned) -> None:
    small.shrink(tuned)
    filled(tmp_path / "store")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(KGReasonError, match="full"):
        back_up(tmp_path / "store", tmp_path / "full")
    with pytest.raises(KGReasonError, match="no store"):
        back_up(tmp_path / "full", tmp_path / "new")
    [damaged, *_] = (tmp_path / "store").glob("quads-*")
    damaged.write_bytes(b"nonsense")
    with pytest.raises(LoadError, match=damaged.name):
        back_up(tmp_path / "store", tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["full", "store"]


@pytest.mark.parametrize("place", ["copy", "in/copy", "../store/copy", "../link/copy"])
def test_copy_in_the_directory_of_the_store_is_refused(tmp_path: Path, place: str) -> None:
    with ReasoningStore() as store:
        store.open(str(tmp_path / "store"), create=True)
    (tmp_path / "link").symlink_to(tmp_path / "store")
    files = sorted((tmp_path / "store").iterdir())

    with pytest.raises(WriteError, match="in the directory of the store"):
        back_up(tmp_path / "store", tmp_path / "store" / place)

    assert sorted((tmp_path / "store").iterdir()) == files
    back_up(tmp_path / "store", tmp_path / "store-2")


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store on disk that another one has open for writing."""
    path = str(tmp_path / "store")
    with ReasoningStore(rules="rdfs") as store:
        store.open(path, create=True)
        graph = Graph(store=store)
        graph.bind("e", EX)
        graph.add((EX.Cat, RDFS.subClassOf, EX.Animal))
        graph.add((EX.tom, RDF.type, EX.Cat))
    return path


def test_commands_read_what_was_committed(store: str) -> None:
    writer = ReasoningStore(store)
    Graph(store=writer).add((EX.kitty, RDF.type, EX.Cat))
    inferred = f"<http://example.org/tom> {RDF.type.n3()} <http://example.org/Animal> ."
    assert inferred in succeed("materialise", store).splitlines()
    assert len(succeed("materialise", store, "--rules", "none").splitlines()) == 2
    assert succeed("query", "-q", QUERY, store, "--format", "csv").splitlines() == ["x", "http://example.org/tom"]
    assert "e:tom a e:Animal" in succeed("explain", store, "-t", "e:tom a e:Animal")
    assert succeed("stats", store)
    writer.close()
    refuse(2, "stands alone", "stats", store, store)


def test_backup_and_restore(store: str, tmp_path: Path) -> None:
    copy, again = str(tmp_path / "copy"), str(tmp_path / "again")
    assert "2 commits" in succeed("backup", store, copy)
    shutil.rmtree(store)
    assert "2 commits" in succeed("restore", copy, again)
    assert succeed("query", "-q", QUERY, again, "--format", "csv").splitlines() == ["x", "http://example.org/tom"]
    refuse(2, "no store", "backup", store, str(tmp_path / "new"))
    refuse(2, "something in it", "restore", copy, again)


def test_compaction_of_a_store_that_is_closed(store: str) -> None:
    with ReasoningStore(store) as found:
        graph = Graph(store=found)
        for number in range(20):
            graph.add((EX[f"gone{number}"], RDF.type, EX.Cat))
            found.commit()
            graph.remove((EX[f"gone{number}"], None, None))
        found.commit()
        with pytest.raises(KGReasonError, match="no commits"):
            ReasoningStore().compact()
        found.compact()
        assert len(graph) == 3
        refuse(1, "another writer", "compact", store)
    assert "bytes now" in succeed("compact", store)
    data = b"".join(file.read_bytes() for file in Path(store).iterdir())
    assert b"/tom" in data
    assert b"/gone1" not in data
    assert succeed("query", "-q", QUERY, store, "--format", "csv").splitlines() == ["x", "http://example.org/tom"]
    refuse(2, "no store", "compact", f"{store}-not")
