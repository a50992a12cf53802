"""``kgreason spark materialise``: what cannot be read gives one line, and leaves nothing behind; defective lists."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from kgreason.cli.app import app
from kgreason.errors import ListWarning
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import OWL, RDF
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import add, ex
from tests.spark.cases import CASES, local
from tests.spark.distributed import encode_base, keys

NAME = "recursion through two relations"


def materialise(source: Path, output: Path, *more: str) -> Result:
    """Run the command, in the session of the tests."""
    arguments = ["spark", "materialise", str(source), "--rules", "owl-rl", "--output", str(output), *more]
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("section", ["dictionary", "triples"])
@pytest.mark.parametrize(
    ("how", "limit"), [("cut off", ()), ("something else", ()), ("something else", ("--local-facts", "0"))]
)
def test_a_file_that_cannot_be_read(
    spark: SparkSession, tmp_path: Path, section: str, how: str, limit: tuple[str, ...]
) -> None:
    data = encode_base(tmp_path / "data", local(*CASES[NAME]))
    spoilt = sorted((data / section).rglob("*.parquet"))[0]
    spoilt.write_bytes(spoilt.read_bytes()[:-7] if how == "cut off" else b"not Parquet at all, but long enough")
    failed = materialise(data, tmp_path / "out", *limit)
    assert (failed.exit_code, failed.stdout) == (1, ""), failed.exception
    assert failed.stderr.startswith(f"kgreason: {spoilt}: cannot be read: "), failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_directory_that_is_no_encoded_triples(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    failed = materialise(tmp_path / "data", tmp_path / "out")
    missing = f"kgreason: {tmp_path}/data/manifest.json: cannot be read: no such file or directory\n"
    assert (failed.exit_code, failed.stderr) == (1, missing)
    (tmp_path / "data" / "manifest.json").write_text("{")
    failed = materialise(tmp_path / "data", tmp_path / "out")
    assert failed.exit_code == 1
    assert failed.stderr.startswith(f"kgreason: {tmp_path}/data/manifest.json: "), failed.stderr
    assert failed.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_list_that_is_cut_off(spark: SparkSession, tmp_path: Path) -> None:
    """What follows is what follows in a store: nothing by the axiom, all else."""
    first, rest, union = IRI(RDF + "first"), IRI(RDF + "rest"), IRI(OWL + "unionOf")
    base = KnowledgeBase("owl-rl")
    add(base, (ex("C"), union, ex("l0")), (ex("l0"), first, ex("A")), (ex("l0"), rest, ex("l1")))
    add(base, (ex("D"), union, ex("m0")), (ex("m0"), first, ex("A")), (ex("m0"), rest, IRI(RDF + "nil")))
    add(base, (ex("l1"), first, ex("B")), (ex("x"), IRI(RDF + "type"), ex("A")))
    with pytest.warns(ListWarning) as told:
        expected = keys(base, base.all())
    data, report = encode_base(tmp_path / "data", base), tmp_path / "report.json"
    failed = materialise(data, tmp_path / "out", "--strict")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr == f"kgreason: {told[0].message}\n"
    assert not (tmp_path / "out").exists()
    done = materialise(data, tmp_path / "out", "--report", str(report))
    assert done.exit_code == 0, done.output
    assert done.stderr == f"kgreason: warning: {told[0].message}\n"
    assert json.loads(report.read_text())["lists"] == [str(told[0].message)]
    assert json.loads(report.read_text())["inferred"] == len(expected) - len(base.explicit())
