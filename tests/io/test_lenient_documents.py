"""Folders of many small files, some malformed: would catch triples of a malformed document, or a good one left out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyoxigraph as ox
import pytest

from kgreason.errors import LoadError
from kgreason.store.knowledge_base import KnowledgeBase
from tests.directories_of_jobs import table
from tests.facade import triples
from tests.shared_data import unpacked

PIECE = 50
BROKEN = {
    "broken-7.rdf": lambda text: text[: len(text) // 2],
    "broken-300.rdf": lambda text: text.replace("</rdf:RDF>", "<oops></rdf:RDF>"),
}


def pieces(directory: Path) -> tuple[int, set[str]]:
    """Ontologies in pieces of RDF/XML below a directory: how many, and the predicates and objects that are IRIs."""
    count, objects = 0, set[str]()
    for path in sorted((unpacked("ore-small-closures/ore-give-even.tar.xz") / "data").rglob("*.nt")):
        quads = list(ox.parse(path=str(path), format=ox.RdfFormat.N_TRIPLES))
        for start in range(0, min(len(quads), 5 * PIECE), PIECE):
            some = quads[start : start + PIECE]
            target = directory / f"folder-{count % 7}" / f"{path.stem}-{start}.rdf"
            target.parent.mkdir(exist_ok=True, parents=True)
            ox.serialize((quad.triple for quad in some), output=str(target), format=ox.RdfFormat.RDF_XML)
            objects |= {f"{q.predicate.value} {q.object.value}" for q in some if isinstance(q.object, ox.NamedNode)}
            count += 1
    return count, objects


def found_in(base: KnowledgeBase) -> set[str]:
    """Predicates and objects that are IRIs."""
    shown = ((str(p), str(o)) for _, p, o in triples(base, base.all()))
    return {f"{p[1:-1]} {o[1:-1]}" for p, o in shown if o.startswith("<")}


def test_two_malformed_documents_among_hundreds(tmp_path: Path) -> None:
    count, objects = pieces(tmp_path)
    whole = next(tmp_path.rglob("*.rdf")).read_text()
    triple = '<rdf:Description rdf:about="a:s"><q xmlns="a:" rdf:resource="a:lost"/></rdf:Description>'
    lost = whole.replace("</rdf:RDF>", f"{triple}</rdf:RDF>")
    for name, damage in BROKEN.items():
        (tmp_path / name).write_text(damage(lost))
    base = KnowledgeBase("none")

    with pytest.raises(LoadError, match="broken-300"):
        base.bulk_load(tmp_path)
    assert base.is_empty
    report = base.bulk_load(tmp_path, lenient=True)

    assert count > 200
    assert len(report.files) == count + 2
    assert sorted(Path(file.source).name for file in report.left_out) == sorted(BROKEN)
    assert all(file.triples == 0 and file.fault.startswith(f"{file.source}:") for file in report.left_out)
    assert found_in(base) == objects
    first, *others = str(report).splitlines()
    assert first.endswith(f"from {count + 2} files, 2 malformed files skipped")
    assert others == [f"{file.fault}: skipped" for file in report.left_out]


DOCUMENTS = {
    "ttl": ("@prefix e: <http://e/> . e:s e:p e:o .\n", "e:s e:p .\n", ":2:"),
    "trig": ("<http://e/g> { <http://e/s> <http://e/p> <http://e/o> }\n", "{", ":2:"),
    "n3": ("<http://e/s> <http://e/p> <http://e/o> .\n", "<http://e/s> oops", ":2:"),
    "jsonld": ('{"@id": "http://e/s", "http://e/p": {"@id": "http://e/o"}}', "]", ""),
}


@pytest.mark.parametrize("format", DOCUMENTS)
@pytest.mark.parametrize("compressed", [False, True])
def test_document_in_any_format_is_left_out_as_a_whole(format: str, compressed: bool, tmp_path: Path) -> None:
    good, bad, place = DOCUMENTS[format]
    for name, text in (("good", good), ("bad", good.replace("/o", "/lost") + bad)):
        path = tmp_path / f"{name}.{format}{'.gz' if compressed else ''}"
        path.write_bytes(gzip.compress(text.encode()) if compressed else text.encode())
    base = KnowledgeBase("none")

    report = base.bulk_load(tmp_path, lenient=True)

    assert report.triples == len(base.all()) == 1
    assert base.dictionary.lookup_key("http://e/lost") is None
    assert [file.triples for file in report.files] == [0, 1]
    assert f"bad.{format}" in report.left_out[0].fault
    assert place in report.left_out[0].fault


def test_file_that_cannot_be_read_is_no_malformed_document(tmp_path: Path) -> None:
    (tmp_path / "good.nt").write_text("<a:s> <a:p> <a:o> .\n")
    (tmp_path / "cut.ttl.gz").write_bytes(gzip.compress(b"<a:s> <a:p> <a:o> .\n" * 9)[:-9])
    base = KnowledgeBase("none")

    with pytest.raises(LoadError, match=r"cut\.ttl\.gz.*: cannot be read"):
        base.bulk_load(tmp_path, lenient=True)
    assert base.is_empty


def test_table_that_is_none_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "good.parquet").write_bytes(table({"s": ["a:s"], "p": ["a:p"], "o": ["a:o"]}))
    (tmp_path / "other.parquet").write_bytes(table({"name": ["x"]}))
    (tmp_path / "oops.parquet").write_bytes(b"PAR1 oops")
    base = KnowledgeBase("none")

    report = base.bulk_load(tmp_path, lenient=True)

    assert report.triples == 1
    assert [Path(file.source).name for file in report.left_out] == ["oops.parquet", "other.parquet"]
    assert "no column for the subject" in report.left_out[1].fault


def test_part_that_is_no_rdf_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "part-00000.nt").write_text("<a:s> <a:p> <a:o> .\n")
    (tmp_path / "part-00001.csv").write_text("a,b\n")
    report = KnowledgeBase("none").bulk_load(tmp_path, lenient=True)

    assert report.triples == 1
    assert "does not tell an RDF format" in report.left_out[0].fault
