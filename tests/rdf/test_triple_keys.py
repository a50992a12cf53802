"""Keys of triple terms: would catch two keys of one term, one key of two, and a text that is taken for a key."""

from __future__ import annotations

import pyoxigraph
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgreason.errors import TermError
from kgreason.rdf.keys import folded_key, key_of, normal_key, term_of
from kgreason.rdf.model import IRI, BlankNode, Literal, Term, TripleTerm, same_term
from kgreason.rdf.triple_keys import MOST_NESTED, triple_key, triple_parts
from tests.matrix.terms import from_oxigraph

IRIS = st.sampled_from(["a:s", "http://e/p#x", "http://e/'(o)'", "urn:é"]).map(IRI)
BLANKS = st.sampled_from(["b", "b0.c", "ü-1"]).map(BlankNode)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)) | st.sampled_from('\\"\n\r\t)>< @^'), max_size=8)
LITERALS = st.one_of(
    st.builds(Literal, TEXTS),
    st.builds(Literal, TEXTS, IRIS.map(lambda iri: iri.value)),
    st.builds(Literal, TEXTS, st.none(), st.sampled_from(["en", "de-ch"]), st.sampled_from([None, "ltr", "rtl"])),
)
TRIPLES: st.SearchStrategy[TripleTerm] = st.recursive(
    st.builds(TripleTerm, IRIS | BLANKS, IRIS, IRIS | BLANKS | LITERALS),
    lambda inner: st.builds(TripleTerm, IRIS | BLANKS, IRIS, inner),
    max_leaves=4,
)


@given(TRIPLES)
def test_key_of_a_triple_term_is_its_n_triples(term: TripleTerm) -> None:
    key = key_of(term)

    (quad,) = pyoxigraph.parse(f"<a:s> <a:p> {key} .", format=pyoxigraph.RdfFormat.N_TRIPLES)

    assert from_oxigraph(quad.object) == term
    assert term_of(key) == term
    assert key == normal_key(key) == folded_key(key) == str(term)


@given(TRIPLES, TRIPLES)
def test_two_triple_terms_have_one_key_where_they_are_the_same(one: TripleTerm, other: TripleTerm) -> None:
    assert (key_of(one) == key_of(other)) == same_term(one, other) == (one == other)


@given(TRIPLES)
def test_parts_make_the_key_again(term: TripleTerm) -> None:
    parts = triple_parts(key_of(term))

    assert parts == (key_of(term.subject), key_of(term.predicate), key_of(term.object))
    assert triple_key(*parts) == key_of(term)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ('<<( <a:s> <a:p> "x"@EN-gb )>>', '<<( <a:s> <a:p> "x"@en-gb )>>'),
        ('<<( <a:s> <a:p> "x"@AR--rtl )>>', '<<( <a:s> <a:p> "x"@ar--rtl )>>'),
        ('<<( <a:s> <a:p> "x"^^<http://www.w3.org/2001/XMLSchema#string> )>>', '<<( <a:s> <a:p> "x" )>>'),
        ('<<( <a:s> <a:p> <<( _:b <a:p> "\\"@EN"@EN )>> )>>', '<<( <a:s> <a:p> <<( _:b <a:p> "\\"@EN"@en )>> )>>'),
        ('<<( <a:s> <a:p> "\\"@EN" )>>', '<<( <a:s> <a:p> "\\"@EN" )>>'),
    ],
)
def test_other_ways_to_write_a_triple_term_have_one_form(written: str, normal: str) -> None:
    assert normal_key(written) == folded_key(written) == normal


@pytest.mark.parametrize(
    "text",
    [
        "<<",
        "<<( )>>",
        "<<( <a:s> <a:p> )>>",
        "<<( <a:s> <a:p> <a:o> <a:o> )>>",
        '<<( "s" <a:p> <a:o> )>>',
        "<<( <a:s> _:p <a:o> )>>",
        "<<( <<( <a:s> <a:p> <a:o> )>> <a:p> <a:o> )>>",
        "<<( <a:s> <a:p> <a:o>)>>",
        "<<( <a:s>  <a:p> <a:o> )>>",
        "<<( <a:s> <a:p> <a:o>  )>>",
        '<<( <a:s> <a:p> "\\" )>>',
        '<<( <a:s> <a:p> "\\u0041" )>>',
        "<<( <a:s> <a:p> <<( <a:s> <a:p> <a:o> )>>",
        "<<( <a:s> <a:p> <a:o> )>> )>>",
        "<<( <a:s> <a:p> <a:o> )>> <a:o> )>>",
        "<a:s>",
    ],
)
def test_text_that_is_not_the_key_of_a_triple_term_is_refused(text: str) -> None:
    with pytest.raises(TermError, match="not the key of a triple term"):
        triple_parts(text)


def test_depth_has_a_limit() -> None:
    key = "a:o"
    for _ in range(MOST_NESTED):
        key = triple_key("a:s", "a:p", key)

    assert key_of(term_of(key)) == key
    with pytest.raises(TermError, match="inside of each other"):
        triple_key("a:s", "a:p", key)
    assert triple_key("a:s", "a:p", '"' + "<<( " * 200 + '"').count("<<( ") == 201


@pytest.mark.parametrize(
    ("term", "reason"),
    [
        (Literal("x", None, "en", "up"), "not a base direction"),
        (Literal("x", None, None, "ltr"), "needs a language tag"),
        (TripleTerm(Literal("x"), IRI("a:p"), IRI("a:o")), "misplaced"),  # type: ignore[arg-type] # refused
        (TripleTerm(IRI("a:s"), BlankNode("p"), IRI("a:o")), "misplaced"),  # type: ignore[arg-type] # refused
        (TripleTerm(IRI("a:s"), IRI("p"), IRI("a:o")), "not a valid IRI"),
        (TripleTerm(IRI("a:s"), IRI("a:p"), Literal("x", None, "e")), "not a valid language tag"),
    ],
)
def test_term_that_is_none_has_no_key(term: Term, reason: str) -> None:
    with pytest.raises(TermError, match=reason):
        key_of(term)
