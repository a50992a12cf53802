"""Would catch ``kgreason stats`` that counts wrongly, shows names that only rules know, or hides a relation."""

from __future__ import annotations

import json

from tests.cli.command_runs import refuse, succeed


def test_table_has_totals_and_relations(files: list[str]) -> None:
    out = succeed("stats", *files, "--rules", "rdfs").splitlines()
    assert out[0] == "total\tcount"
    assert "explicit\t4" in out
    assert any(line.startswith(":Animal\tclass\t") for line in out)
    assert not any(line.startswith("guard ") for line in out)
    assert sum(line.startswith("(which axioms rules are for)\tauxiliary\t") for line in out) == 1
    assert "more relations" in succeed("stats", *files, "--limit", "1")


def test_json_has_everything(files: list[str]) -> None:
    found = json.loads(succeed("stats", *files, "--rules", "rdfs", "--json"))
    assert found["triples"] == found["explicit"] + found["inferred"] > found["explicit"] == 4
    assert sum(r["facts"] for r in found["relations"] if r["kind"] != "auxiliary") == found["triples"]


def test_schemes_change_what_is_kept_and_not_what_follows(files: list[str]) -> None:
    relations = succeed("stats", *files, "--rules", "rdfs").split("\n\n")[1]
    header, *rows = [line.split("\t") for line in relations.splitlines()]
    assert header == ["relation", "kind", "scheme", "facts", "bytes", "bytes per fact"]
    assert "union" in {row[2] for row in rows if len(row) > 2}
    plain = succeed("stats", *files, "--rules", "rdfs", "--schemes", "plain")
    assert "union" not in plain
    closure = succeed("materialise", *files, "--rules", "rdfs")
    assert sorted(succeed("materialise", *files, "--rules", "rdfs", "--schemes", "plain")) == sorted(closure)
    refuse(2, "schemes must be 'auto', 'plain'", "stats", *files, "--schemes", "fast")
