"""Triples that the Arrow engine makes in executors and those of column expressions would differ, or lines be lost or
merged: across pieces and tasks, in joins of either kind, and in each compression."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from kgreason_mapping.documents.mapping_model import Dialect
from kgreason_mapping.quarantine_reasons import OPEN_QUOTE
from kgreason_spark import spark_tuning
from kgreason_spark.ingestion.arrow_scans import CsvRecords
from kgreason_spark.ingestion.mapped import MappedSources
from kgreason_spark.ingestion.source_frames import Sources
from kgreason_spark.pipeline import NTRIPLES, Outputs, run
from tests.benchmarks.gtfs_tables import mapping_text, write_tables
from tests.profiles import IS_THOROUGH
from tests.spark.conftest import small_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from kgreason_mapping.run_reports import Report

READERS = {
    "gzip": gzip.decompress,
    "zstd": lambda content: pa.input_stream(pa.BufferReader(content), compression="zstd").read(),
}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    write_tables(tmp_path / "raw", 300)
    with (tmp_path / "raw" / "STOPS.csv").open("a") as stops:
        stops.write("bad,no latitude,x,1\nshort\n")
    (tmp_path / "raw" / "mapping.ttl").write_text(mapping_text())
    return tmp_path / "raw"


@pytest.fixture
def many_tasks(quick_spark: SparkSession) -> SparkSession:
    """A session in which each file is read by several tasks, and each task has several batches."""
    settings = {
        "spark.sql.files.maxPartitionBytes": "12000",
        "spark.sql.leafNodeDefaultParallelism": "2",
        "spark.sql.execution.arrow.maxRecordsPerBatch": "50",
    }
    return small_session(quick_spark, settings)


def mapped(spark: SparkSession, raw: Path, out: Path, engine: str, compression: str) -> tuple[Report, Counter[bytes]]:
    source = MappedSources(raw / "mapping.ttl", Sources(directory=raw, engine=engine))
    report = run(spark, source, str(out), Outputs(encoded=False, ntriples=compression))
    content = b""
    for part in sorted((out / NTRIPLES).glob("part-*")):
        content += READERS.get(compression, bytes)(part.read_bytes())
    return report, Counter(content.split(b"\n"))


def test_lines_of_executors_are_those_of_columns(many_tasks: SparkSession, tables: Path, tmp_path: Path) -> None:
    expected, lines = mapped(many_tasks, tables, tmp_path / "columns", "columns", "gzip")
    assert set(expected.engines.values()) == {"columns"}

    for compression in ("gzip", "zstd", "none") if IS_THOROUGH else ("gzip",):
        report, found = mapped(many_tasks, tables, tmp_path / compression, "auto", compression)

        assert set(report.engines.values()) == {"arrow"}
        assert found == lines
        assert report.lines_written == 300 * 6 + 1300 * 4 + 3 + 13 * 4 + 8 * 3
        assert (report.sources, report.quarantined) == (expected.sources, expected.quarantined)
        assert sum(report.quarantined.values()) == 2


def test_joins_with_large_parents_are_the_same(
    quick_spark: SparkSession, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, lines = mapped(quick_spark, tables, tmp_path / "sent", "auto", "none")
    monkeypatch.setattr(spark_tuning, "PARENT_ROWS", 100)
    other, joined = mapped(quick_spark, tables, tmp_path / "joined", "auto", "none")

    assert joined == lines
    assert other.sources == report.sources


@pytest.mark.parametrize("quote", ['"', "'"])
def test_a_record_with_an_open_quote_does_not_take_in_the_next_one(quote: str) -> None:
    rows = ["1,plain", f"2,{quote}open", "3,plain", f"4,x{quote}y,{quote}a", f"5,{quote}closed{quote}"]
    records = pa.record_batch([pa.array(rows)], ["value"])

    (parsed,) = CsvRecords(("id", "name"), frozenset(), Dialect(quote=quote))(iter([records]))

    assert parsed.values("id").texts.to_pylist() == ["1", "3", "5"]
    assert [fault.reason for fault in parsed.faults] == [OPEN_QUOTE, OPEN_QUOTE]
