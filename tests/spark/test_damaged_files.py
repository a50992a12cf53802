"""Damaged Parquet on Spark: would catch a byte that changed on a disk and became another triple, an error that does not
name the file, and half an output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from kgreason.errors import LoadError
from kgreason.io.encoded.manifest import MANIFEST, describe_file, read_manifest
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.rule_sets import resolve_rules
from kgreason_spark import (
    as_triples,
    ingest,
    materialise,
    read_encoded,
    read_ntriples,
    spark_tuning,
    write_encoded,
    write_ntriples,
)
from kgreason_spark.materialisation import job
from tests.damaged_parquet import cut_off, damage, flip_in_footer, flip_in_page
from tests.spark.distributed import encode

SUBCLASS: Final = "http://www.w3.org/2000/01/rdf-schema#subClassOf"
TRIPLES: Final = [(f"http://e/C{n}", SUBCLASS, f"http://e/C{n + 1}") for n in range(20)] + [
    (f"http://e/x{n}", RDF_TYPE, f"http://e/C{n % 7}") for n in range(100)
]
MAPPING: Final = """@prefix rml: <http://w3id.org/rml/> . <#m> rml:logicalSource [ rml:source 'rows.parquet' ];
  rml:subjectMap [ rml:reference 's' ];
  rml:predicateObjectMap [ rml:predicate <http://e/p>; rml:objectMap [ rml:reference 'o' ] ] ."""


DAMAGES: Final = (
    flip_in_page,
    pytest.param(flip_in_footer, marks=pytest.mark.thorough),
    pytest.param(cut_off, marks=pytest.mark.thorough),
)


def refused(path: Path, run: Callable[[], Any], target: Path) -> None:
    """One line names the file, and nothing is left."""
    with pytest.raises(LoadError) as caught:
        run()
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert [one for one in target.rglob("*") if one.is_file()] == []


@pytest.fixture
def caller(quick_spark: SparkSession) -> SparkSession:
    """A session that does not verify pages by itself."""
    session = quick_spark.newSession()
    session.conf.set("parquet.page.verify-checksum.enabled", "false")
    return session


@pytest.mark.parametrize("files", ["few bytes", "many bytes"])
@pytest.mark.parametrize("section", ["triples", "dictionary"])
@pytest.mark.parametrize("change", DAMAGES)
def test_encoded_triples_that_are_damaged_are_not_derived_from(
    change: Any, section: str, files: str, caller: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if files == "many bytes":
        monkeypatch.setattr(spark_tuning, "SMALL_TABLE_BYTES", 0)
    encode(tmp_path / "in", [(IRI(s), IRI(p), IRI(o)) for s, p, o in TRIPLES])
    path = damage(tmp_path / "in" / section, change)
    target = tmp_path / "out"

    def derive() -> None:
        job.materialise(caller, str(tmp_path / "in"), resolve_rules("rdfs"), str(target), local_facts=0)

    refused(path, derive, target)
    assert not target.exists()


def one_column(name: str, made: Callable[[list[Any]], list[Any]], kind: pa.DataType) -> Callable[[pa.Table], pa.Table]:
    def forged(table: pa.Table) -> pa.Table:
        number = table.schema.get_field_index(name)
        return table.set_column(number, name, pa.array(made(table[name].to_pylist()), kind))

    return forged


LONG: Final = pa.int64()
FORGERIES: Final[dict[str, tuple[str, Callable[[pa.Table], pa.Table], str]]] = {
    "subject beyond all": ("triples", one_column("subject", lambda ids: [99_999, *ids[1:]], LONG), "99999 is not"),
    "negative object": ("triples", one_column("object", lambda ids: [-1, *ids[1:]], LONG), "the id -1 is not"),
    "graph beyond all": ("triples", one_column("graph", lambda ids: [77_777, *ids[1:]], LONG), "the id 77777 is not"),
    "object null": ("triples", one_column("object", lambda ids: [None, *ids[1:]], LONG), "an id is not a number"),
    "no object": ("triples", lambda table: table.drop_columns("object"), "an id is not a number|no column object"),
    "a term twice": (
        "dictionary", one_column("term", lambda terms: [terms[0], terms[0], *terms[2:]], pa.string()), "stands twice"
    ),
    "an id twice": ("dictionary", one_column("id", lambda ids: [ids[0], ids[0], *ids[2:]], LONG), "0 stands twice"),
    "an id left out": ("dictionary", one_column("id", lambda ids: [*ids[:-1], ids[-1] + 1], LONG), "follows on"),
    "no term": ("dictionary", one_column("term", lambda terms: [None, *terms[1:]], pa.string()), "is not text"),
    "another kind": ("dictionary", one_column("term", lambda terms: [*terms[:-1], '"z"'], pa.string()), "of the kind"),
    "another order": ("dictionary", one_column("term", lambda terms: terms[::-1], pa.string()), "comes after"),
}  # fmt: skip


@pytest.mark.parametrize("files", ["few bytes", "many bytes"])
@pytest.mark.parametrize("name", FORGERIES)
def test_encoded_triples_that_are_forged_are_not_derived_from(
    name: str, files: str, caller: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checksums are right, and no store would load them."""
    if files == "many bytes":
        monkeypatch.setattr(spark_tuning, "SMALL_TABLE_BYTES", 0)
    section, forged, reason = FORGERIES[name]
    encode(tmp_path / "in", [(IRI(s), IRI(p), IRI(o)) for s, p, o in TRIPLES])
    path = min((tmp_path / "in" / section).rglob("*.parquet"))
    pq.write_table(forged(pq.ParquetFile(path).read()), path)
    manifest = read_manifest(tmp_path / "in")
    rows = {file.path: file.rows for file in manifest.files}
    again = tuple(describe_file(tmp_path / "in", tmp_path / "in" / file, number) for file, number in rows.items())
    (tmp_path / "in" / MANIFEST).write_text(replace(manifest, files=again).to_json())
    target = tmp_path / "out"

    def derive() -> None:
        job.materialise(caller, str(tmp_path / "in"), resolve_rules("rdfs"), str(target), local_facts=0)

    with pytest.raises(LoadError, match=reason):
        derive()
    refused(path, derive, target)


@pytest.mark.parametrize("writer", ["store", "spark"])
@pytest.mark.parametrize("change", DAMAGES)
def test_encoded_triples_that_are_damaged_are_not_read(
    change: Any, writer: str, caller: SparkSession, tmp_path: Path
) -> None:
    if writer == "store":
        encode(tmp_path / "in", [(IRI(s), IRI(p), IRI(o)) for s, p, o in TRIPLES])
    else:
        frame = caller.createDataFrame(TRIPLES, "s string, p string, o string")
        write_encoded(as_triples(frame), tmp_path / "in")
    path = damage(tmp_path / "in" / "dictionary", change)

    def write() -> None:
        write_ntriples(read_encoded(tmp_path / "in", session=caller), tmp_path / "out")

    refused(path, write, tmp_path / "out")


@pytest.mark.parametrize("name", ["explicit", "inferred"])
def test_what_followed_before_is_not_maintained_where_it_is_damaged(
    name: str, caller: SparkSession, tmp_path: Path
) -> None:
    triples = as_triples(caller.createDataFrame(TRIPLES, "s string, p string, o string"))
    materialise(triples, "rdfs", directory=tmp_path / "before")
    path = damage(tmp_path / "before" / name / "triples", flip_in_page)

    def maintain() -> None:
        materialise(triples.limit(50), "rdfs", directory=tmp_path / "out", since=tmp_path / "before", local_facts=0)

    refused(path, maintain, tmp_path / "out")


WRITERS: Final[dict[str, Callable[..., Any]]] = {
    "N-Triples": write_ntriples,
    "encoded": write_encoded,
    "what follows": lambda triples, target: materialise(triples, "rdfs", directory=target),
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("change", DAMAGES)
def test_tables_of_triples_that_are_damaged_are_refused(
    change: Any, writer: str, quick_spark: SparkSession, tmp_path: Path
) -> None:
    frame = quick_spark.createDataFrame(TRIPLES, "s string, p string, o string")
    frame.coalesce(1).write.option("compression", "none").parquet(str(tmp_path / "in"))
    path = damage(tmp_path / "in", change)
    read = quick_spark.read.schema(frame.schema).parquet(str(tmp_path / "in"))

    refused(path, lambda: WRITERS[writer](as_triples(read), tmp_path / "out"), tmp_path / "out")


@pytest.mark.parametrize("given", ["location", "frame", "lines"])
@pytest.mark.parametrize("change", DAMAGES)
def test_rows_that_are_damaged_are_refused(
    change: Any, given: str, caller: SparkSession, quick_spark: SparkSession, tmp_path: Path
) -> None:
    frame = caller.createDataFrame(TRIPLES, "s string, p string, o string")
    frame.coalesce(1).write.option("compression", "none").parquet(str(tmp_path / "in"))
    path = damage(tmp_path / "in", change)
    (tmp_path / "m.ttl").write_text(MAPPING)

    def quads() -> Any:
        if given == "lines":
            return read_ntriples(path, session=caller)
        if given == "location":
            return ingest(tmp_path / "m.ttl", {"rows.parquet": path}, session=caller).quads
        read = quick_spark.read.schema(frame.schema).parquet(str(path))
        return ingest(tmp_path / "m.ttl", {"rows.parquet": read}, session=quick_spark).quads

    refused(path, lambda: write_ntriples(quads(), tmp_path / "out"), tmp_path / "out")
