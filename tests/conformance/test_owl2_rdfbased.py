"""The RDF-based OWL 2 test suite of Schneider and Mainzer (FZI): its OWL 2 RL and its RDFS cases.

A positive case passes when every triple of its conclusion holds in the closure of its premise (blank nodes are
existential); an inconsistency case passes when an integrity condition is violated. An error is a failure.
Failing cases are listed with their reasons, and a listed case that passes is a failure as well.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kgreason.io.readers import read_files
from kgreason.store.knowledge_base import KnowledgeBase
from tests.conformance.entailment import entails
from tests.conformance.suite import skip_list
from tests.facade import triples
from tests.shared_data import unpacked

ARCHIVE = "owl2-rdfbased-suite/testsuite-owl2-rdfbased.tar.xz"
SKIPPED = {"owl2rl": skip_list("owl2rl-skip.txt"), "rdfs": skip_list("owl2-rdfs-skip.txt")}


def cases(subsuite: str) -> list[Path]:
    (folder,) = unpacked(ARCHIVE).rglob(subsuite)
    return sorted(path.parent for path in folder.rglob("*.metadata.properties"))


def passes(case: Path, rules: str) -> bool:
    (metadata,) = case.glob("*.metadata.properties")
    (kind,) = re.findall(r'key="testcase.type">(\w+)<', metadata.read_text())
    base = KnowledgeBase(rules)
    if kind == "INCONSISTENCY":
        base.add_quads(read_files([*case.glob("*.graph.ttl")], base.dictionary))
        return bool(base.inconsistencies())
    assert kind == "POSITIVE_ENTAILMENT"
    base.add_quads(read_files([*case.glob("*.premisegraph.ttl")], base.dictionary))
    conclusion = KnowledgeBase("none")
    conclusion.add_quads(read_files([*case.glob("*.conclusiongraph.ttl")], conclusion.dictionary))
    return entails(triples(base, base.all()), triples(conclusion, conclusion.all()))


def check(case: Path, rules: str, skipped: dict[str, str]) -> None:
    if case.name in skipped:
        assert not passes(case, rules), f"{case.name} passes now: take it off the skip list"
        pytest.skip(skipped[case.name])
    assert passes(case, rules)


@pytest.mark.parametrize("case", cases("owl2rl"), ids=lambda case: case.name)
def test_owl2rl(case: Path) -> None:
    check(case, "owl-rl-full", SKIPPED["owl2rl"])


@pytest.mark.parametrize("case", cases("rdfs"), ids=lambda case: case.name)
def test_rdfs(case: Path) -> None:
    check(case, "rdfs", SKIPPED["rdfs"])


def test_at_least_250_of_273_pass() -> None:
    names = {subsuite: {case.name for case in cases(subsuite)} for subsuite in SKIPPED}
    assert {subsuite: len(found) for subsuite, found in names.items()} == {"owl2rl": 273, "rdfs": 53}
    assert all(SKIPPED[subsuite].keys() <= found for subsuite, found in names.items())
    assert len(names["owl2rl"] - SKIPPED["owl2rl"].keys()) >= 250
