"""``kgreason spark ingest``: outputs, quarantine, the report, and what is refused."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from kgreason.cli.app import app
from tests.spark.test_materialisation_job import INTERPRETED
from tests.spark.versions import broken_off
from tests.spark.written_output import quads_of, read_encoded

LINES = """
<a:s> <a:p> <a:o> .
<a:s> <a:p> <a:o> .
<a:s> <a:p> "x\\ny"@EN .
# a comment
"x" <a:p> <a:o> .
<a:s> <p> <a:o> .
<a:s> <a:p> <o> .
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    """A folder with good and bad lines."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.nt").write_text(LINES)
    (tmp_path / "in" / "b.nq").write_text("<a:s> <a:p> <a:o> <a:g> .\n")
    return str(tmp_path / "in")


def ingest(*arguments: str) -> Result:
    """Run the command, in the session of the tests."""
    return CliRunner().invoke(app, ["spark", "ingest", *arguments])


def test_everything(spark: SparkSession, source: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    out = tmp_path / "out"
    result = ingest("--input", source, "--output", str(out), "--format", "both", "--report", str(report))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "a.nt\t6\t3\t3\n" in result.stdout
    found = json.loads(report.read_text())
    assert found["sources"] == {
        "a.nt": {"rows": 6, "triples": 3, "quarantined": 3},
        "b.nq": {"rows": 1, "triples": 1, "quarantined": 0},
    }
    assert found["quarantined"] == {"a literal as subject": 1, "an IRI that is relative or not valid": 2}
    assert (found["triples_read"], found["triples_encoded"], found["lines_written"]) == (4, 3, 4)
    assert found["terms"] == {"iris": 4, "blank_nodes": 0, "literals": 1, "triple_terms": 0, "first": 0}
    assert list(found["seconds"]) == ["reading", "quarantine", "N-Triples", "encoding"]
    assert sorted(path.name for path in out.glob("[!.]*")) == [
        "dictionary", "manifest.json", "ntriples", "quarantine", "triples"
    ]  # fmt: skip
    rows = [json.loads(line) for part in (out / "quarantine").glob("part-*") for line in part.read_text().splitlines()]
    assert len(rows) == 3
    assert {"source": "a.nt", "reason": "a literal as subject", "row": '"x" <a:p> <a:o> .'} in rows
    _, terms, triples = read_encoded(out)
    assert quads_of(terms, triples) == {
        ("a:s", "a:p", "a:o", None),
        ("a:s", "a:p", "a:o", "a:g"),
        ("a:s", "a:p", '"x\ny"@EN', None),
    }
    assert all(path.name.endswith(".nq.gz") for path in (out / "ntriples").glob("[!.]*"))


def test_ntriples_alone(spark: SparkSession, source: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = ingest("--input", f"{source}/b.nq", "--output", str(out), "--format", "ntriples", "--compression", "none")
    assert result.exit_code == 0, result.output
    assert [path.name for path in out.glob("[!.]*")] == ["ntriples"]
    assert [path.read_text() for path in (out / "ntriples").glob("[!.]*")] == ["<a:s> <a:p> <a:o> <a:g> .\n"]


@pytest.mark.parametrize(
    ("code", "reason", "arguments"),
    [
        (2, "no such file or directory", ["--input", "{0}/missing", "--output", "{0}/out"]),
        (2, "exists and is not empty", ["--input", "{0}/in", "--output", "{0}/in"]),
        (2, "is not a directory", ["--input", "{0}/in", "--output", "{0}/in/a.nt"]),
        (1, "there are no N-Triples", ["--input", "{0}/empty", "--output", "{0}/out"]),
    ],
)
def test_refused(
    spark: SparkSession, source: str, tmp_path: Path, code: int, reason: str, arguments: list[str]
) -> None:
    (tmp_path / "empty").mkdir()
    result = ingest(*(argument.format(tmp_path) for argument in arguments))
    assert (result.exit_code, result.stdout) == (code, "")
    assert result.stderr.startswith("kgreason: ")
    assert result.stderr.count("\n") == 1
    assert reason in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_disk_that_takes_no_more(tmp_path: Path) -> None:
    """As a process of its own, because the limit is Java's too; nothing is left. There is room for what
    Java unpacks for itself."""
    chance = random.Random(0)
    texts = (chance.randbytes(8_000).hex() for _ in range(600))
    (tmp_path / "in.nt").write_text("".join(f'<a:{n}> <a:p> "{n}{text}" .\n' for n, text in enumerate(texts)))
    arguments = ["spark", "ingest", "--input", str(tmp_path / "in.nt"), "--output", str(tmp_path / "out")]
    code = "from kgreason.cli import main; main()"
    command = ["sh", "-c", 'ulimit -f 3000; exec "$@"', "sh", sys.executable, "-c", code, *arguments]
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": "", "SPARK_LOCAL_DIRS": str(tmp_path / "spark")}
    environment["PYSPARK_SUBMIT_ARGS"] = INTERPRETED
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (finished.returncode, finished.stdout) == (1, "")
    assert "File too large" in finished.stderr
    assert "libzstd" not in finished.stderr
    assert finished.stderr.count("kgreason: ") == 1
    assert not (tmp_path / "out").exists()


MAPPING = """@prefix rml: <http://w3id.org/rml/> .
<#m> rml:logicalSource [ rml:source "{0}" ]; rml:subjectMap [ rml:template "http://ex.org/{{id}}" ];
  rml:predicateObjectMap [ rml:predicate <http://ex.org/p>; rml:objectMap [ rml:reference "{1}" ] ] ."""


@pytest.mark.parametrize(
    ("file", "column", "reason"),
    [
        ("missing.csv", "name", r".*/missing\.csv: cannot be read: no such file or directory"),
        ("missing.jsonl", "name", r".*/missing\.jsonl: cannot be read: no such file or directory"),
        ("people.csv", "nix", r"triples map #m: people\.csv has no column 'nix'; it has id, name"),
        ("empty.csv", "name", r"empty\.csv: there is no header"),
        ("folder.csv", "name", r"folder\.csv: there is no header"),
        ("cut.csv.gz", "name", broken_off(r".*/cut\.csv\.gz")),
        ("cut.jsonl.gz", "name", broken_off(r".*/cut\.jsonl\.gz")),
        ("no.parquet", "name", r"no\.parquet"),
    ],
)
def test_sources_of_a_mapping_that_cannot_be_used(
    spark: SparkSession, tmp_path: Path, file: str, column: str, reason: str
) -> None:
    data = tmp_path / "data"
    (data / "folder.csv").mkdir(parents=True)
    (data / "people.csv").write_text("id,name\n1,Ada\n")
    (data / "empty.csv").write_text("")
    (data / "no.parquet").write_text("id,name\n")
    for name in ("cut.csv.gz", "cut.jsonl.gz"):
        (data / name).write_bytes(gzip.compress(b"id,name\n" + random.Random(0).randbytes(100_000))[:50_000])
    (tmp_path / "map.ttl").write_text(MAPPING.format(file, column))
    out = tmp_path / "out"
    result = ingest("--mapping", str(tmp_path / "map.ttl"), "--input", str(data), "--output", str(out))
    assert (result.exit_code, result.stdout) == (1, "")
    assert re.fullmatch(rf"kgreason: [^\n]*{reason}[^\n]*\n", result.stderr), result.stderr
    assert not out.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "people.jsonl").write_text("{}\n")
    (tmp_path / "people.jsonl").chmod(0)
    (tmp_path / "map.ttl").write_text(MAPPING.format("people.jsonl", "name"))
    result = ingest("--mapping", str(tmp_path / "map.ttl"), "--output", str(tmp_path / "out"))
    assert result.exit_code == 1
    named = r"kgreason: [^\n]*people\.jsonl: cannot be read: [^\n]*[Pp]ermission denied[^\n]*\n"
    assert re.fullmatch(named, result.stderr)


def test_files_without_rows_are_no_error(spark: SparkSession, tmp_path: Path) -> None:
    """JSON lines need no header, and a folder stands for the files in it."""
    (tmp_path / "data" / "parts.jsonl").mkdir(parents=True)
    (tmp_path / "data" / "parts.jsonl" / "1.jsonl").write_text("")
    (tmp_path / "map.ttl").write_text(MAPPING.format("parts.jsonl", "name"))
    arguments = ["--mapping", str(tmp_path / "map.ttl"), "--input", str(tmp_path / "data")]
    result = ingest(*arguments, "--output", str(tmp_path / "out"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert "parts.jsonl\t0\t0\t0\n" in result.stdout


def test_line_breaks_in_quoted_fields_of_csv(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b'id,name\n1,"line one\r\nline two, with"\n2,plain\n')
    (tmp_path / "map.ttl").write_text(MAPPING.format("people.csv", "name"))
    arguments = ["--mapping", str(tmp_path / "map.ttl"), "--input", str(tmp_path)]
    assert ingest(*arguments, "--output", str(tmp_path / "out")).exit_code == 0
    p = "http://ex.org/p"
    assert quads_of(*read_encoded(tmp_path / "out")[1:]) == {
        ("http://ex.org/1", p, '"line one\r\nline two, with"', None),
        ("http://ex.org/2", p, '"plain"', None),
    }
    result = ingest(*arguments, "--no-line-breaks", "--output", str(tmp_path / "lines"))
    assert "CSV row with a quotation mark that is not closed\t1\n" in result.stdout


def test_quotation_mark_of_csv_that_is_never_closed(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_bytes(b'id,name\n1,a\n2,"b\n3,c\n')
    (tmp_path / "map.ttl").write_text(MAPPING.format("people.csv", "name"))
    result = ingest("--mapping", str(tmp_path / "map.ttl"), "--output", str(tmp_path / "out"))
    assert (result.exit_code, result.stdout) == (1, "")
    reason = f"{tmp_path}/people.csv:3: a quotation mark that is never closed"
    assert result.stderr == f"kgreason: {reason}\n"
    assert not (tmp_path / "out").exists()
