"""RML mappings over CSV and JSON: the cases of the RML-Core test suite, and ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mapping.engines import Engine
from tests.mapping.rml import Case, case_quads, dataset, expected_dataset
from tests.mapping.rml_cases import CASES

IDS = [(case, case.formats[0]) for case in CASES]
AGAIN = [(case, form) for case in CASES for form in case.formats[1:]]


@pytest.mark.parametrize(("case", "form"), IDS, ids=[f"{case.name}-{form}" for case, form in IDS])
def test_a_mapping_makes_the_triples_of_its_case(
    case: Case, form: str, engine: Engine, tmp_path: Path
) -> None:
    quads = case_quads(engine, case, form, tmp_path)
    assert dataset(quads) == expected_dataset(case.expected, form), quads


@pytest.mark.again  # what differs between CSV and JSON are rows and references, not what is made of them
@pytest.mark.parametrize(("case", "form"), AGAIN, ids=[f"{case.name}-{form}" for case, form in AGAIN])
def test_a_mapping_over_another_format_makes_the_same(
    case: Case, form: str, engine: Engine, tmp_path: Path
) -> None:
    quads = case_quads(engine, case, form, tmp_path)
    assert dataset(quads) == expected_dataset(case.expected, form), quads
