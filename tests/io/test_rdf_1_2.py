"""What RDF 1.1 lacks, byte order marks and VERSION: would catch a direction dropped, or a mark taken for an IRI."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import Graph

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.readers import load_stream
from kgreason.store.knowledge_base import KnowledgeBase
from kgreason_rdflib.store import ReasoningStore
from tests.thresholds import Tuned

GOOD = "<http://e/s> <http://e/p> <http://e/o> .\n"
XML = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:its="http://www.w3.org/2005/11/its"
 rdf:version="1.2" its:version="2.0" xmlns:e="http://e/">
<rdf:Description rdf:about="http://e/s">
<e:p xml:lang="ar" its:dir="rtl">x</e:p></rdf:Description></rdf:RDF>"""
DIRECTED = {
    "nt": f'{GOOD * 3}<http://e/s> <http://e/p> "x"@ar--rtl .\n{GOOD}',
    "nq": f'{GOOD * 3}<http://e/s> <http://e/p> "x"@ar--rtl <http://e/g> .\n{GOOD}',
    "ttl": f'{GOOD * 3}<http://e/s> <http://e/p> "x"@ar--rtl .\n{GOOD}',
    "trig": f'{GOOD * 3}<http://e/g> {{ <http://e/s> <http://e/p> "x"@ar--rtl }}\n{GOOD}',
    "rdf": XML,
    "jsonld": '{"@id": "http://e/s",\n"http://e/q": [1, 2],\n"http://e/p":\n'
    '{"@value": "x", "@language": "ar", "@direction": "rtl"}}',
}
MARK = b"\xef\xbb\xbf"
FORMATS = {
    **{"nt": "kg-nt", "nq": "kg-nquads", "ttl": "kg-turtle"},
    **{"trig": "kg-trig", "rdf": "kg-xml", "jsonld": "kg-jsonld"},
}


@pytest.fixture(params=[1, 1 << 16], ids=["blocks", "small"])
def small(request: pytest.FixtureRequest, tuned: Tuned) -> None:
    """Documents in blocks, and such that pyoxigraph reads whole."""
    tuned(SMALL_FILE=request.param)


def by_file(data: bytes, format: str, directory: Path) -> int:
    path = directory / f"data.{format}"
    path.write_bytes(data)
    return KnowledgeBase("none").bulk_load(path).triples


def by_compressed_file(data: bytes, format: str, directory: Path) -> int:
    path = directory / f"data.{format}.gz"
    path.write_bytes(gzip.compress(data))
    return KnowledgeBase("none").bulk_load(path).triples


def by_stream(data: bytes, format: str, directory: Path) -> int:
    class Slow(io.BytesIO):
        """A stream that gives less than it is asked for, and nothing twice."""

        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(1)

        def tell(self) -> int:
            raise io.UnsupportedOperation("tell")

    return load_stream(Slow(data), Dictionary(), format=format, source=str(directory / f"data.{format}")).report.triples


def by_bytes(data: bytes, format: str, directory: Path) -> int:
    return load_stream(data, Dictionary(), format=format, source=f"data.{format}").report.triples


def by_parser(data: bytes, format: str, directory: Path) -> int:
    path = directory / f"data.{format}"
    path.write_bytes(data)
    return len(Graph(store=ReasoningStore(rules="none")).parse(str(path), format=FORMATS[format]))


def by_text(data: bytes, format: str, directory: Path) -> int:
    return len(Graph(store=ReasoningStore(rules="none")).parse(data=data.decode(), format=FORMATS[format]))


WAYS = [by_file, by_compressed_file, by_stream, by_bytes, by_parser, by_text]
Way = Callable[[bytes, str, Path], int]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", DIRECTED)
def test_base_direction_is_refused_with_its_place(format: str, way: Way, tmp_path: Path) -> None:
    line = r":4: .*" if way is not by_stream or format in ("nt", "nq") else ".*"

    with pytest.raises(LoadError, match=f"{line}base direction"):
        way(DIRECTED[format].encode(), format, tmp_path)


@pytest.mark.parametrize("format", ["nt", "ttl"])
@pytest.mark.parametrize("term", ["<<( <a:s> <a:p> <a:o> )>>", '"x"@en--ltr'])
def test_term_that_rdf_1_1_lacks_is_refused_with_its_line(term: str, format: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=rf"data\.{format}:3: .*not RDF 1\.1"):
        by_file(f"{GOOD * 2}<http://e/s> <http://e/p> {term} .\n".encode(), format, tmp_path)


def test_lenient_counts_base_directions(tmp_path: Path) -> None:
    for format, text in DIRECTED.items():
        (tmp_path / f"data.{format}").write_text(text)
    base = KnowledgeBase("none")

    report = base.bulk_load(tmp_path, lenient=True)

    assert report.skipped == 2
    assert sorted(file.source.rpartition(".")[2] for file in report.left_out) == ["jsonld", "rdf", "trig", "ttl"]
    assert len(base.all()) == 1


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig"])
def test_byte_order_mark_is_skipped(format: str, way: Way, tmp_path: Path) -> None:
    assert way(MARK + GOOD.encode(), format, tmp_path) == 1
    assert way(MARK + b"# a comment\n" + GOOD.encode(), format, tmp_path) == 1


@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig"])
def test_byte_order_mark_inside_is_refused(format: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=rf"data\.{format}:2:1: "):
        by_file(GOOD.encode() + MARK + GOOD.encode(), format, tmp_path)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig"])
@pytest.mark.parametrize("version", ['VERSION "1.2"', "VERSION '1.2-basic' # that is it", '  version  "1.1"\t'])
def test_version_is_read(version: str, format: str, way: Way, tmp_path: Path) -> None:
    assert way(f"{version}\n{GOOD}".encode(), format, tmp_path) == 1


@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig"])
@pytest.mark.parametrize("version", ["VERSION 1.2", 'VERSION "1.2" .', "VERSION", 'VERSION "1.2'])
def test_malformed_version_is_refused(version: str, format: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=rf"data\.{format}"):
        by_file(f"{version}\n{GOOD}".encode(), format, tmp_path)


def test_lenient_does_not_count_versions(tmp_path: Path) -> None:
    (tmp_path / "data.nt").write_text(f'VERSION "1.2"\n{GOOD}oops\nVERSION "1.2"\n')

    assert KnowledgeBase("none").bulk_load(tmp_path, lenient=True).skipped == 1
