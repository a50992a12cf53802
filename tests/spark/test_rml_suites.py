"""The public suites of mappings, on Spark."""

from tests.mapping.test_rml_suites import (  # noqa: F401  # they run with the engine of this folder
    test_case,
)
