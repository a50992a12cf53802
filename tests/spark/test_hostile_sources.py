"""Sources of strangers, on Spark."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession, functions

from kgreason_mapping.quarantine_reasons import MALFORMED_JSON
from tests.mapping.test_hostile_sources import (  # noqa: F401  # they run with the engine of this folder
    LONG,
    in_time,
    objects,
    test_csv_with_thousands_of_columns,
    test_lines_of_json,
    test_mapping_that_is_not_utf_8,
    test_most_that_a_mapping_may_ask,
    test_numbers_of_csv,
    test_rows_of_csv,
    test_source_or_mapping_is_refused_with_its_place,
)
from tests.spark.spark_engine import SparkEngine


@pytest.mark.skipif(not hasattr(functions, "try_parse_json"), reason="Spark 3.5 reads JSON by the other engine")
def test_long_names_of_json_are_refused_by_column_expressions(quick_spark: SparkSession, tmp_path: Path) -> None:
    content = b'{"id":1,"a":3,"' + b"x" * LONG + b'":1}'

    assert objects(SparkEngine(quick_spark, "columns"), tmp_path, "a.jsonl", content) == [MALFORMED_JSON]
