"""Databases as sources of mappings, on Spark: would catch an answer that is lost, or read twice, between tasks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from pyspark.sql import SparkSession

from kgreason_mapping.documents import parse_mapping
from kgreason_spark import spark_tuning
from tests.mapping.rml import PREFIXES
from tests.mapping.test_databases import (  # noqa: F401  # they run with the engine of this folder
    EXPECTED,
    MAPPING,
    TABLES,
    _query,
    _triples,
    place,
    server,
    test_a_database_is_opened_only_where_the_owner_names_it,
    test_a_value_outside_the_declared_type_of_its_column_is_in_quarantine,
    test_tables_and_queries_of_each_database_make_the_same_triples,
)
from tests.spark.spark_engine import SparkEngine


def test_a_parent_too_large_for_executors_is_joined_by_spark(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_tuning, "PARENT_ROWS", 0)
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES.replace(":bytes", r"'\x0A\xFF'"))
    made = SparkEngine(quick_spark)(parse_mapping(PREFIXES + MAPPING), database=str(path))
    assert _triples(made) == EXPECTED


@pytest.mark.parametrize("given", ["a.db", "sqlite:///a.db"])
def test_a_path_is_relative_to_the_working_directory_of_the_driver(
    quick_spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    """The workers of Python are older than the change of directory."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("a.db")) as connection:
        connection.executescript("CREATE TABLE t (v TEXT); INSERT INTO t VALUES ('x')")
    made = SparkEngine(quick_spark)(parse_mapping(PREFIXES + _query("SELECT v FROM t")), database=given)
    assert [o for _, _, o, _ in made.quads] == ['"x"']


def test_a_frame_stands_for_a_table_whose_columns_are_named_in_sql(quick_spark: SparkSession) -> None:
    mapping = """<#m> rr:logicalTable [ rr:tableName "team" ]; rr:subjectMap [ rr:template "http://example.com/{ID}" ];
      rr:predicateObjectMap [ rr:predicate ex:title; rr:objectMap [ rr:column '"title"' ] ] ."""
    teams = quick_spark.createDataFrame([(10, "Analysts")], "id int, title string")
    made = SparkEngine(quick_spark)(parse_mapping(PREFIXES + mapping), inputs={"team": teams})
    assert _triples(made) == {("10", "title", '"Analysts"')}
