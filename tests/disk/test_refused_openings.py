"""Openings that are refused leave nothing behind and say why: catches stores half made, and errors of Python's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from kgreason import KGReasonError, LoadError, ReasoningStore, WriteError

UNSTRATIFIED = "@prefix e: <http://example.org/> . e:p(?x) :- e:q(?x), ~e:r(?x) . e:r(?x) :- e:p(?x) ."


@pytest.mark.parametrize("options", [{"rules": "sko"}, {"rules": UNSTRATIFIED}, {"schemes": "x"}, {"strategy": "x"}])
def test_store_that_cannot_be_made_leaves_no_directory(tmp_path: Path, options: dict[str, str]) -> None:
    path = tmp_path / "outer" / "store"

    with pytest.raises(KGReasonError):
        ReasoningStore({"path": str(path), "create": True} | options)

    assert list(tmp_path.iterdir()) == []
    ReasoningStore({"path": str(path), "create": True, "rules": "skos"}).close()


def test_directory_that_was_there_stays_and_is_empty(tmp_path: Path) -> None:
    with pytest.raises(KGReasonError):
        ReasoningStore({"path": str(tmp_path), "create": True, "rules": UNSTRATIFIED})

    assert list(tmp_path.iterdir()) == []


def test_store_that_was_there_stays_when_an_opening_is_refused(tmp_path: Path) -> None:
    with ReasoningStore({"path": str(tmp_path), "create": True}) as store:
        Graph(store=store).parse(data="<a:a> <a:b> <a:c> .", format="turtle")

    with pytest.raises(KGReasonError):
        ReasoningStore({"path": str(tmp_path), "create": True, "rules": UNSTRATIFIED})

    with ReasoningStore(str(tmp_path)) as store:
        assert len(Graph(store=store)) == 1


@pytest.mark.parametrize("name", ["\0", "x" * 300, "a/" + "x" * 300])
def test_name_that_no_directory_may_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(LoadError, match="there is no store"):
        ReasoningStore().open(f"{tmp_path}/{name}")
    with pytest.raises(WriteError, match="cannot be made"):
        ReasoningStore().open(f"{tmp_path}/{name}", create=True)


@pytest.mark.parametrize("create", [False, True])
def test_file_is_not_taken_for_a_missing_store(tmp_path: Path, create: bool) -> None:
    path = tmp_path / "file"
    path.write_text("text")

    with pytest.raises(KGReasonError, match=r"file: is a file \(expected "):
        ReasoningStore().open(str(path), create=create)
