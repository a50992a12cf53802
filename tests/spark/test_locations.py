"""Locations on any file system that Hadoop knows: would catch a URI that goes through a path class of this machine.

A file system of another name is Hadoop's view of other file systems under a scheme of its own; behind it is a folder.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from kgreason.cli.app import app
from kgreason.errors import MappingError
from kgreason.rdf.vocabulary import RDF_TYPE, RDFS
from kgreason_mapping.locations import as_iri, folder_of, is_relative, joined, location, of_iri, shown, suffix_of
from kgreason_mapping.sources.named_inputs import folder_and_locations
from kgreason_spark import materialise, read_ntriples, write_encoded, write_ntriples
from kgreason_spark import read_encoded as encoded_frame
from kgreason_spark.ingestion import Sources, ingest
from tests.spark.written_output import quads_of, read_encoded

MAPPING = """@prefix rml: <http://w3id.org/rml/> .
<#m> rml:logicalSource [ rml:source {0} ; rml:referenceFormulation rml:CSV ];
  rml:subjectMap [ rml:template "http://ex.org/{{id}}" ];
  rml:predicateObjectMap [ rml:predicate <http://ex.org/p>; rml:objectMap [ rml:reference "name" ] ] ."""
QUADS = {("http://ex.org/1", "http://ex.org/p", '"x\ny"', None)}


@pytest.fixture
def places(spark: SparkSession, tmp_path: Path) -> dict[str, str]:
    """The same folder by the names of several file systems; the name of the folder needs escapes in an IRI."""
    folder = tmp_path / "a b"
    folder.mkdir()
    settings = {
        "fs.kgtest.impl": "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme",
        "fs.kgtest.impl.disable.cache": "true",
        "fs.viewfs.overload.scheme.target.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
        "fs.viewfs.mounttable.bucket.link./data": tmp_path.as_uri(),
    }
    configuration = spark.sparkContext._jsc.hadoopConfiguration()
    for name, value in settings.items():
        configuration.set(name, value)
    return {"path": str(folder), "file": f"file://{folder}", "other": "kgtest://bucket/data/a b"}


def command(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["spark", *arguments])


@pytest.mark.parametrize("scheme", ["path", pytest.param("file", marks=pytest.mark.thorough), "other"])
def test_every_option_takes_locations(places: dict[str, str], tmp_path: Path, scheme: str) -> None:
    place, folder = places[scheme], tmp_path / "a b"
    (folder / "raw" / "dt=2026").mkdir(parents=True)
    (folder / "people.csv").write_bytes(b'id,name\n1,"x\ny"\n')
    (folder / "raw" / "dt=2026" / "people.csv").write_bytes(b'id,name\n1,"x\ny"\n')
    (folder / "iri.ttl").write_text(MAPPING.format("<people.csv>"))
    (folder / "path.ttl").write_text(MAPPING.format("'people.csv'"))
    variants = {
        "beside the mapping, by IRI": ["--mapping", f"{place}/iri.ttl"],
        "in a folder of Hive": ["--mapping", f"{place}/path.ttl", "--input", f"{place}/raw/dt=2026"],
        "by name": ["--mapping", f"{place}/path.ttl", "--input", f"people.csv={place}/raw/dt=2026/people.csv"],
    }
    for number, (name, arguments) in enumerate(variants.items()):
        made = command("ingest", *arguments, "--output", f"{place}/{number}", "--report", f"{place}/{number}.json")
        assert (made.exit_code, made.stderr) == (0, ""), name
        assert quads_of(*read_encoded(folder / str(number))[1:]) == QUADS, name
        assert json.loads((folder / f"{number}.json").read_text())["triples_read"] == 1
    made = command("ingest", *variants["by name"], "--output", f"{place}/nt", "--format", "ntriples", "--overwrite")
    assert (made.exit_code, made.stderr) == (0, "")
    again = command("ingest", "--input", f"{place}/nt/ntriples", "--output", f"{place}/again")
    assert (again.exit_code, again.stderr) == (0, "")
    assert quads_of(*read_encoded(folder / "again")[1:]) == QUADS
    derived = command("materialise", f"{place}/0", "--rules", "rdfs", "--output", f"{place}/derived")
    assert (derived.exit_code, derived.stderr) == (0, "")
    assert (folder / "derived" / "manifest.json").exists()
    assert not [path for path in folder.iterdir() if "rounds" in path.name or path.name.startswith("_")]


@pytest.mark.parametrize("scheme", ["file", "other"])
def test_locations_that_cannot_be_used(places: dict[str, str], tmp_path: Path, scheme: str) -> None:
    place, folder = places[scheme], tmp_path / "a b"
    (folder / "m.ttl").write_text(MAPPING.format("'people.csv'"))
    (folder / "a.nt").write_text("")
    refused = {
        f"{place}/none.nt: no such file or directory": ["--input", f"{place}/none.nt", "--output", f"{place}/out"],
        f"{place}/no.ttl: no such file or directory": ["--mapping", f"{place}/no.ttl", "--output", f"{place}/out"],
        f"{place}: exists and is not empty; choose another, or --overwrite": [
            "--input", f"{place}/a.nt", "--output", place],
        f"{place}/a.nt: is not a directory": ["--input", f"{place}/a.nt", "--output", f"{place}/a.nt"],
        "x=y: no such file or directory": ["--mapping", f"{place}/m.ttl", "--input", "x=y", "--output", f"{place}/out"],
    }  # fmt: skip
    for message, arguments in refused.items():
        result = command("ingest", *arguments)
        assert (result.exit_code, result.stderr) == (2, f"kgreason: {message}\n")
    unknown = command("ingest", "--input", "nofs://a/b.nt", "--output", f"{place}/out")
    assert unknown.exit_code == 1
    assert "nofs" in unknown.stderr
    assert unknown.stderr.count("\n") == 1


def test_python_takes_locations(quick_spark: SparkSession, places: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    (folder / "people.csv").write_bytes(b'id,name\n1,"x\ny"\n')
    (folder / "m.ttl").write_text(MAPPING.format("'people.csv'"))
    elsewhere = tmp_path / "m.ttl"
    elsewhere.write_text(MAPPING.format("'people.csv'"))

    runs = [ingest(quick_spark, f"{place}/m.ttl") for place in places.values()]
    runs += [ingest(quick_spark, elsewhere, Sources(directory=place)) for place in places.values()]
    runs += [
        ingest(quick_spark, folder / "m.ttl"),
        ingest(quick_spark, elsewhere, Sources({"people.csv": folder / "people.csv"})),
        ingest(quick_spark, elsewhere, Sources({"people.csv": places["other"] + "/people.csv"})),
    ]
    for run in runs:
        assert {tuple(row) for row in run.quads.collect()} == QUADS
    with pytest.raises(MappingError, match=r"cannot read the mapping .*no\.ttl: no such file or directory"):
        ingest(quick_spark, places["other"] + "/no.ttl")


@pytest.mark.parametrize(
    ("given", "folder", "named"),
    [
        ("people.csv=s3a://b/dt=2026/people.csv", None, {"people.csv": "s3a://b/dt=2026/people.csv"}),
        ("s3a://b/raw/dt=2026", "s3a://b/raw/dt=2026", {}),
        ("raw/dt=2026", "raw/dt=2026", {}),
        ("a=b=c", None, {"a=b": "c"}),
        ("a=c", None, {"a": "c"}),
    ],
)
def test_an_input_names_a_source_where_the_mapping_does(
    given: str, folder: str | None, named: dict[str, str]
) -> None:
    assert folder_and_locations(["a", "a=b", "people.csv"], [given]) == (folder, named)


def test_locations_are_text() -> None:
    assert joined("s3a://b/raw/", "a.csv") == joined("s3a://b/raw", "a.csv") == "s3a://b/raw/a.csv"
    assert joined("hdfs://nn/raw", "../a.csv") == "hdfs://nn/raw/../a.csv"
    assert joined("raw", "hdfs://nn/a") == "hdfs://nn/a"
    assert joined("", "a") == "a"
    assert [folder_of(one) for one in ("a", "/a", "x/a", "s3a://b/a", "s3a://b/x/a", "file:///a")] == [
        "", "/", "x", "s3a://b", "s3a://b/x", "file:///",
    ]  # fmt: skip
    assert all(is_relative(one) for one in ("a", "a:b.csv", "dt=2026/a"))
    assert not any(is_relative(one) for one in ("/a", "abfss://c@h/a", "file:/a"))
    assert as_iri("s3a://b/a b/é") == "s3a://b/a%20b/%C3%A9"
    assert of_iri(as_iri("file:/a b/50%.ttl")) == "file:/a b/50%.ttl"
    assert location(Path("/a b")) == "file:///a b"
    assert shown("file:///a%20b") == shown("file:/a b") == "/a b"
    assert shown("s3a://b/a") == "s3a://b/a"
    assert suffix_of("s3a://b/dt=1/a.CSV") == ".csv"


def test_directories_are_meant_by_their_names_where_these_are_patterns_too(spark: SparkSession, tmp_path: Path) -> None:
    """`a[1]` matches `a1`, whose triples would be those that are read."""
    lines = {
        "a1": "<http://e/no> <http://e/p> <http://e/no> .\n",
        "a[1]{x}": f"<http://e/s> <{RDF_TYPE}> <http://e/C> .\n<http://e/C> <{RDFS}subClassOf> <http://e/D> .\n",
    }
    for name, text in lines.items():
        (tmp_path / f"{name}.nt").write_text(text)
        triples = read_ntriples(tmp_path / f"{name}.nt", session=spark)
        write_encoded(triples, tmp_path / name)
        write_ntriples(triples, tmp_path / f"lines {name}")
        work = tmp_path / f"work {name}"
        inferred = materialise(encoded_frame(tmp_path / name, session=spark), "rdfs", directory=work, local_facts=0)

    assert {row.subject for row in encoded_frame(tmp_path / "a[1]{x}", session=spark).collect()} == {
        "http://e/s", "http://e/C",
    }  # fmt: skip
    assert read_ntriples(tmp_path / "lines a[1]{x}", session=spark).count() == 2
    assert [tuple(row) for row in inferred.collect()] == [("http://e/s", RDF_TYPE, "http://e/D", None)]
