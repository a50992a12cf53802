"""``kgreason spark materialise``: what cannot be read gives one line, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from kgreason.cli.app import app
from tests.spark.cases import CASES, local
from tests.spark.distributed import encode_base

NAME = "recursion through two relations"


def materialise(source: Path, output: Path) -> Result:
    """Run the command, in the session of the tests."""
    arguments = ["spark", "materialise", str(source), "--rules", "owl-rl", "--output", str(output)]
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("section", ["dictionary", "triples"])
@pytest.mark.parametrize("how", ["cut off", "something else"])
def test_a_file_that_cannot_be_read(spark: SparkSession, tmp_path: Path, section: str, how: str) -> None:
    data = encode_base(tmp_path / "data", local(*CASES[NAME]))
    spoilt = sorted((data / section).rglob("*.parquet"))[0]
    spoilt.write_bytes(spoilt.read_bytes()[:-7] if how == "cut off" else b"not Parquet at all, but long enough")
    failed = materialise(data, tmp_path / "out")
    assert (failed.exit_code, failed.stdout) == (1, ""), failed.exception
    assert failed.stderr.startswith(f"kgreason: cannot read {spoilt}: "), failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_directory_that_is_no_encoded_triples(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    failed = materialise(tmp_path / "data", tmp_path / "out")
    missing = f"kgreason: cannot read {tmp_path}/data/manifest.json: no such file or directory\n"
    assert (failed.exit_code, failed.stderr) == (1, missing)
    (tmp_path / "data" / "manifest.json").write_text("{")
    failed = materialise(tmp_path / "data", tmp_path / "out")
    assert failed.exit_code == 1
    assert failed.stderr.startswith(f"kgreason: {tmp_path}/data/manifest.json: "), failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()
