"""Mappings that do not fit their sources, on Spark."""

from tests.mapping.test_rml_mapping import (  # noqa: F401  # they run with the engine of this folder
    test_a_constant_mapping_needs_no_source,
    test_a_mapping_that_does_not_fit_its_source,
    test_a_path_that_has_no_meaning_for_a_row,
    test_sources_that_cannot_be_read,
)
