"""Rows that cannot be triples, on Spark."""

from tests.mapping.test_rml_quarantine import (  # noqa: F401  # they run with the engine of this folder
    bad_terms,
    test_a_bad_term_is_in_quarantine_and_takes_only_its_own_triples_along,
    test_a_good_row_makes_all_its_triples,
    test_a_line_feed_at_the_end_is_seen,
    test_a_long_iri_takes_no_stack,
    test_a_malformed_document_is_one_row,
    test_an_array_or_an_object_where_a_value_is_referred_to,
    test_malformed_csv_rows,
    test_malformed_json_lines_and_values_that_are_none,
    test_nothing_is_uncounted,
    test_values_that_joins_cannot_compare,
)
