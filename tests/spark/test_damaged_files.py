"""Damaged Parquet on Spark: would catch a byte that changed on a disk and became another triple, an error that does not
name the file, and half an output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from pyspark.sql import SparkSession

from kgreason.errors import LoadError
from kgreason.rdf.model import IRI
from kgreason.rdf.vocabulary import RDF_TYPE
from kgreason.store.rule_sets import resolve_rules
from kgreason_spark import as_triples, ingest, materialise, read_encoded, read_ntriples, write_encoded, write_ntriples
from kgreason_spark.materialisation import dataset, job, local_files
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
        monkeypatch.setattr(local_files, "LOCAL_BYTES", 0)
        monkeypatch.setattr(dataset, "LOCAL_BYTES", 0)
    encode(tmp_path / "in", [(IRI(s), IRI(p), IRI(o)) for s, p, o in TRIPLES])
    path = damage(tmp_path / "in" / section, change)
    target = tmp_path / "out"

    def derive() -> None:
        job.materialise(caller, str(tmp_path / "in"), resolve_rules("rdfs"), str(target), local_facts=0)

    refused(path, derive, target)
    assert not target.exists()


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
