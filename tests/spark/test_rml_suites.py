"""The public suites of mappings, on Spark."""

from tests.mapping.test_rml_suites import (  # noqa: F401  # they run with the engine of this folder
    server,
    test_case,
    test_case_of_a_database,
)
