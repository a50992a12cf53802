"""What the README shows works."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from kgreason.cli.app import app

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_code_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], "README.md", "exec"), {})
    assert re.fullmatch(r"\d+ asserted, \d+ inferred\n", capsys.readouterr().out)


def test_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = set(re.findall(r"\bmake (\w+)", README))
    assert named
    assert named <= targets


def test_commands_exist() -> None:
    lines = re.findall(r"^    kgreason (.*)$", README, flags=re.MULTILINE)
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert len(lines) == 14
    for line in lines:
        name, *arguments = shlex.split(line, comments=True)
        commands[name].make_context(name, arguments)


def test_paths_exist() -> None:
    paths = re.findall(r"`([\w./]+/|[\w./]*\.(?:md|py)|LICENSE)`", README)
    assert len(paths) > 4
    assert [path for path in paths if not (ROOT / path).exists()] == []
