"""The cases of mappings, on Spark."""

from tests.mapping.test_rml_cases import (  # noqa: F401  # they run with the engine of this folder
    test_a_mapping_makes_the_triples_of_its_case,
    test_a_mapping_over_another_format_makes_the_same,
)
