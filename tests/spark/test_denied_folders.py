"""Folders that may not be entered, on Spark: would catch an error of Java's, a reason that is another one, and half an
output. Root may enter all folders, so these tests need another user."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import DataFrame, SparkSession
from typer.testing import CliRunner

from kgreason.cli.app import app
from kgreason.errors import KGReasonError
from kgreason_spark import as_triples, ingest, materialise, read_encoded, read_ntriples, write_encoded, write_ntriples

SUBCLASS: Final = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
ROWS: Final = [(f"http://e/C{n}", SUBCLASS, f"http://e/C{n + 1}") for n in range(5)]
MAPPING: Final = """@prefix rml: <http://w3id.org/rml/> . <#m> rml:logicalSource [ rml:source 'rows.csv' ];
  rml:subjectMap [ rml:reference 's' ];
  rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference 'o' ] ] ."""


@pytest.fixture
def triples(quick_spark: SparkSession) -> DataFrame:
    return as_triples(quick_spark.createDataFrame(ROWS, "s string, p string, o string"))


@pytest.fixture
def close(tmp_path: Path) -> Iterator[Callable[[Path], None]]:
    """Takes all permissions from a folder until the end of the test."""
    closed: list[Path] = []

    def take(folder: Path) -> None:
        closed.append(folder)
        folder.chmod(0)
        if os.access(folder, os.R_OK):
            pytest.skip("this user may enter every folder")

    yield take
    for folder in closed:
        folder.chmod(0o755)


def refused(run: Callable[[], Any], folder: Path, target: Path) -> None:
    """One line names the folder and the reason, and nothing is left."""
    with pytest.raises(KGReasonError, match=r"[Pp]ermission") as caught:
        run()
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [one for one in target.rglob("*") if one.is_file()] == []


READERS: Final[dict[str, Callable[[Path, SparkSession], DataFrame]]] = {
    "a folder of lines": lambda folder, spark: read_ntriples(folder, session=spark),
    "a file of lines": lambda folder, spark: read_ntriples(folder / "a.nt", session=spark),
    "encoded triples": lambda folder, spark: read_encoded(folder, session=spark),
    "rows of a mapping": lambda folder, spark: ingest(folder.parent / "m.ttl", directory=folder, session=spark).quads,
    "rows of a table": lambda folder, spark: ingest(
        folder.parent / "m.ttl", {"rows.csv": folder / "rows.parquet"}, session=spark
    ).quads,
    "triples of an earlier ingestion": lambda folder, spark: ingest(
        folder.parent / "m.ttl", directory=folder.parent, since=folder, session=spark
    ).quads,
}


@pytest.mark.parametrize("reader", READERS)
def test_source_in_a_folder_without_permission(
    reader: str, quick_spark: SparkSession, close: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "m.ttl").write_text(MAPPING)
    (tmp_path / "rows.csv").write_text("s,o\nhttp://e/s,o\n")
    close(folder)

    refused(lambda: write_ntriples(READERS[reader](folder, quick_spark), tmp_path / "out"), folder, tmp_path / "out")


@pytest.mark.parametrize("writer", [write_ntriples, write_encoded])
@pytest.mark.parametrize("mode", [0o000, 0o555])
def test_target_in_a_folder_without_permission(
    writer: Any, mode: int, triples: DataFrame, close: Callable[[Path], None], tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    close(folder)
    folder.chmod(mode)

    refused(lambda: writer(triples, folder / "new"), folder, tmp_path / "nothing")
    folder.chmod(0o755)
    assert not list(folder.iterdir())


@pytest.mark.parametrize("part", ["", "explicit/triples", "inferred/triples", "inferred/dictionary"])
def test_what_followed_before_in_a_folder_without_permission(
    part: str, triples: DataFrame, close: Callable[[Path], None], tmp_path: Path
) -> None:
    before, out = tmp_path / "before", tmp_path / "out"
    materialise(triples, "rdfs", directory=before)
    close(before / part)

    refused(
        lambda: materialise(triples.limit(3), "rdfs", directory=out, since=before, local_facts=0), before, out
    )


def test_commands(spark: SparkSession, triples: DataFrame, close: Callable[[Path], None], tmp_path: Path) -> None:
    write_encoded(triples, tmp_path / "encoded")
    (tmp_path / "a.nt").write_text("<http://e/s> <http://e/p> <http://e/o> .\n")
    (tmp_path / "closed").mkdir()
    close(tmp_path / "closed")
    closed, out = str(tmp_path / "closed"), str(tmp_path / "out")

    for arguments in (
        ["ingest", "--input", closed, "--output", out],
        ["ingest", "--input", str(tmp_path / "a.nt"), "--output", f"{closed}/out"],
        ["materialise", closed, "--output", out],
        ["materialise", str(tmp_path / "encoded"), "--output", f"{closed}/out"],
    ):
        result = CliRunner().invoke(app, ["spark", *arguments])
        assert (result.exit_code in (1, 2), result.stdout) == (True, "")
        assert result.stderr.startswith("kgreason: ")
        assert result.stderr.count("\n") == 1
        assert "ermission" in result.stderr
        assert closed in result.stderr
    assert not (tmp_path / "out").exists()
