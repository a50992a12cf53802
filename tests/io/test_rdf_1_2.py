"""Directions, triple terms, VERSION and byte order marks: would catch a direction dropped, a triple term with other
parts, or a parser that ends the process where they are too deep."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rdflib import Graph

from kgreason.dictionary.dictionary import Dictionary
from kgreason.errors import LoadError
from kgreason.io.readers import load_stream
from kgreason.rdf.keys import term_of
from kgreason.rdf.model import IRI, BlankNode, Literal, TripleTerm
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


TRIPLE = '<<( <http://e/a> <http://e/b> <<( _:c <http://e/d> "\\"x\\n\\\\"@EN--ltr )>> )>>'
REIFIED = {
    "nt": f"{GOOD * 3}<http://e/s> <http://e/p> {TRIPLE} .\n",
    "nq": f"{GOOD * 3}<http://e/s> <http://e/p> {TRIPLE} <http://e/g> .\n",
    "ttl": f"{GOOD * 3}<http://e/s> <http://e/p> {TRIPLE} .\n",
    "trig": f"{GOOD * 3}<http://e/g> {{ <http://e/s> <http://e/p> {TRIPLE} }}\n",
    "rdf": """<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:i="http://www.w3.org/2005/11/its"
 r:version="1.2" i:version="2.0" xmlns:e="http://e/"><r:Description r:about="http://e/s"><e:p r:parseType="Triple">
<r:Description r:about="http://e/a"><e:b r:parseType="Triple"><r:Description r:nodeID="c">
<e:d xml:lang="EN" i:dir="ltr">"x
\\</e:d></r:Description></e:b></r:Description></e:p></r:Description></r:RDF>""",
}


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The keys of the objects of the property that documents here have, after something was read."""
    keys: list[str] = []
    learned = Dictionary.encode_columns, Dictionary.encode_keys

    def watched(way: int) -> Callable[..., Any]:
        def learn(self: Dictionary, *arguments: Any) -> Any:
            found = learned[way](self, *arguments)
            keys[:] = self.keys(np.arange(len(self), dtype=np.uint32))
            return found

        return learn

    monkeypatch.setattr(Dictionary, "encode_columns", watched(0))
    monkeypatch.setattr(Dictionary, "encode_keys", watched(1))
    return keys


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", DIRECTED)
def test_base_direction_is_read(format: str, way: Way, tmp_path: Path, read: list[str]) -> None:
    assert way(DIRECTED[format].encode(), format, tmp_path) > 0

    assert '"x"@ar--rtl' in read


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", REIFIED)
def test_triple_term_is_read_with_its_parts(format: str, way: Way, tmp_path: Path, read: list[str]) -> None:
    assert way(REIFIED[format].encode(), format, tmp_path) > 0

    (blank,) = (key for key in read if key.startswith("_:"))
    inner = next(key for key in read if key.startswith(f"<<( {blank} "))
    assert term_of(inner) == TripleTerm(BlankNode(blank[2:]), IRI("http://e/d"), Literal('"x\n\\', None, "en", "ltr"))
    assert f"<<( <http://e/a> <http://e/b> {inner} )>>" in read
    assert {"http://e/a", "http://e/b", "http://e/d"} <= {*read}


@pytest.mark.parametrize("format", ["nt", "ttl"])
@pytest.mark.parametrize("term", ['<<( "s" <a:p> <a:o> )>>', "<<( <a:s> _:p <a:o> )>>", '"x"@en--up', '"x"--ltr'])
def test_term_that_rdf_1_2_lacks_is_refused_with_its_line(term: str, format: str, tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=rf"data\.{format}:3:"):
        by_file(f"{GOOD * 2}<http://e/s> <http://e/p> {term} .\n".encode(), format, tmp_path)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("format", ["nt", "nq", "ttl", "trig"])
def test_too_deep_triple_term_is_refused(format: str, way: Way, tmp_path: Path) -> None:
    document = f"{GOOD}<http://e/s> <http://e/p> {'<<( <a:s> <a:p> ' * 101}<a:o>{' )>>' * 101} .\n"

    with pytest.raises(LoadError, match="triple terms are inside of each other"):
        way(document.encode(), format, tmp_path)


@pytest.mark.parametrize("format", ["nt", "ttl"])
@pytest.mark.parametrize("opening", ["<<( <a:s> <a:p> ", "<<( <a:s#x> <a:p#y>\t", "<<( _:s <a:p> "])
def test_parser_does_not_see_what_ends_the_process(opening: str, format: str, tmp_path: Path) -> None:
    document = f"<a:s> <a:p> {opening * 50_000}<a:o>{' )>>' * 50_000} .\n"

    with pytest.raises(LoadError, match="triple terms are inside of each other"):
        by_file(document.encode(), format, tmp_path)


@pytest.mark.parametrize("between", ["# )>>\n", '# ")>>\n', "# ')>>' )>>\n"])
def test_comments_do_not_hide_a_too_deep_triple_term(between: str, tmp_path: Path) -> None:
    document = f"<a:s> <a:p> {f'<<( <a:s> <a:p> {between}' * 50_000}<a:o>{' )>>' * 50_000} .\n"

    with pytest.raises(LoadError, match="triple terms are inside of each other"):
        by_file(document.encode(), "ttl", tmp_path)


def test_many_triple_terms_are_not_deep(tmp_path: Path) -> None:
    lines = [f'<a:s> <a:p> <<( <a:s> <a:p#{n}> "# <<( {n}" )>>, "<<( <<(" . # <<(' for n in range(3000)]

    assert by_file("\n".join(lines).encode(), "ttl", tmp_path) == 6000


def test_lenient_reads_base_directions(tmp_path: Path) -> None:
    for format, text in DIRECTED.items():
        (tmp_path / f"data.{format}").write_text(text)
    base = KnowledgeBase("none")

    report = base.bulk_load(tmp_path, lenient=True)

    assert report.skipped == 0
    assert not report.left_out


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
