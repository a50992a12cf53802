"""Would catch markup within texts of RDF/XML that is refused or read as something else than by a parser of XML."""

from __future__ import annotations

import io
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import Graph

from kgreason import LoadError, ReasoningStore
from kgreason.io import xml_streams

HEAD = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
MARKUP = ("<!-- c -->", "<!---->", "<!-- <b> -\n->> -->", "<?p?>", "<?p <!-- ?>")
SECTIONS = ("<![CDATA[]]>", "<![CDATA[<b>&amp;]]>", "<![CDATA[ <!-- ]] > ]]>", "<![CDATA[]]]]><![CDATA[>]]>")
PIECES = st.lists(
    st.sampled_from(["a", " ", "\n", "]]", "--", "é", "&lt;", "&#62;", *MARKUP, *SECTIONS]), max_size=6
)


def document(text: str) -> str:
    described = f'<rdf:Description rdf:about="http://e/a"><e:p>{text}</e:p></rdf:Description>'
    return f'<?xml version="1.0"?>\n<!-- of -->{HEAD}{described}</rdf:RDF>'


@given(pieces=PIECES, block=st.integers(1, 40))
def test_texts_are_those_of_a_parser_of_xml(pieces: list[str], block: int) -> None:
    text = document("".join(pieces))
    expected = ElementTree.fromstring(text)[0][0].text or ""
    before, xml_streams._XML_BLOCK = xml_streams._XML_BLOCK, block
    try:
        found = b"".join(iter(xml_streams.WellFormed(io.BytesIO(text.encode())).read, b""))
        store = ReasoningStore(rules="none")
        store.bulk_load(text.encode(), format="xml")
    finally:
        xml_streams._XML_BLOCK = before
    assert (ElementTree.fromstring(found)[0][0].text or "") == expected
    assert [str(value) for value in Graph(store=store).objects()] == [expected]


ATTRIBUTES = st.lists(st.sampled_from(["a", "\n", "\t", "&#10;", "é", "&quot;", "'", "=", "xml:lang=''"]), max_size=5)


@given(value=ATTRIBUTES, language=st.sampled_from(["", ' xml:lang=""', " xml:lang = ''"]), block=st.integers(1, 40))
def test_attributes_are_those_of_a_parser_of_xml(value: list[str], language: str, block: int) -> None:
    text = f"""{HEAD[:-1]} xml:lang="en"><rdf:Description
        rdf:about="http://e/a" e:a="{"".join(value)}"><e:p{language}>="
        " xml:lang="" </e:p></rdf:Description></rdf:RDF>"""
    element = ElementTree.fromstring(text)[0]
    before, xml_streams._XML_BLOCK = xml_streams._XML_BLOCK, block
    try:
        store = ReasoningStore(rules="none")
        store.bulk_load(text.encode(), format="xml")
    finally:
        xml_streams._XML_BLOCK = before
    found = {str(p)[-1]: (str(o), getattr(o, "language", None)) for _, p, o in Graph(store=store)}
    assert found == {
        "a": (element.attrib["{http://e/}a"], "en"),
        "p": (element[0].text, None if language else "en"),
    }


def test_an_empty_language_within_an_xml_literal_stays_as_it_is() -> None:
    literal = """<e:p rdf:parseType='Literal'><b xml:lang="">x</b></e:p>"""
    text = f"{HEAD}<rdf:Description rdf:about='http://e/a'>{literal}</rdf:Description></rdf:RDF>"
    store = ReasoningStore(rules="none")
    store.bulk_load(text.encode(), format="xml")
    (value,) = Graph(store=store).objects()
    assert str(value).startswith('<b xml:lang=""')
    assert "kgreason" not in str(value)


@pytest.mark.parametrize("opening", ["<!-- ", "<![CDATA[", "<?p "])
def test_long_markup_takes_linear_time(opening: str) -> None:
    end = {"<!-- ": "-->", "<![CDATA[": "]]>", "<?p ": "?>"}[opening]
    text = document(f"a{opening}{'x- ]?' * 4_000_000}{end}b")
    store = ReasoningStore(rules="none")
    store.bulk_load(text.encode(), format="xml")
    (value,) = Graph(store=store).objects()
    assert len(str(value)) == (2 + 20_000_000 if opening == "<![CDATA[" else 2)


def test_markup_that_does_not_end_is_refused() -> None:
    for text in ("a<!-- c", "a<![CDATA[b", "a<?p"):
        with pytest.raises(LoadError):
            ReasoningStore(rules="none").bulk_load(document(text).encode(), format="xml")
