"""Lists that are cut off or cyclic, and rules that miss others, at the command line: named, with exit code 1 where that
is what was asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from kgreason.cli.app import app

DATA = """
@prefix : <http://e/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
:C owl:unionOf :l0 . :l0 rdf:first :A ; rdf:rest :l1 . :l1 rdf:first :B . :x a :B .
:D owl:unionOf ( :A :B ) .
"""
WHAT = "the list <http://e/l0> is cut off: its cell <http://e/l1> has no rdf:rest"
AXIOM = "<http://e/C> <http://www.w3.org/2002/07/owl#unionOf> <http://e/l0>"
ASK = "SELECT ?c { <http://e/x> a ?c }"
MEND = "PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> INSERT DATA { <http://e/l1> rdf:rest rdf:nil }"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "data.ttl"
    path.write_text(DATA)
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_check_names_the_list_once(file: str) -> None:
    result = run("check", file)
    assert result.exit_code == 1
    assert f"list: {WHAT} (axiom: {AXIOM})" in result.stdout
    assert "    :C owl:unionOf :l0 ." in result.stdout
    assert "defective: 1 list cut off or cyclic in 13 triples" in result.stdout
    assert "consistent" not in result.stdout
    assert result.stderr == ""


def test_what_follows_is_written_with_a_warning(file: str) -> None:
    result = run("materialise", file)
    assert result.exit_code == 0
    assert "<http://e/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/D>" in result.stdout
    assert "<http://e/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/C>" not in result.stdout
    assert result.stderr == f"kgreason: warning: {WHAT} (axiom: {AXIOM})\n"


def test_a_relation_without_a_rule_is_a_warning_with_its_place(file: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.dl"
    rules.write_text("% a comment\n  <http://e/E>(?x) :- <http://e/B>(?x), ~known(?x) .")
    result = run("materialise", file, "--rules", str(rules))
    assert result.exit_code == 0
    what = "no rule derives known/1, which the body of this rule names"
    assert result.stderr == f"kgreason: warning: {rules}:2:3: {what}\n"


def test_strict_refuses(file: str, tmp_path: Path) -> None:
    for command in (
        ["materialise", file],
        ["query", file, "-q", ASK],
        ["load", file, "-r", "owl-rl", "-o", str(tmp_path / "encoded")],
        ["add", str(tmp_path / "store"), file],
    ):
        result = run(*command, "--strict")
        assert result.exit_code == 1, command
        assert result.stderr == f"kgreason: {WHAT} (axiom: {AXIOM})\n"
        assert result.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["data.ttl"]


@pytest.mark.slow
def test_a_store_on_disk(file: str, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    assert run("add", store, file).exit_code == 0
    assert run("query", store, "-q", ASK).exit_code == 0
    for command in (["query", store, "-q", ASK], ["materialise", store]):
        result = run(*command, "--strict")
        assert result.exit_code == 1
        assert WHAT in result.stderr
    assert WHAT in run("check", store).stdout
    result = run("update", store, "-u", MEND, "--strict")
    assert result.exit_code == 0
    assert result.stderr == ""
    result = run("check", store)
    assert result.exit_code == 0
    assert "consistent" in result.stdout
    assert "http://e/C" in run("query", store, "-q", ASK, "--strict").stdout
    result = run("update", store, "-u", MEND.replace("INSERT", "DELETE"), "--strict")
    assert result.exit_code == 1
    assert run("check", store).exit_code == 0
