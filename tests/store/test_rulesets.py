"""What a user may give as rules: names, texts, files, programs, and lists of these."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgreason.algebra.expressions.tree import Variable
from kgreason.errors import RuleError, RuleSyntaxError, UnknownRuleSetError, UnsafeRuleError
from kgreason.program.parser import parse_program
from kgreason.program.rules import FactAtom, Program, Rule
from kgreason.store.rule_sets import resolve_rules
from kgreason_ontologies import rule_set_names

TEXT = "q(?x) :- r(?x) ."
RULE = Rule((FactAtom("q", (Variable("x"),)),), (FactAtom("r", (Variable("x"),)),))


@pytest.mark.parametrize("name", rule_set_names())
def test_name_gives_rules_with_their_places(name: str) -> None:
    program = resolve_rules(name)
    assert bool(program.rules) == (name != "none")
    assert all(rule.position is not None and rule.position.source == name for rule in program.rules)


@pytest.mark.parametrize(
    "text", [TEXT, f"\n{TEXT}\n", "q(?x):-r(?x).", "RP1(X) :- RP2(X)", "[<urn:a>, <urn:b>, 1] .", "", "\n"]
)
def test_text_is_parsed(text: str) -> None:
    assert resolve_rules(text) == parse_program(text)


@pytest.mark.parametrize("name", ["mine.dl", "mine (1).dl", "owl-rl.txt", "no extension"])
def test_file_of_rules_is_read_with_its_places(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TEXT, encoding="utf-8")
    for given in (path, str(path)):
        program = resolve_rules(given)
        assert program.rules == (RULE,)
        assert str(program.rules[0].position) == f"{path}:1:1"


def test_programs_and_lists() -> None:
    program = Program((RULE,), {"ex": "http://e/"})
    assert resolve_rules(program) is program
    other = "@prefix p: <urn:p:> . p:c(p:d) ."
    both = resolve_rules([program, other, "none"])
    assert both.rules == (RULE, *parse_program(other).rules)
    assert both.prefixes == {"ex": "http://e/", "p": "urn:p:"}
    assert resolve_rules([]) == Program(())


@pytest.mark.parametrize("name", ["owl-lr", "OWL-RL", "x" * 5000, "null\0byte"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(UnknownRuleSetError, match="not a rule set") as caught:
        resolve_rules(name)
    assert all(known in str(caught.value) for known in rule_set_names())


def test_path_of_no_file() -> None:
    with pytest.raises(UnknownRuleSetError, match=r"^no/such/file\.dl: no such file$"):
        resolve_rules("no/such/file.dl")


def test_errors_in_what_is_there(tmp_path: Path) -> None:
    with pytest.raises(RuleSyntaxError, match=r"^rules:1:15: "):
        resolve_rules("q(?x) :- r(?x)")
    with pytest.raises(UnsafeRuleError, match=r"^rules:1:1: "):
        resolve_rules(["none", "q(?x) :- r(?y) ."])
    with pytest.raises(RuleError, match=r"absent\.dl: the rules cannot be read"):
        resolve_rules(tmp_path / "absent.dl")
