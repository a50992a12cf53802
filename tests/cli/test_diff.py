"""``kgreason diff`` on small files whose differences are checked by eye; rdflib applies its patches."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from rdflib import Dataset

from tests.cli.command_runs import refuse, run, succeed

BEFORE = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Cat rdfs:subClassOf :Pet , [ a owl:Restriction ; owl:onProperty :eats ; owl:allValuesFrom :Fish ] .
:Pet rdfs:subClassOf :Animal .
:tom a :Cat , :Animal .
"""
AFTER = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Cat rdfs:subClassOf :Pet , [ a owl:Restriction ; owl:onProperty :eats ; owl:allValuesFrom :Meat ] .
:Pet rdfs:subClassOf :Animal , :Companion .
:tom a :Cat ; :likes [ a :Mouse ; :name "Jerry" ] .
"""
TEXT = """
  :Cat rdfs:subClassOf [ a owl:Restriction ; owl:allValuesFrom :Fish ; owl:onProperty :eats ]
- [ a owl:Restriction ; owl:allValuesFrom :Fish ; owl:onProperty :eats ] owl:allValuesFrom :Fish .
+ [ a owl:Restriction ; owl:allValuesFrom :Meat ; owl:onProperty :eats ] owl:allValuesFrom :Meat .
+ :Pet rdfs:subClassOf :Companion .
- :tom a :Animal .  # still there
+ :tom :likes [ a :Mouse ; :name "Jerry" ] .
@@ inferred @@
+ :Cat rdfs:subClassOf :Companion .
+ :tom a :Companion .
"""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two versions of a graph."""
    paths = [tmp_path / "before.ttl", tmp_path / "after.ttl"]
    for path, text in zip(paths, (BEFORE, AFTER), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def differ(*arguments: str) -> str:
    """What is printed where there is a difference."""
    result = run("diff", *arguments)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    return result.stdout


def test_differences_explicit_and_inferred(files: list[str]) -> None:
    assert differ(*files) == f"--- {files[0]}\n+++ {files[1]}{TEXT}"
    assert differ(*files, "--rules", "none").splitlines() == [
        f"--- {files[0]}",
        f"+++ {files[1]}",
        *TEXT.replace("  # still there", "").splitlines()[1:-3],
    ]


def test_same_graphs_print_nothing(files: list[str], tmp_path: Path) -> None:
    other = tmp_path / "other.nt"
    succeed("materialise", files[0], "--rules", "none", "-o", str(other))
    assert succeed("diff", files[0], str(other)) == ""
    assert json.loads(succeed("diff", files[0], str(other), "--format", "json"))["same"]


def test_counts_and_silence(files: list[str]) -> None:
    assert differ(*files, "--stat") == "explicit: 2 removed, 5 added; inferred: 0 removed, 2 added\n"
    assert differ(*files, "--quiet") == ""


def test_limit_counts_the_other_differences_of_each_part(files: list[str]) -> None:
    lines = differ(*files, "--limit", "1").splitlines()
    assert [line for line in lines if "more" in line] == ["- ... and 1 more", "+ ... and 2 more", "+ ... and 1 more"]


def test_json_tells_explicit_from_inferred_differences(files: list[str]) -> None:
    found = json.loads(differ(*files[::-1], "--format", "json"))
    tom = {"subject": "<http://example.org/tom>", "predicate": "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"}
    animal = tom | {"object": "<http://example.org/Animal>", "graph": None, "elsewhere": True}
    assert animal in found["explicit"]["added"]
    assert tom | {"object": "<http://example.org/Companion>"} in found["inferred"]["removed"]
    assert not found["same"]


def test_patch_is_applied_by_rdflib(tmp_path: Path) -> None:
    texts = [
        '<a:a> <a:p> "x\\ny" .\n<a:a> <a:p> <a:b> <g:1> .\n<a:a> <a:p> <a:b> <g:2> .\n',
        '<a:a> <a:p> "x"@en .\n<a:a> <a:p> <a:b> <g:2> .\n<a:b> <a:p> <a:b> <g:3> .\n',
    ]
    paths = [tmp_path / name for name in ("before.nq", "after.nq")]
    datasets = []
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
        datasets.append(Dataset().parse(data=text, format="nquads"))
    patch = differ(*map(str, paths), "--format", "patch")

    datasets[0].parse(data=patch, format="patch")
    assert set(datasets[0].quads()) == set(datasets[1].quads())


def test_named_graphs_are_sections(tmp_path: Path) -> None:
    before, after = tmp_path / "before.nq", tmp_path / "after.nq"
    before.write_text("<a:a> <a:p> <a:b> .\n")
    after.write_text("<a:a> <a:p> <a:b> <g:1> .\n")
    assert differ(str(before), str(after)).splitlines()[2:] == [
        "@@ default graph @@",
        "- <a:a> <a:p> <a:b> .  # still there",
        "@@ graph <g:1> @@",
        "+ <a:a> <a:p> <a:b> .  # was there",
    ]


@pytest.mark.slow
def test_stores_have_their_own_rules(files: list[str], tmp_path: Path) -> None:
    stores = [str(tmp_path / "one"), str(tmp_path / "two")]
    succeed("add", stores[0], files[0], "--rules", "owl-rl")
    succeed("add", stores[1], files[1], "--rules", "owl-rl")
    assert differ(*stores).splitlines()[2:] == TEXT.splitlines()[1:]
    assert differ(files[0], stores[1]).splitlines()[2:] == TEXT.splitlines()[1:]
    assert succeed("diff", stores[0], files[0]) == ""

    succeed("add", stores[1], files[1], "--rules", "<a:q>(?x, ?y) :- <http://example.org/likes>(?x, ?y) .")
    found = differ(*stores)
    assert "@@ rules @@" in found
    assert "+ :tom <a:q> [ a :Mouse ; :name \"Jerry\" ] ." in found
    assert "- :tom a :Pet ." in found


@pytest.mark.parametrize(
    ("name", "begin"), [("d.json", "{"), ("d.rdfp", "TX ."), ("d.patch.gz", "TX ."), ("d.txt", "---"), ("d", "---")]
)
def test_ending_tells_the_format(files: list[str], tmp_path: Path, name: str, begin: str) -> None:
    target = tmp_path / name

    assert differ(*files, "-o", str(target)) == ""

    with pa.input_stream(str(target), compression="gzip" if name.endswith(".gz") else None) as stream:
        assert stream.read().decode().startswith(begin)


def test_unknown_ending_is_refused(files: list[str], tmp_path: Path) -> None:
    refuse(2, "unknown extension", "diff", *files, "-o", str(tmp_path / "d.docx"))


def test_trouble_is_told_from_differences(files: list[str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("<a:a> <a:b> .")
    for arguments in ([files[0], str(broken)], [str(broken), files[0]], [files[0], "nowhere.ttl"], [files[0]]):
        result = run("diff", *arguments)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.count("\n") == 1
