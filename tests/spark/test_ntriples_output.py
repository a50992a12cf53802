"""N-Triples from Spark: kgreason reads the same keys back, from each compression."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from kgreason.errors import OptionError, SparkError, TermError
from kgreason_mapping.run_outputs import Compression
from kgreason_spark.frames import QUAD
from kgreason_spark.outputs.statement_files import write_ntriples
from tests.spark.written_output import Quad, parsed

SCHEMA = ", ".join(f"{column} string" for column in QUAD)
TRIPLES: list[Quad] = [
    ("a:s", "a:p", "a:é", None),
    ("_:b", "a:p", "_:c", None),
    ("a:s", "a:p", '""', None),
    ("a:s", "a:p", '"a\\b\\\\n"c"\n\r\t\b\f\0"@en-gb', None),
    ("a:s", "a:p", '""@en"^^<x>"^^a:d', None),
    ("a:s", "a:p", '"\U0001f600\u2028\x85"', None),
]
READERS = {
    "gzip": (".nt.gz", gzip.decompress),
    "zstd": (".nt.zst", lambda data: pa.input_stream(pa.BufferReader(data), compression="zstd").read()),
    "none": (".nt", bytes),
}


@pytest.mark.parametrize("compression", ["gzip", "zstd", "none"])
def test_read_back(spark: SparkSession, tmp_path: Path, compression: Compression) -> None:
    triples = TRIPLES + [(f"a:{number}", "a:p", '"x"', None) for number in range(25_000)]
    frame = spark.createDataFrame(triples, SCHEMA).repartition(2)
    assert write_ntriples(frame, str(tmp_path / "out"), compression) == len(triples)
    suffix, decompress = READERS[compression]
    files = sorted((tmp_path / "out").glob("[!.]*"))
    assert [file.name for file in files] == [f"part-00000{suffix}", f"part-00001{suffix}"]
    lines = [line for file in files for line in decompress(file.read_bytes()).split(b"\n") if line]
    assert len(lines) == len(triples)
    assert {parsed(line) for line in lines} == {*triples}
    # Spark reads what it wrote; 3.5 needs a library of Hadoop's for Zstandard, which PyPI's has not.
    if compression == "zstd" and spark.version.startswith("3."):
        return
    assert spark.read.text(str(tmp_path / "out")).count() == len(triples)


def test_graphs(spark: SparkSession, tmp_path: Path) -> None:
    quads: list[Quad] = [*TRIPLES, ("a:s", "a:p", '"o"', "a:g"), ("a:s", "a:p", "a:o", "_:g")]
    write_ntriples(spark.createDataFrame(quads, SCHEMA).coalesce(1), str(tmp_path / "out"), "none")
    lines = (tmp_path / "out" / "part-00000.nq").read_bytes().split(b"\n")
    assert {parsed(line) for line in lines if line} == {*quads}


def test_a_value_that_is_no_term_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    quads = spark.createDataFrame([*TRIPLES, ("<a:s>", "a:p", "a:o", None)], SCHEMA)
    with pytest.raises(TermError, match=r"^column subject: '<a:s>' is not a term"):
        write_ntriples(quads, str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "part-00000.nt").write_text("precious")
    with pytest.raises(SparkError, match="not empty"):
        write_ntriples(spark.createDataFrame(TRIPLES, SCHEMA), str(tmp_path))
    with pytest.raises(OptionError, match="unknown compression 'lzma'"):
        write_ntriples(spark.createDataFrame(TRIPLES, SCHEMA), str(tmp_path / "new"), "lzma")
    assert [path.name for path in tmp_path.iterdir()] == ["part-00000.nt"]
