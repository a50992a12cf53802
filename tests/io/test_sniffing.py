"""Formats by content: would catch a file of one format read as another, and one that is no RDF read at all."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyoxigraph as ox
import pytest
from pyoxigraph import RdfFormat

from kgreason.errors import LoadError
from kgreason.io.format_sniffing import SNIFFED, format_of_content
from kgreason.io.formats import Format, OwlFormat, format_of_path
from kgreason.store.knowledge_base import KnowledgeBase
from tests.shared_data import unpacked

N_QUADS, TRIG, RDF_XML, JSON_LD = RdfFormat.N_QUADS, RdfFormat.TRIG, RdfFormat.RDF_XML, RdfFormat.JSON_LD
NAMESPACE = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'

CONTENT: dict[str, Format | None] = {
    "": N_QUADS,
    " \n\n": N_QUADS,
    "# only a comment\n": N_QUADS,
    "<a:s> <a:p> <a:o> .\n": N_QUADS,
    "<a:s> <a:p> <a:o> .": N_QUADS,
    "<a:s> <a:p> <a:o> .\r\n_:b <a:p> _:c .\r\n": N_QUADS,
    '\ufeff<a:s> <a:p> "a # b . \\" <c:d>"@en-GB . # end\n': N_QUADS,
    '<a:s><a:p>"1"^^<a:d>.\n': N_QUADS,
    "<a:s> <a:p> <a:o> <a:g> .\n": N_QUADS,
    'VERSION "1.2"\n<a:s> <a:p> <a:o> .\n': N_QUADS,
    "<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .\n": N_QUADS,
    "oops\n<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:o> .\n": N_QUADS,
    "<a:s> <a:p> oops .\n<a:s> <a:p> <a:o> .\n": N_QUADS,
    "<s> <p> <o> .\n": N_QUADS,
    "@prefix e: <http://e/> .\ne:s a e:C .\n": TRIG,
    "prefix : <http://e/>\n:s a :C .\n": TRIG,
    "# first\n\n@base <http://e/> .\n<s> <p> <o> .\n": TRIG,
    "<a:s> a <a:C> .\n": TRIG,
    "<a:s> <a:p> <a:o>, <a:q> .\n": TRIG,
    "<a:s> <a:p> <a:o> ;\n <a:q> 1 .\n": TRIG,
    '<a:s> <a:p> """one\ntwo""" .\n': TRIG,
    "[] <a:p> ( 1 2 ) .\n": TRIG,
    "<a:g> { <a:s> <a:p> <a:o> }\n": TRIG,
    "{ <a:s> <a:p> <a:o> }\n": TRIG,
    f"<rdf:RDF {NAMESPACE}/>": RDF_XML,
    f'<?xml version="1.0"?>\n<!-- x -->\n<r:RDF xmlns:r="{NAMESPACE[11:-1]}"/>': RDF_XML,
    f'<!DOCTYPE rdf:RDF [ <!ENTITY x "y"> ]>\n<rdf:RDF {NAMESPACE}></rdf:RDF>': RDF_XML,
    f'<e:Thing xmlns:e="http://e/" {NAMESPACE} rdf:about="a:s"/>': RDF_XML,
    '{"@id": "a:s", "a:p": "x"}': JSON_LD,
    ' [ {"@context": {"e": "http://e/"}, "@graph": []} ]': JSON_LD,
    '{"value": "<a:s> <a:p> <a:o> ."}\n': None,
    '[1, 2, "@id"]': None,
    "<html><body>x</body></html>": None,
    "<?xml version='1.0'?><Ontology/>": None,
    "s,p,o\nhttp://e/s,http://e/p,http://e/o\n": None,
    "hello world\n": None,
    "\x00\x01\x02\x03": None,
    "(SubClassOf a b)\n": None,
    "format-version: 1.2\n\n[Term]\nid: X:1\n": OwlFormat.OBO,
    "# x\nPrefix: : <http://e/>\nOntology: <http://e/o>\n": OwlFormat.MANCHESTER,
    '<?xml version="1.0"?>\n<!-- x --><Ontology xmlns="http://www.w3.org/2002/07/owl#"/>': OwlFormat.OWL_XML,
    "Prefix(:=<http://e/>)\nOntology(<http://e/o>)\n": OwlFormat.FUNCTIONAL,
}


@pytest.mark.parametrize("text", CONTENT)
def test_format_of_a_whole_file(text: str) -> None:
    assert format_of_content(text.encode(), complete=True) == CONTENT[text]


@pytest.mark.parametrize("text", [text for text, format in CONTENT.items() if text.strip() and format is not None])
def test_format_of_a_file_that_goes_on(text: str) -> None:
    if text[-1] != "}" and "DOCTYPE" not in text and "?xml" not in text and "xmlns" not in text and "]" not in text:
        assert format_of_content(f"{text}\n<a:s> <a:p> \"cut o".encode(), complete=False) == CONTENT[text]


def test_format_of_a_line_that_is_longer_than_what_is_looked_at() -> None:
    assert format_of_content(b'<a:s> <a:p> "' + b"x" * SNIFFED, complete=False) == N_QUADS


ARCHIVES = [
    *("w3c-rdf-tests/w3c-rdf-tests", "rico/rico", "brick/brick-buildings", "skos-gsq/gsq-vocabularies", "sweet/sweet"),
    "ore-small-closures/ore-give-even",
]


def described(data: bytes, format: RdfFormat) -> ox.Dataset | None:
    """What a document says, None when it is malformed."""
    try:
        found = ox.Dataset(ox.parse(input=data, format=format, base_iri="http://e/"))
    except (SyntaxError, ValueError):
        return None
    found.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return found


@pytest.mark.parametrize("archive", ARCHIVES)
def test_real_file_is_told_as_its_name_tells(archive: str) -> None:
    count = 0
    for path in sorted(unpacked(f"{archive}.tar.xz").rglob("*")):
        named = format_of_path(path)
        if not path.is_file() or named is None or path.suffix in (".xml", ".json"):
            continue
        data = path.read_bytes()
        wanted = described(data, named)
        if wanted is None:
            continue
        found = format_of_content(data[:SNIFFED], len(data) < SNIFFED)
        expected = {RdfFormat.N_TRIPLES: N_QUADS, RdfFormat.TURTLE: TRIG}.get(named, named)
        # What is plain enough for N-Quads may be called anything that says the same.
        assert found == expected or (found is not None and described(data, found) == wanted), path
        count += 1
    assert count


def in_blocks(data: bytes, codec: str, block: int = 5000, piece: int = 3000) -> bytes:
    """Data as Hadoop's codecs write it, in blocks of some pieces."""
    found = []
    for start in range(0, len(data), block):
        some = data[start : start + block]
        found.append(len(some).to_bytes(4, "big"))
        for begin in range(0, len(some), piece):
            packed = pyarrow.compress(some[begin : begin + piece], codec=codec, asbytes=True)
            found += [len(packed).to_bytes(4, "big"), packed]
    return b"".join(found)


COMPRESSED: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
    ".deflate": zlib.compress,
    ".snappy": lambda data: in_blocks(data, "snappy"),
    ".lz4": lambda data: in_blocks(data, "lz4_raw"),
    ".LZ4": lambda data: pyarrow.compress(data, codec="lz4", asbytes=True),
}
TEXT = "".join(f'<a:s{i}> <a:p> "{i}" .\n' for i in range(9000)).encode()


# What Hadoop calls so has no magic number that text could not have.
UNMARKED = (".deflate", ".snappy", ".lz4")
NAMES = [(suffix, f"data{suffix}") for suffix in COMPRESSED] + [(s, "data") for s in COMPRESSED if s not in UNMARKED]


@pytest.mark.parametrize(("suffix", "name"), NAMES)
def test_compressions_by_name_and_by_content(suffix: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(COMPRESSED[suffix](TEXT))
    assert KnowledgeBase("none").bulk_load(path).triples == 9000

    path.write_bytes(COMPRESSED[suffix](TEXT)[:-20])
    base = KnowledgeBase("none")
    with pytest.raises(LoadError, match=r"data.*: cannot be read"):
        base.bulk_load(path)
    assert base.is_empty


def test_text_under_the_name_of_a_compression_is_refused(tmp_path: Path) -> None:
    for suffix in COMPRESSED:
        (tmp_path / f"data.nt{suffix}").write_bytes(TEXT)
        with pytest.raises(LoadError, match=r"data\.nt.*: cannot be read"):
            KnowledgeBase("none").bulk_load(tmp_path / f"data.nt{suffix}")


@pytest.mark.parametrize("begin", ["!", "#", "<?xml?>", "Prefix(", "<!DOCTYPE x [", "Ontology"])
def test_looking_at_a_beginning_takes_time_in_its_length(begin: str) -> None:
    for filler in (" ", "\n", "! \n", "# \n", "<", "a ", '"', "<!-- -->"):
        format_of_content(f"{begin}\n{filler * SNIFFED}".encode()[:SNIFFED], False)
