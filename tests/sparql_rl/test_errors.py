"""Errors: would catch a rule set that is taken although the draft refuses it, and errors without a place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.errors import KGReasonError, RuleError, RuleSyntaxError, StratificationError, UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.sparql_rl.documents import read_file, read_text
from kgreason.sparql_rl.recognition import is_rule_set
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason.store.rule_sets import parse_rules, resolve_rules
from tests.sparql_rl.evaluation_cases import CASES, PREFIXES, Case

REFUSED = [
    ("RULE { :a :b :c }", RuleSyntaxError, "4:18: the text ends too early (expected WHERE)"),
    ("RULE { :a :b/:c :d } WHERE {}", RuleSyntaxError, "unexpected '/'"),
    ("RULE { } WHERE { ?x :p* ?y }", RuleSyntaxError, "a path with repetition, choice or '!'"),
    ("RULE { } WHERE { OPTIONAL { ?x :p ?y } }", RuleSyntaxError, "OPTIONAL in a rule (expected triples, FILTER"),
    ("RULE { } WHERE { NOT { NOT { ?x :p ?y } } }", RuleSyntaxError, "unexpected 'NOT'"),
    ("RULE { } WHERE { NOT { ?x :p ?y SET(?z := 1) } }", RuleSyntaxError, "unexpected 'SET'"),
    ("RULE { } WHERE { ?x :p ?y FILTER EXISTS { ?x :q ?y } }", RuleSyntaxError, "EXISTS in a rule"),
    ("RULE { } WHERE { ?x :p ?y FILTER(COUNT(?x) > 1) }", RuleSyntaxError, "COUNT"),
    ("RULE { } WHERE { ?x :p ?y SET(?z := RAND()) }", RuleSyntaxError, "a rule cannot call RAND"),
    ("RULE { } WHERE { ?x :p ?y FILTER(BOUND(?x)) }", RuleSyntaxError, "a rule cannot call BOUND"),
    ("RULE { } WHERE { ?x :p ?y FILTER(BNODE() = ?x) }", RuleSyntaxError, "a rule cannot call BNODE"),
    ("RULE { } WHERE { ?x :p ?y FILTER(:f(?x)) }", RuleSyntaxError, "unknown function <http://e/f>"),
    ("RULE { } WHERE { ?x :p ?y SET(?z = 1) }", RuleSyntaxError, "expected ':='"),
    ("DATA { :a :b ?x }", RuleSyntaxError, "DATA: a variable in it: ?x"),
    ("RULE { } WHERE { <a> :p ?y }", RuleSyntaxError, "IRI"),
    ("SELECT * { ?s ?p ?o }", RuleSyntaxError, "unexpected 'SELECT' (expected RULE, CONSTRUCT, DATA"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?z SET(?y := ?z) }", RuleSyntaxError, "unexpected 'SET'"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y NOT { ?x :r ?y } }", RuleSyntaxError, "unexpected 'NOT'"),
    ("CONSTRUCT { ?x :p ?y } WHERE DATA { ?x :q ?y }", RuleSyntaxError, "unexpected 'DATA'"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y FILTER(BOUND(?z)) }", RuleSyntaxError, "BOUND(?z), which no BIND"),
    ("CONSTRUCT { ?x :p ?y } WHERE { GRAPH :g { ?x :q ?y } }", RuleSyntaxError,
     "GRAPH in a rule (expected GRAPH <urn:graph:base>)"),
    ("CONSTRUCT { ?x :p ?y } WHERE { GRAPH ?g { ?x :q ?y } }", RuleSyntaxError, "GRAPH in a rule"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y GRAPH <urn:graph:base> { ?x :r ?y } }", RuleSyntaxError,
     "GRAPH in a rule"),
    ("CONSTRUCT { ?x :p ?y } WHERE { GRAPH <urn:graph:base> { ?x :q ?y } ?x :r ?y }", RuleSyntaxError, "expected"),
    ("RULE { ?x :p ?y } WHERE { GRAPH <urn:graph:base> { ?x :q ?y } }", RuleSyntaxError, "GRAPH in a rule"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y FILTER(BOUND(?y) && ?y > 1) }", RuleSyntaxError, "expected ')'"),
    ("CONSTRUCT { ?x :p ?y } WHERE { ?x :q ?y BIND(?y + 1 AS ?z) }", RuleSyntaxError,
        "4:41: a BIND that may leave ?z unbound (expected FILTER(BOUND(?z)) behind it)"),
    ("CONSTRUCT { ?x :p ?z } WHERE { ?x :q ?y BIND(?y + 1 AS ?z) ?x :r ?z FILTER BOUND(?z) }", RuleSyntaxError,
        "a BIND that may leave ?z unbound"),
    ("RULE { ?x :p ?z } WHERE { ?x :q ?y }", UnsafeRuleError, "nothing in the body gives ?z of the head a value"),
    ("RULE { } WHERE { FILTER(?x > 1) ?x :q ?y }", UnsafeRuleError, "4:18: the rule is not well-formed: nothing"),
    ("RULE { } WHERE { NOT { ?x :q ?y } FILTER(?y > 1) }", UnsafeRuleError, "gives ?y of FILTER a value"),
    ("RULE { } WHERE { ?x :q ?y SET(?y := 1) }", UnsafeRuleError, "?y has a value before this SET"),
    ("RULE { } WHERE { ?x :q ?y SET(?z := ?z + 1) }", UnsafeRuleError, "nothing before it gives ?z of SET a value"),
    ("RULE :r { ?x a :C } WHERE { ?x :p ?y NOT { ?x a :C } }", StratificationError, "http://e/r -> http://e/r"),
    ("RULE { ?x a :C } WHERE { ?x a :D } "
        "RULE { ?x a :D } WHERE { ?x :p ?y NOT { ?x a ?c } }", StratificationError, "NOT"),
    ("RULE { ?x :n ?m } WHERE { ?x :n ?k SET(?m := ?k + 1) }", StratificationError, "has a SET"),
    ("RULE { [] :in ?x } WHERE { ?x :in ?y }", StratificationError, "makes blank nodes"),
    ("RULE { ?x :p <<( ?x :p ?y )>> } WHERE { ?x :p ?y }", StratificationError, "makes triple terms"),
    ("IMPORTS <http://elsewhere/rules.srl>", RuleError, "a rule set that is not a file imports nothing"),
]


@pytest.mark.parametrize(("rules", "error", "reason"), REFUSED, ids=[rules for rules, _, _ in REFUSED])
def test_text_that_the_draft_refuses_raises_one_error_with_its_place(
    rules: str, error: type[KGReasonError], reason: str
) -> None:
    with pytest.raises(error) as raised:
        read_text(PREFIXES + rules)

    assert reason in str(raised.value)
    assert str(raised.value).startswith("rules:")
    assert raised.value.line is not None


def test_refused_rules_leave_a_store_as_it_was() -> None:
    knowledge = KnowledgeBase(PREFIXES + CASES[0].rules)
    before = knowledge.rules

    with pytest.raises(StratificationError):
        knowledge.add_rules(PREFIXES + "RULE { [] :in ?x } WHERE { ?x :in ?y }")

    assert knowledge.rules == before


def test_rules_that_were_added_as_text_are_removed_by_the_same_text() -> None:
    for case in CASES:
        knowledge = KnowledgeBase("none")
        before = knowledge.rules
        knowledge.add_rules(PREFIXES + case.rules)
        knowledge.remove_rules(PREFIXES + case.rules)
        assert knowledge.rules == before, case.name


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_text_is_known_as_sparql_rl(case: Case) -> None:
    assert is_rule_set(case.rules)


def test_datalog_is_not_taken_for_sparql_rl() -> None:
    text = "@prefix : <http://e/> . :data(?x) :- :rule(?x), :in(?x, ?y) .  % RULE { } is not Datalog"

    assert not is_rule_set(text)
    assert len(parse_rules(text).rules) == 1


# -- imports ------------------------------------------------------------------------------------------------------


def test_imports_of_files_beside_and_below_are_read_once_in_circles(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    imports = "IMPORTS <b.srl> IMPORTS <lib/c.srl>"
    (tmp_path / "a.srl").write_text(f"{PREFIXES} {imports} RULE {{ ?x a :A }} WHERE {{ ?x a :B }}")
    (tmp_path / "b.srl").write_text(f"{PREFIXES} IMPORTS <a.srl> RULE {{ ?x a :B }} WHERE {{ ?x a :C }}")
    (tmp_path / "lib" / "c.srl").write_text(f"{PREFIXES} RULE {{ ?x a :C }} WHERE {{ ?x a :D }}")

    program = resolve_rules(str(tmp_path / "a.srl"))

    assert [str(rule.heads[0].arguments[2]) for rule in program.rules] == [f"<http://e/{x}>" for x in "BCA"]
    assert [rule.name.removeprefix(str(tmp_path)) for rule in program.rules] == ["/b.srl:4", "/lib/c.srl:4", "/a.srl:4"]


@pytest.mark.parametrize(
    ("iri", "reason"),
    [
        ("http://example.org/rules.srl", "it is not a file, and nothing is fetched"),
        ("file://host/rules.srl", "it is not a file, and nothing is fetched"),
        ("../other.srl", "it is outside of rules/"),
        ("missing.srl", "there is no such file"),
        ("link.srl", "it is outside of rules/"),
    ],
)
def test_import_of_anything_else_is_refused(tmp_path: Path, iri: str, reason: str) -> None:
    folder = tmp_path / "rules"
    folder.mkdir()
    (tmp_path / "other.srl").write_text("")
    (folder / "link.srl").symlink_to(tmp_path / "other.srl")
    (folder / "main.srl").write_text(f"IMPORTS <{iri}>")

    with pytest.raises(RuleError, match=reason) as raised:
        read_file(folder / "main.srl")

    assert (raised.value.line, raised.value.column) == (1, 1)


def test_circle_over_two_files_is_refused_at_its_rule(tmp_path: Path) -> None:
    rule = "RULE { ?x a :A } WHERE { ?x :p ?y NOT { ?x a :B } }"
    (tmp_path / "a.srl").write_text(f"{PREFIXES}IMPORTS <b.srl>\n{rule}")
    (tmp_path / "b.srl").write_text(f"{PREFIXES}RULE {{ ?x a :B }} WHERE {{ ?x a :A }}")

    with pytest.raises(StratificationError, match=r"a\.srl:5:1"):
        read_file(tmp_path / "a.srl")


def test_text_in_one_line_is_rules_and_no_path() -> None:
    assert len(resolve_rules("PREFIX : <http://e/> RULE { ?x a :C } WHERE { ?x a :D }").rules) == 1


def test_long_conditions_are_read_and_deep_ones_refused() -> None:
    many = " && ".join(f"?y != {number}" for number in range(2_000))
    program = read_text(f"{PREFIXES} RULE {{ ?x a :C }} WHERE {{ ?x :p ?y FILTER({many}) NOT {{ FILTER({many}) }} }}")
    assert parse_program(str(program)).rules == program.rules

    for deep in (" + ".join(["?y"] * 200), " + ".join(["?y"] * 20_000), "(" * 2_000, "!" * 2_000 + "?y"):
        with pytest.raises(RuleSyntaxError, match="deep"):
            read_text(f"{PREFIXES} RULE {{ ?x a :C }} WHERE {{ ?x :p ?y FILTER({deep} = 1) }}")
