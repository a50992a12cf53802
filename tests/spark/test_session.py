"""The session: what is missing is said in one line, and the packages that executors get can be imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from kgreason.errors import SparkError
from kgreason.io.term_tables import TableOptions
from kgreason_spark.executor_packages import pack
from kgreason_spark.ingestion.whole_files import whole_files
from kgreason_spark.session import check_java, compile_plans, java_version, session_for_few
from kgreason_spark.sources.parquet_lines import table_lines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def fake_java(home: Path, says: str) -> None:
    """A Java that only tells its version."""
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    (home / "bin" / "java").chmod(0o755)


def test_versions() -> None:
    assert java_version('openjdk version "17.0.15" 2025-04-15') == 17
    assert java_version('java version "1.8.0_432"') == 8
    assert java_version('openjdk version "25" 2025-09-16') == 25
    assert java_version("Segmentation fault") == 0


def test_java_of_this_machine() -> None:
    check_java()


@pytest.mark.parametrize(
    ("says", "reason"),
    [('openjdk version "11.0.2"', "is version 11"), ("what?", "does not work")],
)
def test_old_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, reason: str) -> None:
    fake_java(tmp_path, says)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkError, match=f"Java 17 or newer.* {reason}.*apt-get install openjdk-17-jre-headless"):
        check_java()


def test_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkError, match=r"there is none in JAVA_HOME=.*: apt-get install"):
        check_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SparkError, match="there is none: apt-get install"):
        check_java()


def test_no_pyspark() -> None:
    code = """
import sys
sys.modules["pyspark"] = None
from kgreason.cli import main
main()
"""
    arguments = ["spark", "ingest", "--input", "/", "--output", "/nowhere"]
    command = [sys.executable, "-c", code, *arguments]
    finished = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert finished.returncode == 1
    assert finished.stderr.startswith("kgreason: pyspark is not installed")
    assert finished.stderr.endswith(": pip install kgreason[spark]\n")
    assert finished.stderr.count("\n") == 1


def test_shipped_packages(tmp_path: Path) -> None:
    pack(tmp_path / "kgreason.zip")
    code = """
import kgreason, kgreason_ontologies, kgreason_spark.frames
for module in (kgreason, kgreason_ontologies, kgreason_spark):
    assert "kgreason.zip" in module.__file__, module.__file__
"""
    command = [sys.executable, "-c", code]
    environment = {"PYTHONPATH": str(tmp_path / "kgreason.zip")}
    subprocess.run(command, env=environment, cwd=tmp_path, check=True, timeout=60)


def test_a_session_for_few_rows_has_settings_of_its_own(compiling_spark: SparkSession) -> None:
    compiling_spark.conf.set("kgreason.test", "kept")
    few = session_for_few(compiling_spark)
    assert few.conf.get("kgreason.test") == "kept"
    assert few.conf.get("spark.sql.codegen.wholeStage") == "false"
    assert compiling_spark.conf.get("spark.sql.codegen.wholeStage") == "true"
    compiling_spark.conf.unset("kgreason.test")


def test_a_session_for_few_rows_compiles_plans_when_rows_are_many(compiling_spark: SparkSession) -> None:
    few = session_for_few(compiling_spark)
    names = ("spark.sql.codegen.wholeStage", "spark.sql.shuffle.partitions", "spark.sql.leafNodeDefaultParallelism")

    compile_plans(few, compiling_spark)

    expected = [compiling_spark.conf.get(name) for name in names]
    assert [few.conf.get(name) for name in names] == expected == ["true", "4", None]


def test_files_are_read_with_the_settings_of_the_caller(spark: SparkSession, tmp_path: Path) -> None:
    """Notebooks set the credentials of file systems in their sessions."""
    session = spark.newSession()
    session.conf.set("fs.s3a.access.key", "key")
    (tmp_path / "a.xml").write_text("<a/>")
    triples = session.createDataFrame([("a:s", "a:p", "a:o")], "s string, p string, o string")
    triples.coalesce(1).write.parquet(str(tmp_path / "t"))
    (table,) = map(str, tmp_path.glob("t/*.parquet"))

    frames = [whole_files(session, [(tmp_path / "a.xml").as_uri()]), *table_lines(session, [table], TableOptions())]

    assert [frame.sparkSession.conf.get("fs.s3a.access.key", None) for frame in frames] == ["key", "key"]
