"""Functions of mappings, on Spark."""

from tests.mapping.test_functions import (  # noqa: F401  # they run with the engine of this folder
    test_a_condition_leaves_out_what_it_stands_at,
    test_a_function_of_many_values_makes_one_of_each,
    test_calls_are_nested_and_stand_in_every_position,
    test_each_function_makes_what_it_is_defined_to,
    test_what_a_function_does_not_take_is_in_quarantine,
)
