"""Which prefixes the queries of SHACL rules have: those that are declared for them, or else those of the text."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from rdflib import RDF, Graph

from kgreason import ReasoningStore, RuleError
from kgreason.rdf.vocabulary import SHACL
from tests.rule_translation.test_shacl import EX, PREFIXES, ours, peer

DECLARED = '[ sh:prefix "e" ; sh:namespace "http://example.org/"^^xsd:anyURI ]'
BARE = PREFIXES.rpartition("\nex: a owl:Ontology")[0]


def prefixed(prefixes: str, more: str, prefix: str = "e", head: str = BARE) -> str:
    construct = f'"CONSTRUCT {{ $this a {prefix}:Found }} WHERE {{ $this {prefix}:at ?y }}"'
    body = f"a sh:SPARQLRule ; {prefixes} sh:construct {construct}"
    return f"{head}\nex:Shape a sh:NodeShape ; sh:targetNode ex:p1 ; sh:rule [ {body} ] .\n{more}"


PREFIXED = {
    "declared where sh:prefixes says": prefixed("sh:prefixes ex:one ;", f"ex:one sh:declare {DECLARED} ."),
    "declared by what that imports": prefixed(
        "sh:prefixes ex:one ;",
        f"ex:one owl:imports ex:two . ex:two owl:imports ex:one, ex:three . ex:three sh:declare {DECLARED} .",
    ),
    "one of several": prefixed("sh:prefixes ex:no, ex:one ;", f"ex:one sh:declare {DECLARED} ."),
    "declared anywhere, without sh:prefixes": prefixed("", f"ex:one a owl:Ontology ; sh:declare {DECLARED} ."),
    "that of the text": prefixed("", "", "ex"),
    "that of the text, where sh:prefixes has no declaration": prefixed("sh:prefixes ex: ;", "", "ex"),
    "declared, though the text has another": prefixed(
        "sh:prefixes ex:one ;", f"ex:one sh:declare {DECLARED} .", head=f"{BARE}@prefix e: <http://else/> ."
    ),
    "declared elsewhere": prefixed("sh:prefixes ex:no ;", f"ex:one a owl:Ontology ; sh:declare {DECLARED} ."),
    "declared elsewhere, beside what is no declaration": prefixed(
        "", f'ex:one sh:declare {DECLARED}, [ sh:prefix "f" ], 3 . ex:two sh:declare [ sh:prefix "e" ] .'
    ),
    "twice the same": prefixed(
        "sh:prefixes ex:one, ex:two ;", f"ex:one sh:declare {DECLARED} . ex:two sh:declare {DECLARED} ."
    ),
    "that of the text, where two declare others": prefixed(
        "", 'ex:one sh:declare [ sh:prefix "ex" ; sh:namespace "u:1" ], [ sh:prefix "ex" ; sh:namespace "u:2" ] .', "ex"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PREFIXED)
def test_query_has_the_prefixes_that_are_declared_for_it_or_else_those_of_the_text(name: str, tmp_path: Path) -> None:
    assert ours(PREFIXED[name], tmp_path / "rules.ttl") == {(EX.p1, RDF.type, EX.Found)}


@pytest.mark.parametrize(
    "name", ["declared where sh:prefixes says", "declared elsewhere", "that of the text", "one of several"]
)
def test_prefixes_mean_what_they_mean_to_pyshacl(name: str, tmp_path: Path) -> None:
    assert ours(PREFIXED[name], tmp_path / "rules.ttl") == peer(PREFIXED[name])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (prefixed("sh:prefixes ex:one ;", ""), "its query (line 1, column 21): unknown prefix e:"),
        (
            prefixed(
                "sh:prefixes ex:one ;",
                f"ex:one owl:imports ex:two ; sh:declare {DECLARED} . "
                'ex:two sh:declare [ sh:prefix "e" ; sh:namespace "u:v" ] .',
            ),
            "its sh:prefixes declare e: as http://example.org/ and as u:v",
        ),
        (prefixed("sh:prefixes ex:one ;", 'ex:one sh:declare [ sh:prefix "e" ] .'), f"no value of <{SHACL}namespace>"),
    ],
)  # fmt: skip
def test_prefixes_that_are_missing_or_ambiguous_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(RuleError) as refusal:
        ours(text, tmp_path / "rules.ttl")

    assert reason in str(refusal.value)


def test_file_of_rules_with_prefixes_of_its_text_is_no_warning_when_it_is_loaded_too(tmp_path: Path) -> None:
    path = tmp_path / "rules.ttl"
    path.write_text(PREFIXED["that of the text"])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ReasoningStore(rules=path).bulk_load(path)
        Graph(store=ReasoningStore(rules=path)).parse(path, format="kg-turtle")
        ReasoningStore(rules=path).apply(added=path)
