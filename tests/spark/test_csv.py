"""CSV on Spark, cut into pieces that many tasks share."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from kgreason_mapping import quarantine_reasons as R
from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_spark.ingestion.csv_rows import csv_rows
from tests.mapping.test_csv import (  # noqa: F401  # they run with the engine of this folder
    HEADER,
    by_python,
    read,
    test_a_folder_where_one_file_has_a_line_break,
    test_bytes_that_are_not_of_the_encoding,
    test_dialect_is_read_as_python_reads_it,
    test_dialect_without_header_with_comments_and_skipped_lines,
    test_files_are_read_as_python_reads_them,
    test_header_with_a_line_break,
    test_headers_of_files_differ,
    test_other_encoding,
    test_quotation_mark_that_is_never_closed,
    test_ragged_rows_and_text_behind_quotation_marks,
    test_random_tables_come_out_as_they_went_in,
    test_random_text_is_read_as_python_reads_it_or_told,
    written,
)
from tests.spark.conftest import small_session
from tests.spark.spark_engine import SparkEngine


def test_a_large_file_that_many_tasks_share(quick_spark: SparkSession, tmp_path: Path) -> None:
    """Splits of 1,000 bytes begin anywhere in quoted fields; a file without line breaks is still split."""
    rows = [HEADER, *([str(n), f'a{n}, "quoted"' * (n % 7), "x"] for n in range(500))]
    whole = written(rows)
    broken = written([*rows, ["500", "\n1,2,3\nid,text,n\n" * 200, ""], *rows])
    (tmp_path / "whole.csv").write_bytes(whole.encode())
    (tmp_path / "broken.csv").write_bytes(broken.encode())
    # A partition for each piece of a file, where the other tests have one for each file.
    pieces = {"spark.sql.files.maxPartitionBytes": "1000", "spark.sql.leafNodeDefaultParallelism": "4"}
    session = small_session(quick_spark, pieces)

    assert read(SparkEngine(session), tmp_path / "whole.csv") == (by_python(whole), [])
    assert read(SparkEngine(session), tmp_path / "broken.csv") == (by_python(broken), [])
    frames = [csv_rows(session, str(tmp_path / name), name, frozenset(), Dialect()).frame for name in
              ("whole.csv", "broken.csv")]  # fmt: skip
    assert frames[0].rdd.getNumPartitions() > 10
    assert frames[1].rdd.getNumPartitions() == 1


def test_a_file_whose_name_looks_escaped_is_not_taken_for_another(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a%20b.csv").write_text("id,text\n1,this\n")
    (tmp_path / "a b.csv").write_text("id,text\n1,other\n")

    for multiline in (None, True):
        assert read(SparkEngine(quick_spark), tmp_path / "a%20b.csv", multiline=multiline) == ([("1", "this")], [])


def test_owner_who_knows_that_no_field_has_a_line_break(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,text,n\n1,"left open,3\n2,b,5\nid,text,n\n')

    good = [("2", "b", "5"), ("id", "text", "n")]
    assert read(SparkEngine(quick_spark), tmp_path / "a.csv", multiline=False) == (good, [R.OPEN_QUOTE])
