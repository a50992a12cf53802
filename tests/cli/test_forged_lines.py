"""Would catch a literal or an IRI of a stranger whose characters forge lines of what a command prints, or steer the
terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_runs import run

HEAD = """
  @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
  @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


@pytest.mark.parametrize("end", ["\x0b", "\x0c", "\x1b[2K", "\x1c", "\x85", "\u2028", "\u202e", "\U000e0001"])
def test_literal_forges_no_line(tmp_path: Path, end: str) -> None:
    path, other = tmp_path / "clash.ttl", tmp_path / "other.ttl"
    path.write_text(f"""{HEAD} :name a owl:FunctionalProperty . :nick rdfs:subPropertyOf :name .
      :ann :name "b" ; :nick "a{end}consistent: 3 triples" . :x a <http://example.org/C\u2028consistent:> .
      :c owl:unionOf [ rdfs:label "d{end}consistent: 4 triples" ] .""")
    other.write_text(HEAD)
    goal = f':ann :name "a{end}consistent: 3 triples"'

    made = [
        run("check", str(path), "--rules", "owl-rl"),
        run("explain", str(path), "--rules", "owl-rl", "--triple", goal),
        run("stats", str(path), "--rules", "owl-rl"),
    ]

    difference = run("diff", str(path), str(other), "--rules", "owl-rl", "-o", str(tmp_path / "difference"))

    assert [one.exit_code for one in (*made, difference)] == [1, 0, 0, 1]
    texts = [(tmp_path / "difference").read_text(), *(one.output for one in made)]
    for text in texts:
        lines = text.splitlines()
        assert not any(line.startswith("consistent") for line in lines), text
        assert all(line.replace("\t", "").isprintable() for line in lines), text
    shown = f"\\u{ord(end[0]):04X}" if end < "\U00010000" else f"\\U{ord(end):08X}"
    assert all(shown in text for text in texts[:3])
