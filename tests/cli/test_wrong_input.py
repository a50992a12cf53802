"""Wrong input on the command line is one line that names what is wrong, with exit code 2 for usage, 1 for data."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from kgreason import __version__
from kgreason.cli.app import app
from kgreason.cli.options import RULE_SETS
from kgreason_ontologies import rule_set_names
from tests.cli.command_runs import ASK, DATA, SCHEMA, refuse, run, succeed


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A schema and data, in two files."""
    (tmp_path / "schema.ttl").write_text(SCHEMA)
    (tmp_path / "data.ttl").write_text(DATA)
    return [str(tmp_path / "schema.ttl"), str(tmp_path / "data.ttl")]


@pytest.mark.parametrize("command", ["materialise", "check", "stats", "query", "explain"])
class TestWrongInput:
    """The same for every command."""

    def ask(self, command: str) -> list[str]:
        return [command, *{"query": ["-q", ASK], "explain": ["-t", "<a:x> <a:y> <a:z>"]}.get(command, [])]

    def test_wrong_usage_is_refused(self, command: str, files: list[str], tmp_path: Path) -> None:
        ask = self.ask(command)
        refuse(2, "FILES", *ask)
        refuse(2, "none.ttl: no such file", *ask, str(tmp_path / "none.ttl"))
        refuse(1, "stdin: the name does not tell an RDF format, and none begins with", *ask, "-", stdin="oops")
        refuse(2, "once", *ask, "-", "-", "-f", "ttl", stdin=DATA)
        refuse(2, "unknown RDF format", *ask, "-", "-f", "doc", stdin=DATA)
        refuse(2, "--no-such-option", *ask, *files, "--no-such-option")

    def test_wrong_rules_are_refused(self, command: str, files: list[str], tmp_path: Path) -> None:
        ask = self.ask(command)
        refuse(2, "owl-rl-full", *ask, *files, "--rules", "owl-dl")
        refuse(2, "?y", *ask, *files, "--rules", "<a:p>(?x, ?y) :- <a:q>(?x, ?x) .")
        refuse(2, "1:", *ask, *files, "--rules", "<a:p>(?x :- <a:q>(?x) .")
        (tmp_path / "bad.dl").write_text("<a:p>(?x) :- <a:p>(?x) .\n<a:p>(?x) :- <a:q>(?x), ~<a:p>(?x) .\n")
        refuse(2, "bad.dl", *ask, *files, "--rules", str(tmp_path / "bad.dl"))

    def test_damaged_data_is_refused(self, command: str, files: list[str], tmp_path: Path) -> None:
        ask = self.ask(command)
        refuse(1, "stdin:2", *ask, *files, "-", "-f", "nt", stdin="<a:a> <a:b> <a:c> .\n<a:a> <a:b> <a:c\n")
        (tmp_path / "latin.nt").write_bytes('<a:a> <a:b> "é" .'.encode("latin-1"))
        refuse(1, "latin.nt", *ask, str(tmp_path / "latin.nt"))
        (tmp_path / "cut.nt.gz").write_bytes(gzip.compress(b"<a:a> <a:b> <a:c> .\n" * 1000)[:-20])
        refuse(1, "cut.nt.gz", *ask, str(tmp_path / "cut.nt.gz"))
        (tmp_path / "empty").mkdir()
        refuse(1, "empty", *ask, str(tmp_path / "empty"))

    def test_change_beyond_its_budget_is_refused(self, command: str, files: list[str], tmp_path: Path) -> None:
        step = "@prefix a: <a:> . #[name('step')] a:n(?x, ?n) :- a:n(?x, ?m), ?n = ?m + 1 .".replace("'", '"')
        ask = [*self.ask(command), "-", "-f", "ttl", "--rules", step]
        for option, reason in (
            ("--max-facts", "budget of 50 facts: 51 are derived so far; most by 'step' (51 of <a:n>)"),
            ("--max-bytes", "budget of 50 bytes"),
        ):
            refuse(1, reason, *ask, option, "50", stdin="<a:a> <a:n> 1 .")
        refuse(1, "budget of 0.01 seconds", *ask, "--max-seconds", "0.01", stdin="<a:a> <a:n> 1 .")
        refuse(2, "--max-facts", *self.ask(command), *files, "--max-facts", "-1")
        assert run(*self.ask(command), *files, "--max-facts", "1000", "--max-seconds", "60").exit_code in (0, 1)

    def test_list_that_is_cut_off(self, command: str) -> None:
        data = """
            @prefix owl: <http://www.w3.org/2002/07/owl#> .
            @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
            <a:C> owl:intersectionOf <a:l> . <a:l> rdf:first <a:D> . <a:x> a <a:D> .
        """
        refuse(1, "a:l", *self.ask(command), "-", "-f", "ttl", "--strict", stdin=data)


def test_help_and_version() -> None:
    assert succeed("--version") == f"{__version__}\n"
    assert all(command in succeed("--help") for command in ("materialise", "query", "explain", "check", "stats"))
    assert "--inferred-only" in succeed("materialise", "--help")


def commands(group: TyperGroup, *names: str) -> Iterator[tuple[str, ...]]:
    yield names
    for name, command in group.commands.items():
        yield from commands(command, *names, name) if isinstance(command, TyperGroup) else [(*names, name)]


def test_help_names_no_types_of_python() -> None:
    for names in commands(get_command(app)):
        text = succeed(*names, "--help")
        assert not re.search(r"<(str|list|path|int|float|bool)|\{|\bNone\b|x>=|<=x|\.{4}|<\w+(\||>$)", text), text


def test_lists_of_commands_cut_no_description_off() -> None:
    for names in ((), ("spark",), ("oxigraph",)):
        _, _, listed = succeed(*names, "--help").partition("Commands:")
        assert listed
        assert "..." not in listed, listed
        assert max(map(len, listed.splitlines())) <= 80


def test_rule_sets_of_the_help_are_those_that_there_are() -> None:
    assert sorted(RULE_SETS) == sorted({*rule_set_names(), "none"})


def test_completion_of_rules_gives_the_names_of_rule_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_KGREASON_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "kgreason check --rules o")
    monkeypatch.setenv("COMP_CWORD", "3")
    finished = subprocess.run([sys.executable, "-m", "kgreason"], capture_output=True, text=True, check=False)
    assert finished.stdout.split() == ["owl-rl", "owl-rl-full"]


def test_no_command() -> None:
    refuse(2, "Missing command")
    refuse(2, "Did you mean 'materialise'", "materialize")
