"""Logical views, on Spark: would catch a row that a join loses, or makes twice."""

from __future__ import annotations

import pytest

from tests.mapping.test_logical_views import (  # noqa: F401  # they run with the engine of this folder
    test_a_bad_text_is_in_quarantine_and_the_rest_of_its_row_is_not,
    test_a_join_is_that_of_sql,
    test_a_view_has_all_combinations_of_its_fields,
    test_nodes_of_xml_are_records,
    test_rows_of_a_parent_that_cannot_be_read_are_in_quarantine,
    test_structs_of_parquet_are_records,
    test_what_a_view_does_not_have_is_refused,
)

pytestmark = pytest.mark.again  # tests/mapping has all of them
