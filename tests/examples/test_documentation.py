"""What the README and the pages of `docs` show works: code, commands, targets and paths."""

from __future__ import annotations

import pydoc
import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from kgreason.cli.app import app

ROOT = Path(__file__).parents[2]
PATHS = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in PATHS}
CODE = [(name, code) for name, text in PAGES.items() for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


@pytest.mark.parametrize(("page", "code"), CODE, ids=[name for name, _ in CODE])
def test_code_runs(page: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    exec(compile(code, page, "exec"), {})


def test_the_readme_has_code_and_fits_on_a_screen() -> None:
    assert "```python" in PAGES["README.md"]
    assert len(PAGES["README.md"].splitlines()) <= 60


def test_targets_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = {name for text in PAGES.values() for name in re.findall(r"\bmake ([a-z]+(?:-[a-z]+)*)", text)}
    assert named
    assert named <= targets


def test_commands_exist() -> None:
    lines = [line for text in PAGES.values() for line in re.findall(r"^    kgreason (.*)$", text, flags=re.MULTILINE)]
    commands = get_command(app).commands
    assert len(lines) == 14
    for line in lines:
        name, *arguments = shlex.split(line, comments=True)
        commands[name].make_context(name, arguments)


def test_paths_exist() -> None:
    paths = [path for text in PAGES.values() for path in re.findall(r"`([\w./]+/|[\w./]*\.(?:md|py)|LICENSE)`", text)]
    assert len(paths) > 4
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", sorted(PAGES))
def test_names_of_code_exist(page: str) -> None:
    for name in set(re.findall(r"`(kgreason(?:\.\w+)+)`", PAGES[page])):
        found = pydoc.locate(name)
        assert found is not None, name
