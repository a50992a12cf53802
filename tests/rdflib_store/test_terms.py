"""The border of terms: every rdflib term there and back, and columns decoded as single terms are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Graph, Literal, URIRef, Variable
from rdflib.term import Node, _toPythonMapping

from kgreason import ReasoningStore
from kgreason.dictionary import term_tuning
from kgreason.dictionary.dictionary import Dictionary
from kgreason.dictionary.key_columns import KeyColumn
from kgreason.errors import TermError
from kgreason.rdf import model
from kgreason_rdflib.rdflib_terms import from_model, literals_of, term_key, to_model
from kgreason_rdflib.term_border import TermBorder

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
IRIS = st.sampled_from("abc").map(lambda name: URIRef(f"http://example.org/{name}"))
DATATYPES = st.sampled_from([XSD.string, XSD.integer, XSD.token, XSD.normalizedString, URIRef("urn:d")])
TERMS = st.one_of(
    IRIS,
    st.sampled_from("xyz").map(BNode),
    TEXT.map(Literal),
    st.builds(lambda text, tag: Literal(text, lang=tag), TEXT, st.sampled_from(["en", "en-GB", "de", "EN"])),
    st.builds(lambda text, datatype: Literal(text, datatype=datatype, normalize=False), TEXT, DATATYPES),
)


def fields(term: Node) -> tuple[object, ...]:
    if isinstance(term, Literal):
        datatype = None if term.datatype == XSD.string else term.datatype
        return Literal, str(term), datatype, term.language and term.language.lower()
    return type(term), str(term)


def values(term: Node) -> object:
    return [repr(getattr(term, slot)) for slot in Literal.__slots__] if isinstance(term, Literal) else None


@given(st.lists(TERMS))
def test_there_and_back(terms: list[Node]) -> None:
    border = TermBorder(Dictionary())
    ids = [border.encode(term) for term in terms]
    for term, identifier in zip(terms, ids, strict=True):
        back = border.term(identifier)
        assert fields(back) == fields(term)
        assert back == term or getattr(term, "datatype", None) == XSD.string
        assert border.lookup(term) == identifier
        assert border.lookup(back) == identifier
    assert len(set(ids)) == len({fields(term) for term in terms})
    column = np.array(ids, dtype=np.uint32)
    assert list(map(fields, border.decode(column))) == list(map(fields, terms))


@given(st.lists(TERMS), st.lists(TERMS))
def test_columns_of_terms_are_decoded_as_single_ones(early: list[Node], late: list[Node]) -> None:
    dictionary = Dictionary()
    dictionary.encode_columns([KeyColumn.of(pa.array([f'"{i}"@en' for i in range(term_tuning.SEGMENT_LEAST)]))])
    keys = {key: None for key in map(term_key, early) if key is not None}
    iris = [f"urn:x{i}" for i in range(term_tuning.SEGMENT_LEAST)]
    dictionary.encode_columns([KeyColumn.of(pa.array([*keys, *iris]))])
    several, single = TermBorder(dictionary), TermBorder(dictionary)
    for term in late:
        several.encode(term)
    column = np.arange(len(dictionary), dtype=np.uint32)[::-1]

    found = several.decode(column)

    expected = [single.term(identifier) for identifier in column.tolist()]
    assert found == expected
    assert list(map(fields, found)) == list(map(fields, expected))
    assert list(map(values, found)) == list(map(values, expected))


@given(TEXT, st.sampled_from([None, "en", "EN-us"]))
def test_a_literal_without_a_datatype_is_as_rdflib_makes_it(text: str, language: str | None) -> None:
    made, expected = from_model(model.Literal(text, None, language)), Literal(text, lang=language)
    assert all(getattr(made, name) == getattr(expected, name) for name in Literal.__slots__)
    assert type(made.value) is type(expected.value)


@given(TEXT, DATATYPES)
def test_lexical_forms_stay_as_written(text: str, datatype: URIRef) -> None:
    literal = from_model(model.Literal(text, str(datatype)))
    assert str(literal) == text
    assert literal.datatype == (None if datatype == XSD.string else datatype)
    assert to_model(literal) == model.Literal(text, str(datatype))


def test_long_columns_and_a_growing_dictionary() -> None:
    border = TermBorder(Dictionary())
    for size in (3, 100, 5000):
        terms = [URIRef(f"http://example.org/{number}") for number in range(size)]
        ids = np.array([border.encode(term) for term in terms], dtype=np.uint32)
        assert border.decode(ids) == terms
        assert border.decode(ids[::-1]) == terms[::-1]
        assert border.decode(ids)[0] is border.term(int(ids[0]))


def test_lookup_interns_nothing() -> None:
    dictionary = Dictionary()
    border = TermBorder(dictionary)
    for term in (URIRef("urn:a"), Literal("a"), BNode("a"), Variable("a")):
        assert border.lookup(term) is None
    assert len(dictionary) == 0


def test_an_iri_is_never_taken_for_another_kind_of_term() -> None:
    border = TermBorder(Dictionary())
    blank, literal = border.encode(BNode("a")), border.encode(Literal("a"))
    assert border.lookup(URIRef("_:a")) is None
    assert border.lookup(URIRef('"a"')) is None
    assert fields(border.term(blank)) == (BNode, "a")
    assert fields(border.term(literal)) == (Literal, "a", None, None)
    for bad in (URIRef("_:a"), URIRef('"a"'), URIRef("a\nb")):
        with pytest.raises(TermError):
            border.encode(bad)


def test_refused_triples_name_the_term() -> None:
    border = TermBorder(Dictionary())
    iri = URIRef("urn:a")
    with pytest.raises(TermError, match='"x"@en'):
        border.encode_triple(Literal("x", lang="en"), iri, iri)
    with pytest.raises(TermError, match="_:p"):
        border.encode_triple(iri, BNode("p"), iri)


UNIT = URIRef("urn:unit")
FORMS = (
    *("", "\n", "abc", " a  b\t", "0", "-1", "+1", "01", " 1", "300", "-129", "99999999999999999999"),
    *("1.5", "1e5", "NaN", "INF", "1E400", "true", "1", "ff", "f", "aGVsbG8=", "<a/>", "<a>"),
    *("2020-01-01", "2020-02-30", "2020-01-01T00:00:00Z", "12:00:00", "2020", "2020-02", "P1D", "P1Y", "PT1S"),
)


@pytest.mark.filterwarnings("ignore:Parsing weird boolean")
@pytest.mark.parametrize("datatype", sorted({*_toPythonMapping, RDF.langString, UNIT} - {None, XSD.string}))
def test_literals_of_a_datatype_are_as_rdflib_makes_them(datatype: URIRef, caplog: pytest.LogCaptureFixture) -> None:
    expected = [Literal(text, datatype=datatype, normalize=False) for text in FORMS]
    logged = len(caplog.records)
    for found in (
        [from_model(model.Literal(text, str(datatype))) for text in FORMS],
        literals_of([*FORMS, "a"], [*[f"^^{datatype}"] * len(FORMS), "@en"])[:-1],
    ):
        for made, wanted, text in zip(found, expected, FORMS, strict=True):
            assert (type(made), str(made), values_but_nodes(made)) == (Literal, text, values_but_nodes(wanted))
    assert len(caplog.records) == 3 * logged


def values_but_nodes(literal: Node) -> object:
    """What a literal has; of trees of XML and HTML their types alone, since no two are equal."""
    assert isinstance(literal, Literal)
    kept = [getattr(literal, slot) for slot in Literal.__slots__]
    return [type(each) if hasattr(each, "childNodes") else (type(each), repr(each)) for each in kept]


ROWS_OF_FLOATS = """
    @prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :p rdfs:range xsd:double . :a :p "INF"^^xsd:double . :b :p "-INF"^^xsd:double . :c :p "NaN"^^xsd:double .
"""
LARGE = "@prefix : <http://example.org/> . :Large(?x) :- :p(?x, ?n), ?n > 5 ."
A, P = URIRef("http://example.org/a"), URIRef("http://example.org/p")


@pytest.mark.parametrize("syntax", ["turtle", "kg-turtle"])
def test_infinity_is_a_number_though_rdflib_spells_it_its_way(syntax: str) -> None:
    """Its parsers make "inf" of "INF"; rules took that for no double at all, and found an inconsistency."""
    store = ReasoningStore(rules=["owl-rl", LARGE])
    graph = Graph(store=store)
    graph.parse(data=ROWS_OF_FLOATS, format=syntax)

    assert store.inconsistencies() == []
    assert list(graph.subjects(RDF.type, URIRef("http://example.org/Large"))) == [A]
    assert [*graph.query("SELECT ?x { ?x :p ?n FILTER(?n > 5) }")] == [(A,)]
    assert [*graph.query("SELECT ?x { ?x :p ?n }", initBindings={"n": Literal(float("inf"))})] == [(A,)]
    assert {str(term) for term in graph.objects(None, P)} >= {"INF", "-INF", "NaN"}
    assert (A, P, Literal(float("inf"))) in graph
    assert (A, P, Literal("INF", datatype=XSD.double)) in graph
    assert '"INF"^^<http://www.w3.org/2001/XMLSchema#double>' in graph.serialize(format="kg-nt")
    graph.remove((A, P, Literal(float("inf"))))
    assert (A, P, None) not in graph


def test_what_is_no_infinity_in_a_document_comes_out_as_it_is() -> None:
    store = ReasoningStore(rules="owl-rl")
    store.bulk_load(b'<urn:a> <urn:p> "inf"^^<http://www.w3.org/2001/XMLSchema#double> .')
    assert [found.rule for found in store.inconsistencies()] == ["dt-not-type"]
    graph = Graph(store=store)
    [triple] = store.explicit
    assert isinstance(triple[2], Literal)
    assert triple[2].ill_typed
    assert triple in graph
    graph.remove(triple)
    assert len(store.explicit) == 0
