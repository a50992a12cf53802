"""The cases of mappings, on Spark. Would catch rows that are lost, joined wrongly or made twice between executors.

What becomes of a row of CSV is the Arrow engine's, in executors as on this machine: `tests.mapping` asks all of that,
and here a share is asked. All joins and all that column expressions make are asked here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mapping.engines import Engine
from tests.mapping.rml import Case, case_quads, dataset, expected_dataset
from tests.mapping.rml_cases import CASES
from tests.mapping.test_rml_cases import (  # noqa: F401  # they run with the engine of this folder
    test_a_mapping_over_another_format_makes_the_same,
)

FIRST = [(case, case.formats[0]) for case in CASES]
IN_EXECUTORS = [(case, form) for case, form in FIRST if form == "csv" and "joinCondition" not in case.mapping]
OF_SPARK = [each for each in FIRST if each not in IN_EXECUTORS]


@pytest.mark.parametrize(("case", "form"), OF_SPARK, ids=[f"{case.name}-{form}" for case, form in OF_SPARK])
def test_a_mapping_that_spark_translates_makes_the_triples_of_its_case(
    case: Case, form: str, engine: Engine, tmp_path: Path
) -> None:
    quads = case_quads(engine, case, form, tmp_path)
    assert dataset(quads) == expected_dataset(case.expected, form), quads


@pytest.mark.again
@pytest.mark.parametrize(("case", "form"), IN_EXECUTORS, ids=[f"{case.name}-{form}" for case, form in IN_EXECUTORS])
def test_a_mapping_of_rows_makes_the_triples_of_its_case(
    case: Case, form: str, engine: Engine, tmp_path: Path
) -> None:
    quads = case_quads(engine, case, form, tmp_path)
    assert dataset(quads) == expected_dataset(case.expected, form), quads
