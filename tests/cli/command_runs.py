"""Data, and helpers that run commands, of the tests of commands."""

from __future__ import annotations

from typer.testing import CliRunner, Result

from kgreason.cli.app import app

SCHEMA = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Cat rdfs:subClassOf :Animal .
:Cat owl:disjointWith :Stone .
"""


DATA = '<http://example.org/tom> a <http://example.org/Cat> ; <http://example.org/name> "Tom\\t1"@en .'


COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}
"""What Arrow calls the compressions of endings."""
ASK = "SELECT ?x ?name { ?x a <http://example.org/Animal> ; <http://example.org/name> ?name }"

TOM_IS_AN_ANIMAL = (
    "<http://example.org/tom> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/Animal> ."
)

MORE = "@prefix : <http://example.org/> . :Animal <http://www.w3.org/2000/01/rdf-schema#subClassOf> :Being ."


def run(*arguments: str, stdin: str = "") -> Result:
    """Run the command line."""
    return CliRunner().invoke(app, list(arguments), input=stdin)


def succeed(*arguments: str, stdin: str = "") -> str:
    """Run the command line, which must succeed in silence, and return what it prints."""
    result = run(*arguments, stdin=stdin)
    assert result.stderr == "", result.stderr
    assert result.exit_code == 0, result.output
    return result.stdout


def refuse(code: int, reason: str, *arguments: str, stdin: str = "") -> None:
    """Run the command line, which must end in one line with the reason and in the exit code."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == code, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert result.stderr.startswith("kgreason: ")
    assert result.stderr.count("\n") == 1
    assert reason in result.stderr
