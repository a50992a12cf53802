"""Rule sets that ship parsed: a document that says something else than its text, or counts for another one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.program import compiled_rule_sets
from kgreason.program.parser import parse_program
from kgreason.program.rules import Program, Rule
from kgreason_ontologies import compiled_rule_set, rule_set_names, rule_set_text
from tests.program.strategies import rules


def assert_same(left: Program, right: Program) -> None:
    """Equal programs, names and places of rules included, which equality ignores."""
    assert left == right
    assert [(rule.name, rule.position) for rule in left.rules] == [(rule.name, rule.position) for rule in right.rules]
    assert str(left) == str(right)


@pytest.mark.parametrize("name", rule_set_names())
def test_shipped_document_is_that_of_its_text(name: str) -> None:
    text = rule_set_text(name)
    program = parse_program(text, name)

    assert compiled_rule_set(name) == compiled_rule_sets.written(program, text), (
        "python -m kgreason.program.compiled_rule_sets writes the documents anew"
    )


@pytest.mark.parametrize("name", rule_set_names())
def test_shipped_document_reads_as_its_text_does(name: str) -> None:
    text, document = rule_set_text(name), compiled_rule_set(name)
    assert document is not None

    found = compiled_rule_sets.read(document, text, name)

    assert found is not None
    assert_same(found, parse_program(text, name))


@given(st.lists(rules(), max_size=4))
def test_all_that_rules_may_have_reads_back(some: list[Rule]) -> None:
    text = str(Program(tuple(some), {"ex": "http://example.org/"}))
    program = parse_program(text, "mine")

    found = compiled_rule_sets.read(compiled_rule_sets.written(program, text), text, "mine")

    assert found is not None
    assert_same(found, program)


def test_document_of_another_text_does_not_count() -> None:
    text = rule_set_text("rdfs")
    document = compiled_rule_set("rdfs")
    assert document is not None

    assert compiled_rule_sets.read(document, text + " ", "rdfs") is None


def test_unknown_rule_set_has_no_document() -> None:
    with pytest.raises(KeyError):
        compiled_rule_set("no such rules")
