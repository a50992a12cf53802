"""What the README and the pages of `docs` show works: code, commands, targets and paths."""

from __future__ import annotations

import pydoc
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from kgreason.cli.app import app
from tests.examples import pages

ROOT = Path(__file__).parents[2]
PATHS = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
PATH = re.compile(r"`((?:adapters|docs|examples|kgreason|ontologies|tests)/[\w./]*|\w+\.md|LICENSE)`")
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PATHS}
RUNNING = [
    page
    for page, text in PAGES.items()
    if ("```python" in text or "```console" in text) and pages.SPARK not in text  # that runs in tests/spark
]


@pytest.mark.parametrize("page", RUNNING)
def test_code_runs_as_a_reader_runs_it(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert pages.run(ROOT / page)


def test_a_page_that_says_something_else_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text('```text title="x.txt"\n7\n```\n```console\n$ cat x.txt\n8\n```\n')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssertionError, match=r"page\.md:4: the page says\n8\n\nand it prints\n7"):
        pages.run(page)


def test_the_readme_has_code_and_fits_on_a_screen() -> None:
    assert "```python" in PAGES["README.md"]
    assert len(PAGES["README.md"].splitlines()) <= 60


def test_targets_exist() -> None:
    lines = re.findall(r"^([\w -]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    targets = {name for line in lines for name in line.split()}
    named = {
        name
        for text in PAGES.values()
        for name in re.findall(r"(?:`|^    )make ([a-z]+(?:-[a-z]+)*)", text, re.MULTILINE)
    }
    assert named
    assert named <= targets


def test_commands_exist() -> None:
    text = "\n".join(PAGES.values())
    lines = re.findall(r"^(?:    |\$ )kgreason (.*)$", text, flags=re.MULTILINE)
    commands = get_command(app).commands
    assert {line.split()[0] for line in lines} == commands.keys() - {"oxigraph"}
    for line in lines:
        name, *arguments = shlex.split(line.partition(" 2> ")[0], comments=True)
        commands[name].make_context(name, arguments)


def test_paths_exist() -> None:
    paths = [path for text in PAGES.values() for path in PATH.findall(text)]
    assert len(paths) > 4
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", sorted(PAGES))
def test_names_of_code_exist(page: str) -> None:
    for name in set(re.findall(r"`(kgreason(?:\.\w+)+)`", PAGES[page])):
        found = pydoc.locate(name)
        assert found is not None, name
