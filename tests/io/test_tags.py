"""Language tags come as a document writes them, in every format and however it is cut: a parser gives lower case."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import RdfFormat

from kgreason.io.ntriples_blocks import Reading, read_block
from kgreason.io.parsed_streams import parse_stream
from kgreason.io.parts import Part

TAGS = st.sampled_from(["en", "en-GB", "EN-gb", "En", "zh-Hant-TW", "x-Private", "de-CH-1996"])
TEXTS = st.text("ab@\"'\\ \n#-", max_size=5)
LITERALS = st.lists(st.tuples(TEXTS, TAGS), min_size=1, max_size=6)


class Crumbs:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self._stream, self._size = BytesIO(data), size

    def read(self, size: int = -1, /) -> bytes:
        return self._stream.read(self._size)


def quoted(text: str) -> str:
    for character, escape in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(character, escape)
    return f'"{text}"'


def literals(part: Part) -> list[str]:
    keys = part.column().keys.listed()
    return [keys[row] for row in part.quads.object.tolist()]


@given(LITERALS)
def test_tags_of_lines_are_as_written(found: list[tuple[str, str]]) -> None:
    lines = [f"<a:s> <a:p> {quoted(text)}@{tag} .\n" for text, tag in found]
    part = read_block("".join(lines).encode(), Reading(False, "", False)).part
    assert literals(part) == [f'"{text}"@{tag}' for text, tag in found]


@given(st.lists(st.tuples(st.text("ab \n#", max_size=5), TAGS), min_size=1, max_size=6), st.integers(1, 40))
def test_tags_of_turtle_are_as_written_however_it_is_cut(found: list[tuple[str, str]], size: int) -> None:
    text = "@prefix : <a:> .\n:s :p " + " , ".join(f"{quoted(text)}@{tag}" for text, tag in found) + " ."
    part = parse_stream(Crumbs(text.encode(), size), RdfFormat.TURTLE, None, "test")
    assert literals(part) == [f'"{text}"@{tag}' for text, tag in found]


RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
DOCUMENTS = {
    RdfFormat.RDF_XML: f'<r:RDF xmlns:r="{RDF}" xmlns:e="a:"><r:Description r:about="a:s" xml:lang="en-GB"><e:p>x</e:p>'
    '<e:p xml:lang="DE-ch">y</e:p></r:Description></r:RDF>',
    RdfFormat.JSON_LD: '{"@id": "a:s", "a:p": [{"@value": "x", "@language": "en-GB"},'
    ' {"@value": "y", "@language" : "DE-ch"}]}',
    RdfFormat.TRIG: 'GRAPH <a:g> { <a:s> <a:p> """x"""@en-GB , \'y\'@DE-ch . } # "z"@EN-gb',
    RdfFormat.N3: '<a:s> <a:p> """x"""@en-GB , "y"@DE-ch . # "z"@EN-gb',
    RdfFormat.N_TRIPLES: '<a:s> <a:p> "x"@en-GB .\n<a:s> <a:p> "y"@DE-ch .',
}


@pytest.mark.parametrize("format", DOCUMENTS, ids=str)
@pytest.mark.parametrize("size", [1, 7, 4096])
def test_tags_of_other_formats_are_as_written(format: RdfFormat, size: int) -> None:
    part = parse_stream(Crumbs(DOCUMENTS[format].encode(), size), format, "a:", "test")
    assert {*literals(part)} == {'"x"@en-GB', '"y"@DE-ch'}


def test_a_tag_of_json_ld_may_be_a_key() -> None:
    text = '{"@context": {"p": {"@id": "a:p", "@container": "@language"}}, "@id": "a:s", "p": {"en-GB": "x"}}'
    part = parse_stream(BytesIO(text.encode()), RdfFormat.JSON_LD, None, "test")
    assert literals(part) == ['"x"@en-GB']
