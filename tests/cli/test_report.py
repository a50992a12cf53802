"""``kgreason report``: what it prints for people and programs, and what a hostile label can do to its page: nothing."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from kgreason.quality.report import CHECKS
from tests.cli.command_runs import refuse, run, succeed

TEXT = """
@prefix : <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:s a skos:ConceptScheme ; skos:prefLabel "Animals"@en ; skos:hasTopConcept :a .
:a a skos:Concept ; skos:prefLabel "animal"@en , "Tier"@de ; skos:narrower :b .
:b a skos:Concept ; skos:prefLabel "beast"@en ; skos:inScheme :s ; skos:related :a .
:e a skos:Concept .
:Cat a owl:Class ; rdfs:subClassOf :Dead , :Alive . :Dead a owl:Class . :Alive a owl:Class ; owl:disjointWith :Dead .
:tom a :Cat . :None a owl:Class ; rdfs:subClassOf owl:Nothing . :Less a owl:Class ; rdfs:subClassOf :None .
"""
EVIL = """
@prefix : <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:a skos:prefLabel "</script><script>alert(1)</script>"@en , "&lt;img src=x onerror=alert(1)>"@en ;
    skos:notation "'\\"><svg/onload=alert(1)>"^^<http://evil.example/x'onclick='y> ;
    skos:altLabel "\\u202Eterces\\u001B[31m" ; skos:broader <javascript:alert(1)> , :a ; skos:inScheme :s .
<http://evil.example/'onmouseover='alert(1)> skos:broader :a ; skos:prefLabel "a <b>bold</b> & 'quoted'" .
"""


@pytest.fixture
def vocabulary(tmp_path: Path) -> str:
    """A file with a few mistakes."""
    path = tmp_path / "animals.ttl"
    path.write_text(TEXT)
    return str(path)


def report(*arguments: str) -> str:
    """What is printed where there are problems."""
    result = run("report", *arguments)
    assert (result.exit_code, result.stderr) == (1, ""), result.output
    return result.stdout


def test_report_counts_and_names_what_is_wrong(vocabulary: str) -> None:
    lines = report(vocabulary, "--language", "de").splitlines()
    for line in (
        "explicit triples            23",
        "concepts                     3",
        "classes                      5",
        "inconsistent: cax-dw:",
        "  :tom a :Dead .",
        "    :tom a :Dead  [cax-sco]",
        "error: unsatisfiable-class: 2",
        "      :Less rdfs:subClassOf owl:Nothing  [scm-sco, a path of 2 steps]",
        "error: below-disjoint-classes: 1",
        "    :Cat | :Dead | :Alive",
        "error: relation-clash: 1",
        '    :b "beast" | :a "Tier"',
        "warning: orphan-concept: 1",
        "    :e",
    ):
        assert line in lines, line
    assert lines[-1].startswith("1 inconsistency, 4 errors, ")


def test_json_has_every_check(vocabulary: str) -> None:
    found = json.loads(report(vocabulary, "--format", "json"))
    checks = {check["name"]: check for check in found["checks"]}
    assert list(checks) == [check.name for check in CHECKS]
    assert checks["orphan-concept"]["findings"] == [["<http://example.org/e>"]]
    assert checks["hierarchical-cycle"]["count"] == 0
    assert found["counts"]["explicit"] == 23
    assert found["problems"]
    assert found["inconsistencies"][0]["rule"] == "cax-dw"


def test_sound_data_succeed(tmp_path: Path) -> None:
    path = tmp_path / "sound.ttl"
    path.write_text(
        "@prefix : <http://example.org/> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n"
        ':s a skos:ConceptScheme ; skos:prefLabel "S"@en ; skos:hasTopConcept :a .'
        ':a a skos:Concept ; skos:prefLabel "A"@en ; skos:narrower :b .'
        ':b a skos:Concept ; skos:prefLabel "B"@en ; skos:inScheme :s .'
    )
    last = succeed("report", str(path), "--rules", "skos").splitlines()[-1]
    assert re.fullmatch(r"0 inconsistencies, 0 errors, 0 warnings, \d+ notes", last)


def test_checks_are_chosen(vocabulary: str) -> None:
    assert "orphan-concept" in report(vocabulary, "--only", "orphan-concept")
    assert "relation-clash" not in report(vocabulary, "--only", "orphan-concept")
    assert "orphan-concept" not in report(vocabulary, "--skip", "orphan-concept")
    refuse(2, "unknown check hens (expected one of ", "report", vocabulary, "--skip", "hens")
    for near in ("orphan", "orphans", "Orphan-Concept"):
        meant = f"unknown check {near}; did you mean orphan-concept? (expected one of "
        refuse(2, meant, "report", vocabulary, "--only", near)
    refuse(2, "unknown format pdf; there are text, html, json", "report", vocabulary, "--format", "pdf")
    refuse(2, "r.pdf: unknown extension; use one of .txt, .html", "report", vocabulary, "-o", "r.pdf")


def test_limit_counts_the_other_findings(vocabulary: str) -> None:
    assert "    ... and 1 more" in report(vocabulary, "--limit", "1").splitlines()


class _Page(HTMLParser):
    """The elements of a page and their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.parametrize("rules", ["none", "skos"])
def test_page_shows_hostile_labels_as_text(tmp_path: Path, rules: str) -> None:
    data, target = tmp_path / "<img src=x>.ttl", tmp_path / "report.html"
    data.write_text(EVIL)
    assert report(str(data), "--rules", rules, "-o", str(target)) == ""
    text = target.read_text()
    page = _Page()
    page.feed(text)

    assert not {"script", "svg", "img", "a", "link", "iframe"} & set(page.tags)
    known = {"lang", "charset", "http-equiv", "content", "name", "class", "open"}
    assert {name for name, _ in page.attributes} <= known
    assert "</script><script>alert(1)</script>" in page.text
    assert "http://evil.example/" in page.text
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert not re.search(r"(?:src|href|url)\s*[=(]\s*[\"']?(?:https?:)?//", text)
    assert "prefers-color-scheme: dark" in text
    assert "\x1b" not in report(str(data), "--rules", rules)


def test_page_of_a_store(vocabulary: str, tmp_path: Path) -> None:
    store = str(tmp_path / "store")
    succeed("add", store, vocabulary)
    page = report(store, "--format", "html")
    assert page.startswith("<!DOCTYPE html>")
    assert page.endswith("</body></html>\n")
    assert "cax-dw" in page


@pytest.mark.parametrize("end", ["\x0b", "\x85", "\u2028"])
def test_literal_does_not_forge_lines_of_a_proof(tmp_path: Path, end: str) -> None:
    path = tmp_path / "clash.ttl"
    path.write_text(f"""
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :name a owl:FunctionalProperty . :nick rdfs:subPropertyOf :name .
        :ann :name "b" ; :nick "a{end}:bob :name" .
    """)

    lines = report(str(path), "--rules", "owl-rl").splitlines()

    assert f'      :ann :nick "a\\u{ord(end):04X}:bob :name"  [asserted]' in lines
    assert not any(line.lstrip().startswith(":bob") for line in lines)
