"""OWL 2 RL, rule by rule: the names of the W3C tables, and a case or more for each rule.

A case that a rule set passes although the rule is taken out of it shows nothing, so this is tested as well, but for
rules that follow from others.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kgreason.io.readers import read_stream
from kgreason.program.rules import Program
from kgreason.rdf.vocabulary import OWL, RDF, RDFS, XSD
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import RuleSource, resolve_rules
from tests.facade import show, triples

TABLES = {
    "eq": "ref sym trans rep-s rep-p rep-o diff1 diff2 diff3",
    "prp": "ap dom rng fp ifp irp symp asyp trp spo1 spo2 eqp1 eqp2 pdw adp inv1 inv2 key npa1 npa2",
    "cls": "thing nothing1 nothing2 int1 int2 uni com svf1 svf2 avf hv1 hv2 maxc1 maxc2 maxqc1 maxqc2 maxqc3 maxqc4 oo",
    "cax": "sco eqc1 eqc2 dw adc",
    "dt": "type1 type2 eq diff not-type",
    "scm": "cls sco eqc1 eqc2 op dp spo eqp1 eqp2 dom1 dom2 rng1 rng2 hv svf1 svf2 avf1 avf2 int uni",
}
NAMES = {f"{table}-{rule}" for table, rules in TABLES.items() for rule in rules.split()}
# What owl-rl leaves out: reflexive and axiomatic triples, and literals compared by value.
LEFT_OUT = {"eq-ref", "prp-ap", "cls-thing", "cls-nothing1", "dt-type1", "dt-eq", "scm-cls", "scm-op", "scm-dp"}
# Rules whose conclusions other rules of owl-rl-full draw as well: of owl:sameAs, by replacement; of equivalent classes
# and properties, intersections and unions, by way of subclasses and subproperties.
IMPLIED = {"eq-sym", "eq-trans", "cax-eqc1", "cax-eqc2", "prp-eqp1", "prp-eqp2", "cls-int2", "cls-uni"}
PREFIXES = "".join(
    f"@prefix {name}: <{iri}> .\n"
    for name, iri in {"": "http://example.org/", "owl": OWL, "rdf": RDF, "rdfs": RDFS, "xsd": XSD}.items()
)


@dataclass(frozen=True)
class Case:
    rule: str
    premise: str
    conclusion: str

    def __str__(self) -> str:
        return self.rule


def cases() -> list[Case]:
    lines = (Path(__file__).parent / "owl-rl-cases.txt").read_text().splitlines()
    found = []
    for line in lines:
        if line and not line.startswith("#"):
            rule, _, rest = line.partition(": ")
            premise, _, conclusion = rest.partition("=> ")
            found.append(Case(rule, premise, conclusion))
    return found


def knowledge(rules: RuleSource, text: str) -> KnowledgeBase:
    base = KnowledgeBase(rules)
    base.add_quads(read_stream((PREFIXES + text).encode(), base.dictionary, format="turtle"))
    return base


def missing(case: Case, rules: RuleSource) -> str:
    """What a rule set fails to conclude, as text; empty when it concludes all."""
    base = knowledge(rules, case.premise)
    if case.conclusion == "false":
        violated = {found.rule for found in base.inconsistencies()}
        return "" if case.rule in violated else f"{case.rule} is not violated, only {violated}"
    wanted = knowledge("none", case.conclusion)
    return show(triples(wanted, wanted.all()) - triples(base, base.all()))


def without(rules: str, name: str) -> Program:
    program = resolve_rules(rules)
    kept = tuple(rule for rule in program.rules if rule.name != name)
    assert len(kept) < len(program.rules)
    return replace(program, rules=kept)


def test_the_78_names() -> None:
    assert [len(rules.split()) for rules in TABLES.values()] == [9, 20, 19, 5, 5, 20]
    assert {rule.name for rule in resolve_rules("owl-rl-full").rules} == NAMES
    assert {rule.name for rule in resolve_rules("owl-rl").rules} <= NAMES
    assert {case.rule for case in cases()} == NAMES


@pytest.mark.parametrize("case", cases(), ids=str)
def test_owl_rl_full(case: Case) -> None:
    assert missing(case, "none")
    assert not missing(case, "owl-rl-full")


@pytest.mark.parametrize("case", [case for case in cases() if case.rule not in LEFT_OUT], ids=str)
def test_owl_rl(case: Case) -> None:
    assert not missing(case, "owl-rl")


@pytest.mark.parametrize("case", [case for case in cases() if case.rule in LEFT_OUT], ids=str)
def test_left_out_of_owl_rl(case: Case) -> None:
    assert missing(case, "owl-rl")


@pytest.mark.parametrize("case", [case for case in cases() if case.rule not in IMPLIED], ids=str)
def test_each_rule_is_needed(case: Case) -> None:
    assert missing(case, without("owl-rl-full", case.rule))
