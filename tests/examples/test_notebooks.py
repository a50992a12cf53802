"""The notebooks of `examples` run from top to bottom, and give what they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.examples import notebooks

PATHS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))
SAYS = {
    "contradictions.ipynb": ["cax-dw", "asserted", "consistent: True"],
    "thesaurus.ipynb": ["Sonatas and Partitas", "S27", "skos:related", "0 inconsistencies"],
    "what_if.ipynb": ["Int64", "inferred triples added", "transitive, a path of 2 steps", "True"],
}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_notebook_gives_what_it_shows(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    notebook = notebooks.read(path)

    found = notebooks.run(notebook, path.name)

    for cell, outputs in zip(notebooks.code_cells(notebook), found, strict=True):
        shown = "".join(cell["source"])
        assert cell["outputs"] == outputs, f"{shown}\n\nIf that is right: python -m tests.examples.notebooks"
    text = re.sub(r"<[^<>]*>", "", str([cell["outputs"] for cell in notebooks.code_cells(notebook)]))
    assert [each for each in SAYS[path.name] if each not in text] == []


def test_all_notebooks_are_run_and_small() -> None:
    assert [path.name for path in PATHS] == sorted(SAYS)
    for path in PATHS:
        assert path.stat().st_size < 100_000
        assert str(Path.home()) not in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.name)
def test_a_notebook_is_what_jupyter_reads(path: Path) -> None:
    notebook = notebooks.read(path)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    names = [cell["id"] for cell in notebook["cells"]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[\w-]{1,64}", name) for name in names)
    assert notebook["cells"][0]["cell_type"] == "markdown"


def cells(*sources: str) -> dict[str, Any]:
    return {"cells": [{"cell_type": "code", "source": [source]} for source in sources]}


def test_a_cell_that_fails_is_named() -> None:
    with pytest.raises(ZeroDivisionError) as raised:
        notebooks.run(cells("x = 0", "1 / x"), "a.ipynb")
    assert any(str(entry.path) == "a.ipynb, cell 2" for entry in raised.traceback)


def test_a_cell_prints_and_shows_its_last_value() -> None:
    (first, second) = notebooks.run(cells("x = 'a'\nprint(x)\nx", "None"), "a.ipynb")
    assert [output.get("text") or output["data"] for output in first] == [["a\n"], {"text/plain": ["'a'"]}]
    assert second == []
