"""Files of every format and compression into columns of ids, and one clear error for every bad one."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest

from kgreason.errors import LoadError
from kgreason.io.quads import DEFAULT_GRAPH
from kgreason.io.readers import read_files, read_stream
from kgreason.rdf.model import IRI, BlankNode, Literal
from kgreason.store.knowledge_base import KnowledgeBase
from tests.facade import triples

THE_TRIPLE = (IRI("http://e/s"), IRI("http://e/p"), IRI("http://e/o"))
DOCUMENTS = {
    "nt": "<http://e/s> <http://e/p> <http://e/o> .\n",
    "nq": "<http://e/s> <http://e/p> <http://e/o> .\n",
    "ttl": "@prefix e: <http://e/> . e:s e:p e:o .\n",
    "trig": "@prefix e: <http://e/> . { e:s e:p e:o }\n",
    "n3": "@prefix e: <http://e/> . e:s e:p e:o .\n",
    "rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
    '<rdf:Description rdf:about="http://e/s"><e:p rdf:resource="http://e/o"/></rdf:Description></rdf:RDF>',
    "jsonld": '{"@id": "http://e/s", "http://e/p": {"@id": "http://e/o"}}',
    "owl": "@prefix e: <http://e/> . e:s e:p e:o .\n",
}
COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
}


def load(*paths: Path, format: str | None = None) -> set:
    base = KnowledgeBase("none")
    base.add_quads(read_files(paths, base.dictionary, format=format))
    return triples(base, base.all())


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("extension", DOCUMENTS)
def test_formats(extension: str, tmp_path: Path) -> None:
    assert load(write(tmp_path / f"data.{extension}", DOCUMENTS[extension])) == {THE_TRIPLE}


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_compressions(compression: str, tmp_path: Path) -> None:
    packed = COMPRESSIONS[compression](DOCUMENTS["nt"].encode())
    assert load(write(tmp_path / f"data.nt.{compression}", packed)) == {THE_TRIPLE}


def test_a_directory_and_several_files(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    write(tmp_path / "a.nt", DOCUMENTS["nt"])
    write(tmp_path / "inner" / "b.ttl", "<http://e/s> <http://e/p> 1 .")
    for name in ("notes.md", "catalog.xml", "package.json"):
        write(tmp_path / name, "not RDF")
    more = write(tmp_path.parent / "more.nt", "<http://e/a> <http://e/p> <http://e/b> .")
    assert len(load(tmp_path, more)) == 3


def test_a_format_may_be_given(tmp_path: Path) -> None:
    assert load(write(tmp_path / "data.txt", DOCUMENTS["ttl"]), format="turtle") == {THE_TRIPLE}


def test_entities_in_single_quotes_are_those_in_double_ones(tmp_path: Path) -> None:
    text = DOCUMENTS["rdf"].replace('"http://e/o"', '"&e;o"')
    name = "<!DOCTYPE rdf:RDF [\n  <!-- it's -->\n  <!ENTITY e 'http://e/'>\n  <!ENTITY f \"isn't\">\n]>\n"
    document = write(tmp_path / "data.rdf", f"<?xml version='1.0'?>\n{name}{text}")

    assert load(document) == {THE_TRIPLE}


@pytest.mark.parametrize("before", ["", "<!DOCTYPE rdf:RDF [<!ENTITY a 'b'>]>", "<!-- <!DOCTYPE a [] -->"])
def test_literal_that_looks_like_a_document_type_stays_as_it_is(before: str, tmp_path: Path) -> None:
    text = "<!DOCTYPE a [<!ENTITY b 'c'>]>"
    begin, end = '<e:p xmlns:e="http://e/"><![CDATA[', "]]></e:p></rdf:Description>"
    document = (
        f'{before}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f'<rdf:Description rdf:about="http://e/s">{begin}{text}{end}</rdf:RDF>'
    )

    ((_, _, value),) = load(write(tmp_path / "data.rdf", document))

    assert value == Literal(text)


def test_streams() -> None:
    base = KnowledgeBase("none")
    base.add_quads(read_stream(DOCUMENTS["nt"].encode(), base.dictionary, format="nt"))
    assert triples(base, base.all()) == {THE_TRIPLE}


def test_literals_come_as_they_are(tmp_path: Path) -> None:
    text = r"""<http://e/s> <http://e/p> "a\"b\n\\ü\t" , "01"^^<http://www.w3.org/2001/XMLSchema#integer> ,
        "x"@en-gb , "x" , "x"^^<urn:t> , "" ."""
    found = {o for _, _, o in load(write(tmp_path / "data.ttl", text))}
    assert found == {
        Literal('a"b\n\\ü\t'),
        Literal("01", "http://www.w3.org/2001/XMLSchema#integer"),
        Literal("x", None, "en-gb"),
        Literal("x"),
        Literal("x", "urn:t"),
        Literal(""),
    }


def test_blank_nodes_are_scoped_to_their_file(tmp_path: Path) -> None:
    for name in "ab":
        write(tmp_path / f"{name}.nt", "_:x <http://e/p> _:y .\n_:x <http://e/p> _:x .\n")
    found = load(tmp_path)
    assert len(found) == 4
    assert len({s for s, _, _ in found if isinstance(s, BlankNode)}) == 2


def test_named_graphs(tmp_path: Path) -> None:
    file = write(tmp_path / "d.nq", DOCUMENTS["nt"] + "<http://e/s> <http://e/p> <http://e/o> <http://e/g> .\n")
    base = KnowledgeBase("none")
    base.add_quads(read_files([file], base.dictionary))
    graph = base.dictionary.lookup(IRI("http://e/g"))
    assert graph is not None
    assert set(base.graphs()) == {DEFAULT_GRAPH, graph}
    assert triples(base, base.graph(graph)) == triples(base, base.all()) == {THE_TRIPLE}


def test_progress(tmp_path: Path) -> None:
    reports: list[tuple[str, int]] = []
    file = write(tmp_path / "d.nt", "".join(f"<urn:s{i}> <urn:p> <urn:o> .\n" for i in range(70_000)))
    read_files([file], KnowledgeBase("none").dictionary, progress=lambda *report: reports.append(report))
    assert {source for source, _ in reports} == {str(file)}
    counts = [count for _, count in reports]
    assert counts == sorted(counts)
    assert counts[-1] == 70_000


BAD = {
    "malformed.nt": ("<urn:s> <urn:p> <urn:o> .\n" * 1000 + "<urn:s> <urn:p> oops .\n", r"malformed\.nt:1001:"),
    "subject.nt": ('"a" <urn:p> <urn:o> .\n', r"subject\.nt:1:"),
    "iri.ttl": ("<http://a b> <urn:p> <urn:o> .\n", r"iri\.ttl:1:"),
    "cut.rdf": (DOCUMENTS["rdf"][:-10], r"cut\.rdf:1: no element found"),
    "bytes.nt": (b'<urn:s> <urn:p> "\xff\xfe" .\n', r"bytes\.nt"),
    "cut.nt.gz": (gzip.compress(DOCUMENTS["nt"].encode() * 5000)[:-40], r".*cut\.nt\.gz: cannot be read: "),
    "not.nt.gz": (b"not gzip", r".*not\.nt\.gz: cannot be read: "),
    "what.unknown": ("", r"what\.unknown: the name does not tell an RDF format"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_leave_everything_as_it_was(name: str, tmp_path: Path) -> None:
    base = KnowledgeBase("owl-rl")
    base.add_quads(read_files([write(tmp_path / "good.nt", DOCUMENTS["nt"])], base.dictionary))
    content, message = BAD[name]
    with pytest.raises(LoadError, match=message) as caught:
        base.add_quads(read_files([tmp_path / "good.nt", write(tmp_path / name, content)], base.dictionary))
    assert "\n" not in str(caught.value)
    assert triples(base, base.all()) == {THE_TRIPLE}


@pytest.mark.parametrize(
    ("extension", "text", "expected"),
    [
        ("nt", '<a:s> <a:p> <a:o> .\n<a:s> <a:p "x" .\n<a:s> <a:p> <a:x> .\n', ":2:7: Unexpected end of line"),
        ("ttl", '<a:s> <a:p> <a:o> .\n<a:s> <a:p> """x\ny', ":2:13: Unexpected end of file"),
        ("ttl", "<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:\n", ":2:13: Unexpected end of file"),
    ],
)
def test_term_that_goes_on_in_other_lines_is_refused_where_it_begins(
    extension: str, text: str, expected: str, tmp_path: Path
) -> None:
    (tmp_path / f"bad.{extension}").write_text(text)

    with pytest.raises(LoadError) as raised:
        read_files([tmp_path / f"bad.{extension}"], KnowledgeBase("none").dictionary)

    assert str(raised.value) == f"{tmp_path / f'bad.{extension}'}{expected}"


def test_missing_files_and_empty_directories(tmp_path: Path) -> None:
    dictionary = KnowledgeBase("none").dictionary
    with pytest.raises(LoadError, match="no such file"):
        read_files([tmp_path / "none.nt"], dictionary)
    with pytest.raises(LoadError, match="no RDF files in the directory"):
        read_files([tmp_path], dictionary)
    with pytest.raises(LoadError, match="unknown RDF format 'docx'"):
        read_stream(b"", dictionary, format="docx")


@pytest.mark.parametrize("formula", ["<a:b> <a:says> { <a:x> a <a:y> } .", "{ <a:x> a <a:y> } <a:is> <a:b> ."])
def test_a_formula_of_n3_is_quoted_and_not_loaded(formula: str, tmp_path: Path) -> None:
    file = tmp_path / "quoted.n3"
    file.write_text(f"<a:a> <a:b> <a:c> .\n\n{formula}\n")
    base = KnowledgeBase("rdfs")

    with pytest.raises(LoadError, match=r"quoted\.n3:3: a quoted formula of N3 cannot be stored"):
        read_files([file], base.dictionary)

    file.write_text("<a:a> <a:b> <a:c> .\n")
    assert len(read_files([file], base.dictionary)) == 1
