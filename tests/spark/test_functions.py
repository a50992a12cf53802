"""Functions of mappings, on Spark."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from tests.mapping.test_functions import (  # noqa: F401  # they run with the engine of this folder
    test_a_condition_leaves_out_what_it_stands_at,
    test_a_function_of_many_values_makes_one_of_each,
    test_a_join_finds_the_blank_nodes_of_rows_whose_subject_has_a_condition,
    test_a_join_gives_blank_nodes_with_a_condition_the_label_of_their_graph,
    test_blank_nodes_of_many_values_with_a_condition_are_those_of_their_graph,
    test_calls_are_nested_and_stand_in_every_position,
    test_each_function_makes_what_it_is_defined_to,
    test_what_a_function_does_not_take_is_in_quarantine,
)
from tests.spark.spark_engine import SparkEngine


def test_column_expressions_tell_blank_nodes_of_graphs_apart(quick_spark: SparkSession, tmp_path: Path) -> None:
    engine = SparkEngine(quick_spark, "columns")

    test_blank_nodes_of_many_values_with_a_condition_are_those_of_their_graph(engine, tmp_path)
