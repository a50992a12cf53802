"""RML mappings over CSV and JSON: the cases of the RML-Core test suite, and ours."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from tests.spark.rml import Case, case_quads, dataset, expected_dataset
from tests.spark.rml_cases import CASES

IDS = [(case, form) for case in CASES for form in case.formats]


@pytest.mark.parametrize(("case", "form"), IDS, ids=[f"{case.name}-{form}" for case, form in IDS])
def test_a_mapping_makes_the_triples_of_its_case(
    case: Case, form: str, quick_spark: SparkSession, tmp_path: Path
) -> None:
    quads = case_quads(quick_spark, case, form, tmp_path)
    assert dataset(quads) == expected_dataset(case.expected, form), quads
