"""Written rule sets: would catch a text that says something else than the program that it was made of."""

from __future__ import annotations

import pytest

from kgreason.cli.error_lines import DATA_PROBLEM
from kgreason.program.parser import parse_program
from kgreason.sparql_rl.documents import read_text
from kgreason.sparql_rl.writer import write_rule_set
from kgreason.store.rule_sets import resolve_rules
from kgreason_ontologies import rule_set_names
from tests.cli.command_runs import run, succeed
from tests.sparql_rl.evaluation_cases import CASES, PREFIXES, Case
from tests.sparql_rl.stores import inferred_of, store_with, triples_of

BY_RELATIONS = {
    "an assigned predicate", "triple terms taken apart", "NOT of one pattern of the same predicate",
    "a class that only a variable predicate binds", "an assigned end of a variable predicate",
    "a blank node is no term of a pattern",
}  # fmt: skip
"""The cases whose programs have relations that are no triples."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_program_of_a_case_as_sparql_rl_infers_the_same(case: Case) -> None:
    program, data = read_text(PREFIXES + case.rules), triples_of(PREFIXES + case.data)

    written = write_rule_set(program)

    if any(reason.startswith("the relation ") for _, reason in written.left_out):
        assert case.name in BY_RELATIONS
        return
    assert not written.left_out
    assert inferred_of(store_with(read_text(written.text), data)) == inferred_of(store_with(program, data))


@pytest.mark.parametrize("name", ["rdfs", "rdfs-plus", "skos", "owl-rl-full"])
def test_rules_of_a_rule_set_that_are_written_read_back_as_they_are(name: str) -> None:
    program = resolve_rules(name)

    written = write_rule_set(program)

    left_out = [rule for rule, _ in written.left_out]
    found = read_text(written.text).rules
    assert len(found) == len({*found})
    assert {*found} == {rule for rule in program.rules if rule not in left_out}
    assert all(
        any(part in reason for part in ("integrity condition", "RDF lists", "which is not a triple"))
        for _, reason in written.left_out
    )


def test_rules_of_every_rule_set_are_written_or_named() -> None:
    for name in rule_set_names():
        program = resolve_rules(name)
        lines = write_rule_set(program).text.splitlines()
        said = [line for line in lines if line.startswith(("RULE", "DATA")) or "not in SPARQL-RL" in line]
        assert len(said) == len(program.rules)


REASONS = [
    ("false :- ex:a(?x) .", "an integrity condition"),
    ("ex:n(?x, #count(?y)) :- ex:p(?x, ?y) .", "an aggregate"),
    ("ex:a(?x) :- ex:l(?y, ?l), member(?l, ?i, ?x) .", "an atom about RDF lists"),
    ("r(?x, ?y) :- ex:p(?x, ?y) .", "the relation r, which is not a triple"),
    ("ex:a(?x) :- r(?x, ?y) .", "the relation r, which is not a triple"),
    ("ex:a(?x) :- ex:p(?x, _:b) .", "a blank node in a body"),
    ("ex:p(?x, _:b) :- ex:a(?x) .", "a blank node of the rule set in a head"),
    ("ex:a(?x) :- asserted-triple(?x, ex:p, ?y), ex:b(?y) .", "asserted triples alone beside others"),
]


@pytest.mark.parametrize(("text", "reason"), REASONS)
def test_rule_that_the_language_cannot_say_is_named_with_the_reason(text: str, reason: str) -> None:
    program = parse_program(f"@prefix ex: <http://e/> .\n{text}")

    written = write_rule_set(program)

    assert [why.startswith(reason) for _, why in written.left_out] == [True]
    assert f"a rule is not in SPARQL-RL: {reason}" in written.text
    assert read_text(written.text).rules == ()


def test_expressions_read_back_as_they_are() -> None:
    program = parse_program("""@prefix ex: <http://e/> .
        ex:r(?x, ?v) :- ex:p(?x, ?y), ex:q(?x, ?z), ?w = -?y * 2 + strlen(?z), ?v = if(?w > 3 || !(?z = "a"), ?w, 0),
            FILTER(in(?y, 1, 2, -3)), FILTER(notin(?z, "b")), samevalue(?y, ?w),
            xsd:integer(?z) < 1.5e3, STR(?z) = "\\"\\n"@en--rtl .
        ex:t(?x, <<( ex:a ex:b "c"@en )>>) :- ex:p(?x, "1"^^xsd:byte), ?x != <<( ex:a ex:b <http://f/a-b> )>> .
    """)

    assert read_text(write_rule_set(program).text).rules == program.rules


def test_command_writes_rule_sets_in_both_languages() -> None:
    datalog = succeed("rules", "--rules", "rdfs")
    assert parse_program(datalog).rules == resolve_rules("rdfs").rules

    assert read_text(succeed("rules", "--rules", "rdfs", "--to", "sparql-rl")).rules == resolve_rules("rdfs").rules

    result = run("rules", "--rules", "skos", "--to", "sparql-rl")
    assert (result.exit_code, result.stderr) == (DATA_PROBLEM, "11 of 59 rules are not in SPARQL-RL\n")
