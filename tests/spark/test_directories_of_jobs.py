"""Directories as other tools leave them, on Spark: the same table of cases as for loading on one machine.

Would catch a part that is another document, an unfinished job that is read, or a table that makes other terms.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Final

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from kgreason.cli.app import app
from kgreason.errors import LoadError
from kgreason.rdf.model import BlankNode
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_spark.failures import clear_errors
from kgreason_spark.frames import QUAD
from kgreason_spark.ingestion import Sources, ingest
from kgreason_spark.outputs.statement_files import write_ntriples
from kgreason_spark.sources.statement_rows import NTriplesFiles
from tests.directories_of_jobs import CHAIN, DIRECTORIES, OURS, TEXT, Directory, chain_table, links, spark, table
from tests.facade import triples
from tests.spark.versions import broken_off
from tests.spark.written_output import Quad, quads_of, read_encoded

OTHERWISE: Final = {
    # Spark reads lines and tables, and Hadoop verifies checksums; those of this case are made up.
    "text of Spark in gzip, with checksums": "part-0000.*Checksum error",
    "parts in Turtle": "neither N-Triples nor N-Quads",
    "Turtle in text": "neither its name nor its content",
    "parts in gzip whose names do not say so": "neither its name nor its content",
    "a part that breaks off": "part-00005.*end of input",
    "text that is no RDF": r"part-00000.*hello world",
    "a table of something else in CSV": r"part-00000.*csv",
    "nothing": "there are no N-Triples",
    "a job of something else": "there are no N-Triples",
}
"""Directories that are refused here, or with other words."""


def read(spark: SparkSession, *paths: Path, unfinished: bool = False) -> tuple[set[Quad], list[str]]:
    """The quads of directories, and why lines are none."""
    with clear_errors("test"):
        rows = NTriplesFiles([str(path) for path in paths], unfinished).extract(spark).rows.collect()
    good = {tuple(row)[:4] for row in rows if row.reason is None}
    return good, [row.reason for row in rows if row.reason is not None]


def counts(quads: set[Quad]) -> tuple[int, int]:
    """How many triples there are, and how many blank nodes."""
    nodes = {key for quad in quads for key in quad[:3] if key is not None and key.startswith("_:")}
    return len({quad[:3] for quad in quads}), len(nodes)


@pytest.mark.again  # tests/io/test_directories.py has all of them
@pytest.mark.parametrize("name", DIRECTORIES)
def test_directory_gives_its_triples_or_is_refused(name: str, quick_spark: SparkSession, tmp_path: Path) -> None:
    case = DIRECTORIES[name]
    directory = case.write(tmp_path / "out")
    refused = OTHERWISE.get(name, case.refused)

    if name == "a malformed line":
        quads, reasons = read(quick_spark, directory)
        assert (len(quads), len(reasons)) == (2 * CHAIN + 1, 1)
    elif refused is None:
        quads, reasons = read(quick_spark, directory)
        assert (counts(quads), reasons) == ((case.triples, case.nodes), [])
    else:
        with pytest.raises(LoadError, match=refused) as caught:
            read(quick_spark, directory)
        assert str(directory) in str(caught.value)
        assert "\n" not in str(caught.value)
        if case.triples >= 0 and name not in OTHERWISE:
            assert "--unfinished" in str(caught.value)
            assert counts(read(quick_spark, directory, unfinished=True)[0]) == (case.triples, case.nodes)


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_what_spark_itself_left(quick_spark: SparkSession, tmp_path: Path, compression: str) -> None:
    """With true checksums, and a part without rows."""
    lines = links(0, 1).splitlines()
    frame = quick_spark.createDataFrame([(line,) for line in lines], "value string").repartition(3)
    empty = quick_spark.createDataFrame([], "value string").coalesce(1)
    frame.union(empty).write.text(str(tmp_path / "out"), compression=compression)

    assert len(list((tmp_path / "out").glob(".part-*.crc"))) >= 3
    assert counts(read(quick_spark, tmp_path / "out")[0]) == (2 * CHAIN, CHAIN + 1)


def test_parts_named_one_by_one_are_one_document(quick_spark: SparkSession, tmp_path: Path) -> None:
    directory = Directory(TEXT).write(tmp_path / "out")

    parts = sorted(directory.glob("part-*"))
    assert counts(read(quick_spark, *parts)[0]) == (2 * CHAIN, CHAIN + 1)
    assert read(quick_spark, *parts) == read(quick_spark, directory)


def test_partition_of_a_job_that_succeeded_is_read_alone(quick_spark: SparkSession, tmp_path: Path) -> None:
    directory = Directory({"_SUCCESS": b"", f"dt=2026/{spark(0)}": links(0, 1).encode()}).write(tmp_path / "out")

    assert counts(read(quick_spark, directory / "dt=2026")[0]) == (2 * CHAIN, CHAIN + 1)
    (directory / "_SUCCESS").unlink()
    with pytest.raises(LoadError, match="_SUCCESS"):
        read(quick_spark, directory / "dt=2026")


def test_what_our_own_writer_wrote_is_one_document(quick_spark: SparkSession, tmp_path: Path) -> None:
    Directory({"a.nt": links(0, 1).encode()}).write(tmp_path / "in")
    rows = NTriplesFiles([str(tmp_path / "in")]).extract(quick_spark).rows.select(*QUAD)
    write_ntriples(rows.repartition(4), str(tmp_path / "out"), "gzip")

    assert len(list((tmp_path / "out").glob("part-*.nt.gz"))) == 4
    assert counts(read(quick_spark, tmp_path / "out")[0]) == (2 * CHAIN, CHAIN + 1)
    base = KnowledgeBase("none")
    base.bulk_load(tmp_path / "out")
    found = triples(base, base.all())
    assert len({term for triple in found for term in triple if isinstance(term, BlankNode)}) == CHAIN + 1


def test_ntriples_beside_rows_in_quarantine_are_read_back(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(links(0, 1) + "no statement\n")
    out = tmp_path / "out"
    arguments = ["--input", str(tmp_path / "a.nt"), "--output", str(out), "--format", "ntriples"]
    assert CliRunner().invoke(app, ["spark", "ingest", *arguments]).exit_code == 0
    assert list((out / "quarantine").glob("part-*"))

    assert counts(read(spark, out)[0]) == (2 * CHAIN, CHAIN + 1)
    base = KnowledgeBase("none")
    base.bulk_load(out)
    assert len(triples(base, base.all())) == 2 * CHAIN


def test_sources_of_a_mapping_that_a_job_left(quick_spark: SparkSession, tmp_path: Path) -> None:
    """CSV with a header in each part, in partitions; refused where the job has not finished."""
    (tmp_path / "m.ttl").write_text("""@prefix rml: <http://w3id.org/rml/> .
      <#m> rml:logicalSource [ rml:source 'people'; rml:referenceFormulation rml:CSV ];
        rml:subjectMap [ rml:template "http://e/{id}" ];
        rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference "name" ] ] .""")
    frame = quick_spark.range(6).selectExpr("id", "concat('a', char(10), id) as name", "id % 2 as odd").repartition(3)
    frame.write.partitionBy("odd").csv(str(tmp_path / "people"), header=True)

    made = ingest(quick_spark, tmp_path / "m.ttl")
    quads = {(f"http://e/{n}", "http://e/p", f'"a\n{n}"', None) for n in range(6)}
    assert {tuple(row) for row in made.quads.collect()} == quads
    (tmp_path / "people" / "_SUCCESS").unlink()
    with pytest.raises(LoadError, match="_SUCCESS"):
        ingest(quick_spark, tmp_path / "m.ttl")
    again = ingest(quick_spark, tmp_path / "m.ttl", Sources(unfinished=True))
    assert {tuple(row) for row in again.quads.collect()} == quads


def test_command(spark: SparkSession, tmp_path: Path) -> None:
    """A chain through parts is a chain when it is encoded, and leftovers are read when they are asked for."""
    directory = Directory({**OURS, "_temporary/0/x": b""}).write(tmp_path / "in")
    arguments = ["spark", "ingest", "--input", str(directory), "--output", str(tmp_path / "out")]

    refused = CliRunner().invoke(app, arguments)
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith(f"kgreason: {directory}/_temporary: ")
    assert not (tmp_path / "out").exists()
    done = CliRunner().invoke(app, [*arguments, "--unfinished"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert counts(quads_of(*read_encoded(tmp_path / "out")[1:])) == (2 * CHAIN, CHAIN + 1)


def test_columns_of_a_table_that_the_user_names(spark: SparkSession, tmp_path: Path) -> None:
    rows = {"von": ["http://e/s", "_:b"], "was": ["http://e/p"] * 2, "zu": ['"1"^^http://e/d', '"a\\b"\n"@en'],
            "graph": ["http://e/g", None]}  # fmt: skip
    (tmp_path / "a.parquet").write_bytes(table(rows))
    arguments = ["spark", "ingest", "--input", str(tmp_path / "a.parquet"), "--output", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*arguments, "--columns", "von,was,zu,graph", "--terms", "plain"])
    assert (done.exit_code, done.stderr) == (0, "")
    quads = quads_of(*read_encoded(tmp_path / "out")[1:])
    assert {quad[1:] for quad in quads} == {
        ("http://e/p", '"1"^^http://e/d', "http://e/g"), ("http://e/p", '"a\\b"\n"@en', None),
    }  # fmt: skip
    wrong = CliRunner().invoke(app, [*arguments, "--overwrite", "--columns", "von,was,wohin"])
    assert wrong.exit_code == 1
    assert "a.parquet: there is no column wohin" in wrong.stderr


ROWS = {
    "ntriples": [
        ("<http://e/s>", "<http://e/p>", '"x"@en'),
        ("<a:s> <a:p>", "<a:o>", "<a:g>"),
        ("<a:s>", "<a:p>", '"x" <a:g>'),
        (None, "<a:p>", "<a:o>"),
        ('"x"', "<a:p>", "<a:o>"),
        ("<a:s>", "<a:p>", '"x'),
        ("<a:s>", "<a:p>", "x"),
    ],
    "plain": [
        ("http://e/s", "http://e/p", '"x"@en'),
        ("a:s> <a:p", "a:o", "a:g"),
        ("a:s", "a:p", '"x"@en <a:g>'),
        ("a:s", "a:p", None),
        ("_:b c", "a:p", "a:o"),
        ("no iri", "a:p", "a:o"),
        ("a:s", "_:p", "a:o"),
    ],
}


@pytest.mark.parametrize("style", ROWS)
def test_rows_of_tables_that_are_no_triples(quick_spark: SparkSession, tmp_path: Path, style: str) -> None:
    """Each value is one term: what looks like more makes no statement of the values together."""
    columns = {name: [row[place] for row in ROWS[style]] for place, name in enumerate("spo")}
    (tmp_path / "a.parquet").write_bytes(table(columns))

    quads, reasons = read(quick_spark, tmp_path / "a.parquet")
    assert quads == {("http://e/s", "http://e/p", '"x"@en', None)}
    assert len(reasons) == len(ROWS[style]) - 1


def test_tables_in_two_ways_are_the_same_triples(quick_spark: SparkSession, tmp_path: Path) -> None:
    for plain in (True, False):
        (tmp_path / f"{plain}.parquet").write_bytes(chain_table(0, 1, plain=plain))
    (tmp_path / "numbers.parquet").write_bytes(b"")
    pairs = [{(s[18:], p, o[18:]) for s, p, o, _ in read(quick_spark, tmp_path / f"{plain}.parquet")[0]} for plain in
             (True, False)]  # fmt: skip
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) == CHAIN
    quick_spark.sql("SELECT 1 AS s, 'a:p' AS p, 'a:o' AS o").write.parquet(str(tmp_path / "typed"))
    with pytest.raises(LoadError, match="the column s is of type int"):
        read(quick_spark, tmp_path / "typed")


def test_versions_and_byte_order_marks(quick_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_bytes(b'\xef\xbb\xbfVERSION "1.2"\n<a:s> <a:p> <a:o> .\n version \'1.2\' # x\n')
    assert read(quick_spark, tmp_path / "a.nt") == ({("a:s", "a:p", "a:o", None)}, [])


def test_encoded_triples_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text("<a:s> <a:p> <a:o> .\n")
    out = str(tmp_path / "out")
    arguments = ["spark", "ingest", "--input", str(tmp_path / "a.nt"), "--output", out, "--report", f"{out}.json"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert json.loads((tmp_path / "out.json").read_text())["triples_read"] == 1
    with pytest.raises(LoadError, match="encoded triples in it"):
        read(spark, tmp_path / "out")


def test_a_part_that_breaks_off_names_the_file(quick_spark: SparkSession, tmp_path: Path) -> None:
    files = {spark(0, "txt.gz"): gzip.compress(links(0, 1).encode() * 50)[:-30], "_SUCCESS": b""}
    directory = Directory(files).write(tmp_path / "out")
    with pytest.raises(LoadError, match=broken_off(rf"{directory}/part-00000-.*txt\.gz")):
        read(quick_spark, directory)
