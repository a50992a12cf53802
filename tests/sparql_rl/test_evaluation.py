"""Evaluation: would catch a rule that derives too much or too little, or whose conclusions a change leaves behind."""

from __future__ import annotations

import pytest

from kgreason.program.parser import parse_program
from kgreason.sparql_rl.documents import read_text
from tests.sparql_rl.evaluation_cases import CASES, PREFIXES, Case
from tests.sparql_rl.replay import replayed
from tests.sparql_rl.stores import canonical, inferred_of, store_with, triples_of

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@EACH
def test_rules_of_a_case_over_its_data_infer_what_it_says(case: Case) -> None:
    program = read_text(PREFIXES + case.rules)
    data, expected = triples_of(PREFIXES + case.data), triples_of(PREFIXES + case.inferred)

    knowledge = store_with(program, data)

    assert inferred_of(knowledge) == canonical(expected)
    knowledge._check()


@EACH
def test_data_of_a_case_added_and_removed_one_by_one_infers_what_it_does_anew(case: Case) -> None:
    replayed(read_text(PREFIXES + case.rules), triples_of(PREFIXES + case.data))


@EACH
def test_program_of_a_case_as_text_reads_back_as_it_is(case: Case) -> None:
    program = read_text(PREFIXES + case.rules)

    assert parse_program(str(program)).rules == program.rules


def test_every_inferred_triple_of_a_case_has_a_proof_that_names_its_rule() -> None:
    for case in CASES:
        knowledge = store_with(read_text(PREFIXES + case.rules), triples_of(PREFIXES + case.data))
        for chunk in knowledge.inferred().match(None, None, None):
            for row in zip(*(column.tolist() for column in chunk), strict=True):
                proof = knowledge.explain(*row)
                assert proof.steps[-1].rule.name.startswith(("rules:", "http://e/")), case.name
